"""A game, a match, a grade or a tournament in one call, for notebooks and scripts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from littlego.arena.building import GRADES
from littlego.arena.match import MatchPlan, distinct_names, played
from littlego.arena.participants import Entrant, Prepared, preparing
from littlego.arena.pool import LocalPool
from littlego.arena.tournament.folder import Tournament, create
from littlego.arena.tournament.plan import Format
from littlego.arena.tournament.runner import RunWatcher, run_tournament
from littlego.arena.tournament.summary import Standing, Summary, summarise
from littlego.core import game
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord, Player, derive_seed, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION, Rules
from littlego.course.contests import NamedPlayer, newcomers, plan_tournament
from littlego.course.editions.edition import Edition
from littlego.course.editions.find import find_edition
from littlego.course.grading.cohort.submissions import open_named
from littlego.course.grading.report import GradeReport
from littlego.course.grading.run import GradingTerms, grading_plan, open_grading
from littlego.course.spelling import classes_like, parse_entrant, parse_for_plan
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.stats import Tally, whole
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
            f"{self.first} won {tally.wins} of {tally.games} games against {self.second}{ties} "
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
        players: dict[Colour, Player] = {}
        names: list[str] = []
        for colour, player in ((Colour.BLACK, black), (Colour.WHITE, white)):
            if isinstance(player, str):
                entrant = _entrant(player, first.rules)
                names.append(entrant.name)
                (prepared,), supervisor = stack.enter_context(preparing([entrant]))
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
    <Match greedy won 4 of 4 games against random (100%, 95% interval 51% to 100%)>
    """
    if games < 1:
        raise UsageError(f"{games} games: expected at least 1")
    rules = Position.initial(rules).rules
    entrants = [_entrant(each, rules) if isinstance(each, str) else _Made(each) for each in (first, second)]
    names = distinct_names(entrants[0].name, entrants[1].name)
    plan = MatchPlan(*names, rules, games, seed)
    with preparing(entrants) as (prepared, _):
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


def grade_agent(
    agent: str | Path,
    *,
    edition: str | Edition = DEFAULT_EDITION,
    stage: str | None = None,
    repeats: int | None = None,
    jobs: int = 1,
    seed: int = 1,
    out: str | Path | None = None,
) -> GradeReport:
    """Grade an agent as the course does, and as `littlego grade` does; `str` of the report is the grade in a sentence.

    `agent` is its directory or archive, or a name from `littlego players`. `stage` is the edition's first unless given:
    "1", "2", "all", "submit". The games stay in `out`, by default a directory in `littlego-grades/`; the same call
    continues a grading that was stopped. An agent that cannot be built gets a report without points, with the
    compiler's output in `problem`. Raises UsageError if there is nothing to grade, or `out` holds another grading.

    >>> with temporary_directory("littlego-example-") as folder:
    ...     report = grade_agent("smart", stage="submit1", repeats=1, out=folder / "grade")
    >>> report
    <GradeReport smart: 54.5 of 75 points, edition 2025, submit for stage 1>
    >>> report.points_of(0) == report.points, len(report.records()), report.to_dict()["max_points"]
    (True, 60, 75.0)
    """
    found = find_edition(edition) if isinstance(edition, str) else edition
    folder = None if out is None else Path(out)
    entrant = open_named(str(agent), (folder or Path(GRADES)) / "unpacked", python=None, edition=found)
    terms = GradingTerms(found, stage or found.scheme.batches[0].key, repeats, seed)
    with open_grading(entrant, grading_plan(entrant, terms), out=folder) as grading, LocalPool(jobs) as pool:
        grading.play(pool)
        return grading.report()


@dataclass(frozen=True)
class TournamentResult:
    """A tournament that was played: `str` draws its table."""

    summary: Summary
    records: tuple[GameRecord, ...]

    @property
    def standings(self) -> list[Standing]:
        """Best players first."""
        return self.summary.standings

    def rating(self, name: str) -> float:
        """In Elo around 0; `summary.ratings` has intervals. Raises KeyError for somebody who did not play.

        >>> cup = lg.play_tournament(["random", "aggressive"], games=4)
        >>> cup.rating("aggressive") > cup.rating("random")
        True
        """
        return self.summary.ratings[name].rating

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.standings)
        lines = []
        for place, row in enumerate(self.standings, start=1):
            line = f"{place:>2} {row.name:<{width}} {row.tally.wins:>4} of {row.tally.games} games"
            if (rated := self.summary.ratings.get(row.name)) is not None:  # without a game there is no rating
                low, high = rated.interval
                line += f" {whole(rated.rating):>6} ({whole(low)} to {whole(high)})"
            lines.append(line)
        return "\n".join(lines)

    def __repr__(self) -> str:
        names = ", ".join(row.name for row in self.standings)
        return f"<TournamentResult {len(self.records)} games: {names}>"


def play_tournament(
    players: Sequence[str],
    *,
    form: str = Format.ROUND_ROBIN.value,
    games: int | None = None,
    rounds: int | None = None,
    challengers: int = 1,
    edition: str = DEFAULT_EDITION,
    size: int | None = None,
    openings: int = 0,
    jobs: int = 1,
    seed: int = 1,
    out: str | Path | None = None,
) -> TournamentResult:
    """Play a tournament of names from `littlego players`, agents' directories and other spellings.

    `form` is "round-robin", "gauntlet", in which the first `challengers` players meet the others, or "swiss" with
    `rounds`; `games` are those of a pair. Games start in turn from the positions after `openings` moves. With `out`, a
    new directory, everything is stored there, for `littlego tournament`. Raises UsageError, and TaskFailed if games
    could not be played because of an error on our side.

    >>> cup = play_tournament(["random", "greedy", "aggressive"], games=4, size=3)
    >>> len(cup.records), sorted(row.name for row in cup.standings)
    (12, ['aggressive', 'greedy', 'random'])
    """
    if isinstance(players, str):
        raise TypeError(f"expected a list of players, got {players!r}")
    kinds = [kind.value for kind in Format if kind is not Format.COURSE_2019]
    if form not in kinds:
        raise UsageError(f"form {form!r}: expected one of {', '.join(kinds)}")
    kind = Format(form)
    if kind is Format.GAUNTLET and not 1 <= challengers < len(players):
        raise UsageError(
            f"a gauntlet of {challengers} challengers among {len(players)} players: nobody is left to meet"
        )
    plan = plan_tournament(
        kind, find_edition(edition), len(players), games=games, rounds=rounds, size=size, seed=seed, openings=openings
    )
    joining = newcomers(plan, [NamedPlayer(text) for text in players], challengers=challengers)
    with ExitStack() as stack:
        folder = Path(out) if out is not None else stack.enter_context(temporary_directory("littlego-cup-")) / "cup"
        create(folder, plan, joining)
        tournament = stack.enter_context(Tournament(folder, parse_for_plan))
        silent = RunWatcher(lambda _wave: nullcontext(lambda _result: None), lambda _failure: None)
        run_tournament(tournament, stack.enter_context(LocalPool(jobs)), silent)
        games_played = tuple(kept.result.record for kept in tournament.store.games())
        return TournamentResult(summarise(tournament), games_played)
