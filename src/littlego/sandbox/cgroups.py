"""A cgroup of its own for one move: CPU time counted by the kernel, memory and tasks capped by it.

It is made below the supervisor's own cgroup, so whatever limits that one also limits the agents. Version 1 (a
hierarchy for each controller), version 2 (one for all) and mixtures of them are supported; under version 2 it is often
a sibling of our own (`divided`), and the limits from the slice upwards apply. No setting of an existing cgroup is
changed.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time
from typing import NamedTuple

_PREFIX = "littlego-"
_CAPS = {"memory", "pids"}
_HUGE_PAGE = 4 << 20
_serial = itertools.count()


class Hierarchy(NamedTuple):
    """One mounted hierarchy: its version, the cgroup in which to make ours, and the controllers that we can use."""

    version: int
    path: str
    controllers: set[str]


@functools.cache
def hierarchies() -> list[Hierarchy]:
    """The hierarchies in which we can count or limit something, version 1 first: it is quicker to join."""
    own = _own_paths()
    found = []
    for line in _lines("/proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        mounted, point = before.split()[3:5]
        kind, _, options = after.split()[:3]
        if kind == "cgroup2" and "" in own:
            path = _below(point, mounted, own[""])
            controllers = _words(f"{path}/cgroup.controllers")
            found.append(Hierarchy(2, divided(path, point, controllers & _CAPS), controllers | {"cpuacct"}))
        elif kind == "cgroup":
            names = set(options.split(",")) & {"cpuacct", "memory", "pids"} & set(own)
            if names:
                found.append(Hierarchy(1, _below(point, mounted, own[min(names)]), names))
    return sorted(found, key=lambda hierarchy: hierarchy[:2])


class MoveGroup:
    """The cgroups of one move: made on entry, and removed on exit, when nothing may be left in them.

    `join` are descriptors of the files with which the agent joins them. `maker` is the process number, outside of
    namespaces, of the supervisor: when it has ended the cgroups can be removed. `wanted` are the controllers to use,
    and `controllers` those that work.
    """

    def __init__(
        self, *, maker: int, memory: int, tasks: int, wanted: frozenset[str] = frozenset({"cpuacct", "memory", "pids"})
    ) -> None:
        self.join: list[int] = []
        self._cpu = self._oom = self._most = -1
        self._limit = memory
        self.controllers: list[str] = []
        self._paths: list[str] = []
        name = f"{_PREFIX}{maker}-{next(_serial)}"
        try:
            for hierarchy in hierarchies():
                missing = hierarchy.controllers & (wanted - set(self.controllers))
                if missing:
                    self._make(hierarchy, name, missing, memory, tasks)
        except BaseException:
            self.close()
            raise

    def _make(self, hierarchy: Hierarchy, name: str, wanted: set[str], memory: int, tasks: int) -> None:
        path = f"{hierarchy.path}/{name}"
        try:
            os.mkdir(path)
        except OSError:
            return  # not permitted; another hierarchy may do
        self._paths.append(path)
        first = hierarchy.version == 1
        # A process with one thread may use either file, and `tasks` does not make the kernel wait for all processors.
        self.join.append(os.open(f"{path}/{'tasks' if first else 'cgroup.procs'}", os.O_WRONLY | os.O_CLOEXEC))
        if "cpuacct" in wanted and self._cpu < 0:
            self._cpu = _open(path, "cpuacct.usage" if first else "cpu.stat")
            self.controllers.append("cpuacct")
        with contextlib.suppress(OSError):
            if "memory" in wanted:
                self._cap_memory(path, first, memory)
                self.controllers.append("memory")
        with contextlib.suppress(OSError):
            if "pids" in wanted:
                _write(f"{path}/pids.max", str(tasks))
                self.controllers.append("pids")

    def _cap_memory(self, path: str, first: bool, memory: int) -> None:
        """Limits memory and swap together: memory that is swapped out is still in use."""
        _write(f"{path}/" + ("memory.limit_in_bytes" if first else "memory.max"), str(memory))
        swap = "memory.memsw.limit_in_bytes" if first else "memory.swap.max"
        counted = os.path.exists(f"{path}/{swap}")  # false for a kernel without swap
        if counted:
            _write(f"{path}/{swap}", str(memory) if first else "0")
        if first:
            self._most = _open(path, f"memory.{'memsw.' if counted else ''}max_usage_in_bytes")
        self._oom = _open(path, "memory.oom_control" if first else "memory.events")

    def cpu_seconds(self) -> float:
        """The CPU time of everything that was in the cgroups."""
        text = os.pread(self._cpu, 4096, 0).decode()
        if text.startswith("usage_usec"):  # version 2: cpu.stat
            return int(text.split()[1]) / 1e6
        return int(text) / 1e9  # version 1: cpuacct.usage

    def out_of_memory(self) -> bool:
        """Whether a process was killed because of this limit, not because the machine ran out of memory."""
        if self._oom < 0:
            return False
        counts = dict(line.split() for line in os.pread(self._oom, 4096, 0).decode().splitlines())
        if counts.get("oom_kill", "0") == "0":
            return False
        if self._most >= 0:  # version 1 does not say; a cgroup at its limit stops up to one huge page below it
            return int(os.pread(self._most, 64, 0)) > self._limit - _HUGE_PAGE
        return counts.get("oom", "1") != "0"

    def close(self) -> None:
        for descriptor in (*self.join, self._cpu, self._oom, self._most):
            if descriptor >= 0:
                os.close(descriptor)
        for path in self._paths:
            _remove(path)

    def __enter__(self) -> MoveGroup:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def divided(own: str, top: str, controllers: set[str]) -> str:
    """The nearest cgroup, from our own up to `top`, that passes `controllers` on to its children; else our own.

    Under version 2 only a cgroup without processes can pass them on, and ours has some: the shell, ourselves. Under
    systemd the slice above us does, and a sibling of our cgroup needs no changed setting.
    """
    path = own
    while True:
        if controllers <= _words(f"{path}/cgroup.subtree_control"):
            return path
        if path == top or len(path) <= len(top):
            return own
        path = os.path.dirname(path)


def _words(path: str) -> set[str]:
    return {word for line in _lines(path) for word in line.split()}


def sweep(also: int = 0) -> None:
    """Remove the cgroups whose maker has ended, or is `also`."""
    for hierarchy in hierarchies():
        with contextlib.suppress(OSError):
            for name in os.listdir(hierarchy.path):
                maker = name.removeprefix(_PREFIX).partition("-")[0]
                if not name.startswith(_PREFIX) or not maker.isdigit():
                    continue
                if int(maker) == also or not os.path.exists(f"/proc/{maker}"):
                    _remove(f"{hierarchy.path}/{name}")


def _own_paths() -> dict[str, str]:
    """Our cgroup in each hierarchy, by controller; empty for version 2."""
    paths = {}
    for line in _lines("/proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths


def _below(point: str, mounted: str, own: str) -> str:
    """The path of our cgroup under a mount point that shows the hierarchy from `mounted` down."""
    inner = own.removeprefix(mounted.rstrip("/")) if mounted != "/" else own
    return (point + "/" + inner.strip("/")).rstrip("/")


def _remove(path: str) -> None:
    """Remove an empty cgroup; its last process may still be ending."""
    for wait in (0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1):
        try:
            os.rmdir(path)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(wait)


def _open(path: str, name: str) -> int:
    return os.open(f"{path}/{name}", os.O_RDONLY | os.O_CLOEXEC)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []
