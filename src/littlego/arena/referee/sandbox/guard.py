"""Two processes that watch each other: the guard, which the referee started, and the server, which does the work.

Where possible the server is the first process of its namespaces, so that its end ends every agent. Elsewhere an agent
could outlive a killed server, and then the guard, which inherits all orphans, ends it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile

from littlego.arena.referee.sandbox import keeper, machine, messages
from littlego.arena.referee.sandbox.confinement import cgroups, syscalls
from littlego.arena.referee.sandbox.processes.tree import Tree
from littlego.arena.referee.sandbox.server import TRIAL, Server, uses_namespaces

_STOOD = "+"


def trial(here: machine.Machine, level: int) -> str:
    """Play a move that does nothing, with everything that the level promises. Returns why that failed, or ""."""
    return here.why_not(level) or serve(here, level, None)


def probe(here: machine.Machine) -> dict[str, object]:
    """What this machine can do, as plain values: which levels passed the trial, and why the others did not."""
    refused = {level: trial(here, level) for level in range(4)}
    offered = [level for level in refused if not refused[level]]
    return {
        **here.details(),
        "levels": offered,
        "default": next(level for level in here.by_preference() if level in offered),
        "refused": {level: why for level, why in refused.items() if why},
        "mechanisms": {level: here.mechanisms(level) for level in offered},
    }


def serve(here: machine.Machine, level: int, control: int | None) -> str:
    """Play a trial, then answer requests over `control`, if any, until the other end closes it.

    Returns "", or why the level failed its trial; then nothing was sent. No process is left afterwards.
    """
    alive = _pidfd(os.getppid())
    ours, guards = os.pipe()  # never written to: it ends when the guard does
    trial_read, trial_write = os.pipe()
    if syscalls.SUPPORTED:
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    if here.cgroup:
        cgroups.sweep()
    if syscalls.LINUX:  # elsewhere there is no /proc to ask who is alive
        _sweep_trials()
    maker = os.getpid()
    alone = uses_namespaces(here, level)
    try:
        pid = machine.fork_into_namespaces() if alone else os.fork()
        if pid == 0:
            os.close(guards)
            os.close(trial_read)
            if alone:
                syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
            known = [ours, *alive] if control is None else [control, ours, *alive]
            _serve(Server(here, level, alive=known, maker=maker), trial_write, control)
    except Exception as error:
        if os.getpid() == maker:
            return f"{type(error).__name__}: {error}"
        os.write(trial_write, f"{type(error).__name__}: {error}".encode())
    finally:
        if os.getpid() != maker:
            os._exit(0)
        os.close(trial_write)
    with os.fdopen(trial_read, "rb") as file:
        why = file.read().decode("utf-8", "replace")
    if control is not None and why == _STOOD:
        os.close(control)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGKILL))  # a server that is stuck, or was stopped
    os.waitpid(pid, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _end_orphans()
    if here.cgroup:
        cgroups.sweep(also=maker)
    for descriptor in (ours, guards, *alive):
        os.close(descriptor)
    return "" if why == _STOOD else why or "the trial was killed"


def _serve(server: Server, trial: int, control: int | None) -> None:
    """The server's process: the trial first, then one move after the other, if there is a `control`."""
    with contextlib.suppress(keeper.Abandoned, BrokenPipeError):
        why = server.trial()
        os.write(trial, (why or _STOOD).encode())
        os.close(trial)
        if control is not None and not why:
            _answer(server, control)


def _answer(server: Server, control: int) -> None:
    messages.send(control, server.greeting())
    while (request := messages.receive(control)) is not None:
        messages.send(control, server.answer(request))


def _sweep_trials() -> None:
    """Remove our directories of trials whose makers were killed."""
    base = tempfile.gettempdir()
    with contextlib.suppress(OSError):
        for name in os.listdir(base):
            maker = name.removeprefix(TRIAL).partition("-")[0]
            if name.startswith(TRIAL) and maker.isdigit() and not os.path.exists(f"/proc/{maker}"):
                shutil.rmtree(f"{base}/{name}", ignore_errors=True)


def _end_orphans() -> None:
    tree = Tree(alone=False)
    with contextlib.suppress(ChildProcessError):
        while True:
            tree.kill()
            os.waitpid(-1, 0)


def _pidfd(pid: int) -> list[int]:
    """A descriptor that becomes readable when the process ends; empty where the system has no such thing."""
    try:
        return [os.pidfd_open(pid)]
    except (AttributeError, OSError):
        return []
