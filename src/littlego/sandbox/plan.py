"""One move as the supervisor's processes tell each other of it: the messages, the plan, the report."""

from __future__ import annotations

import json
import os
import signal
import struct

TYPE_CHECKING = False  # that of `typing`, which is slow to import
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, dataclass_transform

    Message = dict[str, Any]
else:

    def dataclass_transform(**_options):
        return lambda kind: kind


PORTABLE, LINUX, ROOT = LEVELS = range(3)
"""The values of `limits.Level`, which is slow to import."""
NAMES = ("portable", "linux", "root")
TASKS_PER_PROCESS = 8
"""Threads and processes allowed at once, for each process of the limit."""
HELD_UP = 2.0
"""Seconds that others take from a move, beyond which an agent that watches the real clock may have played worse."""
STARVED = 10
"""The factor on the limit of real time for a program that this machine delays; beyond it the move is void."""


class Void(Exception):
    """The move was not played, or not fairly. The message says why.

    `is_ours`: nothing that the program does can cause it; else it may only look like a failure on our side.
    """

    def __init__(self, message: str, *, is_ours: bool = True) -> None:
        super().__init__(message)
        self.is_ours = is_ours


@dataclass_transform(kw_only_default=True)
class _Values:
    """Plain values by name, like a dataclass: importing those takes longer than everything else the keeper does."""

    def __init__(self, **values: object) -> None:
        names = type(self).__annotations__
        unknown, missing = values.keys() - names, {name for name in names if not hasattr(self, name)} - values.keys()
        if unknown or missing:
            raise TypeError(f"{type(self).__name__}: unknown: {sorted(unknown)}, missing: {sorted(missing)}")
        vars(self).update(values)


class Plan(_Values):
    """What to run, and how."""

    argv: list[str]
    environment: dict[str, str]
    directory: str
    readable: list[str]
    limits: dict[str, float]
    directory_fd: int = -1
    """The work directory, opened before the agent's code ran."""
    kept_fd: int = -1
    """Where its files are kept from move to move, if the work directory is one in memory for this move alone."""
    kept_bytes: int = 0
    """Its files before the move."""
    alive: Sequence[int] = ()
    """Descriptors that become readable when nobody waits for the move any more."""
    landlock: int = 0
    """The Landlock version to use, 0 for none."""
    seccomp: bool = False
    alone: bool = False
    """Whether the keeper is the first process of its PID namespace, and the agent has its own mount view."""
    count_tasks: bool = False
    """Whether RLIMIT_NPROC counts only this agent's tasks, so that it can be set."""
    uid: int | None = None
    """The agent's own user and group, or None to keep the supervisor's."""
    cpu_source: str = "wait4"
    cgroup_join: Sequence[int] = ()
    """Descriptors of the files with which the agent joins its cgroups."""
    cgroup_cpu: int = -1
    cgroup_oom: int = -1
    cgroup_most: int = -1
    """Version 1 only: the most memory, with page cache, that the cgroup had at once."""
    began: bool = False
    """Whether the program has begun; the keeper sets it."""

    @property
    def memory_counted(self) -> bool:
        """Whether a cgroup counts and limits all memory, even what is counted for no process."""
        return self.cgroup_oom >= 0


class Report(_Values):
    """How one move went, as the keeper saw it."""

    failed: str = ""
    """A failure of ours, such as a sandbox that could not be set up. The other fields then mean nothing."""
    is_ours: bool = True
    """Of a failure: whether nothing that the program does, in another game too, can cause it."""
    waited_seconds: float = 0.0
    """Seconds for which it was ready and others had the processor, as far as that was seen."""
    not_started: str = ""
    """Why the program could not be executed, because of the agent."""
    stopped: str = ""
    """The fault for which the keeper ended the tree, or empty."""
    reason: str = ""
    """A sentence about `stopped`."""
    status: int | None = None
    """The program's exit status; -N if signal N ended it."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory: int = 0
    stderr: str = ""
    left_behind: int = 0
    """Processes that still ran when the program had ended."""


def send(descriptor: int, message: Message) -> None:
    """Raises OSError if the other end is gone."""
    data = json.dumps(message).encode()
    data = struct.pack("=I", len(data)) + data
    while data:
        data = data[os.write(descriptor, data) :]


def receive(descriptor: int) -> Message | None:
    """The next message; None if the other end is gone."""
    head = _exactly(descriptor, 4)
    if head is None:
        return None
    body = _exactly(descriptor, struct.unpack("=I", head)[0])
    return None if body is None else json.loads(body)


def _exactly(descriptor: int, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        try:
            chunk = os.read(descriptor, size - len(data))
        except ConnectionResetError:
            return None
        if not chunk:
            return None
        data += chunk
    return data


def describe_ending(status: int) -> str:
    """How a program ended, as a verb phrase."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
