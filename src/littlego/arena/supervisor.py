"""The supervisor: a program of its own, one a worker, that runs one move at a time for the referee.

Started with exec and single-threaded, so that it may fork freely. It speaks `messages` over the socket that it has as
standard input: a greeting first, then one reply a request. It ends, and takes the agent with it, as soon as the other
end of the socket or its parent is gone.

    python -I -S supervisor.py serve LEVEL|best [WITHOUT,...]
    python -I -S supervisor.py probe - [WITHOUT,...]              prints what this machine can do, as JSON
    python -I -S supervisor.py keep DESCRIPTOR                    the keeper of one move, started by bubblewrap
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False  # that of `typing`, without importing it
if TYPE_CHECKING:
    from littlego.arena.sandbox.machine import Machine

_CONTROL = 0


def main(action: str, argument: str, without: str = "") -> int:
    """Serve, probe or keep."""
    if action == "keep":
        return keep(int(argument))
    from littlego.arena.sandbox.machine import Machine

    machine = Machine(frozenset(filter(None, without.split(","))))
    if action == "probe":
        print(json.dumps(machine.describe()))
        return 0
    return serve(machine, max(machine.levels()) if argument == "best" else int(argument))


def serve(machine: Machine, level: int) -> int:
    """Answer requests until the referee is gone."""
    from littlego.arena.sandbox import messages
    from littlego.arena.sandbox.server import Server

    levels = machine.levels()
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


def keep(descriptor: int) -> int:
    """Be the keeper of the move whose plan can be read, as JSON, from `descriptor`."""
    from littlego.arena.sandbox import keeper
    from littlego.arena.sandbox.plan import Plan

    with os.fdopen(descriptor, "rb") as file:
        plan = Plan(**json.load(file))
    keeper.keep(plan)
    return 0


def _find_sandbox() -> None:
    """Let `littlego.arena.sandbox` be imported, and nothing else of the package.

    The package's own face brings all its dependencies; this program has to start in milliseconds and uses none.
    """
    arena = os.path.dirname(os.path.abspath(__file__))
    for name, path in (("littlego", os.path.dirname(arena)), ("littlego.arena", arena)):
        module = type(sys)(name)
        module.__path__ = [path]
        sys.modules[name] = module


if __name__ == "__main__":
    _find_sandbox()
    sys.exit(main(*sys.argv[1:]))
