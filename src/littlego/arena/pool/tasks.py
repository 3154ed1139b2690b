"""Tasks that are done elsewhere: what a job is, who does its tasks, and what happens to those that fail."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from littlego.core.errors import LittleGoError

Task: TypeAlias = Any
"""Any hashable value that can be pickled."""

TRIES: Final = 3


class Job(Protocol):
    """What all tasks have in common. Is pickled and sent to every worker that needs it, once."""

    def open(self) -> AbstractContextManager[Callable[[Any], Any]]:
        """Get ready in the worker; the value does one task."""
        ...


class TaskFailed(LittleGoError):
    """A task that could not be done, through our own failure, however often it was tried."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One try of a task that failed, through no fault of what the task is about."""

    task: Task
    reason: str


class Executor(Protocol):
    """Where tasks are done: `InProcess`, `local.LocalPool` or `cluster.Cluster`."""

    @property
    def workers(self) -> int:
        """How many tasks can be done at once."""
        ...

    @property
    def is_elsewhere(self) -> bool:
        """Whether its workers do not see this machine's files."""
        ...

    def run(
        self, job: Job, tasks: Iterable[Task], *, on_failure: Callable[[Failure], None]
    ) -> Generator[tuple[Task, Any], None, None]:
        """Every task with its result, in the order in which they are done, some perhaps more than once.

        The next task is taken when there is room for it, so `tasks` may think and may end early. A task that fails is
        tried again; TaskFailed is raised if that does not help, after the others have been done. Closing the iterator
        ends the tasks that are under way.
        """
        ...


class InProcess:
    """Does tasks here, one after the other. What they raise is raised."""

    workers = 1
    is_elsewhere = False

    def run(
        self,
        job: Job,
        tasks: Iterable[Task],
        *,
        on_failure: Callable[[Failure], None] = lambda _failure: None,  # noqa: ARG002 - an Executor
    ) -> Generator[tuple[Task, Any], None, None]:
        """Every task with its result, in order."""
        with job.open() as do:
            for task in tasks:
                yield task, do(task)


class Pending:
    """The tasks that have not been given to anybody yet, and those to be tried again, which come first."""

    def __init__(self, tasks: Iterable[Task], tries: int, on_failure: Callable[[Failure], None]) -> None:
        self._coming = iter(tasks)
        self._again: deque[Task] = deque()
        self._tries = tries
        self._failed: Counter[Hashable] = Counter()
        self._given_up: list[Failure] = []
        self._on_failure = on_failure

    def take(self) -> Task | None:
        """The next task; None if there is none now."""
        return self._again.popleft() if self._again else next(self._coming, None)

    def put_back(self, failure: Failure) -> None:
        """A try has failed."""
        self._failed[failure.task] += 1
        self._on_failure(failure)
        if self._failed[failure.task] < self._tries:
            self._again.append(failure.task)
        else:
            self._given_up.append(failure)

    def check(self) -> None:
        """When nothing is left: raises TaskFailed if some tasks were given up. Their names mean nothing to people."""
        if self._given_up:
            others = f", and {len(self._given_up) - 1} more" if len(self._given_up) > 1 else ""
            raise TaskFailed(f"a game could not be played in {self._tries} tries{others}: {self._given_up[0].reason}")


def attempt(function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """("done", what the function returns), or ("failed", why) for whatever it raises."""
    try:
        return "done", function(*arguments)
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
