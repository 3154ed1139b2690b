"""`littlego tournament`: many players, a plan in a directory, and every game kept."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import completion, options, output
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_SIZE

if TYPE_CHECKING:
    from littlego.arena.pool.tasks import Failure
    from littlego.arena.tournament.directory import Applicant, Tournament
    from littlego.arena.tournament.plan import TournamentPlan
    from littlego.arena.tournament.roster import Parse
    from littlego.arena.tournament.runner import Batch

app = typer.Typer(
    help="Tournaments of any players: everyone against everyone, a gauntlet, a Swiss, or as in 2019.",
    no_args_is_help=True,
)

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The tournament's directory.")]
Players = Annotated[
    list[str],
    typer.Argument(
        metavar="PLAYER",
        help="Players: names, agents' directories, class:FILE, cmd:'COMMAND'; NAME=PLAYER gives another name.",
        autocompletion=completion.players,
    ),
]
Stage1 = Annotated[
    list[str] | None,
    typer.Option("--stage1", metavar="NAME=POINTS", help="course2019: points of stage 1. Once for every player."),
]


@app.command()
def new(
    directory: Directory,
    players: Players,
    *,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="round-robin, gauntlet, swiss or course2019.")
    ] = "round-robin",
    games: Annotated[
        int | None,
        typer.Option("--games", "-g", metavar="N", min=1, help="Games a pair. Default: 10; swiss 2; course2019 11."),
    ] = None,
    rounds: Annotated[int | None, typer.Option(metavar="N", min=1, help="swiss: how many rounds.")] = None,
    challengers: Annotated[
        int, typer.Option(metavar="N", min=1, help="gauntlet: so many players, the first named, meet the others.")
    ] = 1,
    stage1: Stage1 = None,
    size: Annotated[
        int | None, typer.Option("--size", "-n", metavar="N", help="Board size, 2 to 19. Default: 5; course2019 7.")
    ] = None,
    edition: Annotated[
        str | None, typer.Option(metavar="YEAR", help="Rules of this edition. Default: 2025; course2019 2019.")
    ] = None,
    cpu: Annotated[float, typer.Option(metavar="S", min=0.01, help="CPU seconds a move, of the whole tree.")] = 10.0,
    wall: Annotated[float, typer.Option(metavar="S", min=0.01, help="Real seconds a move.")] = 30.0,
    memory: Annotated[int, typer.Option(metavar="MIB", min=16, help="Memory of the whole tree, in MiB.")] = 1024,
    minimum_level: Annotated[
        str | None, typer.Option("--level", metavar="L", help="Play programs nowhere with less isolation: L0 to L3.")
    ] = None,
    python: options.Python = None,
    openings: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Begin games with every position after N moves, each with both colours."),
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Makes games and lots repeatable.")] = 1,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out who cannot be built or run, instead of making nothing.")
    ] = False,
) -> None:
    """Make a tournament: a directory with a plan and the players' files.

    Agents are copied and built now; what happens to the originals later changes nothing.

      littlego tournament new cup random greedy aggressive my_agent --games 20
      littlego tournament new test my_agent random greedy alphabeta --format gauntlet
      littlego tournament new class submissions/* --format swiss --rounds 7 --skip-broken
    """
    from littlego.arena.referee.limits import MIB, Limits
    from littlego.arena.tournament.directory import create
    from littlego.arena.tournament.plan import COURSE_SIZE, DEFAULT_GAMES, Format, TournamentPlan, checked, parse_level
    from littlego.arena.tournament.swiss import default_rounds

    if form not in (words := [member.value for member in Format]):
        raise UsageError(f"format {form!r}: expected one of {', '.join(words)}")
    kind = Format(form)
    is_2019 = kind is Format.COURSE_2019
    plan = checked(
        TournamentPlan(
            kind,
            (),
            games or DEFAULT_GAMES[kind],
            seed,
            edition or ("2019" if is_2019 else options.EDITION),
            size or (COURSE_SIZE if is_2019 else DEFAULT_SIZE),
            (rounds or default_rounds(len(players))) if kind is Format.SWISS else None,
            Limits(cpu_seconds=cpu, wall_seconds=wall, memory_bytes=memory * MIB),
            None if minimum_level is None else parse_level(minimum_level),
            python,
            openings,
        ),
        "tournament",
    )
    if rounds is not None and kind is not Format.SWISS:
        raise UsageError("--rounds is for --format swiss")
    if len(players) < 2:
        raise UsageError("a tournament needs two players or more")
    if kind is Format.GAUNTLET and challengers >= len(players):
        raise UsageError(f"a gauntlet of {challengers} challengers needs somebody else to meet")
    if skip_broken and kind is Format.GAUNTLET:
        raise UsageError("--skip-broken is not for a gauntlet, whose challengers are told by their place")
    tell = _tell_broken if skip_broken else None
    applicants = _applicants(plan, players, stage1, challengers if kind is Format.GAUNTLET else 0, tell)
    plan = create(directory, plan, applicants, on_broken=tell)
    names = ", ".join(player.name for player in plan.players)
    print(f"{directory}: {len(plan.players)} players: {names}")
    print(f"Change {directory / 'tournament.toml'} if you like; then:\n  littlego tournament run {_quoted(directory)}")


@app.command()
def run(
    directory: Directory,
    *,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, max=256, help="Games at once. Default: the cores.")
    ] = None,
    cluster: options.ClusterAddress = None,
    json: options.Json = False,
) -> None:
    """Play all games that are not finished, and show the standings.

    Every game is kept when it ends: whatever is stopped or killed, the same command goes on.

      littlego tournament run cup --jobs 2
    """
    from littlego.arena.pool.local import cores
    from littlego.arena.tournament.runner import Watcher, check_machine, run_tournament

    with _opened(directory) as tournament, options.executor(jobs or cores(), cluster) as executor:
        done, stopped = False, False
        try:
            tournament.reload()
            _tell_changed(tournament)
            if cluster is None:  # else every worker looks for itself
                check_machine(tournament)
            watcher = Watcher(_watch, _tell_void)
            done = run_tournament(tournament, executor, watcher)
        except KeyboardInterrupt:
            stopped = True
        _write_capsules(tournament)
        _show(tournament, json=json)
    if stopped or not done:
        output.note(f"\nStopped. To go on:\n  littlego tournament run {_quoted(directory)}")
        raise typer.Exit(output.INTERRUPTED if stopped else 0)


@app.command()
def show(directory: Directory, *, json: options.Json = False) -> None:
    """Show the standings as they are, also while it is played.

    littlego tournament show cup
    """
    with _opened(directory) as tournament:
        _show(tournament, json=json)


@app.command()
def add(
    directory: Directory,
    players: Players,
    *,
    challenger: Annotated[bool, typer.Option("--challenger", help="gauntlet: they run it.")] = False,
    stage1: Stage1 = None,
) -> None:
    """Let players join, also while it is played. No game that was played or planned changes.

    An agent that has changed since it joined joins as a new player, under a new name.

      littlego tournament add cup smart alphabeta
    """
    with _opened(directory) as tournament:
        for applicant in _applicants(tournament.plan, players, stage1, len(players) if challenger else 0):
            member = tournament.join(applicant)
            print(f"{member.contestant.name} has joined.")
    print(f"To play its games:\n  littlego tournament run {_quoted(directory)}")


@app.command()
def stop(directory: Directory) -> None:
    """Ask a running tournament to finish the games in play and end.

    littlego tournament stop cup
    """
    from littlego.arena.tournament.directory import read_plan
    from littlego.arena.tournament.runner import is_running

    read_plan(directory)
    if not is_running(directory):
        output.note(f"{directory}: not running.")
        return
    (directory / "stop").touch()
    print("It ends when the games in play have ended. To go on then:")
    print(f"  littlego tournament run {_quoted(directory)}")


@app.command()
def report(
    directory: Directory,
    *,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A page with standings, charts and games. Default: DIR/report.html."),
    ] = None,
    sgf: Annotated[Path | None, typer.Option(metavar="DIR", help="Every game as a file for Go programs.")] = None,
    games_json: Annotated[Path | None, typer.Option(metavar="FILE", help="All games in full, as JSON.")] = None,
) -> None:
    """Write a page about the tournament as it stands, and export its games.

    littlego tournament report cup --html cup.html --sgf games
    """
    from littlego.arena.tournament.export import write_games_json, write_sgf_files
    from littlego.arena.tournament.page import report_page
    from littlego.arena.tournament.summary import summarise

    if html is None and sgf is None and games_json is None:
        html = directory / "report.html"
    with _opened(directory) as tournament:
        if html is not None:
            page = report_page(summarise(tournament), tournament.store, title=directory.resolve().name)
            try:
                html.write_text(page, encoding="utf-8")
            except OSError as error:
                raise UsageError(f"{html}: cannot be written: {error.strerror}") from error
            print(f"{html}: open it in a browser.")
        if sgf is not None:
            print(f"{sgf}: {write_sgf_files(tournament.store.games(), sgf)} games.")
        if games_json is not None:
            print(f"{games_json}: {write_games_json(tournament.store.games(), games_json)} games.")


def _parse_for(plan: TournamentPlan) -> Parse:
    from littlego.course.spelling import parse_entrant

    return lambda text: parse_entrant(text, python=plan.python, edition=plan.edition)


def _opened(directory: Path) -> Tournament:
    from littlego.arena.tournament.directory import Tournament

    return Tournament(directory, _parse_for)


def _applicants(
    plan: TournamentPlan,
    players: list[str],
    stage1: list[str] | None,
    challengers: int,
    on_broken: Callable[[str, UsageError], None] | None = None,
) -> list[Applicant]:
    """Those who are named on the command line, the first of them as challengers; `on_broken` hears of the unusable."""
    from littlego.arena.tournament.directory import Applicant
    from littlego.arena.tournament.plan import Contestant, Format

    parse, points = _parse_for(plan), _points(stage1)
    applicants = []
    for number, text in enumerate(players):
        named = re.fullmatch(r"([\w.+-]+)=(.+)", text)
        try:
            entrant = parse(named[2] if named else text)
        except UsageError as error:
            if on_broken is None:
                raise
            on_broken(text, error)
            continue
        name = named[1] if named else _plain(entrant.name)
        contestant = Contestant(name, entrant.spelling, number < challengers, points.pop(name, None))
        if plan.format is Format.COURSE_2019 and contestant.stage1 is None:
            raise UsageError(f"{name}: course2019 needs its points of stage 1: give --stage1 {name}=POINTS")
        applicants.append(Applicant(contestant, entrant))
    if points:
        raise UsageError(f"--stage1 {min(points)}: no such player among {', '.join(players)}")
    return applicants


def _tell_broken(who: str, error: UsageError) -> None:
    why = str(error).removeprefix(f"{who}: ").splitlines()
    output.note(output.printable(f"Left out: {who}: {' '.join(why[:2])}"))


def _points(stage1: list[str] | None) -> dict[str, float]:
    points = {}
    for text in stage1 or []:
        name, equals, number = text.rpartition("=")
        try:
            if not equals:
                raise ValueError
            points[name] = float(number)
        except ValueError:
            raise UsageError(f"--stage1 {text}: expected NAME=POINTS, such as my_agent=92.5") from None
    return points


def _plain(name: str) -> str:
    """A name that the plan allows, which is good in a file's name too."""
    return re.sub(r"[^\w.+-]", "_", name).strip(".")[:60] or "player"


def _quoted(directory: Path) -> str:
    return shlex.quote(str(directory))


@contextmanager
def _watch(batch: Batch) -> Iterator[Callable[[], None]]:
    output.note(f"To play: {len(batch.games)} games, {batch.label}." if batch.label != "games"
                else f"To play: {len(batch.games)} games.")  # fmt: skip
    with output.progress(batch.label, len(batch.games)) as step:
        yield step


def _tell_void(failure: Failure) -> None:
    output.note(f"A game is void, through no fault of the players, and is played again: {failure.reason}")


def _tell_changed(tournament: Tournament) -> None:
    """Say whose originals are no longer what joined."""
    import tempfile

    from littlego.arena.tournament.roster import has_changed

    for member in tournament.members:
        with tempfile.TemporaryDirectory(prefix="littlego-look-") as scratch:
            if has_changed(member, tournament.parse, Path(scratch) / "files"):
                spelled = shlex.quote(member.contestant.player)
                output.note(
                    f"{member.contestant.name} has changed since it joined, and plays as it was. For the new one:\n"
                    f"  littlego tournament add {_quoted(tournament.folder)} {spelled}"
                )


def _write_capsules(tournament: Tournament) -> None:
    from littlego.arena.tournament.export import write_capsules

    folder = tournament.folder / "capsules"
    if count := write_capsules(tournament.store, tournament.members, folder):
        output.note(f"Forfeits of programs can be had again: littlego replay {_quoted(folder)}/... ({count} files)")


def _show(tournament: Tournament, *, json: bool) -> None:
    from littlego.apps.cli.tournament_tables import print_summary
    from littlego.arena.tournament.summary import summarise, summary_to_dict

    summary = summarise(tournament)
    if json:
        output.print_json(summary_to_dict(summary))
    else:
        print_summary(summary)
