"""A game or a match in one call, for notebooks and scripts: nothing is written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from littlego.arena.entrants.kinds import Entrant, Prepared
from littlego.arena.match.plan import MatchPlan, distinct_names
from littlego.arena.match.run import played
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core import game
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord, Player, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed
from littlego.course.spelling import classes_like, parse_entrant
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

    A player is spelled as on the command line (a name from `littlego players`, the directory of an agent, which is run
    in the sandbox, ...), or is anything with `choose(position) -> Move`. The same seed gives the same game. Raises
    UsageError for a start with other rules, for an unknown player, and for an agent that cannot be built.

    >>> play_game("greedy", "random", seed=1).outcome.verdict
    <Verdict.SCORE: 'score'>
    """
    if start is not None and rules is not None and start.rules != rules:
        raise UsageError("play_game takes a start or rules: a start has its own")
    first = start or Position.initial(rules)
    with ExitStack() as stack:
        supervisor = stack.enter_context(Supervisor())
        players: dict[Colour, Player] = {}
        names: list[str] = []
        for colour, player in ((Colour.BLACK, black), (Colour.WHITE, white)):
            if isinstance(player, str):
                entrant = _entrant(player, first.rules)
                names.append(entrant.name)
                workshop = stack.enter_context(temporary_directory("littlego-build-"))
                prepared = entrant.prepare(workshop / "agent", supervisor)
                seat = prepared.seated(derive_seed(seed, colour.name), supervisor, Limits())
                players[colour] = stack.enter_context(seat)
            else:
                if not hasattr(player, "choose"):
                    raise TypeError(f"{colour}: expected the name of a player, or a player, got {player!r}")
                names.append(_name(player))
                players[colour] = player
        return game.play(
            players,
            start=first,
            opening=opening,
            names=(names[0], names[1]),
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

    A player is spelled as on the command line (a name from `littlego players`, the directory of an agent, which is run
    in the sandbox, ...), or is a function that makes a player from a seed. The same seed gives the same games, if an
    agent uses no randomness of its own. Raises UsageError.

    >>> play_match("greedy", "random", games=4, seed=1)
    <Match greedy beat random in 2 of 4 games (50%, 95% interval 15% to 85%)>
    """
    if games < 1:
        raise UsageError(f"{games} games: expected at least 1")
    rules = Position.initial(rules).rules
    entrants = [_entrant(each, rules) if isinstance(each, str) else _Made(each) for each in (first, second)]
    names = distinct_names(entrants[0].name, entrants[1].name)
    plan = MatchPlan(*names, rules, games, seed)
    with temporary_directory("littlego-build-") as workshop, Supervisor() as supervisor:
        prepared = [each.prepare(workshop / str(k), supervisor) for k, each in enumerate(entrants)]
        return Match(*names, tuple(played(plan, names, prepared)))


@dataclass(frozen=True, slots=True)
class _Made:
    """A player that a function makes; ready as it is."""

    make: PlayerMaker

    @property
    def name(self) -> str:
        return _name(self.make)

    def prepare(self, _workshop: Path, _supervisor: Supervisor) -> Prepared:
        return self

    def seated(self, seed: int, _supervisor: Supervisor, _limits: Limits, /) -> AbstractContextManager[Player]:
        return nullcontext(self.make(seed))

    def identity(self) -> str:
        return self.name


def _entrant(text: str, rules: Rules) -> Entrant:
    return parse_entrant(text, edition=classes_like(rules))


def _name(player: PlayerMaker | Player) -> str:
    return getattr(player, "__name__", type(player).__name__)
