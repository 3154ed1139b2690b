"""The processes of one move: which they are, what they use, how long they waited for a core, and how to end them.

The keeper of a move is the first process of a PID namespace, or a subreaper. In both cases a process whose parent dies
becomes the keeper's child, so the keeper can end all of them, and wait for them.

CPU time is that of the whole tree, including processes that nobody waited for: from the move's cgroup, or else of ended
processes from `wait4` and of living ones from `/proc`. That misses only children that end unseen because their parent
ignores SIGCHLD, which the filter of system calls refuses where there is one.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator

TICKS = os.sysconf("SC_CLK_TCK")


class Tree:
    """All processes of a move, which are below this one.

    `alone`: this process is the first of its PID namespace, with its own `/proc`, and the move has one below it.
    """

    def __init__(self, *, alone: bool) -> None:
        self.alone = alone
        self.first = 0
        """The first process of the move's namespace, which is ours; 0 if it has none."""
        self._has_children = os.path.exists(f"/proc/self/task/{os.getpid()}/children")

    def members(self) -> list[int]:
        """Every live or unreaped process of the tree except this one."""
        if self.alone:
            return [pid for pid in _processes() if pid not in (1, self.first)]
        if self._has_children:
            return descendants(os.getpid())
        return self._all()

    def running(self) -> int:
        """How many processes of the tree have not ended."""
        states = [fields[0] for fields in map(stat_fields, self.members()) if fields]
        return sum(state not in "ZX" for state in states)

    def _all(self) -> list[int]:
        """Like `members`, from all processes of the machine: slower, but no process escapes it by forking."""
        children: dict[int, list[int]] = {}
        for pid in _processes():
            if fields := stat_fields(pid):
                children.setdefault(int(fields[1]), []).append(pid)
        return descendants(os.getpid(), lambda pid: children.get(pid, []))

    def usage(self, pids: list[int], limit: int) -> tuple[int, int]:
        """The memory in bytes and the threads of `pids`. Beyond `limit` shared pages are counted once."""
        found = [_status(pid) for pid in pids]
        memory = sum(map(_memory, found))
        if len(pids) > 1:
            for _ in range(3):  # shared pages are counted twice if a process ends between two looks
                if memory > limit:
                    memory = sum(map(_proportional, pids))
        return memory, sum(status.get(b"Threads", 0) for status in found)

    def sockets(self, pids: list[int]) -> int:
        """The number of sockets that are open in `pids`."""
        found = set()
        for folder in (f"{_place(pid)}/fd" for pid in pids):
            with contextlib.suppress(OSError):
                for name in os.listdir(folder):
                    found.add(os.readlink(f"{folder}/{name}"))
        return sum(name.startswith("socket:") for name in found)

    def kill(self) -> None:
        """Send SIGKILL to every process of the tree. New ones may appear meanwhile: call it again."""
        if self.alone:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            return
        own = os.getpgrp()
        ended: set[int] = set()
        for pid in self._all():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if (group := os.getpgid(pid)) == own:
                    os.kill(pid, signal.SIGKILL)
                elif group not in ended:  # all of it at once: who forks and ends is gone before its turn comes
                    ended.add(group)
                    os.killpg(group, signal.SIGKILL)


def _listed_children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [int(child) for thread in threads for child in _read(f"/proc/{pid}/task/{thread}/children").split()]


def descendants(root: int, children: Callable[[int], list[int]] = _listed_children) -> list[int]:
    """All processes below `root`, parents first; without the kernel's lists of children, none."""
    found = list(children(root))
    for pid in found:  # grows while it is read: breadth first
        found += children(pid)
    return found


def _processes() -> Iterator[int]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            yield int(name)


def stat_fields(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` from the third on (0 state, 1 parent, 11-14 times, 19 start); empty if gone."""
    text = _read(f"/proc/{pid}/stat")  # the name before the last ")" may contain anything
    return text[text.rindex(b")") + 2 :].decode("ascii").split() if text else []


def waits(pid: int) -> dict[int, tuple[float, float]]:
    """For each thread of a process: seconds that it ran, and that it was ready and waited for a core."""
    found = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            if fields := _read(f"/proc/{pid}/task/{thread}/schedstat").split():
                found[int(thread)] = int(fields[0]) / 1e9, int(fields[1]) / 1e9
    return found


def open_sockets() -> int:
    """The number of sockets in our network namespace; 0 if unknown."""
    for line in _read("/proc/self/net/sockstat").split(b"\n"):
        if line.startswith(b"sockets: used"):
            return int(line.split()[2])
    return 0


def ignores_sigchld(pid: int) -> bool:
    """Whether the process ignores SIGCHLD, so that its children's CPU time is lost when they end."""
    for line in _read(f"/proc/{pid}/status").split(b"\n"):
        if line.startswith(b"SigIgn:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGCHLD - 1) & 1)
    return False


# Lines of `/proc/PID/status` in kB: resident pages, page tables (all that a page costs which is only read), swapped
# pages, and huge pages, which the first does not include.
_RESIDENT = b"VmRSS"
_BESIDES = (b"VmPTE", b"VmSwap", b"HugetlbPages")


def _place(pid: int) -> str:
    """The directory in `/proc` that describes a process: another thread's if the first thread has ended."""
    place = f"/proc/{pid}"
    if _RESIDENT not in _lines(f"{place}/status"):
        with contextlib.suppress(OSError):
            threads = [f"{place}/task/{thread}" for thread in os.listdir(f"{place}/task")]
            return next((each for each in threads if _RESIDENT in _lines(f"{each}/status")), place)
    return place


def _status(pid: int) -> dict[bytes, int]:
    """The lines that count, as numbers; empty if the process is gone."""
    lines = _lines(f"{_place(pid)}/status")
    return {name: int(lines[name].split()[0]) for name in (_RESIDENT, b"Threads", *_BESIDES) if name in lines}


def _lines(path: str) -> dict[bytes, bytes]:
    """The values of `/proc/PID/status` by name.

    A program chooses the name in the first line. The kernel escapes a line feed in it, and nothing else.
    """
    return {name: value for name, _, value in (line.partition(b":") for line in _read(path).split(b"\n")[1:])}


def _memory(status: dict[bytes, int]) -> int:
    return sum(status.get(name, 0) for name in (_RESIDENT, *_BESIDES)) * 1024


def _proportional(pid: int) -> int:
    """Like `_memory`, but each page is divided among the processes that share it, where the kernel knows."""
    shares = [line for line in _read(f"/proc/{pid}/smaps_rollup").split(b"\n") if line.startswith(b"Pss:")]
    status = _status(pid)  # read afterwards: a process that has ended meanwhile has no memory
    if shares and status:
        status[_RESIDENT] = int(shares[0].split()[1])
    return _memory(status)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


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
        if self._tree.first and (fields := stat_fields(self._tree.first)):  # the orphans that it waited for
            living += sum(int(ticks) / TICKS for ticks in fields[13:15])
        for pid, (parent, seconds) in self._seen.items():
            if pid not in now and parent in now and ignores_sigchld(parent):
                self._lost += seconds
        self._seen = now
        self._most = max(self._most, self._reaped + self._lost + living)
        return self._most


_STANDSTILL = 1.0  # seconds by which the keeper must be late; less is ordinary scheduling


class Starvation:
    """How much real time a program lost because this machine was busy with other processes.

    For every thread the kernel counts how long it was ready to run and waited for a core
    (`/proc/PID/task/TID/schedstat`). That may be the program's own fault: with a hundred threads on two cores,
    ninety-eight wait. But while a thread waits for another of its program, that one is running and uses CPU time. So at
    least

        waited - (CPU time of the whole tree - CPU time of the thread itself)

    of a thread's waiting was time in which nothing of the tree ran although the thread was ready. Other processes took
    that time, whatever the program does, and the longest such time of any thread is given back. A program that sleeps
    does not wait for a core, and one that runs uses CPU time, so neither gains anything. It cannot lower its own
    priority either (`seccomp.IGNORED`).

    If the machine stood still (a paused virtual machine, a stopped supervisor), the keeper wakes late. Of that time,
    what the tree did not run is given back too.

    `cpu` returns the tree's CPU time so far, `threads` the counts of a process's threads. A thread counts from when it
    is first seen, or from its beginning: whichever gives more. `main` is the first one.
    """

    def __init__(
        self, cpu: Callable[[], float], threads: Callable[[int], dict[int, tuple[float, float]]], main: int
    ) -> None:
        self._cpu = cpu
        self._threads = threads
        # By thread, two points to count from: how long it had run and waited, and the tree had run.
        self._first = {main: [(0.0, 0.0, 0.0)]}
        self._totals = 0.0, 0.0
        """The tree's CPU time at the last two looks. Whom a look did not find began after the one before it."""
        self._waited = 0.0
        self._stood_still = 0.0
        self._cpu_before = 0.0

    @property
    def seconds(self) -> float:
        """Seconds of real time that others took; both measures may have seen the same ones."""
        return max(self._waited, self._stood_still)

    def look(self, pids: list[int]) -> None:
        """Count how long the threads of `pids` have waited since each was first seen."""
        total = self._cpu()
        for pid in pids:
            for thread, (ran, waited) in self._threads(pid).items():
                for first in self._first.setdefault(thread, [(0.0, 0.0, self._totals[0]), (ran, waited, total)]):
                    by_others_of_the_tree = (total - first[2]) - (ran - first[0])
                    self._waited = max(self._waited, waited - first[1] - max(0.0, by_others_of_the_tree))
        self._totals = self._totals[1], total

    def woke(self, late: float) -> None:
        """Count that the keeper woke this many seconds late."""
        total = self._cpu()
        if late > _STANDSTILL:
            self._stood_still += max(0.0, late - (total - self._cpu_before))
        self._cpu_before = total
