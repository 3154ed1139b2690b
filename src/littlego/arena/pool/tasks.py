"""Jobs, their tasks and the executors that run them; what happens to tasks that fail."""

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
    """What its tasks share. Pickled and sent once to every worker that needs it."""

    def open(self) -> AbstractContextManager[Callable[[Any], Any]]:
        """Enters in the worker; the value does one task."""
        ...


class TaskFailed(LittleGoError):
    """A task failed in every try, through our own fault."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed try of a task; our fault, not the players'."""

    task: Task
    reason: str


class Executor(Protocol):
    """Runs tasks: `InProcess`, `local.LocalPool` or `cluster.Cluster`."""

    @property
    def workers(self) -> int:
        """How many tasks run at once."""
        ...

    @property
    def is_elsewhere(self) -> bool:
        """Whether its workers cannot see this machine's files."""
        ...

    def run(
        self, job: Job, tasks: Iterable[Task], *, on_failure: Callable[[Failure], None]
    ) -> Generator[tuple[Task, Any], None, None]:
        """Every task with its result, in the order in which they end; some may appear more than once.

        `tasks` is read lazily, when a worker is free. A task that fails is tried again; TaskFailed is raised if that
        does not help, after the others have been done. Closing the iterator ends the tasks under way.
        """
        ...


class InProcess:
    """Runs tasks in this process, one after the other. Exceptions propagate."""

    workers = 1
    is_elsewhere = False

    def run(
        self,
        job: Job,
        tasks: Iterable[Task],
        *,
        on_failure: Callable[[Failure], None] = lambda _failure: None,  # noqa: ARG002 - an Executor
    ) -> Generator[tuple[Task, Any], None, None]:
        with job.open() as do:
            for task in tasks:
                yield task, do(task)


class Pending:
    """The tasks no worker has yet; those to be tried again come first."""

    def __init__(self, tasks: Iterable[Task], tries: int, on_failure: Callable[[Failure], None]) -> None:
        self._coming = iter(tasks)
        self._again: deque[Task] = deque()
        self._tries = tries
        self._failed: Counter[Hashable] = Counter()
        self._given_up: list[Failure] = []
        self._on_failure = on_failure

    def take(self) -> Task | None:
        """None if there is none at the moment."""
        return self._again.popleft() if self._again else next(self._coming, None)

    def put_back(self, failure: Failure) -> None:
        self._failed[failure.task] += 1
        self._on_failure(failure)
        if self._failed[failure.task] < self._tries:
            self._again.append(failure.task)
        else:
            self._given_up.append(failure)

    def check(self) -> None:
        """Call when nothing is left: raises TaskFailed if some tasks were given up."""
        if self._given_up:
            others = f", and {len(self._given_up) - 1} more" if len(self._given_up) > 1 else ""
            raise TaskFailed(f"a game could not be played in {self._tries} tries{others}: {self._given_up[0].reason}")


def attempt(function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """("done", the function's result), or ("failed", reason) for any exception."""
    try:
        return "done", function(*arguments)
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
