"""One move after the other: prepare the directory, start a keeper, wait for its report, read the output, judge."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import zlib

from littlego.arena.sandbox import bubblewrap, cgroups, child, files, keeper, machine, syscalls
from littlego.arena.sandbox.judge import judge
from littlego.arena.sandbox.plan import Plan, Report
from littlego.arena.sandbox.tree import Tree

TYPE_CHECKING = False  # that of `typing`, which is slow to import
if TYPE_CHECKING:
    from littlego.arena.sandbox.messages import Message

_GRACE = 5.0  # seconds past the wall limit after which the keeper itself is taken to be stuck
_TASKS_PER_PROCESS = 8
_FIRST_UID, _UIDS = 0x60000000, 1 << 24


class KeeperFailed(Exception):
    """The keeper could not do its work: ours, never the agent's fault."""


class Server:
    """Runs moves at one level of one machine."""

    def __init__(self, here: machine.Machine, level: int, control: int) -> None:
        self._machine = here
        self._level = level
        self._control = control
        self._source = here.cpu_source(level)
        self._alone = level >= 1 and bool(here.namespaces) and level != 2
        self._owned: set[str] = set()
        self._parent = _pidfd(os.getppid())
        if syscalls.SUPPORTED:
            syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
        if self._alone:
            machine.enter_shared_namespaces(root=here.root)
        if level >= 1:
            child.filter_for(own_view=self._alone, keep_sigchld=self._source == "wait4")
        if level == 3:
            cgroups.sweep()

    def answer(self, request: Message) -> Message:
        """Run one move. A reply with `failed` means that it was not played, through no fault of the agent."""
        try:
            return self._move(request)
        except (OSError, KeeperFailed, ValueError) as error:
            return {"failed": f"{type(error).__name__}: {error}"}

    def _move(self, request: Message) -> Message:
        directory: str = os.path.realpath(request["directory"])
        descriptor = files.open_directory(directory)
        try:
            plan = self._plan(request, directory, descriptor)
            if plan.uid is not None and directory not in self._owned:
                files.give(descriptor, plan.uid)
                self._owned.add(directory)
            files.prepare(descriptor, request["input"].encode("latin-1"), owner=plan.uid)
            report = self._run(plan)
            if report.failed:
                raise KeeperFailed(report.failed)
            return judge(plan, report)
        finally:
            os.close(descriptor)

    def _plan(self, request: Message, directory: str, descriptor: int) -> Plan:
        level = self._level
        uid = None
        if level == 3:
            found = os.fstat(descriptor)
            uid = _FIRST_UID + zlib.crc32(f"{found.st_dev}:{found.st_ino}".encode()) % _UIDS
        return Plan(
            argv=request["argv"],
            environment=request["environment"],
            directory=directory,
            readable=request["readable"],
            limits=request["limits"],
            directory_fd=descriptor,
            landlock=self._machine.landlock if level >= 1 else 0,
            seccomp=level >= 1,
            alone=self._alone or level == 2,
            view_made=level == 2,
            # A root that is nobody else is not counted by the kernel; a user is, with all else that is its.
            count_tasks=uid is not None or (self._alone and not self._machine.root),
            uid=uid,
            cpu_source=self._source,
        )

    def _run(self, plan: Plan) -> Report:
        if self._level != 3:
            return self._keep(plan)
        tasks = int(plan.limits["processes"]) * _TASKS_PER_PROCESS
        with cgroups.MoveGroup(memory=int(plan.limits["memory_bytes"]), tasks=tasks) as group:
            plan.cgroup_join, plan.cgroup_cpu = group.join, group.cpu
            plan.cgroup_oom, plan.cgroup_peak = group.oom, group.peak
            return self._keep(plan)

    def _keep(self, plan: Plan) -> Report:
        """Start a keeper and wait for its report; nothing of the move is alive afterwards."""
        report_read, plan.report_fd = os.pipe()
        plan.alive_fd, alive_write = os.pipe()
        try:
            pid = self._bubblewrap(plan) if self._level == 2 else self._fork(plan, (report_read, alive_write))
            os.close(plan.report_fd)
            plan.report_fd = -1
            try:
                data = self._await(report_read, plan.limits["wall_seconds"] + _GRACE)
            finally:
                self._bury(pid)
        finally:
            for descriptor in (report_read, plan.report_fd, plan.alive_fd, alive_write):
                if descriptor >= 0:
                    os.close(descriptor)
        try:
            return Report(**json.loads(data))
        except ValueError:
            raise KeeperFailed("the keeper of the move was killed, or could not start") from None

    def _fork(self, plan: Plan, ours: tuple[int, int]) -> int:
        pid = syscalls.clone(machine.PER_MOVE) if self._alone else os.fork()
        if pid == 0:
            for descriptor in (*ours, self._control):
                os.close(descriptor)
            keeper.keep(plan)
        return pid

    def _bubblewrap(self, plan: Plan) -> int:
        plan_read, plan_write = os.pipe()
        inherited = (plan_read, plan.report_fd, plan.alive_fd, plan.directory_fd)
        command = bubblewrap.command(readable=plan.readable, directory=plan.directory, plan_fd=plan_read)
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

    def _await(self, report: int, seconds: float) -> bytes:
        """The keeper's report; empty when it was killed or is stuck. Ends this program when the referee is gone."""
        poller = select.poll()
        poller.register(report, select.POLLIN)
        poller.register(self._control, select.POLLHUP | getattr(select, "POLLRDHUP", 0))
        if self._parent >= 0:
            poller.register(self._parent, select.POLLIN)
        data = b""
        while True:
            events = dict(poller.poll(seconds * 1000))
            if self._control in events or self._parent in events:
                os._exit(0)  # the keeper sees its pipe end, and ends the tree
            if not events:
                return b""
            chunk = os.read(report, 1 << 16)
            if not chunk:
                return data
            data += chunk

    def _bury(self, keeper_pid: int) -> None:
        """Make sure of the keeper, and of anything that it left to us by being killed itself."""
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(keeper_pid, os.WNOHANG) == (0, 0):
                _wait_briefly(keeper_pid)
        tree = Tree(alone=False)
        with contextlib.suppress(ChildProcessError):
            while True:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    tree.kill()
                    os.waitpid(-1, 0)


def _wait_briefly(pid: int) -> None:
    """A keeper that has reported is about to end; one that has not is stuck, and is killed."""
    descriptor = _pidfd(pid)
    if descriptor >= 0:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        ended = bool(poller.poll(1000))
        os.close(descriptor)
        if ended:
            os.waitpid(pid, 0)
            return
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _pidfd(pid: int) -> int:
    """A descriptor that becomes readable when the process ends; -1 where there is no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1
