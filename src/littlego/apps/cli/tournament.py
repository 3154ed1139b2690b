"""`littlego tournament`: many players, a plan in a directory, and a record of every game."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.formats.text import plural
from littlego.stats import whole, wins_and_losses
from littlego.storage.files import write_text

if TYPE_CHECKING:
    from littlego.arena.pool import Failure
    from littlego.arena.store import GameResult
    from littlego.arena.tournament.folder import Tournament
    from littlego.arena.tournament.roster import Newcomer, Parse
    from littlego.arena.tournament.runner import Wave
    from littlego.arena.tournament.summary import Standing, Summary
    from littlego.course.contests import NamedPlayer

app = typer.Typer(
    help="Tournaments of any players: round robin, gauntlet, Swiss, or the competition of 2019.",
    no_args_is_help=True,
)

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The tournament's directory.")]
_PROBLEM_SHOWN = 160
_PLAYERS_HELP = "Players: names, agents' directories, class:FILE, cmd:'COMMAND'; NAME=PLAYER renames one."
Players = Annotated[
    list[str], typer.Argument(metavar="PLAYER", help=_PLAYERS_HELP, autocompletion=options.complete_players)
]
Stage1 = Annotated[
    list[str] | None,
    typer.Option(
        "--stage1",
        metavar="NAME=POINTS",
        help="course2019: points from stage 1, once for every player; NAME=guest takes no rank.",
    ),
]


@app.command()
def new(
    directory: Directory,
    players: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLAYER", help=_PLAYERS_HELP, autocompletion=options.complete_players),
    ] = None,
    *,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="round-robin, gauntlet, swiss or course2019.")
    ] = "round-robin",
    games: Annotated[
        int | None,
        typer.Option("--games", "-g", metavar="N", min=1, help="Games a pair. Default: 10; swiss 2; course2019 11."),
    ] = None,
    rounds: Annotated[int | None, typer.Option(metavar="N", min=1, help="swiss: number of rounds.")] = None,
    challengers: Annotated[
        int, typer.Option(metavar="N", min=1, help="gauntlet: the first N players are the challengers.")
    ] = 1,
    stage1: Stage1 = None,
    grades: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Add everyone that 'grade-class' graded there, with points, pseudonyms, edition and Python.",
        ),
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", "-n", metavar="N", help="Board size, 2 to 19. Default: 5.")
    ] = None,
    edition: Annotated[
        str | None,
        typer.Option(
            metavar="EDITION", help="An edition or its file, for rules and limits. Default: 2025; course2019 2019."
        ),
    ] = None,
    cpu: options.CpuSeconds = None,
    wall: options.WallSeconds = None,
    memory: options.MemoryMiB = None,
    strict: options.Strict = False,
    minimum_level: Annotated[
        str | None,
        typer.Option("--level", metavar="L", help="Minimum isolation for programs: portable, linux or root."),
    ] = None,
    python: options.Python = None,
    openings: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Start games in turn from the positions after N moves, each twice, with colours swapped.",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed for games and pairings.")] = 1,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out players that cannot be built or run, instead of failing.")
    ] = False,
) -> None:
    """Make a tournament: a directory with a plan and the players' files.

    Agents are copied and built now; later changes to the originals have no effect.

      littlego tournament new cup random greedy aggressive my_agent --games 20
      littlego tournament new test my_agent random greedy --format gauntlet
      littlego tournament new class submissions/* --format swiss --skip-broken
      littlego tournament new final --format course2019 --grades grades
    """
    from littlego.arena.participants import UNCONFINED
    from littlego.arena.tournament.plan import Format
    from littlego.arena.tournament.roster import create
    from littlego.course.contests import competition, newcomers, plan_tournament
    from littlego.sandbox.limits import parse_level

    named, points = _named(players or []), _points(stage1)
    if grades is not None:
        graded = competition(grades)
        for line in graded.left_out:
            output.note(output.printable(f"Left out: {line}"))
        named += graded.players
        edition, python = edition or graded.edition, python or graded.python
    if form not in (words := [form.value for form in Format]):
        raise UsageError(f"format {form!r}: expected one of {', '.join(words)}")
    kind = Format(form)
    found = options.edition_of(edition or ("2019" if kind is Format.COURSE_2019 else options.kit_edition()))
    plan = plan_tournament(
        kind,
        found,
        len(named),
        games=games,
        rounds=rounds,
        size=size,
        seed=seed,
        openings=openings,
        limits=options.limits_of(found, cpu=cpu, wall=wall, memory=memory, strict=strict),
        minimum_level=None if minimum_level is None else parse_level(minimum_level),
        python=python,
    )
    if len(named) < 2:
        raise UsageError("a tournament needs at least two players")
    if kind is Format.GAUNTLET and challengers >= len(named):
        raise UsageError(f"a gauntlet of {challengers} challengers needs at least one other player")
    if skip_broken and kind is Format.GAUNTLET:
        raise UsageError("--skip-broken does not work with a gauntlet, whose challengers are known by their place")
    on_broken = _note_broken if skip_broken else None
    joining = newcomers(plan, named, challengers=challengers, stage1=points, on_broken=on_broken)
    _check_points(points, named, joining)
    joined = create(directory, plan, joining, on_broken=on_broken)
    if plan.minimum_level and (free := [each.name for each in joined if each.player.startswith(UNCONFINED)]):
        whose = "which runs" if len(free) == 1 else "which run"
        output.note(f"Nothing confines {' and '.join(free)}, {whose} with your rights: --level is for programs.")
    print(f"{directory}: {len(joined)} players: {', '.join(player.name for player in joined)}")
    print(f"Edit {directory / 'tournament.toml'} if you like; then:\n  littlego tournament run {_quoted(directory)}")


@app.command()
def run(
    directory: Directory,
    *,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", min=1, max=256, help="Games at once. Default: one per core."),
    ] = None,
    cluster: options.ClusterAddress = None,
    json: options.Json = False,
) -> None:
    """Play all games that are not finished, and show the standings.

    Every game is stored when it ends: after a stop or a crash the same command continues.

      littlego tournament run cup --jobs 2
    """
    from littlego.arena.pool import cores
    from littlego.arena.tournament.folder import Tournament
    from littlego.arena.tournament.runner import RunWatcher, run_tournament
    from littlego.course.seats import parse_for_plan

    with Tournament(directory) as tournament, options.executor(jobs or cores(), cluster) as executor:
        stopped = False
        try:
            note_changed(tournament, parse_for_plan(tournament.plan))
            watcher = RunWatcher(partial(watch, executor.workers), note_void)
            run_tournament(tournament, parse_for_plan, executor, watcher)
        except KeyboardInterrupt:
            stopped = True
        write_capsules(tournament)
        _show(tournament, json=json)
    if stopped:
        output.note(f"\nStopped. To continue:\n  littlego tournament run {_quoted(directory)}")
        raise typer.Exit(output.INTERRUPTED)


@app.command()
def show(directory: Directory, *, json: options.Json = False) -> None:
    """Show the current standings, even during play.

    littlego tournament show cup
    """
    from littlego.arena.tournament.folder import Tournament

    with Tournament(directory) as tournament:
        _show(tournament, json=json)


@app.command()
def add(
    directory: Directory,
    players: Players,
    *,
    stage1: Stage1 = None,
) -> None:
    """Add players, even during play. Games that were played or planned do not change.

    A changed agent is added as a new player, under a new name.

      littlego tournament add cup smart alphabeta
    """
    from littlego.arena.tournament.folder import Tournament
    from littlego.arena.tournament.roster import join
    from littlego.course.contests import newcomers

    named, points = _named(players), _points(stage1)
    with Tournament(directory) as tournament:
        joining = newcomers(tournament.plan, named, challengers=0, stage1=points)
        _check_points(points, named, joining)
        for newcomer in joining:
            print(f"{join(tournament, newcomer).name} has joined.")
    print(f"To play the new games:\n  littlego tournament run {_quoted(directory)}")


@app.command()
def remove(
    directory: Directory, players: Annotated[list[str], typer.Argument(metavar="NAME", help="Names in the standings.")]
) -> None:
    """Take players out, even during play: they play no more games and leave the standings.

    In a Swiss the opponent of an unfinished round gets the missing games as points.

      littlego tournament remove cup smart
    """
    from littlego.arena.tournament.folder import Tournament

    with Tournament(directory) as tournament:
        for name in players:
            tournament.store.leave(name)
            print(f"{name} has left.")


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
    """Write a page about the tournament so far, and export its games.

    littlego tournament report cup --html cup.html --sgf games
    """
    from littlego.arena.tournament.folder import Tournament
    from littlego.arena.tournament.page import report_page, write_games_json, write_sgf_files
    from littlego.arena.tournament.summary import summarise

    if html is None and sgf is None and games_json is None:
        html = directory / "report.html"
    with Tournament(directory) as tournament:
        if html is not None:
            page = report_page(summarise(tournament), tournament.store, title=directory.resolve().name)
            write_text(html, page)
            print(f"{html}: open it in a browser.")
        if sgf is not None:
            print(f"{sgf}: {plural(write_sgf_files(tournament.store.stream(), sgf), 'game')}.")
        if games_json is not None:
            print(f"{games_json}: {plural(write_games_json(tournament.store.stream(), games_json), 'game')}.")


def _named(players: list[str]) -> list[NamedPlayer]:
    """The players of a command line, which may have other names there: NAME=PLAYER."""
    from littlego.course.contests import NamedPlayer

    renamed = [re.fullmatch(r"([\w.+-]+)=(.+)", text) for text in players]
    return [
        NamedPlayer(text) if given is None else NamedPlayer(given[2], given[1])
        for text, given in zip(players, renamed, strict=True)
    ]


def _check_points(points: dict[str, float], named: list[NamedPlayer], joining: list[Newcomer]) -> None:
    """Raises UsageError if there are points for somebody who is not there."""
    known = {player.name for player in named} | {newcomer.name for newcomer in joining}
    if unknown := points.keys() - known:
        given = ", ".join(player.name or player.spelling for player in named)
        raise UsageError(f"--stage1 {min(unknown)}: no such player among {given}")


def _note_broken(name: str, error: UsageError) -> None:
    from littlego.course.failures import essence

    why = essence(str(error).removeprefix(f"{name}: "), _PROBLEM_SHOWN)
    output.note(output.printable(f"Left out: {name}: {why}"))


def _points(stage1: list[str] | None) -> dict[str, float]:
    from littlego.course.contests import GUEST

    points: dict[str, float] = {}
    for text in stage1 or []:
        name, equals, number = text.rpartition("=")
        try:
            if not equals:
                raise ValueError
            points[name] = GUEST if number == "guest" else float(number)
        except ValueError:
            raise UsageError(f"--stage1 {text}: expected NAME=POINTS, such as my_agent=92.5, or NAME=guest") from None
    return points


def _quoted(directory: Path) -> str:
    return shlex.quote(str(directory))


def _show(tournament: Tournament, *, json: bool) -> None:
    from littlego.arena.tournament.summary import summarise

    summary = summarise(tournament)
    output.print_json(summary) if json else print_summary(summary)


@contextmanager
def watch(workers: int, wave: Wave) -> Iterator[Callable[[GameResult], None]]:
    from littlego.arena.games import GamesProgress

    label = "" if wave.label == "games" else f", {wave.label}"
    output.note(f"To play: {plural(len(wave.games), 'game')}{label}.")
    with output.counted(GamesProgress(len(wave.games), workers=workers)) as count:
        yield count


def note_void(failure: Failure) -> None:
    from littlego.arena.games import void_words

    output.note(void_words(failure))


def note_changed(tournament: Tournament, parse: Parse) -> None:
    """Name the participants whose originals have changed since they joined."""
    from littlego.arena.tournament.roster import changed

    for participant in changed(tournament.participants, parse):
        output.note(
            f"{participant.name} has changed since it joined; its old version plays. To add the new one:\n"
            f"  littlego tournament add {_quoted(tournament.folder)} {shlex.quote(participant.player)}"
        )


def write_capsules(tournament: Tournament) -> None:
    from littlego.arena.tournament import page

    folder = tournament.folder / "capsules"
    if count := page.write_capsules(tournament.store, folder):
        output.note(f"To replay a program's forfeit: littlego replay {_quoted(folder)}/... ({plural(count, 'file')})")


_WIDEST_CROSSTABLE = 12
"""The most players whose crosstable fits a terminal."""


def print_summary(summary: Summary) -> None:
    """The standings, the ranking of a competition, and the crosstable if it fits."""
    size = summary.rules["size"]
    title = (
        f"{summary.format}: {summary.games} of {summary.planned_games} games, {size}x{size}, "
        f"edition {summary.rules['edition']}, seed {summary.seed}"
    )
    _print_standings(summary.standings, title)
    if summary.competition:
        _print_places(summary)
    if 2 < len(summary.standings) <= _WIDEST_CROSSTABLE:
        _print_crosstable(summary)
    print(f"  {plural(summary.distinct_games, 'distinct game')}, {plural(summary.forfeits, 'forfeit')}.")
    if summary.games:
        low, high = summary.black_advantage_interval_95
        print(
            f"  Ratings are in Elo around 0. Having Black is worth {whole(summary.black_advantage)} "
            f"({whole(low)} to {whole(high)}). Under '> next': how likely a player is stronger than the next."
        )
    if byes := [row.player for row in summary.standings if row.byes]:
        print(f"  Had a bye, worth {summary.games_a_pair} won games: {', '.join(byes)}.")
    if summary.groups > 1:
        print(f"  Ratings cannot be compared between {summary.groups} groups that have not met.")


def _print_standings(standings: list[Standing], title: str) -> None:
    forfeits = any(row.forfeits for row in standings)
    is_swiss = any(row.score is not None for row in standings)
    measure = ["score", "Buchholz"] if is_swiss else ["win rate (95%)"]
    columns = ["", "player", "rating (95%)", "> next", "games", *measure, "Black", "White"]
    rows = []
    for place, row in enumerate(standings, start=1):
        surer = "" if row.superiority is None else f"{100 * row.superiority:.0f}%"
        repeated = "" if row.distinct_games == row.games else f" ({row.distinct_games} distinct)"
        rows.append(
            [
                str(place),
                row.player,
                _rating(row),
                surer,
                f"{row.games}{repeated}",
                *([f"{row.score:g}", f"{row.buchholz:g}"] if is_swiss else [_rate(row)]),
                wins_and_losses(row.as_black),
                wins_and_losses(row.as_white),
                *([str(row.forfeits)] if forfeits else []),
            ]
        )
    output.print_table([*columns, "forfeits"] if forfeits else columns, rows, title=title)


def _rating(row: Standing) -> str:
    """In Elo, with its interval."""
    if row.rating is None or row.rating_interval_95 is None:
        return "-"
    low, high = row.rating_interval_95
    return f"{whole(row.rating)} ({whole(low)}..{whole(high)})"


def _rate(row: Standing) -> str:
    low, high = row.interval_95
    return f"{output.percent(row.win_rate)} ({100 * low:.0f}-{100 * high:.0f})" if row.games else "-"


def _print_places(summary: Summary) -> None:
    rows = [
        (
            str(place.rank or "guest"),
            place.player,
            *map(str, (place.points, place.matches_won, place.matches_lost, place.matches_open, place.games_won)),
        )
        for place in summary.competition
    ]
    columns = ["rank", "player", "points", "matches won", "lost", "open", "games won"]
    output.print_table(columns, rows, title="The competition")
    if summary.not_qualified:
        print(f"  Not qualified, with fewer than 80 points from stage 1: {', '.join(summary.not_qualified)}.\n")


def _print_crosstable(summary: Summary) -> None:
    from littlego.arena.tournament.summary import against

    results, names = against(summary.crosstable), [row.player for row in summary.standings]
    rows = []
    for number, name in enumerate(names, start=1):
        tallies = [results[name, other] for other in names]
        empty = ["" if name == other else "." for other in names]
        cells = [wins_and_losses(each) if each.games else none for each, none in zip(tallies, empty, strict=True)]
        rows.append((f"{number} {name}", *cells))
    output.print_table(["wins-losses", *(str(number + 1) for number in range(len(rows)))], rows)
