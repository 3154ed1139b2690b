"""The supervisor: a program, one for each worker, that runs one move at a time for the referee.

It is started with exec and has one thread, so that it may fork freely. Its standard input is a socket for `messages`:
a greeting first, then one reply to each request. It ends, together with the agent, as soon as the other end of the
socket or its parent is gone.

    python -I -S supervisor.py serve LEVEL|best [WITHOUT,...]
    python -I -S supervisor.py probe - [WITHOUT,...]              prints what this machine can do, as JSON
    python -I -S supervisor.py keep DESCRIPTOR DESCRIPTOR         the keeper of one move, started by bubblewrap
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

_CONTROL = 0

# Mechanisms that a level does not use, so that they need not be tried for it.
_UNUSED = {
    "0": frozenset({"namespaces", "landlock", "seccomp", "bubblewrap"}),
    "1": frozenset({"bubblewrap"}),
    "3": frozenset({"bubblewrap"}),
}


def main(action: str, argument: str, more: str = "") -> int:
    if action == "keep":
        return keep(int(argument), int(more))
    from littlego.arena.referee.sandbox import guard, messages
    from littlego.arena.referee.sandbox.machine import Machine

    without = frozenset(filter(None, more.split(",")))
    if action == "probe":
        print(json.dumps(guard.probe(Machine(without))))
        return 0
    machine = Machine(without | _UNUSED.get(argument, frozenset()))
    why = ""
    for level in machine.by_preference() if argument == "best" else [int(argument)]:
        why = machine.why_not(level) or guard.serve(machine, level, _CONTROL)
        if not why:
            return 0
    able = ", ".join(f"L{each}" for each in range(4) if not guard.trial(Machine(without), each))
    words = f"level L{level} is not possible on this machine, only {able}: {why}"
    with contextlib.suppress(BrokenPipeError):  # then nobody is left to read it
        messages.send(_CONTROL, {"error": words})
    return 1


def keep(plan_fd: int, report_fd: int) -> int:
    """Read a move's plan as JSON from one descriptor, play it, and write the report as JSON to the other."""
    from littlego.arena.referee.sandbox import keeper
    from littlego.arena.referee.sandbox.plan import Plan, Report

    with os.fdopen(plan_fd, "rb") as file:
        plan = Plan(**json.load(file))
    try:
        keeper.settle(confine=True)
        report = keeper.keep(plan)
    except keeper.Abandoned:
        return 1
    except Exception as error:
        report = Report(failed=f"{type(error).__name__}: {error}")
    with os.fdopen(report_fd, "w") as file:
        json.dump(vars(report), file)
    return 0


def _find_sandbox() -> None:
    """Make only `littlego.arena.referee.sandbox` importable, of all the package.

    Importing the package itself would load its dependencies, and this program must start in milliseconds.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in ("littlego.arena.referee", "littlego.arena", "littlego"):
        module = type(sys)(name)
        module.__path__ = [folder]
        sys.modules[name] = module
        folder = os.path.dirname(folder)


if __name__ == "__main__":
    _find_sandbox()
    sys.exit(main(*sys.argv[1:]))
