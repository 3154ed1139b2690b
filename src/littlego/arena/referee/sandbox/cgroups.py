"""A cgroup of its own for one move: CPU time counted by the kernel, memory and tasks capped by it.

It is made below the cgroup that the supervisor itself runs in, so whatever bounds that one also bounds the agents.
Version 1 (a hierarchy a controller) and version 2 (one for all) are both understood, and mixtures of them; under
version 2 it often lies beside our own (`divided`), and all bounds from the slice upwards hold. No setting of a cgroup
that was there before is changed.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time

_PREFIX = "littlego-"
_CAPS = {"memory", "pids"}
_serial = itertools.count()


class Hierarchy:
    """One mounted hierarchy: its version, the cgroup in which to make ours, and the controllers it can give us."""

    def __init__(self, version: int, path: str, controllers: set[str]) -> None:
        self.version = version
        self.path = path
        self.controllers = controllers


@functools.cache
def hierarchies() -> list[Hierarchy]:
    """The hierarchies in which we can count or cap something, version 1 first: it is quicker to join."""
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
    return sorted(found, key=lambda hierarchy: (hierarchy.version, hierarchy.path))


class MoveGroup:
    """The cgroups of one move: made on entry, and removed on exit, when nothing may be left in them.

    `join` are descriptors of files for the agent to write itself into; `cpu`, `oom` and `most` are
    descriptors for the keeper to read, -1 where the machine does not count that. `maker` is the process, as the
    machine numbers it, whose end makes the cgroups a leftover. `wanted` are the controllers to be used.
    """

    def __init__(
        self, *, maker: int, memory: int, tasks: int, wanted: frozenset[str] = frozenset({"cpuacct", "memory", "pids"})
    ) -> None:
        self.join: list[int] = []
        self.cpu = self.oom = self.most = -1
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
            return  # not ours to divide; what else there is may do
        self._paths.append(path)
        first = hierarchy.version == 1
        # A process with one thread may join either way, and `tasks` does not make the kernel wait for all processors.
        self.join.append(os.open(f"{path}/{'tasks' if first else 'cgroup.procs'}", os.O_WRONLY | os.O_CLOEXEC))
        if "cpuacct" in wanted and self.cpu < 0:
            self.cpu = _open(path, "cpuacct.usage" if first else "cpu.stat")
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
        """Memory and swap together: what is swapped out has not been given back."""
        _write(f"{path}/" + ("memory.limit_in_bytes" if first else "memory.max"), str(memory))
        swap = "memory.memsw.limit_in_bytes" if first else "memory.swap.max"
        counted = os.path.exists(f"{path}/{swap}")  # not by a kernel without swap
        if counted:
            _write(f"{path}/{swap}", str(memory) if first else "0")
        if first:
            self.most = _open(path, f"memory.{'memsw.' if counted else ''}max_usage_in_bytes")
        self.oom = _open(path, "memory.oom_control" if first else "memory.events")

    def close(self) -> None:
        """Close and remove everything."""
        for descriptor in (*self.join, self.cpu, self.oom, self.most):
            if descriptor >= 0:
                os.close(descriptor)
        for path in self._paths:
            _remove(path)
        self.join, self._paths = [], []
        self.cpu = self.oom = self.most = -1

    def __enter__(self) -> MoveGroup:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def divided(own: str, top: str, controllers: set[str]) -> str:
    """Where, from our own cgroup up to `top`, `controllers` are already given to cgroups below; else our own.

    Version 2 gives them out only below a cgroup without processes, and ours has some: the shell, ourselves. Under
    systemd the slice above us gives them out, and a cgroup beside ours needs no setting changed and put back.
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
    """Remove the cgroups that were left behind: those whose maker is no longer alive, or is `also`."""
    for hierarchy in hierarchies():
        with contextlib.suppress(OSError):
            for name in os.listdir(hierarchy.path):
                maker = name.removeprefix(_PREFIX).partition("-")[0]
                if not name.startswith(_PREFIX) or not maker.isdigit():
                    continue
                if int(maker) == also or not os.path.exists(f"/proc/{maker}"):
                    _remove(f"{hierarchy.path}/{name}")


def _own_paths() -> dict[str, str]:
    """Our cgroup in each hierarchy, by controller; version 2 has the empty name."""
    paths = {}
    for line in _lines("/proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths


def _below(point: str, mounted: str, own: str) -> str:
    """Where our cgroup appears under a mount point that shows the hierarchy from `mounted` down."""
    inner = own.removeprefix(mounted.rstrip("/")) if mounted != "/" else own
    return (point + "/" + inner.strip("/")).rstrip("/")


def _remove(path: str) -> None:
    """Remove an empty cgroup. Its last process may still be on its way out, for a moment."""
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
