"""The supervisor: a program of its own, one a worker, that runs one move at a time for the referee.

Started with exec and single-threaded, so that it may fork freely. It speaks `messages` over the socket that it has as
standard input: a greeting first, then one reply a request. It ends, and takes the agent with it, as soon as the other
end of the socket or its parent is gone.

    python -I -S supervisor.py serve LEVEL|best [WITHOUT,...]
    python -I -S supervisor.py probe - [WITHOUT,...]              prints what this machine can do, as JSON
"""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from littlego.arena.sandbox import messages
from littlego.arena.sandbox.machine import Machine
from littlego.arena.sandbox.server import Server

_CONTROL = 0


def main(action: str, level_word: str, without: str = "") -> int:
    """Probe or serve."""
    machine = Machine(frozenset(filter(None, without.split(","))))
    if action == "probe":
        print(json.dumps(describe(machine)))
        return 0
    levels = machine.levels()
    level = max(levels) if level_word == "best" else int(level_word)
    if level not in levels:
        able = ", ".join(f"L{each}" for each in levels)
        messages.send(_CONTROL, {"error": f"level L{level} cannot be had on this machine, only {able}"})
        return 1
    server = Server(machine, level, _CONTROL)
    greeting = {"mechanisms": machine.mechanisms(level), "cpu_source": machine.cpu_source(level), "level": level}
    messages.send(_CONTROL, greeting)
    while (request := messages.receive(_CONTROL)) is not None:
        messages.send(_CONTROL, server.answer(request))
    return 0


def describe(machine: Machine) -> messages.Message:
    """Everything a probe tells."""
    levels = machine.levels()
    return {
        **vars(machine),
        "levels": levels,
        "mechanisms": {level: machine.mechanisms(level) for level in levels},
        "cpu_sources": {level: machine.cpu_source(level) for level in levels},
    }


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
