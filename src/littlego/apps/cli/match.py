"""`littlego match`: any two players through the referee."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from littlego.apps.cli import completion, options, output
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_SIZE, Rules, edition_rules
from littlego.players.catalogue import MANUAL

if TYPE_CHECKING:
    from littlego.arena.match.plan import MatchPlan
    from littlego.arena.match.sprt import SequentialTest
    from littlego.arena.openings import Opening
    from littlego.arena.pool.tasks import Failure
    from littlego.arena.results import KeptGame

    Game: TypeAlias = KeptGame[int]

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
    openings: Annotated[
        str | None,
        typer.Option(
            metavar="N|FILE",
            help="Begin with every position after N moves, each twice with colours exchanged, or with those in a"
            " file of lines such as 2,2 1,2. Default: 2 with --sprt, else none (0).",
        ),
    ] = None,
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
    cluster: options.ClusterAddress = None,
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
    from littlego.arena.match.run import run_match
    from littlego.arena.match.sprt import Hypotheses, SequentialTest, parse_bounds
    from littlego.arena.match.store import Store
    from littlego.arena.referee.client import Supervisor
    from littlego.arena.referee.limits import MIB, Limits
    from littlego.arena.results import GameResult, KeptGame
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
        openings=_openings(openings or ("2" if sprt else "0"), edition_rules(edition, size)),
    )
    with ExitStack() as stack:
        executor = stack.enter_context(options.executor(jobs, cluster))
        workshop = stack.enter_context(temporary_directory("littlego-build-"))
        with Supervisor(level=plan.level) as supervisor:
            prepared = [entrant.prepare(workshop / str(k), supervisor) for k, entrant in enumerate(entrants)]
            if not executor.is_elsewhere:  # else every worker finds out for itself, and results tell
                output.note(f"Isolation {supervisor.level}: {', '.join(supervisor.mechanisms)}.")
        if executor.is_elsewhere:
            prepared = list(map(travelling, entrants, prepared))
        identity = plan.identity(*prepared)
        folder = out or Path(MATCHES) / f"{_plain(names[0])}-{_plain(names[1])}-{identity}"
        store: Store[int] = stack.enter_context(Store(folder / "results.sqlite"))
        _check_same_match(store, identity, folder)
        store.describe(identity=identity, first=plan.first, second=plan.second, seed=seed, edition=edition, size=size)
        stopped = False
        known = store.games()
        test = SequentialTest(hypotheses, plan, known) if hypotheses else None

        def tell(number: int, result: GameResult) -> None:
            known.append(KeptGame(number, result))
            if test:
                test.add(known[-1])
            step()

        try:
            with output.live(lambda: _score_line(plan, names, known, test)) as step:
                run_match(
                    plan,
                    plan.job(names, prepared),
                    store,
                    executor,
                    on_result=tell,
                    on_void=_tell_void,
                    enough=lambda: test is not None and test.answer is not None,
                )
        except KeyboardInterrupt:
            stopped = True
        kept = [game for game in store.games() if game.key < games]
        test = SequentialTest(hypotheses, plan, kept) if hypotheses else None
    _write_capsules(kept, folder)
    if json:
        output.print_json(_as_json(plan, names, kept, folder) | ({"sprt": test.as_dict()} if test else {}))
    else:
        _show(plan, names, kept, folder)
        if test:
            print(f"\n{output.printable(test.verdict(names[0]))}")
    if stopped:
        output.note(f"\nStopped after {len(kept)} of {games} games. To go on:\n  {output.same_command()}")
        raise typer.Exit(output.INTERRUPTED)


def _openings(text: str, rules: Rules) -> tuple[Opening, ...]:
    from littlego.arena.openings import openings, read_openings

    if not text.isdecimal():
        return read_openings(Path(text), rules)
    return openings(rules, int(text)) if int(text) else ()


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
    output.note(f"Game {failure.task.key + 1} is void, through no fault of the players, and is played again: "
                f"{failure.reason}")  # fmt: skip


def _score_line(plan: MatchPlan, names: tuple[str, str], games: list[Game], test: SequentialTest | None) -> str:
    wins = [sum(_first_won(plan, game) is won for game in games) for won in (True, False)]
    forfeits = sum(game.result.is_forfeit for game in games)
    told = f"{len(games)}/{plan.games} games   {names[0]} {wins[0]} : {wins[1]} {names[1]}   {forfeits} forfeits"
    return f"{told}   {test.line()}" if test else told


def _first_won(plan: MatchPlan, game: Game) -> bool | None:
    outcome = game.result.record.outcome
    if outcome is None or outcome.winner is None:
        return None
    return outcome.winner is plan.first_colour(game.key)


def _write_capsules(games: list[Game], folder: Path) -> None:
    from littlego.storage.whole_files import write_capsule

    for game in games:
        if game.result.capsule is not None:
            write_capsule(_capsule_path(folder, game.key), game.result.capsule)


def _capsule_path(folder: Path, number: int) -> Path:
    return folder / "capsules" / f"game-{number + 1}.json"


def _show(plan: MatchPlan, names: tuple[str, str], games: list[Game], folder: Path) -> None:
    from littlego.apps.cli.play import print_standings

    print_standings(plan.rules, plan.seed, [game.result.record for game in games])
    _show_time(plan, names, games)
    _show_remarks(games)
    lost = [game for game in games if _first_won(plan, game) is False or game.result.is_forfeit]
    for game in lost[:_SHOWN]:
        print(f"\n{output.printable(_told(game))}")
        if game.result.capsule is not None:
            print(f"  littlego replay {shlex.quote(str(_capsule_path(folder, game.key)))}")
    if len(lost) > _SHOWN:
        print(f"\nand {len(lost) - _SHOWN} more like these; --json tells of every game.")
    print(f"\nKept in {folder}.")


def _told(game: Game) -> str:
    """A lost game: the verdict in a sentence, the board, the end of stderr."""
    from littlego.core.verdict import Verdict
    from littlego.formats.ansi import draw_terminal

    record = game.result.record
    outcome = record.outcome
    assert outcome is not None
    assert outcome.winner is not None
    loser = outcome.winner.opponent
    who = f"{loser} ({record.player(loser)})"
    number = len(record.moves) + 1
    if outcome.verdict.is_forfeit:
        when = "without playing" if outcome.verdict is Verdict.BATCH_BUDGET else f"at move {number}"
        sentence = f"Game {game.key + 1}: {who} forfeited {when}: {outcome.reason}"
    else:
        sentence = f"Game {game.key + 1}: {who} lost: {outcome}."
    last_move = record.moves[-1] if record.moves else None
    lines = [sentence, draw_terminal(record.final(), last_move=last_move, colour=False)]
    if game.result.capsule and game.result.capsule["stderr"].strip():
        lines += ["  its last words:", *(f"  | {line}" for line in game.result.capsule["stderr"].splitlines()[-8:])]
    return "\n".join(lines)


def _show_time(plan: MatchPlan, names: tuple[str, str], games: list[Game]) -> None:
    rows = []
    for who, name in enumerate(names):
        times = [
            seconds
            for game in games
            for colour, listed in game.result.cpu_seconds.items()
            if (colour == plan.first_colour(game.key).name.lower()) == (who == 0)
            for seconds in listed
        ]
        if times:
            rows.append((name, str(len(times)), *(f"{s:.3f}" for s in (sum(times) / len(times), max(times))),
                         f"{sum(times):.1f}"))  # fmt: skip
    if rows:
        output.print_table([f"CPU seconds (limit {plan.limits.cpu_seconds:g})", "moves", "mean", "most", "all"], rows)


def _show_remarks(games: list[Game]) -> None:
    remarks = [f"Game {game.key + 1}: {remark}" for game in games for remark in game.result.remarks]
    for remark in remarks[:5]:
        print(f"  Remark: {output.printable(remark)}")
    if len(remarks) > 5:
        print(f"  and {len(remarks) - 5} more remarks.")


def _as_json(plan: MatchPlan, names: tuple[str, str], games: list[Game], folder: Path) -> dict[str, Any]:
    from littlego.apps.cli.play import standings_as_dicts
    from littlego.arena.match.standings import distinct_games
    from littlego.arena.results import result_to_dict
    from littlego.formats.records import rules_to_dict

    records = [game.result.record for game in games]
    return {
        "first": {"name": names[0], "spelling": plan.first},
        "second": {"name": names[1], "spelling": plan.second},
        "rules": rules_to_dict(plan.rules),
        "limits": plan.limits.as_dict(),
        "seed": plan.seed,
        "directory": str(folder),
        "games": len(games),
        "distinct_games": distinct_games(records),
        "standings": standings_as_dicts(records),
        "results": [
            {
                "game": game.key + 1,
                **result_to_dict(game.result),
                "capsule": None if game.result.capsule is None else str(_capsule_path(folder, game.key)),
            }
            for game in games
        ],
    }
