"""One move, as the keeper is told about it: what to run, within what, and by which means."""

from __future__ import annotations

TASKS_PER_PROCESS = 8
"""Threads and processes allowed at once, for each process of the limit."""
STARVED = 4
"""A program that this machine keeps from running may take so many times its limit of real time, until it is void."""


class Void(Exception):
    """The move was not played, or not fairly: ours, never the agent's fault. The message says why."""


class Plan:
    """Plain values only, so that it can also be handed over as JSON (bubblewrap starts the keeper with exec).

    A plain class and not a dataclass: importing those takes longer than all else the keeper does.
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
        """The work directory, opened before anything of the agent ran."""
        self.alive = alive or []
        """Descriptors that become readable when those for whom the move is played are gone."""
        self.landlock = landlock
        """The Landlock version to use, 0 for none."""
        self.seccomp = seccomp
        self.alone = alone
        """Whether the keeper is the first process of its PID namespace, and the agent has a mount view of its own."""
        self.view_made = view_made
        """Whether someone else (bubblewrap) has already made that view."""
        self.count_tasks = count_tasks
        """Whether RLIMIT_NPROC counts this agent's tasks and no one else's, so that it can be set."""
        self.uid = uid
        """The agent's own user and group, or None to keep the supervisor's."""
        self.cpu_source = cpu_source
        self.cgroup_join = cgroup_join or []
        """Descriptors of cgroup files that the agent writes itself into."""
        self.cgroup_cpu = cgroup_cpu
        self.cgroup_oom = cgroup_oom
        self.cgroup_most = cgroup_most
        """Version 1 only: the most memory, page cache and all, that the cgroup had at once."""
        self.watch_children = watch_children
        """Whether the report must tell how the program's children ended."""

    @property
    def memory_counted(self) -> bool:
        """Whether a cgroup counts and caps all memory, also what no process seems to hold."""
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
        """Our own fault: the sandbox could not be set up. All else is then meaningless."""
        self.not_started = not_started
        """Why the program could not be executed, which is the agent's fault."""
        self.stopped = stopped
        """The verdict for which the keeper ended the tree, or empty."""
        self.reason = reason
        """A sentence about `stopped`."""
        self.status = status
        """The exit status of the program itself; -N when signal N ended it."""
        self.cpu_seconds = cpu_seconds
        self.wall_seconds = wall_seconds
        self.peak_memory = peak_memory
        self.stderr = stderr
        self.killed = killed
        """Whether SIGKILL ended the program, and neither the keeper, nor a limit, nor the agent itself had sent it."""
        self.child_failed = child_failed
        """Whether a child ended of its own accord with a bad status; None when nobody looked."""
