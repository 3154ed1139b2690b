"""Where a program is that takes too long: the move again, until Python prints the stack."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from littlego.arena.building import Program
from littlego.arena.participants import PreparedProgram
from littlego.arena.untrusted import StateFiles, write_state
from littlego.core.verdict import Verdict
from littlego.sandbox.client import MoveRequest, Supervisor
from littlego.sandbox.limits import Limits

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
