"""Why a program failed, beyond its verdict: which module it misses, and where it is when it takes too long."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import Final

from littlego.arena.building import Program
from littlego.arena.participants import PreparedProgram
from littlego.arena.untrusted import StateFiles, write_state
from littlego.core.rules import Verdict
from littlego.sandbox.client import MoveRequest, Supervisor
from littlego.sandbox.limits import Limits

_SEEN_IN_THE_COURSE: Final = frozenset({"numpy"})
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
    if module in _SEEN_IN_THE_COURSE:
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
