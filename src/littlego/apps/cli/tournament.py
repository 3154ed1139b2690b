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

if TYPE_CHECKING:
    from littlego.arena.pool import Failure
    from littlego.arena.store import GameResult
    from littlego.arena.tournament.folder import Newcomer, Tournament
    from littlego.arena.tournament.runner import Wave
    from littlego.arena.tournament.summary import Results, Standing, Summary
    from littlego.course.contests import NamedPlayer
    from littlego.stats import Tally

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
    from littlego.arena.tournament.folder import create
    from littlego.arena.tournament.plan import Format
    from littlego.course.contests import NamedPlayer, competition, newcomers, plan_tournament
    from littlego.sandbox.limits import parse_level

    named, points = _named(players or []), _points(stage1)
    if grades is not None:
        graded = competition(grades)
        for line in graded.left_out:
            output.note(output.printable(f"Left out: {line}"))
        named += [NamedPlayer(each.player, each.name) for each in graded.competitors]
        points |= {each.name: each.points for each in graded.competitors if each.points is not None}
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
    plan = create(directory, plan, joining, on_broken=on_broken)
    if plan.minimum_level and (free := [each.name for each in plan.players if each.player.startswith(UNCONFINED)]):
        whose = "which runs" if len(free) == 1 else "which run"
        output.note(f"Nothing confines {' and '.join(free)}, {whose} with your rights: --level is for programs.")
    names = ", ".join(player.name for player in plan.players)
    print(f"{directory}: {len(plan.players)} players: {names}")
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
    from littlego.arena.tournament.runner import RunWatcher, check_machine, run_tournament

    with _opened(directory) as tournament, options.executor(jobs or cores(), cluster) as executor:
        stopped = False
        try:
            tournament.reload()
            note_changed(tournament)
            if cluster is None:  # otherwise every worker checks for itself
                check_machine(tournament)
            watcher = RunWatcher(partial(watch, executor.workers), note_void)
            run_tournament(tournament, executor, watcher)
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
    with _opened(directory) as tournament:
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
    from littlego.course.contests import newcomers

    named, points = _named(players), _points(stage1)
    with _opened(directory) as tournament:
        joining = newcomers(tournament.plan, named, challengers=0, stage1=points)
        _check_points(points, named, joining)
        for newcomer in joining:
            participant = tournament.join(newcomer)
            print(f"{participant.name} has joined.")
    print(f"To play the new games:\n  littlego tournament run {_quoted(directory)}")


@app.command()
def remove(
    directory: Directory, players: Annotated[list[str], typer.Argument(metavar="NAME", help="Names in the standings.")]
) -> None:
    """Take players out, even during play: they play no more games and leave the standings.

    In a Swiss the opponent of an unfinished round gets the missing games as points.

      littlego tournament remove cup smart
    """
    with _opened(directory) as tournament:
        for name in players:
            tournament.leave(name)
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
    from littlego.arena.tournament.page import report_page, write_games_json, write_sgf_files
    from littlego.arena.tournament.summary import summarise

    if html is None and sgf is None and games_json is None:
        html = directory / "report.html"
    with _opened(directory) as tournament:
        if html is not None:
            page = report_page(summarise(tournament), tournament.store, title=directory.resolve().name)
            with output.writing(html):
                html.write_text(page, encoding="utf-8")
            print(f"{html}: open it in a browser.")
        if sgf is not None:
            print(f"{sgf}: {plural(write_sgf_files(tournament.store.stream(), sgf), 'game')}.")
        if games_json is not None:
            print(f"{games_json}: {plural(write_games_json(tournament.store.stream(), games_json), 'game')}.")


def _opened(directory: Path) -> Tournament:
    from littlego.arena.tournament.folder import Tournament
    from littlego.course.seats import parse_for_plan

    return Tournament(directory, parse_for_plan)


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
    known = {player.name for player in named} | {newcomer.listed.name for newcomer in joining}
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
    from littlego.arena.tournament.summary import summarise, summary_to_dict

    summary = summarise(tournament)
    if json:
        output.print_json(summary_to_dict(summary))
    else:
        print_summary(summary)


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


def note_changed(tournament: Tournament) -> None:
    """Name the participants whose originals have changed since they joined."""
    from littlego.arena.tournament.folder import has_changed
    from littlego.storage.scratch import temporary_directory

    for participant in tournament.participants:
        with temporary_directory("littlego-look-") as scratch:
            if has_changed(participant, tournament.participants, tournament.parse, scratch / "files"):
                spelled = shlex.quote(participant.listed.player)
                output.note(
                    f"{participant.name} has changed since it joined; its old version plays. To add the new one:\n"
                    f"  littlego tournament add {shlex.quote(str(tournament.folder))} {spelled}"
                )


def write_capsules(tournament: Tournament) -> None:
    from littlego.arena.tournament import page

    folder = tournament.folder / "capsules"
    if count := page.write_capsules(tournament.store, tournament.participants, folder):
        output.note(
            f"To replay a program's forfeit: littlego replay {shlex.quote(str(folder))}/... ({plural(count, 'file')})"
        )


_WIDEST_CROSSTABLE = 12
"""The most players whose crosstable fits a terminal."""


def print_summary(summary: Summary) -> None:
    """The standings, the ranking of a competition, and the crosstable if it fits."""
    plan, results = summary.plan, summary.results
    title = (
        f"{plan.format.value}: {results.games} of {summary.planned} games, {plan.size}x{plan.size}, "
        f"edition {plan.edition}, seed {plan.seed}"
    )
    _print_standings(summary, title)
    if summary.places:
        _print_places(summary)
    if 2 < len(results.names) <= _WIDEST_CROSSTABLE:
        _print_crosstable(results)
    print(f"  {plural(results.distinct_games, 'distinct game')}, {plural(results.forfeits, 'forfeit')}.")
    if results.games:
        fit = summary.fit
        low, high = fit.black_advantage_interval
        print(
            f"  Ratings are in Elo around 0. Having Black is worth {whole(fit.black_advantage)} "
            f"({whole(low)} to {whole(high)}). Under '> next': how likely a player is stronger than the next."
        )
    if byes := [name for name, score in summary.swiss.items() if score.byes]:
        print(f"  Had a bye, worth {plan.games} won games: {', '.join(byes)}.")
    if len(fit_groups := summary.fit.groups) > 1:
        print(f"  Ratings cannot be compared between {len(fit_groups)} groups that have not met.")


def _print_standings(summary: Summary, title: str) -> None:
    forfeits = any(row.forfeits for row in summary.standings)
    measure = ["score", "Buchholz"] if summary.swiss else ["win rate (95%)"]
    columns = ["", "player", "rating (95%)", "> next", "games", *measure, "Black", "White"]
    rows = []
    for place, row in enumerate(summary.standings, start=1):
        sure = summary.superiority(row.name)
        surer = "" if sure is None else f"{100 * sure:.0f}%"
        cells = [str(place), row.name, _rating(summary, row.name), surer, _games(row)]
        if summary.swiss:
            score = summary.swiss[row.name]
            cells += [f"{score.score:g}", f"{score.buchholz:g}"]
        else:
            cells.append(_rate(row.tally))
        cells += [wins_and_losses(row.black), wins_and_losses(row.white)]
        rows.append([*cells, str(row.forfeits)] if forfeits else cells)
    output.print_table([*columns, "forfeits"] if forfeits else columns, rows, title=title)


def _rating(summary: Summary, name: str) -> str:
    """In Elo, with its interval."""
    if name not in summary.ratings:
        return "-"
    rated = summary.ratings[name]
    low, high = rated.interval
    return f"{whole(rated.rating)} ({whole(low)}..{whole(high)})"


def _games(row: Standing) -> str:
    """The number of games, and of distinct ones if some were repeated."""
    games = row.tally.games
    return str(games) if row.distinct == games else f"{games} ({row.distinct} distinct)"


def _rate(tally: Tally) -> str:
    if not tally.games:
        return "-"
    low, high = tally.interval
    return f"{output.percent(tally.win_rate)} ({100 * low:.0f}-{100 * high:.0f})"


def _print_places(summary: Summary) -> None:
    rows = [
        (
            str(place.rank or "guest"),
            place.name,
            *map(str, (place.points, place.matches_won, place.matches_lost, place.matches_open, place.games_won)),
        )
        for place in summary.places
    ]
    columns = ["rank", "player", "points", "matches won", "lost", "open", "games won"]
    output.print_table(columns, rows, title="The competition")
    if out := summary.not_qualified:
        print(f"  Not qualified, with fewer than 80 points from stage 1: {', '.join(out)}.\n")


def _print_crosstable(results: Results) -> None:
    rows = []
    for number, name in enumerate(results.names, start=1):
        cells = [_cell(results.against(name, other)) if name != other else "" for other in results.names]
        rows.append((f"{number} {name}", *cells))
    output.print_table(["wins-losses", *(str(number + 1) for number in range(len(rows)))], rows)


def _cell(tally: Tally) -> str:
    return wins_and_losses(tally) if tally.games else "."
