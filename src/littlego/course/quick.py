"""A grade or a tournament in one call, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path

from littlego.arena.entrants.programs import GRADES
from littlego.arena.pool.local import LocalPool
from littlego.arena.tournament.directory import Newcomer, Tournament, create
from littlego.arena.tournament.pairings.swiss import default_rounds
from littlego.arena.tournament.plan import DEFAULT_GAMES, Format, Listed, TournamentPlan, checked
from littlego.arena.tournament.report.summary import Summary, summarise
from littlego.arena.tournament.runner import RunWatcher, run_tournament
from littlego.arena.tournament.standings import Standing
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE
from littlego.course.editions.edition import Edition
from littlego.course.editions.find import find_edition
from littlego.course.grading.cohort.submissions import open_named
from littlego.course.grading.report import GradeReport
from littlego.course.grading.run import GradingTerms, grading_plan, open_grading
from littlego.course.spelling import parse_for_plan
from littlego.stats import whole
from littlego.storage.scratch import temporary_directory
from littlego.storage.whole_files import plain_name


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
    <GradeReport smart: 55.5 of 75 points, edition 2025, submit for stage 1>
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
            low, high = self.summary.ratings[row.name].interval
            elo = f"{whole(self.rating(row.name)):>6} ({whole(low)} to {whole(high)})"
            lines.append(f"{place:>2} {row.name:<{width}} {row.tally.wins:>4} of {row.tally.games} games {elo}")
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
    size: int = DEFAULT_SIZE,
    openings: int = 0,
    jobs: int = 1,
    seed: int = 1,
    out: str | Path | None = None,
) -> TournamentResult:
    """Play a tournament of names from `littlego players`, agents' directories and other spellings.

    `form` is "round-robin", "gauntlet", in which the first `challengers` players meet the others, or "swiss" with
    `rounds`; `games` are those of a pair. Games start in turn from the positions after `openings` moves. With `out`, a
    new directory, everything is stored there, for `littlego tournament`. Raises UsageError, and TaskFailed if games
    could not be played through our own fault.

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
    if kind is not Format.SWISS:
        rounds = None
    elif rounds is None:
        rounds = default_rounds(len(players))
    games = DEFAULT_GAMES[kind] if games is None else games
    plan = TournamentPlan(kind, (), games, seed, edition, size, rounds=rounds, openings=openings)
    parse = parse_for_plan(checked(plan, "tournament"))
    newcomers = []
    for number, text in enumerate(players):
        entrant = parse(text)
        is_challenger = kind is Format.GAUNTLET and number < challengers
        newcomers.append(Newcomer(Listed(plain_name(entrant.name), entrant.spelling, is_challenger), entrant))
    with ExitStack() as stack:
        folder = Path(out) if out is not None else stack.enter_context(temporary_directory("littlego-cup-")) / "cup"
        create(folder, plan, newcomers)
        tournament = stack.enter_context(Tournament(folder, parse_for_plan))
        silent = RunWatcher(lambda _wave: nullcontext(lambda _result: None), lambda _failure: None)
        run_tournament(tournament, stack.enter_context(LocalPool(jobs)), silent)
        games_played = tuple(kept.result.record for kept in tournament.store.games())
        return TournamentResult(summarise(tournament), games_played)
