"""What this machine lets us do, found out by doing it."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable

from littlego.arena.sandbox import bubblewrap, cgroups, landlock, meter, mounts, syscalls

_NAMESPACES = syscalls.CLONE_NEWPID | syscalls.CLONE_NEWNS | syscalls.CLONE_NEWNET | syscalls.CLONE_NEWIPC


class Machine:
    """The mechanisms that work here. Without arguments it tries each of them; `without` names some to leave out.

    Names for `without`: namespaces, perf, cgroup, bubblewrap, landlock, scopes (of Landlock 6), seccomp.
    """

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        self.system = " ".join(os.uname()[index] for index in (0, 2, 4))  # its name, its release, the processor
        self.root = os.geteuid() == 0
        self.landlock = min(landlock.abi(), 0 if "landlock" in without else 5 if "scopes" in without else 99)
        self.seccomp = syscalls.SUPPORTED and "seccomp" not in without and _seccomp_works()
        self.namespaces = [] if "namespaces" in without or not syscalls.SUPPORTED else _namespaces(self.root)
        self.bubblewrap = bubblewrap.find() if syscalls.SUPPORTED and "bubblewrap" not in without else ""
        self.perf = "perf" not in without and meter.perf_works()
        self.cgroup = _cgroup() if self.root and syscalls.SUPPORTED and "cgroup" not in without else []

    def levels(self) -> list[int]:
        """The levels it can give, lowest first."""
        found = [0]
        signals_kept = bool(self.namespaces) or self.landlock >= 6
        if self.landlock and self.seccomp and signals_kept:
            found.append(1)
            if self.bubblewrap:
                found.append(2)
            if self.root and self.namespaces and any("cpuacct" in name for name in self.cgroup):
                found.append(3)
        return found

    def cpu_source(self, level: int) -> str:
        """How CPU time is measured at `level`."""
        if level == 3:
            return meter.CGROUP
        return meter.PERF if self.perf else meter.WAIT4

    def mechanisms(self, level: int) -> list[str]:
        """What is in force at `level`, in words fit for a result."""
        found = ["rlimits", "process watch"]
        if level >= 1:
            found += ["no-new-privileges", f"landlock {self.landlock}", "seccomp"]
            if level != 2:
                found += [f"{name} namespace" for name in self.namespaces]
        if level == 2:
            found.append(f"bubblewrap {self.bubblewrap}")
        if level == 3:
            found += ["uid per agent", *(f"cgroup {name}" for name in self.cgroup)]
        return [*found, f"cpu time from {self.cpu_source(level)}"]

    def describe(self) -> dict[str, object]:
        """Everything a probe tells, as plain values."""
        levels = self.levels()
        return {
            **vars(self),
            "levels": levels,
            "mechanisms": {level: self.mechanisms(level) for level in levels},
            "cpu_sources": {level: self.cpu_source(level) for level in levels},
        }


def fork_into_namespaces() -> int:
    """Fork; the child is the first process of new namespaces, and unless root gets a user namespace too.

    Once for a supervisor, not once a move: making a network namespace takes longer than all else a move costs, the
    agents have no call with which to leave anything in it, and all their processes end with their move.
    """
    uid, gid, root = os.geteuid(), os.getegid(), os.geteuid() == 0
    pid = syscalls.clone(_NAMESPACES if root else _NAMESPACES | syscalls.CLONE_NEWUSER)
    if pid == 0:
        if not root:
            for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                    file.write(text)
        mounts.own_proc()
    return pid


def _namespaces(root: bool) -> list[str]:
    """The namespaces we can have, all or none: a view of a PID namespace needs the mount namespace and so on."""
    works = _in_child(_try_namespaces)
    return ([] if root else ["user"]) + ["pid", "mount", "net", "ipc"] if works else []


def _try_namespaces() -> None:
    with tempfile.TemporaryDirectory() as directory:
        descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        us = os.getpid()
        try:
            pid = fork_into_namespaces()
            if pid == 0:
                mounts.enter_view(readable=[], directory=directory, descriptor=descriptor)
                os._exit(0)
        finally:
            if os.getpid() != us:
                os._exit(1)
        if os.waitpid(pid, 0)[1]:
            raise OSError("the mount view cannot be made")


def _seccomp_works() -> bool:
    """Whether the kernel knows filters: asked with a null pointer, it complains of the pointer and not of the call."""

    def ask() -> None:
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        try:
            syscalls.call("seccomp", 1, 0, None)
        except OSError as error:
            if error.errno != errno.EFAULT:
                raise

    return _in_child(ask)


def _cgroup() -> list[str]:
    with contextlib.suppress(OSError), cgroups.MoveGroup(maker=os.getpid(), memory=1 << 30, tasks=64) as group:
        return list(group.controllers)
    return []


def _in_child(action: Callable[[], None]) -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0
