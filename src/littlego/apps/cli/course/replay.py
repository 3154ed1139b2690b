"""`littlego replay`: the move that forfeited a game, again."""

from __future__ import annotations

import shlex
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError

if TYPE_CHECKING:
    from littlego.arena.building import Program
    from littlego.arena.games import Capsule
    from littlego.course.replay import ReplayedMove

_LAST_WORDS = 8


def replay(
    capsule: Annotated[Path, typer.Argument(metavar="CAPSULE", help="The file written for a forfeit.")],
    *,
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Where the agent is now. Default: where it was.")
    ] = None,
    times: Annotated[
        int, typer.Option("--times", metavar="N", min=1, max=1000, help="How often, for agents that play at random.")
    ] = 1,
    into: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Instead, write the agent's directory as it was before the move.")
    ] = None,
    pdb: Annotated[
        bool, typer.Option("--pdb", help="Instead, run the move in Python's debugger, outside the sandbox.")
    ] = False,
    python: options.Python = None,
    level: options.LevelOption = None,
    json: options.Json = False,
) -> None:
    """Replay the move that forfeited a game: the same input and limits, the agent as it is now.

    Exits with 0 if the move is lost again, and with 1 if it is legal now, for instance once it is fixed.

      littlego replay littlego-matches/me-random-1a2b3c/capsules/game-3.json
      littlego replay littlego-checks/my_agent/check-6.json --pdb
      littlego replay littlego-checks/my_agent/check-6.json --into debug
    """
    from dataclasses import asdict

    from littlego.arena.games import read_capsule
    from littlego.course.replay import lay_out, replay_capsule
    from littlego.sandbox.client import Supervisor
    from littlego.storage.scratch import temporary_directory

    kept = read_capsule(capsule)
    with Supervisor(level=options.level_of(level)) as supervisor, temporary_directory("littlego-debug-") as scratch:
        if pdb or into is not None:
            place = into or scratch / "agent"
            program = lay_out(kept, supervisor, place, agent=agent, python=python)
            if pdb:
                _debug(kept, program, place, agent)
            else:
                print(f"{place}: the agent, its own files and input.txt, as before move {kept.move_number}. To run it:")
                print(f"  cd {shlex.quote(str(place))} && {shlex.join(program.argv)}")
            return
        runs = replay_capsule(kept, supervisor, agent=agent, python=python, times=times)
    if json:
        output.print_json(asdict(runs[0]) if times == 1 else [asdict(run) for run in runs])
    else:
        _show(kept, runs, agent or kept.agent)
        if any(run.is_fault for run in runs):
            output.note(to_debug(kept, output.same_command()))
    if not any(run.is_fault for run in runs):
        raise typer.Exit(1)


def to_debug(capsule: Capsule, command: str) -> str:
    """The next step after a fault: a debugger for a Python exception, the laid-out move for the rest."""
    from littlego.core.verdict import Verdict

    is_raised = capsule.verdict is Verdict.CRASH and "Traceback (most recent call last)" in capsule.stderr
    how, option = ("stop at the error", "--pdb") if is_raised else ("lay out that very move", "--into DIR")
    return f"To {how}: {command} {option}"


def _debug(kept: Capsule, program: Program, place: Path, agent: str | None) -> None:
    from littlego.core.verdict import Verdict

    if not program.language.startswith("Python"):
        raise UsageError(f"--pdb is for agents in Python, and this one is {program.language}: use --into DIR")
    stops_itself = kept.verdict in (Verdict.CRASH, Verdict.NO_OUTPUT, Verdict.CPU_TIME, Verdict.WALL_TIME)
    go_on = ["-c", "continue"] if stops_itself and not program.language.startswith("Python 2") else []
    too_long = kept.verdict in (Verdict.CPU_TIME, Verdict.WALL_TIME)
    how = "Ctrl-C stops it where it is" if too_long else "it stops at the exception" if go_on else "it stops at line 1"
    output.note(output.printable(f"{kept.agent if agent is None else agent}, in Python's debugger:"))
    output.note(
        f"It runs with your own rights and no sandbox. {how[0].upper()}{how[1:]}; q ends, after an exception twice."
    )
    subprocess.run([program.argv[0], "-m", "pdb", *go_on, *program.argv[1:]], cwd=place, check=False)


def _show(kept: Capsule, runs: list[ReplayedMove], agent: str) -> None:
    from littlego.arena.games import with_own_paths
    from littlego.formats.text import draw_terminal

    position = kept.record.final()
    print(f"Move {kept.move_number}, {position.to_move} ({position.to_move.symbol}) to move:")
    print(draw_terminal(position, colour=False))
    print(output.printable(f"then: {kept.verdict.value}: {kept.reason}"))
    shown = next((run for run in runs if run.is_fault), runs[0])
    print(output.printable(f"now:  {shown.verdict}: {shown.reason}"))
    if shown.hangs:
        print(output.printable(f"      it was at {', called from '.join(shown.hangs)}"))
    for line in with_own_paths(shown.stderr, agent).splitlines()[-_LAST_WORDS:]:
        print(output.printable(f"  | {line}"))
    if shown.files_changed:
        print("The agent's files have changed since.")
    print(_conclusion(runs))


def _conclusion(runs: list[ReplayedMove]) -> str:
    same, faults = sum(run.reproduced for run in runs), sum(run.is_fault for run in runs)
    if len(runs) > 1:
        others = Counter(run.verdict for run in runs if not run.reproduced)
        rest = "".join(f", {verdict} {count} times" for verdict, count in others.most_common())
        return f"Reproduced {same} of {len(runs)} times{rest}."
    if same:
        return "Reproduced."
    if faults:
        return f"Lost again, for another reason: {runs[0].verdict}."
    return "Not reproduced: the move is legal now. If the agent plays at random, --times 20 tries it 20 times."
