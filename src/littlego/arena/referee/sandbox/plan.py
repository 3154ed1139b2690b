"""One move as the keeper gets it: what to run, with which limits and mechanisms."""

from __future__ import annotations

TASKS_PER_PROCESS = 8
"""Threads and processes allowed at once, for each process of the limit."""
STARVED = 4
"""The factor on the limit of real time for a program that this machine delays; beyond it the move is void."""


class Void(Exception):
    """The move was not played, or not fairly, through our fault. The message says why."""


class Plan:
    """Plain values, which can be passed as JSON to a keeper that bubblewrap starts.

    Not a dataclass: importing those takes longer than everything else the keeper does.
    """

    def __init__(
        self,
        *,
        argv: list[str],
        environment: dict[str, str],
        directory: str,
        readable: list[str],
        limits: dict[str, float],
        directory_fd: int = -1,
        alive: list[int] | None = None,
        landlock: int = 0,
        seccomp: bool = False,
        alone: bool = False,
        view_made: bool = False,
        count_tasks: bool = False,
        uid: int | None = None,
        cpu_source: str = "wait4",
        cgroup_join: list[int] | None = None,
        cgroup_cpu: int = -1,
        cgroup_oom: int = -1,
        cgroup_most: int = -1,
        watch_children: bool = False,
    ) -> None:
        self.argv = argv
        self.environment = environment
        self.directory = directory
        self.readable = readable
        self.limits = limits
        self.directory_fd = directory_fd
        """The work directory, opened before the agent's code ran."""
        self.alive = alive or []
        """Descriptors that become readable when nobody waits for the move any more."""
        self.landlock = landlock
        """The Landlock version to use, 0 for none."""
        self.seccomp = seccomp
        self.alone = alone
        """Whether the keeper is the first process of its PID namespace, and the agent has its own mount view."""
        self.view_made = view_made
        """Whether bubblewrap has already made that view."""
        self.count_tasks = count_tasks
        """Whether RLIMIT_NPROC counts only this agent's tasks, so that it can be set."""
        self.uid = uid
        """The agent's own user and group, or None to keep the supervisor's."""
        self.cpu_source = cpu_source
        self.cgroup_join = cgroup_join or []
        """Descriptors of the cgroup files to which the agent writes its number."""
        self.cgroup_cpu = cgroup_cpu
        self.cgroup_oom = cgroup_oom
        self.cgroup_most = cgroup_most
        """Version 1 only: the most memory, with page cache, that the cgroup had at once."""
        self.watch_children = watch_children
        """Whether the report must say how the program's children ended."""

    @property
    def memory_counted(self) -> bool:
        """Whether a cgroup counts and limits all memory, even what is counted for no process."""
        return self.cgroup_oom >= 0


class Report:
    """How one move went, as the keeper saw it."""

    def __init__(
        self,
        *,
        failed: str = "",
        not_started: str = "",
        stopped: str = "",
        reason: str = "",
        status: int | None = None,
        cpu_seconds: float = 0.0,
        wall_seconds: float = 0.0,
        peak_memory: int = 0,
        stderr: str = "",
        killed: bool = False,
        child_failed: bool | None = None,
    ) -> None:
        self.failed = failed
        """A failure of ours, such as a sandbox that could not be set up. The other fields then mean nothing."""
        self.not_started = not_started
        """Why the program could not be executed, through the agent's fault."""
        self.stopped = stopped
        """The verdict for which the keeper ended the tree, or empty."""
        self.reason = reason
        """A sentence about `stopped`."""
        self.status = status
        """The program's exit status; -N if signal N ended it."""
        self.cpu_seconds = cpu_seconds
        self.wall_seconds = wall_seconds
        self.peak_memory = peak_memory
        self.stderr = stderr
        self.killed = killed
        """Whether SIGKILL ended the program, sent neither by the keeper, nor for a limit, nor by the agent itself."""
        self.child_failed = child_failed
        """Whether a child exited with a bad status; None if that was not watched."""
