"""`littlego match`: any two players through the referee."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import completion, options, output
from littlego.apps.cli.arena.stored_match import StoredMatch
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_SIZE, Rules
from littlego.players.catalogue import MANUAL
from littlego.storage.whole_files import plain_name

if TYPE_CHECKING:
    from littlego.apps.cli.arena.stored_match import Game
    from littlego.arena.match.plan import MatchPlan
    from littlego.arena.openings import Opening

_SHOWN = 10
"""Lost games shown in full."""
_GAMES, _SPRT_GAMES = 10, 1000
_BOUNDS, _ERROR = "0,100", 0.05


def match(
    first: Annotated[
        str,
        typer.Argument(
            help="A player: a name, an agent's directory, cmd:'COMMAND' or gtp:'COMMAND'.",
            autocompletion=completion.players,
        ),
    ],
    second: Annotated[str, typer.Argument(help="The other player.", autocompletion=completion.players)],
    *,
    games: Annotated[
        int | None,
        typer.Option(
            "--games", "-g", metavar="N", min=1, help="How many games. Default: 10; at most 1000 with --sprt."
        ),
    ] = None,
    sprt: Annotated[bool, typer.Option("--sprt", help="Stop as soon as the test decides between two bounds.")] = False,
    bounds: Annotated[
        str, typer.Option(metavar="LOW,HIGH", help="For --sprt: how much stronger FIRST is, in Elo, or 50%,60%.")
    ] = _BOUNDS,
    alpha: Annotated[
        float, typer.Option(metavar="P", help="For --sprt: how often HIGH may be wrongly accepted.")
    ] = _ERROR,
    beta: Annotated[
        float, typer.Option(metavar="P", help="For --sprt: how often LOW may be wrongly accepted.")
    ] = _ERROR,
    openings: Annotated[
        str | None,
        typer.Option(
            metavar="N|FILE",
            help="Begin with every position after N moves, each twice with colours exchanged, or with those in a"
            " file of lines such as 2,2 1,2. Default: 2 with --sprt, else none (0).",
        ),
    ] = None,
    size: options.Size = None,
    edition: options.Edition = options.EDITION,
    cpu: options.CpuSeconds = None,
    wall: options.WallSeconds = None,
    memory: options.MemoryMiB = None,
    strict: options.Strict = False,
    budget: Annotated[
        float | None, typer.Option(metavar="S", min=0.01, help="CPU seconds for each program in the whole match.")
    ] = None,
    level: options.LevelOption = None,
    jobs: options.Jobs = 1,
    cluster: options.ClusterAddress = None,
    seed: options.PlayersSeed = 1,
    python: options.Python = None,
    out: options.MatchFolder = None,
    json: options.Json = False,
) -> None:
    """Play a match between any two players, through the referee.

    The players swap colours after every game. The same command continues a match that was stopped:
    finished games are kept.

      littlego match my_agent random --games 20
      littlego match my_agent other_agent --python 3.7 --cpu 5 --jobs 2
      littlego match cmd:'./agent --strong' greedy
      littlego match my_agent greedy --sprt --bounds 0,50
    """
    from littlego.arena.entrants.kinds import CourseAgent, Entrant, lacking_of, runtime_of
    from littlego.arena.entrants.programs import MATCHES
    from littlego.arena.entrants.travel import travelling
    from littlego.arena.match.plan import MatchPlan, distinct_names
    from littlego.arena.match.sprt import Hypotheses, parse_bounds
    from littlego.arena.referee.client import Supervisor
    from littlego.course.spelling import parse_entrant
    from littlego.storage.scratch import temporary_directory

    if not sprt and (bounds, alpha, beta) != (_BOUNDS, _ERROR, _ERROR):
        raise UsageError("--bounds, --alpha and --beta need --sprt")
    hypotheses = Hypotheses(*parse_bounds(bounds), alpha, beta) if sprt else None
    games = games or (_SPRT_GAMES if sprt else _GAMES)
    found = options.edition_of(edition)
    rules = found.rules(size)
    python = python or found.default_python
    entrants: list[Entrant] = [parse_entrant(text, python=python, edition=found.like) for text in (first, second)]
    if MANUAL in (first, second):
        raise UsageError("a person cannot play in a match: use 'littlego play manual ...'")
    if rules.size != DEFAULT_SIZE and any(isinstance(entrant, CourseAgent) for entrant in entrants):
        board = f"{rules.size}x{rules.size}"
        output.note(f"The course's agents play 5x5: on {board} only those that read the board's size do well.")
    names = distinct_names(entrants[0].name, entrants[1].name)
    limits = options.limits_of(found, cpu=cpu, wall=wall, memory=memory, strict=strict)
    plan = MatchPlan(
        entrants[0].spelling,
        entrants[1].spelling,
        rules,
        games,
        seed,
        limits,
        options.level_of(level),
        budget,
        openings=chosen_openings(openings or ("2" if sprt else "0"), rules),
    )
    with ExitStack() as stack:
        executor = stack.enter_context(options.executor(jobs, cluster))
        workshop = stack.enter_context(temporary_directory("littlego-build-"))
        with Supervisor(level=plan.level) as supervisor:
            prepared = [entrant.prepare(workshop / str(k), supervisor) for k, entrant in enumerate(entrants)]
            if not executor.is_elsewhere:  # otherwise every worker finds out, and results say
                output.note(f"Isolation {supervisor.level}: {', '.join(supervisor.mechanisms)}.")
        runtimes = tuple(map(runtime_of, prepared))
        lacking = tuple(map(lacking_of, prepared))
        if executor.is_elsewhere:
            prepared = list(map(travelling, entrants, prepared))
        folder = out or Path(MATCHES) / f"{plain_name(names[0])}-{plain_name(names[1])}-{plan.identity(*prepared)}"
        played = StoredMatch(plan, names, prepared, folder, hypotheses)
        stopped = False
        try:
            played.play(executor, edition=rules.edition, edition_digest=found.digest(), size=rules.size)
        except KeyboardInterrupt:
            stopped = True
    test = played.test()
    if json:
        output.print_json(_as_json(played, runtimes) | ({"sprt": test.as_dict()} if test else {}))
    else:
        _show_missing(played, lacking)
        _show(played, runtimes)
        if test:
            print(f"\n{output.printable(test.verdict(names[0]))}")
    if stopped:
        output.stop(f"\nStopped after {len(played.games)} of {games} games.")


def chosen_openings(text: str, rules: Rules) -> tuple[Opening, ...]:
    from littlego.arena.openings import openings, read_openings

    if not text.isdecimal():
        return read_openings(Path(text), rules)
    return openings(rules, int(text)) if int(text) else ()


def _show_missing(played: StoredMatch, lacking: tuple[tuple[str, ...], ...]) -> None:
    """Print which modules programs lacked when they forfeited, and what helps."""
    from littlego.course.missing_module import missing_module, what_helps

    lost = {missing_module(game.result.capsule["stderr"]) for game in played.games if game.result.capsule}
    for name, modules in zip(played.names, lacking, strict=True):
        for module in sorted(lost.intersection(modules)):
            print(output.printable(f"{name} forfeited games: {what_helps(module)}."))


def _show(played: StoredMatch, runtimes: tuple[str, ...]) -> None:
    from littlego.apps.cli.arena.match_tables import print_standings
    from littlego.arena.capsule import capsule_path
    from littlego.review.reading import review_command

    plan, names, games, folder = played.plan, played.names, played.games, played.folder
    print_standings(plan.rules, plan.seed, [game.result.record for game in games])
    _show_time(plan, names, games)
    for name, runtime in zip(names, runtimes, strict=True):
        if runtime:
            print(output.printable(f"{name} ran with {runtime}."))
    _show_remarks(games)
    lost = [game for game in games if plan.first_won(game) is False or game.result.is_forfeit]
    for game in lost[:_SHOWN]:
        print(f"\n{output.printable(_lost_game(game))}")
        if game.result.capsule is not None:
            print(f"  littlego replay {shlex.quote(str(capsule_path(played.folder, game.key + 1)))}")
        elif plan.rules.passing:
            print(f"  {review_command(folder, game.key + 1)}")
    if len(lost) > _SHOWN:
        print(f"\nand {len(lost) - _SHOWN} more; --json lists every game.")
    print(f"\nResults are in {folder}.")


def _lost_game(game: Game) -> str:
    """The verdict in a sentence, the board, the end of stderr."""
    from littlego.arena.capsule import with_own_paths
    from littlego.core.verdict import Verdict
    from littlego.formats.ansi import draw_game

    record = game.result.record
    outcome = record.outcome
    assert outcome is not None
    assert outcome.winner is not None
    loser = outcome.winner.opponent
    name = f"{loser} ({record.player(loser)})"
    number = len(record.moves) + 1
    if outcome.verdict.is_forfeit:
        when = "without playing" if outcome.verdict is Verdict.BATCH_BUDGET else f"at move {number}"
        sentence = f"Game {game.key + 1}: {name} forfeited {when}: {outcome.reason}"
    else:
        sentence = f"Game {game.key + 1}: {name} lost: {outcome}."
    lines = [sentence, draw_game(record, colour=False)]
    if game.result.capsule and game.result.capsule["stderr"].strip():
        stderr = with_own_paths(game.result.capsule["stderr"], game.result.capsule["agent"]).expandtabs(4)
        lines += ["  its last words:", *(f"  | {line}" for line in stderr.splitlines()[-8:])]
    return "\n".join(lines)


def _show_time(plan: MatchPlan, names: tuple[str, str], games: list[Game]) -> None:
    rows = []
    for k, name in enumerate(names):
        mine = [(game.result, plan.first_colour(game.key) if k == 0 else plan.first_colour(game.key).opponent)
                for game in games]  # fmt: skip
        times = [seconds for result, colour in mine for seconds in result.cpu_seconds.get(colour.word, ())]
        real = [seconds for result, colour in mine for seconds in result.wall_seconds.get(colour.word, ())]
        if times:
            mean, most = f"{sum(times) / len(times):.3f}", f"{max(times):.3f}"
            rows.append((name, str(len(times)), mean, most, f"{sum(times):.1f}", f"{max(real, default=0.0):.1f}"))
    if rows:
        heading = f"CPU seconds (limit {plan.limits.cpu_seconds:g})"
        output.print_table([heading, "moves", "mean", "maximum", "total", "longest real"], rows)


def _show_remarks(games: list[Game]) -> None:
    remarks = [f"Game {game.key + 1}: {remark}" for game in games for remark in game.result.remarks]
    for remark in remarks[:5]:
        print(f"  Remark: {output.printable(remark)}")
    if len(remarks) > 5:
        print(f"  and {len(remarks) - 5} more remarks.")


def _as_json(played: StoredMatch, runtimes: tuple[str, ...]) -> dict[str, Any]:
    from littlego.apps.cli.arena.match_tables import standings_as_dicts
    from littlego.arena.capsule import capsule_path
    from littlego.arena.match.standings import distinct_games
    from littlego.arena.results import result_to_dict
    from littlego.formats.records import rules_to_dict

    plan, names, games = played.plan, played.names, played.games
    records = [game.result.record for game in games]
    return {
        "first": {"name": names[0], "spelling": plan.first, "runtime": runtimes[0]},
        "second": {"name": names[1], "spelling": plan.second, "runtime": runtimes[1]},
        "rules": rules_to_dict(plan.rules),
        "limits": plan.limits.as_dict(),
        "seed": plan.seed,
        "directory": str(played.folder),
        "games": len(games),
        "distinct_games": distinct_games(records),
        "standings": standings_as_dicts(records),
        "results": [
            {
                "game": game.key + 1,
                **result_to_dict(game.result),
                "capsule": None if game.result.capsule is None else str(capsule_path(played.folder, game.key + 1)),
            }
            for game in games
        ],
    }
