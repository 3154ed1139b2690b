"""Runs one move after the other: prepares the directory, starts a keeper, waits for its report, and judges."""

from __future__ import annotations

import json
import os
import select
import signal
import tempfile
import zlib

from littlego.arena.referee.sandbox import files, keeper, machine
from littlego.arena.referee.sandbox.confinement import bubblewrap, cgroups, mounts
from littlego.arena.referee.sandbox.judge import judge
from littlego.arena.referee.sandbox.plan import STARVED, TASKS_PER_PROCESS, Plan, Report, Void

TYPE_CHECKING = False  # that of `typing`, which is slow to import
if TYPE_CHECKING:
    from littlego.arena.referee.sandbox.messages import Message

_GRACE = 5.0  # seconds beyond the wall limit after which the keeper itself counts as stuck
TRIAL = "littlego-trial-"
"""The prefix of a trial's directory; the number of its maker follows."""
_TRIAL = {
    "cpu_seconds": 10.0,
    "wall_seconds": 30.0,
    "memory_bytes": 1 << 28,
    "processes": 4,
    "file_bytes": 1 << 20,
    "directory_files": 10,
    "directory_bytes": 1 << 20,
    "stderr_bytes": 1000,
    "output_bytes": 100,
}


class Server:
    """Runs moves at one level. Make it in the process that answers.

    `alive` are descriptors that become readable when nobody waits for an answer any more; `maker` is the supervisor's
    process number outside of namespaces.
    """

    def __init__(self, here: machine.Machine, level: int, *, alive: list[int], maker: int) -> None:
        self._machine = here
        self._level = level
        self._alive = alive
        self._maker = maker
        self._alone = uses_namespaces(here, level)
        keeper.settle(confine=level in (1, 3))  # bubblewrap needs its own
        if level >= 1:
            mounts.system_paths()

    def greeting(self) -> Message:
        return {"mechanisms": self._machine.mechanisms(self._level), "level": self._level}

    def trial(self) -> str:
        """Play a move without a program: everything but the exec. Returns why that failed, or ""."""
        with tempfile.TemporaryDirectory(prefix=f"{TRIAL}{self._maker}-") as directory:
            request = {"argv": [], "environment": {}, "directory": directory, "input": "1", "readable": []}
            reply = self.answer(request | {"limits": _TRIAL, "watch_children": False})
        return str(reply["failed"] if "failed" in reply else reply["message"])

    def answer(self, request: Message) -> Message:
        """Run one move. A reply with `failed` means that it was not played, through our fault. Raises Abandoned."""
        try:
            return self._move(request)
        except Void as void:
            return {"failed": str(void)}
        except (OSError, ValueError) as error:
            return {"failed": f"{type(error).__name__}: {error}"}

    def _move(self, request: Message) -> Message:
        directory: str = os.path.realpath(request["directory"])
        descriptor = files.open_directory(directory)
        try:
            plan = self._plan(request, directory, descriptor)
            if plan.uid is not None and os.fstat(descriptor).st_uid != plan.uid:
                files.give(descriptor, plan.uid)
            files.prepare(descriptor, request["input"].encode("latin-1"), owner=plan.uid)
            report = self._run(plan)
            if report.failed:
                raise Void(report.failed)
            # Landlock prevents an agent from moving or removing its directory, so someone else did, such as a cleaner
            # of temporary files. That must not cost the agent its game.
            if plan.landlock and not files.is_still(directory, descriptor):
                raise Void(f"{directory} was taken away from outside")
            return judge(plan, report)
        finally:
            os.close(descriptor)

    def _plan(self, request: Message, directory: str, descriptor: int) -> Plan:
        level = self._level
        alone = self._alone or level == 2
        uid = None
        if level == 3:
            found = os.fstat(descriptor)
            first, count = self._machine.users or (0, 0)
            uid = first + zlib.crc32(f"{found.st_dev}:{found.st_ino}".encode()) % count
        return Plan(
            argv=request["argv"],
            environment=request["environment"],
            directory=directory,
            readable=request["readable"],
            limits=request["limits"],
            directory_fd=descriptor,
            alive=self._alive,
            landlock=self._machine.landlock if level >= 1 else 0,
            seccomp=level >= 1,
            alone=alone,
            view_made=level == 2,
            # Root is not counted; a user is, but without its other processes only in a user namespace of ours.
            count_tasks=uid is not None or (level in (1, 2) and alone and not self._machine.root),
            uid=uid,
            cpu_source=self._machine.cpu_source(level),
            watch_children=request["watch_children"],
        )

    def _run(self, plan: Plan) -> Report:
        if not self._machine.cgroup:
            return self._keep(plan)
        with cgroups.MoveGroup(
            maker=self._maker,
            memory=int(plan.limits["memory_bytes"]),
            tasks=int(plan.limits["processes"]) * TASKS_PER_PROCESS,
            # RLIMIT_NPROC does not count root's processes, and a fork bomb of them is faster than any watcher.
            wanted=frozenset(self._machine.cgroup) if self._level == 3 else frozenset({"pids"}),
        ) as group:
            plan.cgroup_join, plan.cgroup_cpu = group.join, group.cpu
            plan.cgroup_oom, plan.cgroup_most = group.oom, group.most
            return self._keep(plan)

    def _keep(self, plan: Plan) -> Report:
        return self._keep_in_bubblewrap(plan) if self._level == 2 else keeper.keep(plan)

    def _keep_in_bubblewrap(self, plan: Plan) -> Report:
        report_read, report_write = os.pipe()
        alive_read, alive_write = os.pipe()
        plan.alive = [alive_read]
        try:
            try:
                pid = _start_bubblewrap(plan, report_write)
            finally:
                os.close(report_write)
            try:
                data = self._await(report_read, STARVED * plan.limits["wall_seconds"] + _GRACE)
            finally:
                _bury(pid)
        finally:
            for descriptor in (report_read, alive_read, alive_write):
                os.close(descriptor)
        try:
            return Report(**json.loads(data))
        except ValueError:
            raise Void("the keeper of the move was killed, or could not start") from None

    def _await(self, report: int, seconds: float) -> bytes:
        """The keeper's report; empty if it was killed or is stuck."""
        poller = select.poll()
        for descriptor in (report, *self._alive):
            poller.register(descriptor, select.POLLIN)
        data = b""
        while events := dict(poller.poll(seconds * 1000)):
            if report not in events:
                raise keeper.Abandoned
            chunk = os.read(report, 1 << 16)
            if not chunk:
                return data
            data += chunk
        return b""


def uses_namespaces(here: machine.Machine, level: int) -> bool:
    """Whether the server runs as the first process of its own namespaces. Bubblewrap makes others."""
    return level in (1, 3) and bool(here.namespaces)


def _start_bubblewrap(plan: Plan, report: int) -> int:
    plan_read, plan_write = os.pipe()
    inherited = (plan_read, report, *plan.alive, plan.directory_fd, *plan.cgroup_join)
    command = bubblewrap.command(readable=plan.readable, directory=plan.directory, plan_fd=plan_read, report_fd=report)
    for descriptor in inherited:
        os.set_inheritable(descriptor, True)
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    actions = [(os.POSIX_SPAWN_DUP2, null, target) for target in (0, 1, 2)]
    try:
        pid = os.posix_spawn(command[0], command, {"LANG": "C.UTF-8"}, file_actions=actions)
        with os.fdopen(plan_write, "w") as file:
            json.dump(vars(plan), file)
    finally:
        os.close(null)
        os.close(plan_read)
    return pid


def _bury(pid: int) -> None:
    """Wait for bubblewrap, which should end now, or kill it with everything it started."""
    descriptor = os.pidfd_open(pid)
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    if not poller.poll(1000):
        os.kill(pid, signal.SIGKILL)
    os.close(descriptor)
    os.waitpid(pid, 0)
