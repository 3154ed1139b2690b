"""`littlego check`: what is wrong with an agent."""

from __future__ import annotations

import shlex
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.apps.cli.course.replay import to_debug
from littlego.core.errors import UsageError

if TYPE_CHECKING:
    from littlego.core.position import Position
    from littlego.course.check.deck_check import DeckAnswer
    from littlego.course.check.inspection import Check, Status
    from littlego.sandbox.client import Supervisor
    from littlego.sandbox.limits import Limits

_MARKS = {"passed": "ok", "remark": "remark", "failed": "FAILED", "skipped": "skipped"}


def check(
    agent: Annotated[Path, typer.Argument(metavar="AGENT", help="An agent's directory, file or .zip.")],
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

    It enforces the course's written rules exactly, and names the line. Python agents run with the
    course's Python 3.7 if this machine has it. Exits with 1 if a check failed.

      littlego check my_agent
      littlego check my_agent --python agents-env/bin/python
      littlego check class:my_player.py
      littlego check my_agent --deck drills.json
    """
    from littlego.course.check.inspection import ClassInspection, Status, inspect, unwrapped
    from littlego.sandbox.client import Supervisor
    from littlego.storage.scratch import temporary_directory

    by = options.edition_of(edition)
    limits = options.limits_of(by, cpu=cpu, wall=3 * cpu if cpu is not None and wall is None else wall)
    checks: list[Check] = []
    with Supervisor(level=options.level_of(level)) as supervisor:
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
    is_class = isinstance(inspection, ClassInspection)
    capsules = _write_capsules(checks, agent)
    if json:
        rows = [_as_dict(number, found, capsules.get(number)) for number, found in enumerate(checks, start=1)]
        output.print_json({"fit": all(row["status"] != "failed" for row in rows), "checks": rows})
    else:
        _show(checks, capsules, _grade_command(agent, edition, is_class=is_class))
    if any(found.status is Status.FAILED for found in checks):
        raise typer.Exit(1)


def _note_where(where: str) -> None:
    output.note(output.printable(f"The agent is in {where}."))


def _write_capsules(checks: list[Check], agent: Path) -> dict[int, Path]:
    """A capsule for each failed move, by the number of its check. Those of earlier checks are removed."""
    from littlego.arena.building import CHECKS
    from littlego.arena.games import write_capsule
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
            written[number] = folder / f"check-{number}.json"
            with output.writing(folder):
                folder.mkdir(parents=True, exist_ok=True)
                write_capsule(written[number], found.capsule.to_dict())
    return written


def _grade_command(agent: Path, edition: str, *, is_class: bool) -> str:
    """What to type next: a class is named as one, and graded as in 2019 unless an edition was given."""
    name = f"class:{str(agent).removeprefix('class:')}" if is_class else str(agent)
    graded_by = "2019" if is_class and edition == options.EDITION else edition
    chosen = "" if graded_by == options.EDITION else f" --edition {shlex.quote(graded_by)}"
    return f"littlego grade {shlex.quote(name)}{chosen}"


def _show(checks: list[Check], capsules: dict[int, Path], grade: str) -> None:
    from itertools import groupby

    from littlego.course.check.inspection import Status

    numbered = list(enumerate(checks, start=1))
    for (status, why), group in groupby(numbered, lambda item: _together(item[1])):
        members = list(group)
        if status is Status.SKIPPED and len(members) > 1:
            output.print_wrapped(f"{members[0][0]:3}-{members[-1][0]}. {_MARKS[status.value]}: {why}", indent=5)
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


def _together(found: Check) -> tuple[Status, str]:
    """Equal for skipped checks that are shown as one line."""
    from littlego.course.check.inspection import Status

    return (found.status, found.detail) if found.status is Status.SKIPPED else (found.status, "")


def _check_deck(
    agent: Path, path: Path, supervisor: Supervisor, limits: Limits, python: str | None, *, json: bool
) -> None:
    """Exits with 1 if the agent does not keep every win."""
    from littlego.course.check.deck_check import answers
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
    output.print_wrapped(f"{number:3}. {_MARKS[found.status.value]:8} {found.title}{detail}", indent=14)
    if found.position is not None:
        ko = ", k marks the ko" if found.position.ko is not None else ""
        print(output.printable(_shown(found.position, f"to move here{ko}")))


def _shown(position: Position, text: str) -> str:
    from littlego.formats.text import draw_terminal

    side = f"{position.to_move} ({position.to_move.symbol})"
    return indent(f"{side} {text}:\n{draw_terminal(position, colour=False)}", " " * 8)


def _as_dict(number: int, found: Check, capsule: Path | None) -> dict[str, object]:
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
