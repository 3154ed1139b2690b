"""`littlego check` and `littlego replay`: what is wrong with an agent, and a forfeit replayed."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError

if TYPE_CHECKING:
    from littlego.arena.referee.client import Supervisor
    from littlego.arena.referee.limits import Limits
    from littlego.core.position import Position
    from littlego.course.check.deck_check import DeckAnswer
    from littlego.course.check.finding import Check

_MARKS = {"passed": "ok", "remark": "remark", "failed": "FAILED", "skipped": "skipped"}


def check(
    agent: Annotated[Path, typer.Argument(metavar="AGENT", help="An agent's directory or file.")],
    *,
    edition: options.Edition = options.EDITION,
    cpu: options.CpuSeconds = None,
    wall: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0.01,
            help="Real seconds a move. Default: three times the CPU seconds that were given, or the edition's, 30.",
        ),
    ] = None,
    python: options.Python = None,
    level: options.LevelOption = None,
    deck: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead, try it on the drills of this deck: does it keep the wins?"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Check whether an agent is ready to submit, point by point.

    It holds to the letter of the course's documents, and names the line. Python agents run with the
    course's Python 3.7 if this machine has it. Exits with 1 if a check failed.

      littlego check my_agent
      littlego check my_agent --python agents-env/bin/python
      littlego check class:my_player.py
      littlego check my_agent --deck drills.json
    """
    from littlego.arena.referee.client import Supervisor
    from littlego.course.check.class_check import TITLES, class_checks
    from littlego.course.check.finding import Status
    from littlego.course.check.inspection import Inspection

    as_class = _class_of(agent)
    if as_class is None and not agent.exists():
        raise UsageError(f"{agent}: no such file or directory")
    by = options.edition_of(edition)
    limits = options.limits_of(by, cpu=cpu, wall=3 * cpu if cpu is not None and wall is None else wall)
    checks: list[Check] = []
    with Supervisor(level=options.level_of(level)) as supervisor:
        if deck is not None:
            _check_deck(agent, deck, supervisor, limits, python, json=json)
            return
        if as_class is not None:
            with output.progress(f"checking {agent}", len(TITLES)) as step:
                for found in class_checks(as_class, supervisor, limits, python):
                    checks.append(found)
                    step()
        else:
            inspection = Inspection(agent, supervisor, limits, python, by)
            try:
                with output.progress(f"checking {agent}", len(inspection.titles())) as step:
                    for found in inspection.checks():
                        checks.append(found)
                        step()
            finally:
                inspection.close()
    if json:
        rows = [_as_dict(number, found) for number, found in enumerate(checks, start=1)]
        output.print_json({"fit": all(row["status"] != "failed" for row in rows), "checks": rows})
    else:
        for number, found in enumerate(checks, start=1):
            print(output.printable(_line(number, found)))
        failed = [number for number, found in enumerate(checks, start=1) if found.status is Status.FAILED]
        print(f"\nNot ready to submit: see {', '.join(map(str, failed))}." if failed else "\nReady to submit.")
    if any(found.status is Status.FAILED for found in checks):
        raise typer.Exit(1)


def _class_of(agent: Path) -> str | None:
    """The path of a class of 2019, with its name if given: `class:PATH`, or a `my_player.py` that is a class alone."""
    from littlego.course.python_class.class_or_program import is_class_alone

    text = str(agent)
    if text.startswith("class:"):
        return text.removeprefix("class:")
    file = agent / "my_player.py" if agent.is_dir() else agent
    if file.name != "my_player.py" or not file.is_file():
        return None
    return text if is_class_alone(file.read_text(encoding="utf-8", errors="replace")) else None


def _check_deck(
    agent: Path, path: Path, supervisor: Supervisor, limits: Limits, python: str | None, *, json: bool
) -> None:
    """Exits with 1 if the agent does not keep every win."""
    from littlego.course.check.deck_check import answers
    from littlego.review.drills.deck import read_deck

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
    return f"{line}: {did}; winning: {wins}\n{_shown(position, f'to move, {position.plies_left} plies left')}"


def _line(number: int, found: Check) -> str:
    detail = f": {found.detail}" if found.detail else ""
    line = f"{number:3}. {_MARKS[found.status.value]:8} {found.title}{detail}"
    if found.position is None:
        return line
    ko = ", k marks the ko" if found.position.ko is not None else ""
    return f"{line}\n{_shown(found.position, f'to move here{ko}')}"


def _shown(position: Position, text: str) -> str:
    from littlego.formats.ansi import draw_terminal

    side = f"{position.to_move} ({position.to_move.symbol})"
    return indent(f"{side} {text}:\n{draw_terminal(position, colour=False)}", " " * 8)


def _as_dict(number: int, found: Check) -> dict[str, object]:
    from littlego.arena.entrants.program_player import course_input
    from littlego.formats.course import write_input

    shown = None if found.position is None else write_input(course_input(found.position, None))
    return {
        "number": number,
        "title": found.title,
        "status": found.status.value,
        "detail": found.detail,
        "input": shown,
    }


def replay(
    capsule: Annotated[Path, typer.Argument(metavar="CAPSULE", help="The file written for a forfeit.")],
    *,
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Where the agent is now. Default: where it was.")
    ] = None,
    python: options.Python = None,
    level: options.LevelOption = None,
    json: options.Json = False,
) -> None:
    """Replay the move that forfeited a game: the same input and limits, the agent as it is now.

    Exits with 0 if the fault is reproduced and with 1 if it is not, for instance once it is fixed.

      littlego replay littlego-matches/me-random-1a2b3c/capsules/game-3.json --agent my_agent
    """
    from dataclasses import asdict

    from littlego.arena.capsule import read_capsule
    from littlego.arena.referee.client import Supervisor
    from littlego.course.replay import replay_capsule
    from littlego.formats.ansi import draw_terminal

    kept = read_capsule(capsule)
    with Supervisor(level=options.level_of(level)) as supervisor:
        again = replay_capsule(kept, supervisor, agent=agent, python=python)
    if json:
        output.print_json(asdict(again))
    else:
        position = kept.record.final()
        print(f"Move {kept.move_number}, {position.to_move} ({position.to_move.symbol}) to move:")
        print(draw_terminal(position, colour=False))
        print(output.printable(f"then: {kept.verdict.value}: {kept.reason}"))
        print(output.printable(f"now:  {again.verdict}: {again.reason}"))
        for line in again.stderr.splitlines()[-8:]:
            print(output.printable(f"  | {line}"))
        if again.files_changed:
            print("The agent's files have changed since.")
        print("Reproduced." if again.reproduced else "Not reproduced.")
    if not again.reproduced:
        raise typer.Exit(1)
