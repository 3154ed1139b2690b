"""How much of its real time a program lost because this machine was busy with others.

For every thread the kernel counts how long it could have run and waited for a core (`/proc/PID/task/TID/schedstat`).
That may be the program's own doing: of a hundred threads on two cores ninety-eight wait for the other two. But while
a thread waits for one of its own kind, that one is running and uses CPU time. So of what a thread waited, at least

    waited - (CPU time of the whole tree - CPU time of the thread itself)

was time in which nothing of the tree ran at all, although the thread was ready: that is taken by others, whatever the
program does, and the longest such time of any thread is given back. A program that sleeps does not wait for a core, and
one that runs is on the CPU clock; neither gains a moment. It cannot lower its own priority either (`seccomp.IGNORED`).

A machine that stood still (a paused virtual machine, a stopped supervisor) shows in the keeper's own clock: it wakes
late. What the tree did not run in that time is given back too.
"""

from __future__ import annotations

from collections.abc import Callable

_STANDSTILL = 1.0  # seconds by which the keeper must be late; less is the ordinary business of a scheduler


class Starvation:
    """The time lost by one tree. `cpu` gives its CPU time so far, `threads` the counts of a process's threads.

    A thread is counted from when it is first seen; `main`, the first of all, from its beginning.
    """

    def __init__(
        self, cpu: Callable[[], float], threads: Callable[[int], dict[int, tuple[float, float]]], main: int
    ) -> None:
        self._cpu = cpu
        self._threads = threads
        self._first = {main: (0.0, 0.0, 0.0)}  # of each thread: what it had run and waited, and the tree had run
        self._waited = 0.0
        self._stood_still = 0.0
        self._cpu_before = 0.0

    @property
    def seconds(self) -> float:
        """Seconds of real time taken by others; what is counted twice is counted once."""
        return max(self._waited, self._stood_still)

    def look(self, pids: list[int]) -> None:
        """Count what the threads of `pids` waited since each was first seen."""
        total = self._cpu()
        for pid in pids:
            for thread, (ran, waited) in self._threads(pid).items():
                first = self._first.setdefault(thread, (ran, waited, total))
                by_others_of_the_tree = (total - first[2]) - (ran - first[0])
                self._waited = max(self._waited, waited - first[1] - max(0.0, by_others_of_the_tree))

    def woke(self, late: float) -> None:
        """Take note that the keeper woke so many seconds after it wanted to."""
        total = self._cpu()
        if late > _STANDSTILL:
            self._stood_still += max(0.0, late - (total - self._cpu_before))
        self._cpu_before = total
