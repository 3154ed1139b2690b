"""Two processes that answer for each other: the guard, which the referee started, and the server, which does the work.

The server is the first process of its namespaces where it can be, so that its end ends every agent. Elsewhere an
agent could outlive a killed server, and then the guard, to which all orphans fall, ends it.
"""

from __future__ import annotations

import contextlib
import os
import signal

from littlego.arena.sandbox import cgroups, keeper, machine, messages, syscalls
from littlego.arena.sandbox.server import Server, uses_namespaces
from littlego.arena.sandbox.tree import Tree


def serve(here: machine.Machine, level: int, control: int) -> None:
    """Answer what comes over `control` until the other end is gone. Nothing is alive afterwards."""
    alive = _pidfd(os.getppid())
    ours, guards = os.pipe()  # never written to: it ends when the guard does
    if syscalls.SUPPORTED:
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    if level == 3:
        cgroups.sweep()
    maker = os.getpid()
    alone = uses_namespaces(here, level)
    pid = machine.fork_into_namespaces() if alone else os.fork()
    if pid == 0:
        os.close(guards)
        if alone:
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        with contextlib.suppress(keeper.Abandoned, BrokenPipeError):
            _answer(Server(here, level, control=control, alive=[ours, *alive], maker=maker), here, level, control)
        os._exit(0)
    os.close(control)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGKILL))  # a server that is stuck, or was stopped
    os.waitpid(pid, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _end_orphans()
    if level == 3:
        cgroups.sweep(also=maker)


def _answer(server: Server, here: machine.Machine, level: int, control: int) -> None:
    greeting = {"mechanisms": here.mechanisms(level), "cpu_source": here.cpu_source(level), "level": level}
    messages.send(control, greeting)
    while (request := messages.receive(control)) is not None:
        messages.send(control, server.answer(request))


def _end_orphans() -> None:
    tree = Tree(alone=False)
    with contextlib.suppress(ChildProcessError):
        while True:
            tree.kill()
            os.waitpid(-1, 0)


def _pidfd(pid: int) -> list[int]:
    """A descriptor that becomes readable when the process ends; none where there is no such thing."""
    try:
        return [os.pidfd_open(pid)]
    except (AttributeError, OSError):
        return []
