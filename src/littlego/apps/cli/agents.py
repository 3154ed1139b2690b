"""Your own agent: `new`, `check`, `replay`, `agent export`, `edition`; and this machine: `doctor`, `sandbox`."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections import Counter
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, EDITIONS
from littlego.formats.text import plural

if TYPE_CHECKING:
    from littlego.arena.building import Program
    from littlego.arena.games import Capsule
    from littlego.core.position import Position
    from littlego.course.edition import Edition as EditionValue
    from littlego.course.inspection import Check
    from littlego.course.replay import ReplayedMove
    from littlego.course.testing import DeckAnswer
    from littlego.sandbox.client import Supervisor
    from littlego.sandbox.limits import Level, Limits


def new(
    directory: options.NewDirectory,
    *,
    edition: options.Edition,
    language: Annotated[
        str, typer.Option(metavar="NAME", help="What the agent is written in: python, c++ or java.")
    ] = "python",
    course: Annotated[
        bool, typer.Option("--course", help="The course's own directories and buttons: work/ and resource/.")
    ] = False,
    tictactoe: Annotated[bool, typer.Option("--tictactoe", help="The teaching example instead: a Q-learner.")] = False,
    force: options.Force = False,
) -> None:
    """Write a starter kit: an agent that already plays, and files to try it with.

    In a kit, the commands of littlego use the edition that it was made for.

      littlego new my-agent
      littlego new my-agent-in-java --language java
      littlego new my-class --edition 2019
      littlego new --course hw2/stage1 --edition 2022
      littlego new my-learner --tictactoe
    """
    from littlego.course.edition import EDITION_FILE, edition_text
    from littlego.course.starter import TICTACTOE, write_course, write_kit
    from littlego.tictactoe.kit import write_tictactoe_kit

    if course and (tictactoe or language != "python"):
        raise UsageError("--course has its own files: leave out --tictactoe and --language")
    found = options.edition_of(edition)
    language = {"cpp": "c++"}.get(language, language)
    marked = directory / "work" if course else directory
    if tictactoe:
        try:
            written = write_tictactoe_kit(directory, force=force)
        except OSError as error:
            raise UsageError(f"{error}; --force overwrites all but QLearner.py") from error
    elif course:
        written = write_course(directory, edition=found.like, force=force)
        written += write_tictactoe_kit(directory / TICTACTOE, force=force)
    else:
        written = write_kit(directory, edition=found.like, language=language, size=found.rules().size, force=force)
    if not tictactoe and not found.needs_files:  # a copy would not find its opponents
        written.append(marked / EDITION_FILE)
        written[-1].write_text(edition_text(edition), encoding="utf-8")
    for path in written:
        print(path)
    by = f" --edition {shlex.quote(os.path.relpath(edition, marked))}" if found.needs_files else ""
    steps, edit = _steps(found, language, by, course=course, tictactoe=tictactoe)
    print(f"\nThe agent already plays; improve it in {edit}. Next:\n" if edit else "\nNext:\n")
    print(f"  cd {shlex.quote(str(marked))}")
    width = max(len(command) for command, _ in steps)
    for command, what in steps:
        print(f"  {command:<{width}}  {what}")


def _steps(
    found: EditionValue, language: str, by: str, *, course: bool, tictactoe: bool
) -> tuple[list[tuple[str, str]], str]:
    """What to type next, with what it does, and the file to improve."""
    from littlego.course.edition import Kit
    from littlego.course.starter import AGENTS, COURSE_FILES
    from littlego.formats.toml import RulesTable

    if tictactoe:
        return [
            ("python3 TicTacToe.py", "train, test and grade the learner"),
            ("littlego tictactoe --learner QLearner.py", "the same, with this package"),
        ], "QLearner.py"
    if course:
        return [
            (f"cp ../{COURSE_FILES.as_posix()}/random_player.py my_player3.py", "an agent to begin with"),
            ("bash ../resource/scripts/build.sh", "Build: a match against the random player"),
            ("bash ../resource/scripts/run.sh", "Run: play against the random player yourself"),
            (f"littlego check .{by}", "is it ready to submit?"),
            ("bash ../resource/scripts/submit.sh", "Submit: the submission report"),
        ], ""
    if found.kit is Kit.CLASS:
        return [
            ("python3 go_play.py -p1=my -p2=random -t=50", "50 games against random"),
            ("python3 go_play.py -p1=manual -p2=my", "play against it"),
            (f"littlego match class:. smart{by}", "through the referee"),
            (f"littlego grade class:.{by} --out ../grade", "the course's grade"),
        ], "my_player.py"
    is_usual = found.board == RulesTable()
    by_hand = "sh run.sh white my_player3.py" if language == "python" else "littlego play . manual"
    return [
        ("sh build.sh" if is_usual else f"littlego match . random{by}", "a match against the random player"),
        *([(by_hand, "play against it yourself")] if is_usual else []),
        (f"littlego check .{by}", "is it ready to submit?"),
        (f"littlego grade .{by} --out ../grade", "the course's grade, and why"),
    ], AGENTS[language].name


agent_app = typer.Typer(help="Export our own solution as a submission.", no_args_is_help=True)


@agent_app.command()
def export(
    directory: options.NewDirectory,
    *,
    learner: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Instead, an agent that plays from a model of 'littlego train'."),
    ] = None,
    edition: Annotated[
        str, typer.Option(metavar="YEAR", help="2019 writes a class MyPlayer, not a program.")
    ] = DEFAULT_EDITION,
    force: options.Force = False,
) -> None:
    """Write the files to submit: my_player3.py and what it reads.

    littlego agent export my-submission
    littlego agent export my-learner --learner trained
    littlego agent export my-class --edition 2019
    """
    from littlego.course.starter import export_agent, export_class, export_learner

    if edition not in EDITIONS:
        raise UsageError(f"edition {edition!r}: expected one of {', '.join(EDITIONS)}")
    if learner is not None:
        written = export_learner(learner, directory, edition=edition, force=force)
    elif edition == "2019":
        written = export_class(directory, force=force)
    else:
        written = export_agent(directory, force=force)
    for path in written:
        print(f"{path}  {path.stat().st_size:,} bytes")
    if learner is None:
        output.note("It is ours: do not hand it in as your own work, where 'littlego grade-class' would name it.")


_MARKS = {"passed": "ok", "remark": "remark", "failed": "FAILED", "skipped": "skipped"}


def check(
    agent: Annotated[Path, typer.Argument(metavar="AGENT", help="An agent's directory, file or .zip.")],
    *,
    edition: options.Edition,
    cpu: options.CpuSeconds = None,
    python: options.Python = None,
    level: options.LevelOption = None,
    deck: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead, try it on the drills of this deck: does it keep the wins?"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Check whether an agent is ready to submit, point by point.

    It enforces the course's written rules exactly, and names the line. Python agents run with the
    course's Python 3.7 if this machine has it. Exits with 1 if a check failed.

      littlego check my_agent
      littlego check my_agent --python agents-env/bin/python
      littlego check class:my_player.py
      littlego check my_agent --deck drills.json
    """
    from littlego.course.inspection import Status, inspect, unwrapped
    from littlego.sandbox.client import Supervisor
    from littlego.storage.scratch import temporary_directory

    by = options.edition_of(edition)
    limits = options.limits_of(by, cpu=cpu, wall=None if cpu is None else 3 * cpu)
    checks: list[Check] = []
    with (
        options.for_one_agent(agent, "all of them", "--dry-run"),
        Supervisor(level=options.level_of(level)) as supervisor,
    ):
        if deck is not None:
            with temporary_directory("littlego-check-") as place:
                folder = unwrapped(agent, place, _note_where)
                _check_deck(folder, deck, supervisor, limits, python, json=json)
            return
        with (
            inspect(
                str(agent), supervisor, edition=by, limits=limits, python=python, on_found=_note_where
            ) as inspection,
            output.progress(f"checking {agent}", len(inspection.titles())) as step,
        ):
            for found in inspection.checks():
                checks.append(found)
                step()
    capsules = _write_capsules(checks, agent)
    if json:
        rows = [_check_as_dict(number, found, capsules.get(number)) for number, found in enumerate(checks, start=1)]
        output.print_json({"fit": all(row["status"] != "failed" for row in rows), "checks": rows})
    else:
        _show_checks(checks, capsules, _grade_command(agent, edition, is_class=bool(inspection.class_text)))
    if any(found.status is Status.FAILED for found in checks):
        raise typer.Exit(1)


def _note_where(where: str) -> None:
    output.note(output.printable(f"The agent is in {where}."))


def _write_capsules(checks: list[Check], agent: Path) -> dict[int, Path]:
    """A capsule for each failed move, by the number of its check. Those of earlier checks are removed."""
    from littlego.arena.building import CHECKS
    from littlego.storage.files import plain_name

    folder = Path(CHECKS) / plain_name(agent.absolute().stem if agent.is_file() else agent.absolute().name)
    if any(place.is_symlink() for place in (folder.parent, folder)):
        raise UsageError(f"{folder}: is a link: nothing is written through one")
    with output.writing(folder):
        for old in folder.glob("check-*.json"):
            old.unlink()
    written = {}
    for number, found in enumerate(checks, start=1):
        if found.capsule is not None:
            from littlego.arena.games import write_capsule

            written[number] = folder / f"check-{number}.json"
            with output.writing(folder):
                folder.mkdir(parents=True, exist_ok=True)
                write_capsule(written[number], found.capsule.to_dict())
    return written


def _grade_command(agent: Path, edition: str, *, is_class: bool) -> str:
    """What to type next: a class is named as one, and graded as in 2019 unless an edition was given."""
    name = f"class:{str(agent).removeprefix('class:')}" if is_class else str(agent)
    graded_by = "2019" if is_class and edition == DEFAULT_EDITION else edition
    chosen = "" if graded_by == options.kit_edition() else f" --edition {shlex.quote(graded_by)}"
    return f"littlego grade {shlex.quote(name)}{chosen}"


def _show_checks(checks: list[Check], capsules: dict[int, Path], grade: str) -> None:
    from itertools import groupby

    from littlego.course.inspection import Status

    numbered = list(enumerate(checks, start=1))
    for (status, why), group in groupby(numbered, lambda item: (item[1].status, item[1].detail)):
        members = list(group)
        if status is Status.SKIPPED and len(members) > 1:
            output.print_sentences(
                output.printable(f"{members[0][0]:3}-{members[-1][0]}. {_MARKS[status.value]}: {why}"), indent=5
            )
            continue
        for number, found in members:
            _show_check(number, found)
            if number in capsules:
                print(f"        littlego replay {shlex.quote(str(capsules[number]))}")
    failed = [number for number, found in numbered if found.status is Status.FAILED]
    remarks = [str(number) for number, found in numbered if found.status is Status.REMARK]
    if not failed:
        read = f" Read the remark{'s' if len(remarks) > 1 else ''} at {', '.join(remarks)} first." if remarks else ""
        print(f"\nReady to submit.{read}")
        output.note(f"Next, the grade the course would give: {grade}")
        return
    first = checks[failed[0] - 1]
    others = f" (then {', '.join(map(str, failed[1:]))})" if failed[1:] else ""
    to_fix = f": {first.advice}." if first.advice else f". Fix this first: {failed[0]}. {first.title}."
    output.print_sentences(f"\n{len(failed)} of {len(checks)} failed{others}{to_fix}")
    if first.capsule is not None and not first.advice:
        output.note(to_debug(first.capsule, f"littlego replay {shlex.quote(str(capsules[failed[0]]))}"))


def _check_deck(
    agent: Path, path: Path, supervisor: Supervisor, limits: Limits, python: str | None, *, json: bool
) -> None:
    """Exits with 1 if the agent does not keep every win."""
    from littlego.course.testing import answers
    from littlego.review.drills import read_deck

    deck = read_deck(path)
    found: list[DeckAnswer] = []
    with output.progress("drills", len(deck)) as step:
        for answer in answers(deck, agent, supervisor, limits=limits, python=python):
            found.append(answer)
            step()
    right = sum(answer.right for answer in found)
    if json:
        rows = [answer.to_dict() for answer in found]
        output.print_json({"right": right, "drills": len(found), "answers": rows})
    else:
        for number, answer in enumerate(found, start=1):
            print(output.printable(_drill_line(number, answer)))
        print(f"\n{right} of {len(found)} wins kept.")
    if right < len(found):
        raise typer.Exit(1)


def _drill_line(number: int, answer: DeckAnswer) -> str:
    position = answer.drill.position
    line = f"{number:3}. {'ok' if answer.right else 'LOST':5} {answer.drill.title}"
    if answer.right and answer.move is not None:
        return f"{line}: {position.move_name(answer.move)}"
    did = answer.fault if answer.move is None else position.move_name(answer.move)
    wins = " ".join(map(position.move_name, answer.drill.accepted))
    return f"{line}: {did}; winning: {wins}\n{_shown(position, f'to move, {position.plies_left} moves left')}"


def _show_check(number: int, found: Check) -> None:
    detail = f": {found.detail}" if found.detail else ""
    line = output.printable(f"{number:3}. {_MARKS[found.status.value]:8} {found.title}{detail}")
    output.print_sentences(line, indent=14)
    if found.position is not None:
        ko = ", k marks the ko" if found.position.ko is not None else ""
        print(output.printable(_shown(found.position, f"to move here{ko}")))


def _shown(position: Position, text: str) -> str:
    from littlego.formats.text import draw_terminal

    side = f"{position.to_move} ({position.to_move.symbol})"
    return indent(f"{side} {text}:\n{draw_terminal(position, colour=False)}", " " * 8)


def _check_as_dict(number: int, found: Check, capsule: Path | None) -> dict[str, object]:
    from littlego.arena.program import course_input
    from littlego.formats.course import write_input

    shown = None if found.position is None else write_input(course_input(found.position, None))
    return {
        "number": number,
        "title": found.title,
        "status": found.status.value,
        "detail": found.detail,
        "input": shown,
        "capsule": None if capsule is None else str(capsule),
        "advice": found.advice,
    }


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
        _show_replay(kept, runs, agent or kept.agent)
        if any(run.is_fault for run in runs):
            output.note(to_debug(kept, output.same_command()))
    if not any(run.is_fault for run in runs):
        raise typer.Exit(1)


def to_debug(capsule: Capsule, command: str) -> str:
    """The next step after a fault: a debugger for a Python exception, the laid-out move for the rest."""
    from littlego.core.rules import Verdict

    is_raised = capsule.verdict is Verdict.CRASH and "Traceback (most recent call last)" in capsule.stderr
    how, option = ("stop at the error", "--pdb") if is_raised else ("lay out that very move", "--into DIR")
    return f"To {how}: {command} {option}"


def _debug(kept: Capsule, program: Program, place: Path, agent: str | None) -> None:
    from littlego.core.rules import Verdict

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


def _show_replay(kept: Capsule, runs: list[ReplayedMove], agent: str) -> None:
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


def doctor(*, json: options.Json = False) -> None:
    """See what this machine can do: isolation, languages, memory, extras, and what to install for more.

    littlego doctor
    """
    from littlego.course.machine import Ability, examine_machine

    abilities = [*examine_machine()]
    for extra, missing in missing_libraries().items():
        advice = f"pip install 'littlego[{extra}]'" if missing else ""
        abilities.append(Ability(f"Extra: {extra}", "no" if missing else "yes", advice))
    if json:
        output.print_json([asdict(ability) for ability in abilities])
        return
    width = max(len(ability.subject) for ability in abilities)
    for ability in abilities:
        mark = "!" if ability.advice else " "
        print(f"{mark} {ability.subject:<{width}}  {output.printable(ability.found)}")
        if ability.advice:
            print(f"  {'':<{width}}  -> {ability.advice}")
    wanting = sum(bool(ability.advice) for ability in abilities)
    print("\nEverything works here." if not wanting else f"\n{plural(wanting, 'item')} could be better (marked !).")


_EXTRAS: Final = {
    "fastapi": "web",
    "starlette": "web",
    "pydantic": "web",
    "uvicorn": "web",
    "distributed": "cluster",
    "dask": "cluster",
    "pettingzoo": "env",
    "gymnasium": "env",
}


def why_missing(module: str | None) -> str | None:
    """What to do about a module that cannot be imported; None if it belongs to no extra."""
    library = (module or "").partition(".")[0]
    if library not in _EXTRAS:
        return None
    return f"this needs {library}, which is not installed: pip install 'littlego[{_EXTRAS[library]}]'"


def missing_libraries() -> dict[str, list[str]]:
    """Each extra, and which of its libraries are not installed."""
    missing: dict[str, list[str]] = {extra: [] for extra in _EXTRAS.values()}
    for library, extra in _EXTRAS.items():
        if find_spec(library) is None:
            missing[extra].append(library)
    return missing


def sandbox(
    *,
    test: Annotated[
        bool, typer.Option("--test", help="Run small hostile programs at every level, and show how they end.")
    ] = False,
    level: options.LevelOption = None,
    json: options.Json = False,
) -> None:
    """Show how agents are isolated on this machine; with --test, try to break out.

    Exits with 1 if a program escapes from a level that promises to contain it.

      littlego sandbox
      littlego sandbox --test --level linux
    """
    from littlego.sandbox.limits import probe

    found = probe()
    wanted = options.level_of(level)
    if test:
        _try_sandbox([wanted] if wanted is not None else list(found.levels), json)
        return
    rows = [
        {
            "level": str(each),
            "description": each.description,
            "offered": each in found.levels,
            "default": each is found.default,
            "mechanisms": list(found.mechanisms.get(each, ())),
            "refused": found.refused.get(each, ""),
        }
        for each in ([wanted] if wanted is not None else type(found.default))
    ]
    if json:
        output.print_json(rows)
        return
    output.print_table(["level", "description", "active here"], [_level_row(row) for row in rows])


def _level_row(row: dict[str, Any]) -> tuple[str, str, str]:
    name = f"{row['level']} (default)" if row["default"] else row["level"]
    here = ", ".join(row["mechanisms"]) if row["offered"] else f"not available: {row['refused']}"
    return name, row["description"], here


def _try_sandbox(levels: list[Level], json: bool) -> None:
    from littlego.sandbox.selftest import TRIALS, run_trials, table

    total = sum(level >= trial.lowest for level in levels for trial in TRIALS)
    with output.progress("hostile programs", total) as step:
        outcomes = run_trials(levels, progress=lambda _outcome: step())
    if json:
        output.print_json(
            [
                {
                    "trial": outcome.trial.name,
                    "level": str(outcome.level),
                    "ended": outcome.ended,
                    "message": outcome.message,
                    "ok": outcome.ok,
                }
                for outcome in outcomes
            ]
        )
    else:
        print(table(outcomes), end="")
    if not all(outcome.ok for outcome in outcomes):
        raise typer.Exit(1)


edition_app = typer.Typer(
    help="Editions: the rules, limits, opponents and points of a course, as a file.",
    no_args_is_help=True,
)

Named = Annotated[
    str,
    typer.Argument(
        metavar="EDITION",
        help=f"A file such as mycourse.toml, or {', '.join(EDITIONS)}.",
    ),
]


@edition_app.command("check")
def check_edition(edition: Named) -> None:
    """Say in words what an edition means, or what is wrong with its file.

    littlego edition check mycourse.toml
    """
    from littlego.course.edition import edition_words

    for line in edition_words(options.edition_of(edition)):
        output.print_sentences(output.printable(line))


@edition_app.command("show")
def show_edition(edition: Named) -> None:
    """Print an edition's file, to begin your own with.

    littlego edition show 2025 > mycourse.toml
    """
    from littlego.course.edition import edition_text

    print(edition_text(edition), end="")
