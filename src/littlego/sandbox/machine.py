"""What this machine lets us do, found by trying."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable

from littlego.sandbox import cgroups, syscalls, view
from littlego.sandbox.limits import Level

USERS = 0x60000000, 1 << 24
"""The first number and the count of those of agents: a range that no distribution uses."""

TRIALS = 3
"""Of what may fail by chance, as a process does that is killed: it would lower the level without a word."""

_NAMESPACES = syscalls.CLONE_NEWPID | syscalls.CLONE_NEWNS | syscalls.CLONE_NEWNET | syscalls.CLONE_NEWIPC


class Machine:
    """The mechanisms that work here, except those that `without` names: each is tried, but seccomp only in the trial.

    Names for `without`: namespaces, cgroup, landlock, scopes (of Landlock 6), seccomp.
    """

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        self.root = os.geteuid() == 0
        self.landlock = min(view.landlock_version(), 0 if "landlock" in without else 5 if "scopes" in without else 99)
        self.seccomp = syscalls.SUPPORTED and "seccomp" not in without
        self.namespaces = [] if "namespaces" in without or not syscalls.SUPPORTED else _namespaces(self.root)
        self.cgroup = _cgroup() if self.root and syscalls.SUPPORTED and "cgroup" not in without else []
        self.users = self.root and _has_users("uid_map") and _has_users("gid_map")

    def why_not(self, level: Level) -> str:
        """Why `level` is not possible, or "": then it is worth a trial."""
        if level == Level.PORTABLE:
            return ""
        if not syscalls.SUPPORTED:
            return "it needs Linux on x86-64 or ARM64"
        if not self.landlock:
            return "it needs Landlock (Linux 5.13, switched on)"
        if not self.seccomp:
            return "it needs seccomp filters"
        if not self.namespaces and (level == Level.ROOT or self.landlock < 6):
            return "it needs namespaces" + ("" if level == Level.ROOT else ", or Landlock 6 (Linux 6.12)")
        if level == Level.ROOT and not self.root:
            return "it needs root"
        if level == Level.ROOT and not any("cpuacct" in name for name in self.cgroup):
            return "it needs a cgroup that counts CPU time, which cannot be made here"
        if level == Level.ROOT and not self.users:
            return "it needs users for agents alone, which this user namespace does not have"
        return ""

    def alone(self, level: Level) -> bool:
        """Whether the server runs as the first process of its own namespaces, and each move in others below."""
        return level >= Level.LINUX and bool(self.namespaces)

    def mechanisms(self, level: Level) -> list[str]:
        """The mechanisms of `level`, as results name them."""
        found = ["rlimits", "process watch"]
        if level >= Level.LINUX:
            found += ["no-new-privileges", f"landlock {self.landlock}", "seccomp"]
            found += [f"{name} namespace" for name in self.namespaces]
        if level == Level.ROOT:
            found += ["uid per agent", *(f"cgroup {name}" for name in self.cgroup)]
        elif "pids" in self.cgroup:
            found.append("cgroup pids")
        return [*found, f"cpu time from {'cgroup' if level == Level.ROOT else 'wait4'}"]


def fork_into_namespaces() -> int:
    """Fork; the child is the first process of new namespaces, with a user namespace unless we are root.

    These last as long as the supervisor. Each move has others below them, but for the network: making that takes longer
    than everything else in a move, and agents have no system call with which to reach or leave anything in it.
    """
    uid, gid, root = os.geteuid(), os.getegid(), os.geteuid() == 0
    pid = syscalls.clone(_NAMESPACES if root else _NAMESPACES | syscalls.CLONE_NEWUSER)
    if pid == 0:
        if not root:
            for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                    file.write(text)
        view.own_proc()
    return pid


def _has_users(name: str) -> bool:
    """Whether the numbers of `USERS` exist in our user namespace: `name` is `uid_map` or `gid_map`."""
    with contextlib.suppress(OSError), open(f"/proc/self/{name}", encoding="ascii") as file:
        ranges = [(int(first), int(length)) for first, _, length in map(str.split, file)]
        return any(first <= USERS[0] and sum(USERS) <= first + length for first, length in ranges)
    return False


def _namespaces(root: bool) -> list[str]:
    """The namespaces that we can make, all or none, because they need each other."""
    works = any(_in_child(_try_namespaces) for _ in range(TRIALS))
    return ([] if root else ["user"]) + ["pid", "mount", "net", "ipc", "uts", "cgroup"] if works else []


def _try_namespaces() -> None:
    with tempfile.TemporaryDirectory() as directory:
        descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        us = os.getpid()
        try:
            pid = fork_into_namespaces()
            if pid == 0:
                view.enter(readable=[], directory=directory, descriptor=descriptor)
                syscalls.call("unshare", syscalls.CLONE_NEWPID)  # as the keeper does for every move
                os._exit(0)
        finally:
            if os.getpid() != us:
                os._exit(1)
        if os.waitpid(pid, 0)[1]:
            raise OSError("the mount view cannot be made")


def _cgroup() -> list[str]:
    for _ in range(TRIALS):
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
