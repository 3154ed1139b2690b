"""The processes of one move: who they are, what they hold, and how they all end.

The keeper of a move is either the first process of a PID namespace, or a subreaper. In both cases a process whose
parent dies becomes the keeper's own child, so the keeper can end and wait for every one of them.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")


class Tree:
    """All processes below this one. `alone`: this process is the first of its PID namespace, with its own `/proc`."""

    def __init__(self, *, alone: bool) -> None:
        self.alone = alone
        self._has_proc = os.path.exists("/proc/self/stat")
        self._has_children = os.path.exists(f"/proc/self/task/{os.getpid()}/children")

    def members(self) -> list[int]:
        """Every live or unreaped process of the tree, this one aside; empty where there is no `/proc`."""
        if not self._has_proc:
            return []
        if self.alone:
            return [pid for pid in _processes() if pid != 1]
        if self._has_children:
            return _descendants(os.getpid(), _listed_children)
        return self._all()

    def _all(self) -> list[int]:
        """As `members`, from a look at every process of the machine: slower, and no process escapes it by forking."""
        children: dict[int, list[int]] = {}
        for pid in _processes():
            if fields := stat_fields(pid):
                children.setdefault(int(fields[1]), []).append(pid)
        return _descendants(os.getpid(), lambda pid: children.get(pid, []))

    def memory(self, pids: list[int], limit: int) -> int:
        """Resident bytes of `pids`. Pages that they share are counted once when it matters: near or over `limit`."""
        resident = sum(map(_resident, pids))
        if resident > limit and len(pids) > 1:
            return sum(map(_proportional, pids))
        return resident

    def kill(self) -> None:
        """Send SIGKILL to every process of the tree. New ones may appear in between: `end` repeats this."""
        if self.alone:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            return
        for pid in self._all() if self._has_proc else []:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _descendants(root: int, children: Callable[[int], list[int]]) -> list[int]:
    found = list(children(root))
    for pid in found:  # grows while it is read: breadth first
        found += children(pid)
    return found


def _listed_children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [int(child) for thread in threads for child in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _processes() -> Iterator[int]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            yield int(name)


def stat_fields(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` from the third on (0 state, 1 parent, 11-14 times); empty when it is gone."""
    text = _read(f"/proc/{pid}/stat")
    return text[text.rindex(")") + 2 :].split() if text else []  # the name before ")" may hold anything


def ignores_sigchld(pid: int) -> bool:
    """Whether the process ignores SIGCHLD, so that its children's CPU time is lost when they end."""
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith("SigIgn:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGCHLD - 1) & 1)
    return False


def _resident(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * PAGE if fields else 0


def _proportional(pid: int) -> int:
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return _resident(pid)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
