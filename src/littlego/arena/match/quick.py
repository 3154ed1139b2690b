"""A game or a match in one call, for notebooks and scripts: nothing is written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from littlego.arena.entrants.kinds import BuiltIn, CourseAgent, Entrant, Prepared
from littlego.arena.match.plan import MatchPlan
from littlego.arena.pool.tasks import InProcess
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core import game
from littlego.core.colour import Colour
from littlego.core.errors import UnknownPlayer, UsageError
from littlego.core.game import GameRecord, Player, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.core.seeds import derive_seed
from littlego.players.catalogue import entry
from littlego.stats import Tally
from littlego.storage.scratch import temporary_directory

PlayerMaker: TypeAlias = Callable[[int], Player]
"""Makes a player from a seed, as the classes of the built-in players do."""


@dataclass(frozen=True, slots=True, repr=False)
class Match:
    """The games of two players who swapped colours after every game; `str` is the result in a sentence."""

    first: str
    second: str
    records: tuple[GameRecord, ...]

    @property
    def tally(self) -> Tally:
        """Wins, losses and ties of the first player."""
        return Tally.of(
            record.outcome.won_by(colour) if record.outcome else None
            for record, colour in zip(self.records, itertools.cycle((Colour.BLACK, Colour.WHITE)), strict=False)
        )

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[GameRecord]:
        return iter(self.records)

    def __repr__(self) -> str:
        return f"<Match {self}>"

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

    A player is a name from `littlego players`, the directory of an agent, which is run in the sandbox, or anything with
    `choose(position) -> Move`. The same seed gives the same game. Raises UnknownPlayer, and UsageError for a start with
    other rules, and an agent that cannot be built.

    >>> play_game("greedy", "random", seed=1).outcome.verdict
    <Verdict.SCORE: 'score'>
    """
    if start is not None and rules is not None and start.rules != rules:
        raise UsageError("play_game takes a start or rules: a start has its own")
    with ExitStack() as stack:
        supervisor = stack.enter_context(Supervisor())
        players: dict[Colour, Player] = {}
        for colour, player in ((Colour.BLACK, black), (Colour.WHITE, white)):
            if isinstance(player, str):
                workshop = stack.enter_context(temporary_directory("littlego-build-"))
                prepared = _entrant(player).prepare(workshop / "agent", supervisor)
                seat = prepared.seated(derive_seed(seed, colour.name), supervisor, Limits())
                players[colour] = stack.enter_context(seat)
            else:
                players[colour] = player
        return game.play(
            players,
            start=start or Position.initial(rules),
            opening=opening,
            names=(_name(black), _name(white)),
            seed=seed,
            observer=tell_players(players),
        )


def play_match(
    first: str | PlayerMaker,
    second: str | PlayerMaker,
    *,
    games: int = 10,
    rules: Rules | None = None,
    seed: int = 1,
) -> Match:
    """Play `games` games, the first player with Black in games 0, 2, 4, ...

    A player is a name from `littlego players`, the directory of an agent, which is run in the sandbox, or a function
    that makes a player from a seed. The same seed gives the same games, if an agent uses no randomness of its own.
    Raises UnknownPlayer and UsageError.

    >>> play_match("greedy", "random", games=4, seed=1)
    <Match greedy beat random in 2 of 4 games (50%, 95% interval 15% to 85%)>
    """
    if games < 1:
        raise UsageError(f"{games} games: expected at least 1")
    names = (_name(first), _name(second))
    if names[0] == names[1]:
        names = (f"{names[0]}-1", f"{names[1]}-2")
    plan = MatchPlan(*names, rules or edition_rules(), games, seed)
    with temporary_directory("littlego-build-") as workshop, Supervisor() as supervisor:
        prepared = [_prepared(each, workshop / str(k), supervisor) for k, each in enumerate((first, second))]
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


def _prepared(player: str | PlayerMaker, workshop: Path, supervisor: Supervisor) -> Prepared:
    return _entrant(player).prepare(workshop, supervisor) if isinstance(player, str) else _Made(player)


def _entrant(text: str) -> Entrant:
    """A built-in player, or the agent at a path. Raises UnknownPlayer."""
    try:
        return BuiltIn(entry(text).name)
    except UnknownPlayer as error:
        if Path(text).exists():
            return CourseAgent(Path(text))
        raise UnknownPlayer(f"{error}, or the path of an agent's directory") from error


def _name(player: str | PlayerMaker | Player) -> str:
    if isinstance(player, str) and Path(player).exists() and "/" in player:
        return CourseAgent(Path(player)).name
    return player if isinstance(player, str) else getattr(player, "__name__", type(player).__name__)
