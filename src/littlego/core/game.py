"""The one game loop, the record of a game that everything else is made from, and seeds for its random players."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from littlego.core.board import Colour
from littlego.core.errors import IllegalMove, PlayerFault, TakeBack
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Outcome

SEED_BITS: Final = 53
"""The whole numbers that JavaScript stores exactly: a record keeps its seed on its way through a page."""


class Player(Protocol):
    """Anything that can choose a move."""

    def choose(self, position: Position) -> Move:
        """A move for the side to move.

        May raise PlayerFault, which forfeits the game, and TakeBack, which goes back to the last
        time this player was to move. Any other exception is our failure, not the player's loss.
        """
        ...


@dataclass(frozen=True, slots=True, repr=False)
class GameRecord:
    """A game from its first position to its end; `outcome` is None while it goes on.

    `len(record)` is the number of its moves, and iterating over it gives its positions.
    """

    black: str
    white: str
    start: Position
    moves: tuple[Move, ...] = ()
    seconds: tuple[float, ...] = ()
    """The time each move took; empty if it was not measured."""
    outcome: Outcome | None = None
    seed: int | None = None
    """The seed of the players' random numbers."""

    def player(self, colour: Colour) -> str:
        """The name of a side's player.

        >>> lg.play_game("greedy", "random", seed=1).player(lg.WHITE)
        'random'
        """
        return self.black if colour is Colour.BLACK else self.white

    def positions(self) -> Iterator[Position]:
        """Every position of the game, including the first. Raises IllegalMove at an illegal move.

        >>> [position.to_move.name for position in lg.play_game("greedy", "random", seed=1).positions()][:3]
        ['BLACK', 'WHITE', 'BLACK']
        """
        position = self.start
        yield position
        for move in self.moves:
            position = position.play(move)
            yield position

    def __len__(self) -> int:
        return len(self.moves)

    def __bool__(self) -> bool:
        """A game is a game, even before its first move."""
        return True

    def __iter__(self) -> Iterator[Position]:
        return self.positions()

    def __repr__(self) -> str:
        moves = [self.start.move_name(move) for move in self.moves]
        shown = " ".join(moves if len(moves) <= 6 else [*moves[:3], "...", *moves[-2:]])
        end = str(self.outcome) if self.outcome else "not finished"
        count = "1 move" if len(moves) == 1 else f"{len(moves)} moves"
        return f"<GameRecord {self.black} - {self.white}, {count} ({shown}), {end}>"

    def final(self) -> Position:
        """The position after the last move. Raises IllegalMove at an illegal move.

        >>> lg.play_game("greedy", "random", seed=1).final().plies_left
        0
        """
        *_, last = self.positions()
        return last

    def then(self, move: Move, seconds: float) -> GameRecord:
        """The record with one more move. Its time is left out if the moves before have none.

        >>> lg.GameRecord("me", "you", lg.Position.initial()).then(12, seconds=0.1)
        <GameRecord me - you, 1 move (2,2), not finished>
        """
        measured = len(self.seconds) == len(self.moves)
        return replace(self, moves=(*self.moves, move), seconds=(*self.seconds, seconds) if measured else ())

    def without_last(self, plies: int) -> GameRecord:
        """The record without its last moves, without any if it has no more.

        >>> len(lg.play_game("greedy", "random", seed=1).without_last(4))
        20
        """
        keep = max(0, len(self.moves) - plies)
        return replace(self, moves=self.moves[:keep], seconds=self.seconds[:keep])

    def forfeited(self, by: Colour, fault: IllegalMove | PlayerFault, position: Position) -> GameRecord:
        """The record of a game that `by` lost through `fault` in `position`.

        >>> start = lg.Position.initial()
        >>> record = lg.GameRecord("me", "you", start)
        >>> print(record.forfeited(lg.BLACK, lg.PlayerFault(lg.Verdict.CRASH, "exit code 1"), start).outcome)
        White wins: Black forfeited; exit code 1
        """
        verdict = fault.why.verdict if isinstance(fault, IllegalMove) else fault.verdict
        return replace(self, outcome=Outcome(by.opponent, verdict, position.score(), str(fault)))

    def _repr_svg_(self) -> str:
        from littlego.core.svg import draw_svg

        return draw_svg(self.final(), last_move=self.moves[-1] if self.moves else None)


Observer = Callable[[Position, Move, Position], None]
"""Called for every move with the position before it, the move, and the position after it."""


def tell_players(players: Mapping[Colour, Player]) -> Observer | None:
    """An observer that passes each move on to the players that have a method `observe`; None if no player has."""
    listeners: list[Observer] = [player.observe for player in players.values() if hasattr(player, "observe")]
    if not listeners:
        return None

    def tell(before: Position, move: Move, after: Position) -> None:
        for listener in listeners:
            listener(before, move, after)

    return tell


def play(
    players: Mapping[Colour, Player],
    *,
    start: Position | None = None,
    opening: Sequence[Move] = (),
    names: tuple[str, str] = ("Black", "White"),
    seed: int | None = None,
    observer: Observer | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> GameRecord:
    """Play a game from `start` (default: an empty board of the newest edition) to its end.

    The moves of `opening` come first and no player is asked for them. Raises IllegalMove if one is illegal.

    A player's fault ends the game as a forfeit. Other exceptions are not caught: they are our fault,
    and the caller voids the game.
    """
    position = start or Position.initial()
    record = GameRecord(names[0], names[1], position, seed=seed)
    past = [position]
    for move in opening:
        before, position = position, position.play(move)
        record = record.then(move, 0.0)
        past.append(position)
        if observer:
            observer(before, move, position)
    while record.outcome is None and (outcome := position.outcome()) is None:
        before = position
        try:
            record, position = take_turn(record, position, players[position.to_move], clock)
        except TakeBack:
            if len(past) > 2:
                del past[-2:]
                position = past[-1]
                record = record.without_last(2)
            continue
        if record.outcome is None:
            past.append(position)
            if observer:
                observer(before, record.moves[-1], position)
    return record if record.outcome else replace(record, outcome=outcome)


def take_turn(
    record: GameRecord, position: Position, player: Player, clock: Callable[[], float] = time.perf_counter
) -> tuple[GameRecord, Position]:
    """One turn of the side to move in `position`, the last of `record`: the record and the position after it.

    If the player is at fault, the record gets its outcome and the position stays the same.
    """
    began = clock()
    for _ in range(position.rules.attempts):
        try:
            move = position.as_move(player.choose(position))
        except PlayerFault as fault:
            return record.forfeited(position.to_move, fault, position), position
        why = position.why_illegal(move)
        if why is None:
            return record.then(move, round(clock() - began, 6)), position.play_legal(move)
        broken = IllegalMove(position.move_name(move), why)
    return record.forfeited(position.to_move, broken, position), position


def derive_seed(seed: int, *labels: int | str) -> int:
    """A seed of `SEED_BITS` for the part of a plan that `labels` name, the same on every machine."""
    text = "/".join(str(part) for part in (seed, *labels))
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") >> 256 - SEED_BITS
