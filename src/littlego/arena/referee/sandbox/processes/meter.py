"""The CPU time of a whole process tree, including processes that nobody waited for.

| source | counts | misses |
| --- | --- | --- |
| cgroup | all of it, in the kernel | nothing |
| perf | all of it: a task clock that every descendant inherits | nothing |
| wait4 | ended processes by wait4, living ones by `/proc` | children that end unseen if the parent ignores SIGCHLD |

The first that works is used; every result names it.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable

from littlego.arena.referee.sandbox.confinement import syscalls
from littlego.arena.referee.sandbox.processes.tree import TICKS, Tree, ignores_sigchld, stat_fields

CGROUP = "cgroup"
PERF = "perf"
WAIT4 = "wait4"


class CgroupMeter:
    """The kernel's count for the move's own cgroup. `read` returns seconds."""

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read
        self._before = read()

    def seconds(self) -> float:
        return self._read() - self._before


class PerfMeter:
    """A task clock that the keeper opens, switched off; its next child inherits it, and the exec switches it on.

    The keeper owns it, so that the agent cannot switch it off.
    """

    def __init__(self) -> None:
        self._descriptor = open_task_clock()

    def seconds(self) -> float:
        (nanoseconds,) = struct.unpack("=Q", os.read(self._descriptor, 8))
        return float(nanoseconds) / 1e9

    def close(self) -> None:
        os.close(self._descriptor)


class Wait4Meter:
    """The sum of what the keeper's `wait4` returned and what `/proc` shows for living processes."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._reaped = 0.0
        self._lost = 0.0
        self._most = 0.0
        self._seen: dict[int, tuple[int, float]] = {}

    def reaped(self, seconds: float) -> None:
        """Count an ended child of the keeper, with the descendants that it had waited for."""
        self._reaped += seconds

    def seconds(self) -> float:
        now: dict[int, tuple[int, float]] = {}
        living = 0.0
        for pid in self._tree.members():
            if fields := stat_fields(pid):
                user, system, waited_user, waited_system = (int(ticks) / TICKS for ticks in fields[11:15])
                now[pid] = int(fields[1]), user + system
                living += user + system + waited_user + waited_system
        for pid, (parent, seconds) in self._seen.items():
            if pid not in now and parent in now and ignores_sigchld(parent):
                self._lost += seconds
        self._seen = now
        self._most = max(self._most, self._reaped + self._lost + living)
        return self._most


Meter = CgroupMeter | PerfMeter | Wait4Meter


def open_task_clock() -> int:
    """A perf descriptor for this process's future descendants. Raises OSError if it is not allowed."""
    software, task_clock, size = 1, 1, 112
    disabled, inherit, exclude_kernel, enable_on_exec = 1 << 0, 1 << 1, 1 << 5, 1 << 12
    # exclude_kernel makes it available to unprivileged processes; a task clock counts kernel time all the same.
    flags = disabled | inherit | exclude_kernel | enable_on_exec
    attributes = struct.pack("=IIQQQQQ", software, size, task_clock, 0, 0, 0, flags).ljust(size, b"\0")
    this_process, any_cpu, no_group, close_on_exec = 0, -1, -1, 8
    buffer = ctypes.create_string_buffer(attributes, size)
    return syscalls.call("perf_event_open", buffer, this_process, any_cpu, no_group, close_on_exec)


def perf_works() -> bool:
    """Whether this process may use a task clock."""
    if not syscalls.SUPPORTED:
        return False
    try:
        os.close(open_task_clock())
    except OSError:
        return False
    return True
