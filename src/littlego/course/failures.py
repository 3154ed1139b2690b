"""Why a program failed, beyond its verdict: what its stderr says, which module it misses, where its time ran out."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from littlego.arena.building import Program
from littlego.arena.participants import PreparedProgram
from littlego.arena.untrusted import StateFiles, write_state
from littlego.core.rules import Verdict
from littlego.course.edition import COURSE_PACKAGES
from littlego.sandbox.client import MoveRequest, Supervisor
from littlego.sandbox.limits import Limits

_NOT_FOUND: Final = re.compile(r"^(?:ModuleNotFound|Import)Error: No module named '?([A-Za-z_]\w*)", re.M)


def missing_module(message: str) -> str:
    """The top-level module that a Python program did not find, by its exception; empty for anything else.

    A module of a newer standard library does not count: no package is missing, the program is too new.
    """
    found = _NOT_FOUND.findall(message)
    return found[-1] if found and found[-1] not in sys.stdlib_module_names else ""


def what_helps(module: str) -> str:
    """Whose fault a missing module is, and what to do: one or two sentences without the last full stop."""
    lacks = f"the Python that ran it lacks {module}"
    if module in COURSE_PACKAGES:
        return (
            f"{lacks}, which the course was seen to have. That is this machine's fault, not the agent's: "
            "--python names a Python that has it"
        )
    return f"{lacks}. If the course has it, --python names a Python that does; if it is a file of the agent's, add it"


TOO_LONG: Final = (Verdict.CPU_TIME, Verdict.WALL_TIME)
_LONGEST: Final = 3.0
_PATIENCE: Final = 10.0
"""Seconds for the interpreter to start and to print, on a busy machine."""
_DUMP: Final = """
import faulthandler, runpy, sys
faulthandler.dump_traceback_later(float(sys.argv[1]), exit=True)
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name='__main__')
"""
_FRAME: Final = re.compile(r'^  File "([^"]+)", line (\d+) in (.+)$', re.M)
_SHOWN: Final = 3


def where_it_hangs(program: Program, text: str, state: StateFiles, supervisor: Supervisor, limits: Limits) -> list[str]:
    """The innermost frames in the agent's own files after some seconds of a move: `my_player3.py, line 9, in f`, ...

    `text` is its `input.txt`, `state` the files of its earlier moves. Empty for other languages than Python 3, and if
    the program ends sooner.
    """
    if not program.language.startswith("Python 3"):
        return []
    seconds = min(_LONGEST, limits.cpu_seconds / 2)
    argv = (program.argv[0], "-c", _DUMP, str(seconds), *program.argv[1:])
    watched = replace(limits, wall_seconds=seconds + _PATIENCE)
    with PreparedProgram(program).seated(0, supervisor, limits) as player:
        write_state(state, player.directory)
        result = supervisor.run(MoveRequest(argv, player.directory, text.encode(), watched, program.readable))
        own = {path.name for path in player.directory.glob("*.py")}
    frames = [(file.rpartition("/")[2], line, name) for file, line, name in _FRAME.findall(result.stderr)]
    return [f"{file}, line {line}, in {name}" for file, line, name in frames if file in own][:_SHOWN]


_PYTHON_FRAME: Final = re.compile(r'^[ \t]*File "([^"]+)", line (\d+)', re.M)
_JAVA_FRAME: Final = re.compile(r"^[ \t]*at (?!(?:java|javax|jdk|sun)\.)[\w.$<>]+\((\w+\.java):(\d+)\)", re.M)
"""Not in Java's library, which older Javas name without a module."""
_JAVA_ERROR: Final = re.compile(
    r'^(?:Exception in thread "[^"\n]*" |Caused by: )?((?:[a-z]\w*\.)+[A-Z]\w*(?:: .*)?)$', re.M
)
_NO_MAIN: Final = re.compile(r"^Error: (Main method not found in class \w+|Could not find or load main class .*)", re.M)
"""What Java's launcher says first; advice follows."""
_ELSEWHERE: Final = re.compile(r"/(?:site-packages|lib/python[\d.]+|pypy[\d.]*)/|^<|^/usr/")
"""Files that are not the agent's own."""


def blamed(stderr: str) -> tuple[str, str]:
    """The agent's own file and line in the last traceback on standard error, and the exception; empty if unknown."""
    if frames := list(_PYTHON_FRAME.finditer(stderr)):
        own = [frame for frame in frames if not _ELSEWHERE.search(frame[1])] or frames
        # The exception is the first line after the traceback that is not indented.
        after = stderr[frames[-1].end() :].splitlines()[1:]
        message = next((line for line in after if line and not line[0].isspace()), "")
        return f"{PurePath(own[-1][1]).name}, line {own[-1][2]}", message.strip()
    cause = stderr[max(0, stderr.rfind("\nCaused by: ")) :]
    error = _JAVA_ERROR.search(cause)
    # A cause leaves out the places that it shares with what it caused.
    if frame := _JAVA_FRAME.search(cause) or _JAVA_FRAME.search(stderr):
        return f"{frame[1]}, line {frame[2]}", error[1] if error else ""
    if found := _NO_MAIN.search(stderr) or error:
        return "", found[1]
    lines = stderr.strip().splitlines()
    return "", lines[-1].strip() if lines else ""


_EXCEPTION: Final = re.compile(r"(?:^|\[)((?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b[^\]]*)")
_PLACE: Final = re.compile(r'\bFile "([^"]+)", line (\d+)')


def essence(problem: str, most: int) -> str:
    """A problem on one line of at most `most` characters. What is cut is the middle: the end has the exception."""
    lines = [
        " ".join(line.split()) for line in (line.strip(" |") for line in problem.splitlines()) if line.strip(" ^~")
    ]
    text = " ".join(lines)
    if len(text) <= most:
        return text
    exceptions = [found[1] for line in lines if (found := _EXCEPTION.search(line))]
    places = [f"{PurePath(file).name}, line {line}: " for file, line in _PLACE.findall(text)]
    end = "".join([*places[-1:], exceptions[-1]])[: most * 2 // 3] if exceptions else lines[-1][-most // 2 :]
    return f"{text[: most - len(end) - 5]} ... {end}"
