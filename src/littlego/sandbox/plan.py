"""One move as the supervisor's processes tell each other of it: the messages, the plan, the report."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from littlego.sandbox.files import OUTPUT, BadOutput

if TYPE_CHECKING:
    from littlego.sandbox.cgroups import MoveGroup

Message: TypeAlias = dict[str, Any]

TASKS_PER_PROCESS = 8
"""Threads and processes allowed at once, for each process of the limit."""
HELD_UP = 2.0
"""Seconds that others take from a move, beyond which an agent that watches the real clock may have played worse."""
STARVED = 10
"""The factor on the limit of real time for a program that this machine delays; beyond it the move is void."""

_SIGKILL = 9  # which Windows does not name


class Void(Exception):
    """The move was not played, or not fairly. The message says why.

    `is_ours`: nothing that the program does can cause it; else it may only look like a failure on our side.
    """

    def __init__(self, message: str, *, is_ours: bool = True) -> None:
        super().__init__(message)
        self.is_ours = is_ours


@dataclass(kw_only=True)
class Plan:
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
    cgroup: MoveGroup | None = None
    """The cgroups that the agent joins, if there are any."""
    began: bool = False
    """Whether the program has begun; the keeper sets it."""

    @property
    def cpu_counted(self) -> bool:
        """Whether a cgroup counts CPU time."""
        return self.cgroup is not None and "cpuacct" in self.cgroup.controllers

    @property
    def memory_counted(self) -> bool:
        """Whether a cgroup counts and limits all memory, even what is counted for no process."""
        return self.cgroup is not None and "memory" in self.cgroup.controllers


@dataclass(kw_only=True)
class Report:
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

    def stop(self, fault: str, reason: str) -> None:
        """Note a fault; only the first one counts."""
        if not self.stopped:
            self.stopped, self.reason = fault, reason


def judged(report: Report, limits: Mapping[str, float], read: Callable[[int], bytes | None]) -> Message:
    """The reply for one move: the fields of `client.MoveResult`. Call it when the tree is dead.

    `fault` is the value of a `limits.Fault`, or None if there is an output, which `read` returns, given its largest
    size. An exceeded limit decides, then the output; how the program ended matters only if it left no output, as with
    the course's host. Raises Void for a program that SIGKILL ended before it had played: by a person, by the kernel for
    lack of memory, or by itself, nobody can tell.
    """
    fault: str | None = report.stopped
    message, output = report.reason, None
    ending = f"it {describe_ending(report.status)}" if report.status else ""
    if report.not_started:
        fault, message = "crash", f"it could not be started: {report.not_started}"
    elif not fault:
        try:
            output = read(int(limits["output_bytes"]))
        except BadOutput as bad:
            fault, message = "bad_format", str(bad)
        else:
            if output is not None:
                fault, message = None, _warning(ending, report, limits["wall_seconds"])
            elif report.status == -_SIGKILL:
                raise Void("its program was ended by SIGKILL", is_ours=False)
            elif ending:
                fault, message = "crash", f"{ending} and left no {OUTPUT}"
            else:
                fault, message = "no_output", f"it ended without writing {OUTPUT}"
    return {
        "fault": fault,
        "message": message,
        "output": None if output is None else output.decode("latin-1"),
        "cpu_seconds": report.cpu_seconds,
        "wall_seconds": report.wall_seconds,
        "waited_seconds": report.waited_seconds,
        "peak_memory": report.peak_memory,
        "stderr": report.stderr,
        "status": report.status,
    }


def _warning(ending: str, report: Report, limit: float) -> str:
    """What is odd about a move that counts anyway; empty if nothing is."""
    warnings = [f"{ending} after it had written {OUTPUT}"] if ending else []
    if report.left_behind:
        processes = "1 process" if report.left_behind == 1 else f"{report.left_behind} processes"
        warnings.append(f"it left {processes} running, which the referee ended")
    waited, wall = report.waited_seconds, report.wall_seconds
    if waited > HELD_UP or (waited and wall > limit):
        warnings.append(f"of {wall:.1f} s it waited {waited:.1f} s for a core, because the machine is busy")
    return f"warning: {'; '.join(warnings)}" if warnings else ""


def send(descriptor: int, message: Message) -> None:
    """Raises OSError if the other end is gone."""
    with open(descriptor, "wb", closefd=False) as file:
        file.write(json.dumps(message).encode() + b"\n")


def receive(descriptor: int) -> Message | None:
    """The next message; None if the other end is gone. There is never more than one on the way."""
    try:
        with open(descriptor, "rb", closefd=False) as file:
            line = file.readline()
    except ConnectionResetError:
        return None
    return json.loads(line) if line.endswith(b"\n") else None


def over_cpu(limits: Mapping[str, float]) -> str:
    return f"it used more than {limits['cpu_seconds']:g} s of CPU time"


def over_memory(limits: Mapping[str, float]) -> str:
    return f"it used more than {int(limits['memory_bytes']) >> 20} MiB of memory"


def describe_ending(status: int) -> str:
    """How a program ended, as a verb phrase."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
