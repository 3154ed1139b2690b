"""The processes of one move: which they are, what they use, and how to end them all.

The keeper of a move is the first process of a PID namespace, or a subreaper. In both cases a process whose parent dies
becomes the keeper's child, so the keeper can end all of them, and wait for them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from collections.abc import Callable, Iterator

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Tree:
    """All processes below this one. `alone`: this process is the first of its PID namespace, with its own `/proc`."""

    def __init__(self, *, alone: bool) -> None:
        self.alone = alone
        self._has_proc = os.path.exists("/proc/self/stat")
        self._has_children = os.path.exists(f"/proc/self/task/{os.getpid()}/children")

    def members(self) -> list[int]:
        """Every live or unreaped process of the tree except this one; empty without `/proc`."""
        if not self._has_proc:
            return []
        if self.alone:
            return [pid for pid in _processes() if pid != 1]
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
        return memory, sum(status.get("Threads", 0) for status in found)

    def nameless_bytes(self, pids: list[int], directory: str, most: int) -> int:
        """The size of all deleted files that `pids` still hold, each counted once.

        The size of one that is only mapped is unknown: in `directory` it counts as `most`, elsewhere it is ours.
        """
        sizes: dict[int, int] = {}
        places = list(map(_place, pids))
        for place in places:
            for link in _held(place):
                with contextlib.suppress(OSError):
                    found = os.stat(link)
                    if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                        sizes[found.st_ino] = found.st_blocks * 512
        for place in places:
            for line in _read(f"{place}/maps").splitlines():
                if line.endswith(" (deleted)") and f" {directory}/" in line:
                    sizes.setdefault(int(line.split()[4]), most)
        return sum(sizes.values())

    def sockets(self, pids: list[int]) -> int:
        """The number of sockets that are open in `pids`."""
        found = set()
        for link in (link for pid in pids for link in _held(_place(pid))):
            with contextlib.suppress(OSError):
                found.add(os.readlink(link))
        return sum(name.startswith("socket:") for name in found)

    def hidden(self, pids: list[int]) -> set[int]:
        """Those of `pids` that we may not inspect: they run a program that can be executed but not read."""
        found = set()
        for pid in pids:
            place = _place(pid)
            try:
                os.listdir(f"{place}/fd")
            except PermissionError:
                if _RESIDENT in _status(pid):  # a process that is about to end is hidden too, but has no memory left
                    found.add(pid)
            except OSError:
                continue
        return found

    def kill(self) -> None:
        """Send SIGKILL to every process of the tree. New ones may appear meanwhile: call it again."""
        if self.alone:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            return
        for pid in self._all() if self._has_proc else []:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


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
    text = _read(f"/proc/{pid}/stat")
    return text[text.rindex(")") + 2 :].split() if text else []  # the name before ")" may contain anything


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
    for line in _read("/proc/self/net/sockstat").splitlines():
        if line.startswith("sockets: used"):
            return int(line.split()[2])
    return 0


def ignores_sigchld(pid: int) -> bool:
    """Whether the process ignores SIGCHLD, so that its children's CPU time is lost when they end."""
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith("SigIgn:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGCHLD - 1) & 1)
    return False


# Lines of `/proc/PID/status` in kB: resident pages, page tables (all that a page costs which is only read), swapped
# pages, and huge pages, which the first does not include.
_RESIDENT = "VmRSS"
_BESIDES = ("VmPTE", "VmSwap", "HugetlbPages")


def _place(pid: int) -> str:
    """The directory in `/proc` that describes a process: another thread's if the first thread has ended."""
    place = f"/proc/{pid}"
    if f"\n{_RESIDENT}:" not in _read(f"{place}/status"):
        with contextlib.suppress(OSError):
            threads = [f"{place}/task/{thread}" for thread in os.listdir(f"{place}/task")]
            return next((each for each in threads if f"\n{_RESIDENT}:" in _read(f"{each}/status")), place)
    return place


def _held(place: str) -> list[str]:
    """Links to a process's program and open files, which all its threads share (`seccomp`)."""
    try:
        return [f"{place}/exe", *(f"{place}/fd/{name}" for name in os.listdir(f"{place}/fd"))]
    except OSError:  # it has ended, or we may not inspect it
        return []


def _status(pid: int) -> dict[str, int]:
    """The lines that count, as numbers; empty if the process is gone."""
    found = {}
    for line in _read(f"{_place(pid)}/status").splitlines():
        name, _, value = line.partition(":")
        if name in (_RESIDENT, "Threads", *_BESIDES):
            found[name] = int(value.split()[0])
    return found


def _memory(status: dict[str, int]) -> int:
    return sum(status.get(name, 0) for name in (_RESIDENT, *_BESIDES)) * 1024


def _proportional(pid: int) -> int:
    """Like `_memory`, but each page is divided among the processes that share it, where the kernel knows."""
    shares = [line for line in _read(f"/proc/{pid}/smaps_rollup").splitlines() if line.startswith("Pss:")]
    status = _status(pid)  # read afterwards: a process that has ended meanwhile has no memory
    if shares and status:
        status[_RESIDENT] = int(shares[0].split()[1])
    return _memory(status)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
