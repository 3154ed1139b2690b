"""A game or a match in one call, for notebooks and scripts: nothing is written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

from littlego.arena.entrants.kinds import BuiltIn, Prepared
from littlego.arena.match.plan import MatchPlan
from littlego.arena.pool.tasks import InProcess
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core import game
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord, Player
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.core.seeds import derive_seed
from littlego.players.catalogue import entry, make_player
from littlego.stats import Tally

PlayerMaker: TypeAlias = Callable[[int], Player]
"""Makes a player from a seed, as the classes of the built-in players do."""


@dataclass(frozen=True, slots=True)
class Match:
    """The games of two players who swapped colours after every game."""

    first: str
    second: str
    records: tuple[GameRecord, ...]

    @property
    def tally(self) -> Tally:
        """Wins, losses and ties of the first player."""
        return Tally.of(
            record.outcome.winner is colour if record.outcome and record.outcome.winner else None
            for record, colour in zip(self.records, itertools.cycle((Colour.BLACK, Colour.WHITE)), strict=False)
        )

    def __str__(self) -> str:
        tally = self.tally
        low, high = tally.interval
        ties = f", {tally.ties} ties" if tally.ties else ""
        return (
            f"{self.first} beat {self.second} in {tally.wins} of {tally.games} games{ties} "
            f"({tally.win_rate:.0%}, 95% interval {low:.0%} to {high:.0%})"
        )


def play_game(
    black: str | Player,
    white: str | Player,
    *,
    seed: int = 1,
    rules: Rules | None = None,
    start: Position | None = None,
    opening: Sequence[Move] = (),
) -> GameRecord:
    """Play one game in this process, from `start` or from the empty board of `rules`.

    A player is a name from `littlego players`, or anything with `choose(position) -> Move`. The same seed gives the
    same game. Raises UnknownPlayer, and UsageError for a start with other rules.

    >>> play_game("greedy", "random", seed=1).outcome.verdict
    <Verdict.SCORE: 'score'>
    """
    if start is not None and rules is not None and start.rules != rules:
        raise UsageError("play_game takes a start or rules: a start has its own")
    players = {
        colour: make_player(player, seed=derive_seed(seed, colour.name)) if isinstance(player, str) else player
        for colour, player in ((Colour.BLACK, black), (Colour.WHITE, white))
    }
    names = (_name(black), _name(white))
    return game.play(players, start=start or Position.initial(rules), opening=opening, names=names, seed=seed)


def play_match(
    first: str | PlayerMaker,
    second: str | PlayerMaker,
    *,
    games: int = 10,
    rules: Rules | None = None,
    seed: int = 1,
) -> Match:
    """Play `games` games, the first player with Black in games 0, 2, 4, ...

    A player is a name from `littlego players`, or a function that makes a player from a seed. The same seed gives the
    same games. For programs use `littlego match`, which has a referee. Raises UnknownPlayer and UsageError.
    """
    if games < 1:
        raise UsageError(f"{games} games: expected at least 1")
    prepared = (_prepared(first), _prepared(second))
    names = (_name(first), _name(second))
    plan = MatchPlan(*names, rules or edition_rules(), games, seed)
    return Match(*names, tuple(played(plan, names, prepared)))


def played(plan: MatchPlan, names: tuple[str, str], prepared: Sequence[Prepared]) -> Iterator[GameRecord]:
    """The games of a plan, played one after the other in this process; nothing is stored."""
    for _, result in InProcess().run(plan.job(names, prepared), plan.fixtures()):
        yield result.record


@dataclass(frozen=True, slots=True)
class _Made:
    """A player that a function makes."""

    make: PlayerMaker

    def seated(self, seed: int, _supervisor: Supervisor, _limits: Limits, /) -> AbstractContextManager[Player]:
        return nullcontext(self.make(seed))

    def identity(self) -> str:
        return _name(self.make)


def _prepared(player: str | PlayerMaker) -> Prepared:
    if isinstance(player, str):
        return BuiltIn(entry(player).name)
    return _Made(player)


def _name(player: str | PlayerMaker | Player) -> str:
    return player if isinstance(player, str) else getattr(player, "__name__", type(player).__name__)
