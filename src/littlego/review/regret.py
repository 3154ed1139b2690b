"""How often a player threw a won position away, by colour and by phase of the game.

A position counts if the player was to move and could win with best play; it was thrown away if
the move no longer won, or if the player forfeited or resigned there.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from operator import add
from typing import Any, Final

from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.review.values import Values, Watch, do_all
from littlego.review.verdicts import GameReview
from littlego.solve.oracle import Oracle
from littlego.stats import wilson_interval

SEARCH_LEFT: Final = 18
"""With at most this many plies left a search takes a second or two; two more plies take ten times as long."""


class Phase(enum.Enum):
    """Thirds of a game by plies left: with 24 moves, 24-17, 16-9 and 8-1."""

    OPENING = "opening"
    MIDDLE = "middle"
    ENDGAME = "endgame"


def phase_of(position: Position) -> Phase:
    thirds = 3 * position.plies_left
    length = position.rules.max_moves
    return Phase.OPENING if thirds > 2 * length else Phase.MIDDLE if thirds > length else Phase.ENDGAME


@dataclass(frozen=True, slots=True)
class Mistake:
    """A won position and the move that threw it away; None: the player forfeited or resigned."""

    game: int
    """The index of the record."""
    position: Position
    move: Move | None


@dataclass(frozen=True, slots=True)
class Count:
    """Won positions, how many of them were thrown away, and how many positions are unknown."""

    won: int = 0
    thrown: int = 0
    forfeited: int = 0
    """How many of those were thrown away by a forfeit or by resigning."""
    unknown: int = 0
    """Positions with the player to move whose value is not known."""

    def __add__(self, other: Count) -> Count:
        return Count(*map(add, astuple(self), astuple(other)))

    @property
    def rate(self) -> float:
        """The share of won positions that were thrown away; 0 if none was won."""
        return self.thrown / self.won if self.won else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson_interval(self.thrown, self.won)

    def to_dict(self) -> dict[str, Any]:
        return {
            "won": self.won,
            "thrown_away": self.thrown,
            "by_forfeit": self.forfeited,
            "unknown": self.unknown,
            "rate": self.rate,
            "interval_95": list(self.interval),
        }


@dataclass(frozen=True, slots=True)
class Regret:
    """What a player threw away in some games. Games with the same moves count once."""

    player: str
    games: int
    distinct_games: int
    counts: dict[tuple[Colour, Phase], Count]
    mistakes: tuple[Mistake, ...]
    """In the order of the games and their moves."""

    @property
    def total(self) -> Count:
        return sum(self.counts.values(), Count())

    @property
    def complete(self) -> bool:
        return not self.total.unknown

    def to_dict(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "games": self.games,
            "distinct_games": self.distinct_games,
            "complete": self.complete,
            "total": self.total.to_dict(),
            "by_colour_and_phase": [
                {"colour": colour.word, "phase": phase.value, **self.counts[colour, phase].to_dict()}
                for colour in Colour
                for phase in Phase
            ],
            "mistakes": [
                {
                    "game": mistake.game + 1,
                    "number": mistake.position.moves_played + 1,
                    "colour": mistake.position.to_move.word,
                    "move": None if mistake.move is None else mistake.position.move_name(mistake.move),
                }
                for mistake in self.mistakes
            ],
        }


def regret_of(
    records: Sequence[GameRecord],
    player: str,
    oracle: Oracle,
    *,
    search_left: int = SEARCH_LEFT,
    seconds: float | None = None,
    watch: Watch | None = None,
) -> Regret:
    """What `player` threw away in these games, with either colour.

    The work goes through all games together, from their last positions, which are cheap, to their first:
    if `seconds` run out, or another thread calls `oracle.stop()`, the same part of every game is missing
    and counted as unknown. With more than `search_left` plies left nothing is searched, which would take
    minutes: only what follows from the atlas, the oracle's store and these games is known. Raises
    UsageError if the player is in none of the games, or a game cannot be solved.
    """
    values = Values(oracle)
    games = {}
    for number, record in _distinct(records, player).items():
        try:
            games[number] = GameReview(record, oracle, search_left=search_left, values=values)
        except UsageError as error:
            raise UsageError(f"game {number + 1}: {error}") from error
    deepest = max(game.positions[0].plies_left for game in games.values())
    for game in games.values():
        values.remember_known(game.positions[: game.length + 1], down_to=search_left)
    steps = [
        partial(game.find_value, game.length + last.plies_left - left)
        for left in range(deepest + 1)
        for game in games.values()
        if (last := game.positions[game.length]).plies_left <= left <= game.positions[0].plies_left
    ]
    do_all(steps, oracle, seconds=seconds, watch=watch)
    counts, mistakes = _counted(games, player)
    return Regret(player, sum(player in (r.black, r.white) for r in records), len(games), counts, mistakes)


def names_in(records: Iterable[GameRecord]) -> list[str]:
    """Everyone who plays in some games, by name."""
    return sorted({name for record in records for name in (record.black, record.white)})


def _distinct(records: Sequence[GameRecord], player: str) -> dict[int, GameRecord]:
    seen: set[object] = set()
    games = {}
    for number, record in enumerate(records):
        colours = tuple(colour for colour in Colour if record.player(colour) == player)
        outcome = record.outcome
        key = (record.start, record.moves, colours, outcome and (outcome.winner, outcome.verdict))
        if not colours or key in seen:
            continue
        seen.add(key)
        games[number] = record
    if not records:
        raise UsageError(f"no games to find {player!r} in")
    if not games:
        raise UsageError(
            f"no player is called {player!r} in these games; the players are {', '.join(names_in(records))}"
        )
    return games


def _counted(
    games: dict[int, GameReview], player: str
) -> tuple[dict[tuple[Colour, Phase], Count], tuple[Mistake, ...]]:
    counts = {(colour, phase): Count() for colour in Colour for phase in Phase}
    mistakes = []
    for number, game in games.items():
        for k in range(game.length):
            position = game.positions[k]
            mover, before, after = position.to_move, game.value[k], game.value[k + 1]
            if game.record.player(mover) != player:
                continue
            if before is None or after is None:
                found = Count(unknown=1)
            else:
                won = before.winner is mover
                found = Count(int(won), int(won and after.winner is not mover))
            counts[mover, phase_of(position)] += found
            if found.thrown:
                mistakes.append(Mistake(number, position, game.record.moves[k]))
        if _gave_up(game, player):
            position = game.positions[game.length]
            counts[position.to_move, phase_of(position)] += Count(1, 1, 1)
            mistakes.append(Mistake(number, position, None))
    return counts, tuple(mistakes)


def _gave_up(game: GameReview, player: str) -> bool:
    """Whether the player forfeited or resigned a won position when it was to move."""
    outcome, last, value = game.record.outcome, game.positions[game.length], game.value[game.length]
    if outcome is None or outcome.winner is None or last.outcome() is not None or value is None:
        return False
    if game.record.player(last.to_move) != player:
        return False
    return outcome.winner is not last.to_move and value.winner is last.to_move
