"""Games, matches, gradings and tournaments from names and an edition, for the command, the library and the pages."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from littlego.arena.building import GRADES
from littlego.arena.match import MatchPlan, distinct_names, played
from littlego.arena.participants import Entrant, Prepared, preparing
from littlego.arena.pool import LocalPool
from littlego.arena.tournament.folder import Tournament
from littlego.arena.tournament.pairings import QUALIFYING_POINTS, default_rounds
from littlego.arena.tournament.plan import DEFAULT_GAMES, Format, TournamentPlan, checked
from littlego.arena.tournament.roster import Newcomer, create
from littlego.arena.tournament.runner import RunWatcher, run_tournament
from littlego.arena.tournament.summary import Place, Standing, Summary, summarise
from littlego.core import game
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord, Player, derive_seed, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION, EDITIONS, Rules
from littlego.course.edition import EDITION_FILE, Edition, find_edition
from littlego.course.grading.cohort.rows import REPORT, SubmissionStatus, pseudonyms
from littlego.course.grading.cohort.submissions import open_named, shown_name
from littlego.course.grading.report import GradeReport
from littlego.course.grading.run import GradingTerms, grading_plan, open_grading
from littlego.course.seats import classes_like, parse_entrant, parse_for_plan
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Level, Limits
from littlego.stats import Tally, whole
from littlego.storage.files import plain_name
from littlego.storage.scratch import temporary_directory

GUEST: Final = math.inf
"""In place of points from stage 1: a teaching assistant's agent, which takes no rank."""


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player as somebody named it."""

    spelling: str
    name: str = ""
    """What standings call it; empty for its own name."""
    points: float | None = None
    """From stage 1, if they are known."""


def plan_tournament(
    form: Format,
    edition: Edition,
    players: int,
    *,
    games: int | None = None,
    rounds: int | None = None,
    size: int | None = None,
    seed: int = 1,
    openings: int = 0,
    limits: Limits | None = None,
    minimum_level: Level | None = None,
    python: str | None = None,
) -> TournamentPlan:
    """The plan of a tournament of so many players, whom `newcomers` finds. What is not given is the edition's.

    Raises UsageError.
    """
    if rounds is not None and form is not Format.SWISS:
        raise UsageError("only a Swiss has rounds")
    plan = TournamentPlan(
        form,
        DEFAULT_GAMES[form] if games is None else games,
        seed,
        edition.name,
        size or edition.board.size,
        (default_rounds(players) if rounds is None else rounds) if form is Format.SWISS else None,
        limits or edition.limits,
        minimum_level,
        python or edition.default_python,
        openings,
        None if edition.name in EDITIONS else edition.board,
    )
    return checked(plan, "tournament")


def newcomers(
    plan: TournamentPlan,
    players: Sequence[NamedPlayer],
    *,
    challengers: int = 1,
    stage1: Mapping[str, float] | None = None,
    on_broken: Callable[[str, UsageError], None] | None = None,
) -> list[Newcomer]:
    """The participants that players name, in a gauntlet the first as challengers, with their points from stage 1.

    Raises UsageError for a player that cannot be found; with `on_broken`, which is called with the spelling and the
    error, it is left out.
    """
    parse, found = parse_for_plan(plan), []
    for number, player in enumerate(players):
        try:
            entrant = parse(player.spelling)
        except UsageError as error:
            if on_broken is None:
                raise
            on_broken(player.spelling, error)
            continue
        # A course system's numbers and marks are nobody's business in standings.
        name = player.name or plain_name(shown_name(entrant.name))
        is_challenger = plan.format is Format.GAUNTLET and number < challengers
        points = (stage1 or {}).get(name, player.points)
        if plan.format is Format.COURSE_2019 and points is None:
            raise UsageError(
                f"{name}: course2019 needs its points from stage 1: add --stage1 {name}=POINTS, or --grades DIR "
                "of a class that was graded with stage 1"
            )
        # A guest has the fewest points of all in the competition, so no student has Black less often against it.
        is_guest = points == GUEST
        found.append(Newcomer(name, entrant, is_challenger, QUALIFYING_POINTS if is_guest else points, is_guest))
    return found


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
        """In Elo around 0; `standings` have intervals. Raises KeyError for somebody who did not play.

        >>> cup = lg.play_tournament(["random", "aggressive"], games=4)
        >>> cup.rating("aggressive") > cup.rating("random")
        True
        """
        return {row.player: row.rating for row in self.standings if row.rating is not None}[name]

    def __str__(self) -> str:
        width = max(len(row.player) for row in self.standings)
        lines = []
        for place, row in enumerate(self.standings, start=1):
            line = f"{place:>2} {row.player:<{width}} {row.wins:>4} of {row.games} games"
            if row.rating is not None and row.rating_interval_95 is not None:  # without a game there is no rating
                low, high = row.rating_interval_95
                line += f" {whole(row.rating):>6} ({whole(low)} to {whole(high)})"
            lines.append(line)
        return "\n".join(lines)

    def __repr__(self) -> str:
        names = ", ".join(row.player for row in self.standings)
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
    >>> len(cup.records), sorted(row.player for row in cup.standings)
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
        tournament = stack.enter_context(Tournament(folder))
        silent = RunWatcher(lambda _wave: nullcontext(lambda _result: None), lambda _failure: None)
        run_tournament(tournament, parse_for_plan, stack.enter_context(LocalPool(jobs)), silent)
        games_played = tuple(kept.result.record for kept in tournament.store.games())
        return TournamentResult(summarise(tournament), games_played)


_FIRST: Final = "1"
"""The key of the stage whose points count."""


@dataclass(frozen=True, slots=True)
class Competition:
    """What a graded class brings to a tournament."""

    players: tuple[NamedPlayer, ...]
    """The last stage's agents of students, by pseudonym, for standings are shown to everybody, and in that order, for
    the order of names would tell who is who. A late submission has lost points."""
    left_out: tuple[str, ...]
    """Who is, and why."""
    edition: str
    """That the class was graded by: its name, or its file beside the grades."""
    python: str | None
    """That the agents were graded with; None for the edition's."""


def competition(grades: Path) -> Competition:
    """From the directory that `grade-class` wrote.

    Raises UsageError if it is no such directory, or the class is not graded completely.
    """
    try:
        return _competition(grades)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UsageError(f"{grades}: not what this version of 'littlego grade-class' writes: {error!r}") from error


def places_in(competition: Path) -> list[Place]:
    """Raises UsageError if the tournament in a directory gives no ranks."""
    with Tournament(competition) as played:
        places = summarise(played).competition
    if not places:
        raise UsageError(f"{competition}: not a competition with ranks: expected --format course2019")
    return places


def extra_points(places: Iterable[Place], students: Sequence[str], grades: Path) -> dict[str, tuple[float, str]]:
    """What students get for their places in a competition of the class graded in `grades`, and why.

    They are found by their pseudonyms there, or by their names. Raises UsageError if a match is not decided yet.
    """
    by_name = {plain_name(student): student for student in students}
    by_name |= {name.replace(" ", "-"): student for student, name in pseudonyms(students, grades).items()}
    found = {}
    for place in places:
        if place.matches_open:
            raise UsageError(f"{place.player} has {place.matches_open} undecided matches: let the tournament end first")
        if place.rank and place.player in by_name:
            found[by_name[place.player]] = (float(place.points), f"rank {place.rank} in the competition")
    return found


def _competition(grades: Path) -> Competition:
    data = _json(grades / "class.json")
    names = pseudonyms((row["student"] for row in data["rows"]), grades)
    found, left_out = [], []
    for row in data["rows"]:
        status = SubmissionStatus(row["status"])
        if not status.is_final:
            why = "".join(f" ({line})" for line in row["problem"].splitlines()[:1])
            raise UsageError(f"{grades}: {row['student']} is not graded yet{why}: run 'littlego grade-class' again")
        if status is not SubmissionStatus.GRADED:
            left_out.append(f"{row['student']}: {row['status']}")
            continue
        agent = _json(grades / "students" / row["slug"] / REPORT)["agent"]
        player = [agent["spelling"], *agent["stages"].values()][-1]
        found.append(NamedPlayer(player, names[row["student"]].replace(" ", "-"), _stage1(data["stage"], row)))
    edition = str(grades / EDITION_FILE) if (grades / EDITION_FILE).exists() else data["edition"]
    by_name = sorted(found, key=lambda each: each.name)
    return Competition(tuple(by_name), tuple(left_out), edition, data["python"])


def _stage1(stage: str, row: dict[str, Any]) -> float | None:
    if stage == _FIRST:
        return float(row["points"])
    lines = [line["points"] for line in row["opponents"] if line["stage"] == _FIRST]
    if not lines:
        return None
    late = (row["points"] - row["by_hand"]) / row["earned"] if row["earned"] else 1.0
    return float(sum(lines)) * late + float(row["by_hand"])


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: expected what 'littlego grade-class' writes: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"{path}: expected what 'littlego grade-class' writes")
    return data
