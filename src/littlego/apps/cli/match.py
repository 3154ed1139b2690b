"""`littlego match`: any two players through the referee."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import completion, options, output
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_SIZE, edition_rules
from littlego.players.catalogue import MANUAL

if TYPE_CHECKING:
    from littlego.arena.match.plan import GameResult, MatchPlan
    from littlego.arena.match.sprt import SequentialTest
    from littlego.arena.pool.cluster import Cluster
    from littlego.arena.pool.local import Failure

_SHOWN = 10
"""Lost games that are told in full."""
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
    sprt: Annotated[
        bool, typer.Option("--sprt", help="Stop as soon as it is known which of two bounds is true.")
    ] = False,
    bounds: Annotated[
        str, typer.Option(metavar="LOW,HIGH", help="For --sprt: how much stronger FIRST is, in Elo, or 50%,60%.")
    ] = _BOUNDS,
    alpha: Annotated[
        float, typer.Option(metavar="P", help="For --sprt: how often HIGH may be accepted wrongly.")
    ] = _ERROR,
    beta: Annotated[
        float, typer.Option(metavar="P", help="For --sprt: how often LOW may be accepted wrongly.")
    ] = _ERROR,
    size: options.Size = DEFAULT_SIZE,
    edition: options.Edition = options.EDITION,
    cpu: Annotated[float, typer.Option(metavar="S", min=0.01, help="CPU seconds a move, of the whole tree.")] = 10.0,
    wall: Annotated[float, typer.Option(metavar="S", min=0.01, help="Real seconds a move.")] = 30.0,
    memory: Annotated[int, typer.Option(metavar="MIB", min=16, help="Memory of the whole tree, in MiB.")] = 1024,
    budget: Annotated[
        float | None, typer.Option(metavar="S", min=0.01, help="CPU seconds of a program in the whole match.")
    ] = None,
    level: options.LevelOption = None,
    jobs: options.Jobs = 1,
    cluster: options.Cluster = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Makes the built-in players repeatable.")] = 1,
    python: options.Python = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep results here. Default: littlego-matches/ and a name.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Play a match between any two players, through the referee.

    The two exchange colours after every game. A match that was stopped goes on when the same
    command is given again: finished games are kept, each once.

      littlego match my_agent random --games 20
      littlego match my_agent other_agent --python 3.7 --cpu 5 --jobs 2
      littlego match cmd:'./agent --strong' greedy
      littlego match my_agent greedy --sprt --bounds 0,50
    """
    from littlego.arena.entrants.kinds import CourseAgent, Entrant
    from littlego.arena.entrants.programs import MATCHES
    from littlego.arena.entrants.travel import travelling
    from littlego.arena.match.plan import MatchPlan
    from littlego.arena.match.run import MatchJob, run_match
    from littlego.arena.match.sprt import Hypotheses, SequentialTest, parse_bounds
    from littlego.arena.match.store import Store
    from littlego.arena.referee.client import Supervisor
    from littlego.arena.referee.limits import MIB, Limits
    from littlego.course.spelling import parse_entrant
    from littlego.storage.scratch import temporary_directory

    if not sprt and (bounds, alpha, beta) != (_BOUNDS, _ERROR, _ERROR):
        raise UsageError("--bounds, --alpha and --beta are for --sprt: give that too")
    hypotheses = Hypotheses(*parse_bounds(bounds), alpha, beta) if sprt else None
    games = games or (_SPRT_GAMES if sprt else _GAMES)
    entrants: list[Entrant] = [parse_entrant(text, python=python, edition=edition) for text in (first, second)]
    if MANUAL in (first, second):
        raise UsageError("a person cannot play in a match: use 'littlego play manual ...'")
    if size != DEFAULT_SIZE and any(isinstance(entrant, CourseAgent) for entrant in entrants):
        output.note(f"The course's agents play 5x5: on {size}x{size} only those that look at the size do well.")
    names = distinct_names(entrants[0].name, entrants[1].name)
    limits = Limits(cpu_seconds=cpu, wall_seconds=wall, memory_bytes=memory * MIB)
    plan = MatchPlan(
        entrants[0].spelling,
        entrants[1].spelling,
        edition_rules(edition, size),
        games,
        seed,
        limits,
        options.level_of(level),
        budget,
    )
    with ExitStack() as stack:
        executor = stack.enter_context(_cluster(cluster)).run_tasks if cluster else None
        workshop = stack.enter_context(temporary_directory("littlego-build-"))
        with Supervisor(level=plan.level) as supervisor:
            prepared = tuple(
                entrant.prepare(workshop / str(k), supervisor) for k, entrant in enumerate(entrants)
            )  # fmt: skip
            if not cluster:  # else every worker finds out for itself, and results tell
                output.note(f"Isolation {supervisor.level}: {', '.join(supervisor.mechanisms)}.")
        if cluster:
            prepared = tuple(map(travelling, entrants, prepared))
        identity = plan.identity(*prepared)
        folder = out or Path(MATCHES) / f"{_plain(names[0])}-{_plain(names[1])}-{identity}"
        store = stack.enter_context(Store(folder / "results.sqlite"))
        _check_same_match(store, identity, folder)
        store.describe(identity=identity, first=plan.first, second=plan.second, seed=seed, edition=edition, size=size)
        stopped = False
        known = store.results()
        test = SequentialTest(hypotheses, plan, known) if hypotheses else None

        def tell(result: GameResult) -> None:
            known.append(result)
            if test:
                test.add(result)
            step()

        try:
            with output.live(lambda: _score_line(plan, names, known, test)) as step:
                run_match(
                    MatchJob(plan, names, (prepared[0], prepared[1])),
                    store,
                    workers=jobs,
                    executor=executor,
                    on_result=tell,
                    on_void=_tell_void,
                    enough=lambda: test is not None and test.answer is not None,
                )
        except KeyboardInterrupt:
            stopped = True
        results = [result for result in store.results() if result.number < games]
        test = SequentialTest(hypotheses, plan, results) if hypotheses else None
    _write_capsules(results, folder)
    if json:
        output.print_json(_as_json(plan, names, results, folder) | ({"sprt": test.as_dict()} if test else {}))
    else:
        _show(plan, names, results, folder)
        if test:
            print(f"\n{output.printable(test.verdict(names[0]))}")
    if stopped:
        output.note(f"\nStopped after {len(results)} of {games} games. To go on:\n  {output.same_command()}")
        raise typer.Exit(output.INTERRUPTED)


def _cluster(address: str) -> Cluster:
    from littlego.arena.pool.cluster import Cluster

    cluster = Cluster(address, tell=output.note)
    output.note(f"Cluster {address}: {cluster.workers} workers.")
    return cluster


def distinct_names(first: str, second: str) -> tuple[str, str]:
    """Names that tell the two apart in tables."""
    return (first, second) if first != second else (f"{first}-1", f"{second}-2")


def _plain(name: str) -> str:
    """A name that is good in a file's name."""
    return "".join(char if char.isalnum() or char in "._-" else "_" for char in name)[:40]


def _check_same_match(store: Any, identity: str, folder: Path) -> None:
    if (earlier := store.fact("identity")) not in (None, identity):
        raise UsageError(
            f"{folder}: holds another match ({earlier}): its players, their files, rules, limits or seed differ. "
            "Give another --out, or none"
        )


def _tell_void(failure: Failure) -> None:
    output.note(f"Game {failure.task + 1} is void, through no fault of the players, and is played again: "
                f"{failure.reason}")  # fmt: skip


def _score_line(plan: MatchPlan, names: tuple[str, str], results: list[GameResult], test: SequentialTest | None) -> str:
    wins = [sum(_first_won(plan, result) is won for result in results) for won in (True, False)]
    forfeits = sum(bool(result.record.outcome and result.record.outcome.verdict.is_forfeit) for result in results)
    told = f"{len(results)}/{plan.games} games   {names[0]} {wins[0]} : {wins[1]} {names[1]}   {forfeits} forfeits"
    return f"{told}   {test.line()}" if test else told


def _first_won(plan: MatchPlan, result: GameResult) -> bool | None:
    outcome = result.record.outcome
    if outcome is None or outcome.winner is None:
        return None
    return outcome.winner is plan.first_colour(result.number)


def _write_capsules(results: list[GameResult], folder: Path) -> None:
    from littlego.storage.whole_files import write_capsule

    for result in results:
        if result.capsule is not None:
            write_capsule(_capsule_path(folder, result.number), result.capsule)


def _capsule_path(folder: Path, number: int) -> Path:
    return folder / "capsules" / f"game-{number + 1}.json"


def _show(plan: MatchPlan, names: tuple[str, str], results: list[GameResult], folder: Path) -> None:
    from littlego.apps.cli.play import print_standings

    print_standings(plan.rules, plan.seed, [result.record for result in results])
    _show_time(plan, names, results)
    _show_remarks(results)
    lost = [result for result in results if _first_won(plan, result) is False or _is_forfeit(result)]
    for result in lost[:_SHOWN]:
        print(f"\n{output.printable(_told(result))}")
        if result.capsule is not None:
            print(f"  littlego replay {shlex.quote(str(_capsule_path(folder, result.number)))}")
    if len(lost) > _SHOWN:
        print(f"\nand {len(lost) - _SHOWN} more like these; --json tells of every game.")
    print(f"\nKept in {folder}.")


def _is_forfeit(result: GameResult) -> bool:
    return bool(result.record.outcome and result.record.outcome.verdict.is_forfeit)


def _told(result: GameResult) -> str:
    """A lost game: the verdict in a sentence, the board, the end of stderr."""
    from littlego.core.verdict import Verdict
    from littlego.formats.ansi import draw_terminal

    record = result.record
    outcome = record.outcome
    assert outcome is not None
    assert outcome.winner is not None
    loser = outcome.winner.opponent
    who = f"{loser} ({record.player(loser)})"
    number = len(record.moves) + 1
    if outcome.verdict.is_forfeit:
        when = "without playing" if outcome.verdict is Verdict.BATCH_BUDGET else f"at move {number}"
        sentence = f"Game {result.number + 1}: {who} forfeited {when}: {outcome.reason}"
    else:
        sentence = f"Game {result.number + 1}: {who} lost: {outcome}."
    last_move = record.moves[-1] if record.moves else None
    lines = [sentence, draw_terminal(record.final(), last_move=last_move, colour=False)]
    if result.capsule and result.capsule["stderr"].strip():
        lines += ["  its last words:", *(f"  | {line}" for line in result.capsule["stderr"].splitlines()[-8:])]
    return "\n".join(lines)


def _show_time(plan: MatchPlan, names: tuple[str, str], results: list[GameResult]) -> None:
    rows = []
    for who, name in enumerate(names):
        times = [
            seconds
            for result in results
            for colour, listed in result.cpu_seconds.items()
            if (colour == plan.first_colour(result.number).name.lower()) == (who == 0)
            for seconds in listed
        ]
        if times:
            rows.append((name, str(len(times)), *(f"{s:.3f}" for s in (sum(times) / len(times), max(times))),
                         f"{sum(times):.1f}"))  # fmt: skip
    if rows:
        output.print_table([f"CPU seconds (limit {plan.limits.cpu_seconds:g})", "moves", "mean", "most", "all"], rows)


def _show_remarks(results: list[GameResult]) -> None:
    remarks = [f"Game {result.number + 1}: {remark}" for result in results for remark in result.remarks]
    for remark in remarks[:5]:
        print(f"  Remark: {output.printable(remark)}")
    if len(remarks) > 5:
        print(f"  and {len(remarks) - 5} more remarks.")


def _as_json(plan: MatchPlan, names: tuple[str, str], results: list[GameResult], folder: Path) -> dict[str, Any]:
    from littlego.apps.cli.play import standings_as_dicts
    from littlego.arena.match.series import distinct_games
    from littlego.formats.records import record_to_dict, rules_to_dict

    records = [result.record for result in results]
    return {
        "first": {"name": names[0], "spelling": plan.first},
        "second": {"name": names[1], "spelling": plan.second},
        "rules": rules_to_dict(plan.rules),
        "limits": plan.limits.as_dict(),
        "seed": plan.seed,
        "directory": str(folder),
        "games": len(results),
        "distinct_games": distinct_games(records),
        "standings": standings_as_dicts(records),
        "results": [
            {
                "game": result.number + 1,
                "record": record_to_dict(result.record),
                "level": result.level,
                "mechanisms": list(result.mechanisms),
                "cpu_seconds": result.cpu_seconds,
                "wall_seconds": result.wall_seconds,
                "remarks": list(result.remarks),
                "capsule": None if result.capsule is None else str(_capsule_path(folder, result.number)),
            }
            for result in results
        ],
    }
