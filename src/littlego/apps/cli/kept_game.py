"""The game at the terminal, kept while it is played: it can be resumed after Ctrl-C, and reviewed when it is over."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from littlego.core.errors import FormatError, UsageError
from littlego.core.points import Move, move_name, parse_move
from littlego.storage.user_cache import user_cache
from littlego.storage.whole_files import write_whole

if TYPE_CHECKING:
    from littlego.arena.entrants.kinds import Prepared
    from littlego.arena.referee.client import Supervisor
    from littlego.arena.referee.limits import Limits
    from littlego.core.game import GameRecord, Player
    from littlego.core.position import Position

LAST: Final = "last"
"""Names the last game at the terminal, for `littlego review`."""
_FINISHED, _UNFINISHED = "last-game.sgf", "unfinished-game.json"


@dataclass(frozen=True, slots=True)
class StoppedGame:
    """A game that was stopped: what was asked for, and the moves so far."""

    black: str
    white: str
    edition: str
    size: int
    seed: int
    moves: tuple[Move, ...] = ()

    def write(self) -> None:
        """Keep it, unless this user has no cache."""
        fields = {**asdict(self), "moves": [move_name(move, self.size) for move in self.moves]}
        if (folder := user_cache()) is not None:
            with contextlib.suppress(OSError):
                write_whole(folder / _UNFINISHED, json.dumps(fields))


def read_unfinished() -> StoppedGame:
    """Raises UsageError if no game was stopped."""
    folder = user_cache()
    try:
        data: Any = json.loads((folder / _UNFINISHED).read_text(encoding="utf-8")) if folder else None
        moves = tuple(parse_move(text, data["size"]) for text in data["moves"])
        return StoppedGame(data["black"], data["white"], data["edition"], data["size"], data["seed"], moves)
    except (OSError, ValueError, KeyError, TypeError, FormatError):
        raise UsageError("no game at the terminal was stopped: start one with 'littlego play'") from None


def keep_finished(record: GameRecord) -> bool:
    """Keep a game for `littlego review last`; whether that was possible."""
    from littlego.formats.sgf.games import write_sgf

    folder = user_cache()
    if folder is None:
        return False
    try:
        (folder / _UNFINISHED).unlink(missing_ok=True)
        write_whole(folder / _FINISHED, write_sgf(record))
    except OSError:
        return False
    return True


def last_game() -> Path:
    """The file of the last game at the terminal. Raises UsageError."""
    folder = user_cache()
    if folder is None or not (folder / _FINISHED).exists():
        raise UsageError("no game at the terminal is kept: play one with 'littlego play'")
    return folder / _FINISHED


@dataclass(frozen=True, slots=True)
class Kept:
    """A participant whose game is kept after every move, its own and the other's."""

    prepared: Prepared
    game: StoppedGame

    @contextmanager
    def seated(self, seed: int, supervisor: Supervisor, limits: Limits, /) -> Iterator[Player]:
        with self.prepared.seated(seed, supervisor, limits) as player:
            yield _Keeping(player, self.game)

    def identity(self) -> str:
        return self.prepared.identity()


class _Keeping:
    def __init__(self, player: Player, game: StoppedGame) -> None:
        self._player, self._game = player, game
        self._moves: list[Move] = []

    def choose(self, position: Position) -> Move:
        return self._player.choose(position)

    def observe(self, before: Position, move: Move, after: Position) -> None:
        """Moves may have been taken back before this one."""
        self._moves[before.moves_played :] = [move]
        replace(self._game, moves=tuple(self._moves)).write()
        if (observe := getattr(self._player, "observe", None)) is not None:
            observe(before, move, after)
