"""How much real time a program lost because this machine was busy with other processes.

For every thread the kernel counts how long it was ready to run and waited for a core
(`/proc/PID/task/TID/schedstat`). That may be the program's own fault: with a hundred threads on two cores, ninety-eight
wait. But while a thread waits for another of its program, that one is running and uses CPU time. So at least

    waited - (CPU time of the whole tree - CPU time of the thread itself)

of a thread's waiting was time in which nothing of the tree ran although the thread was ready. Other processes took that
time, whatever the program does, and the longest such time of any thread is given back. A program that sleeps does not
wait for a core, and one that runs uses CPU time, so neither gains anything. It cannot lower its own priority either
(`seccomp.IGNORED`).

If the machine stood still (a paused virtual machine, a stopped supervisor), the keeper wakes late. Of that time, what
the tree did not run is given back too.
"""

from __future__ import annotations

from collections.abc import Callable

_STANDSTILL = 1.0  # seconds by which the keeper must be late; less is ordinary scheduling


class Starvation:
    """The time that one tree lost. `cpu` returns its CPU time so far, `threads` the counts of a process's threads.

    A thread counts from when it is first seen; the first one, `main`, from its beginning.
    """

    def __init__(
        self, cpu: Callable[[], float], threads: Callable[[int], dict[int, tuple[float, float]]], main: int
    ) -> None:
        self._cpu = cpu
        self._threads = threads
        self._first = {main: (0.0, 0.0, 0.0)}  # by thread: how long it had run and waited, and the tree had run
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
                first = self._first.setdefault(thread, (ran, waited, total))
                by_others_of_the_tree = (total - first[2]) - (ran - first[0])
                self._waited = max(self._waited, waited - first[1] - max(0.0, by_others_of_the_tree))

    def woke(self, late: float) -> None:
        """Count that the keeper woke this many seconds late."""
        total = self._cpu()
        if late > _STANDSTILL:
            self._stood_still += max(0.0, late - (total - self._cpu_before))
        self._cpu_before = total
