"""The supervisor: a program, one for each worker, that runs one move at a time for the referee.

It is started with exec and has one thread, so that it may fork freely. Its standard input is a socket for messages: a
greeting first, then one reply to each request. It ends, together with the agent, as soon as the other end of the socket
or its parent is gone.

    python -I -S supervisor.py serve LEVEL|best [WITHOUT,...]
    python -I -S supervisor.py probe - [WITHOUT,...]              prints what this machine can do, as JSON
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

_CONTROL = 0


def main(action: str, argument: str, more: str = "") -> int:
    from littlego.sandbox import server
    from littlego.sandbox.limits import Level
    from littlego.sandbox.machine import Machine
    from littlego.sandbox.plan import send

    without = frozenset(filter(None, more.split(",")))
    if action == "probe":
        print(json.dumps(server.probe(Machine(without))))
        return 0
    # What the portable level does not use need not be tried for it.
    wanted = list(reversed(Level)) if argument == "best" else [Level(int(argument))]
    machine = Machine(without | {"namespaces", "landlock", "seccomp"} if wanted == [Level.PORTABLE] else without)
    for level in wanted:
        why = machine.why_not(level) or server.serve(machine, level, _CONTROL)
        if not why:
            return 0
    with contextlib.suppress(BrokenPipeError):  # then nobody is left to read it
        send(_CONTROL, {"error": f"level {level} is not possible on this machine: {why}"})
    return 1


def _find_sandbox() -> None:
    """Make `littlego.sandbox` importable without importing the package.

    That would load its dependencies, and this program must start in milliseconds.
    """
    package = type(sys)("littlego")
    package.__path__ = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    sys.modules["littlego"] = package


if __name__ == "__main__":
    _find_sandbox()
    sys.exit(main(*sys.argv[1:]))
