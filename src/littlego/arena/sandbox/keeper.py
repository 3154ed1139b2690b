"""The keeper: starts the agent for one move, watches its tree, ends all of it, and reports.

It runs in the first process of a PID namespace where there is one, else in a subreaper; so no process of the agent
can leave it. That process runs our own code only and is out of the agent's reach: not dumpable, outside its Landlock
domain, not to be killed from within the namespace (at L0 it is none of that).
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import time

from littlego.arena.sandbox import child, files, meter, syscalls
from littlego.arena.sandbox.plan import Plan, Report
from littlego.arena.sandbox.tree import Tree

_FIRST_LOOK, _LONGEST_WAIT = 0.01, 0.05
_DIRECTORY_EVERY = 0.25
_KILL_AGAIN = 0.02
_CHUNK = 1 << 16
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Abandoned(Exception):
    """Those for whom the move was played are gone. The tree is dead."""


def keep(plan: Plan) -> Report:
    """Play one move. Nothing of it is alive afterwards.

    Raises Abandoned, and OSError when something of ours does not work.
    """
    with contextlib.ExitStack() as closing:
        return _Keeper(plan, closing).run()


def settle(*, confine: bool) -> None:
    """Make this process fit to keep agents: orphans fall to it, and its descendants cannot look into it.

    `confine`: nothing that it executes can have a capability.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a first process is spared what it has no handler for
    gc.freeze()  # a child that never collects garbage shares more memory with us, and forks sooner
    gc.disable()
    if syscalls.SUPPORTED:
        if confine:
            syscalls.empty_bounding_set()
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)


class _Keeper:
    def __init__(self, plan: Plan, closing: contextlib.ExitStack) -> None:
        self._plan = plan
        self._closing = closing
        self._limits = plan.limits
        self._report = Report()
        self._stderr = b""
        self._main = 0
        self._ended = False
        self._last_directory_look = 0.0

    def run(self) -> Report:
        self._settle()
        try:
            if self._start():
                self._watch()
        finally:
            self._end_tree()
        self._drain()
        self._conclude()
        return self._report

    def _settle(self) -> None:
        """Have rules, meter and the alarm for ended children ready before there is an agent."""
        plan = self._plan
        if plan.landlock:
            child.RULES.prepare(plan)
        self._cgroup = _CgroupFiles(plan)
        self._tree = Tree(alone=plan.alone)
        if plan.cpu_source == meter.CGROUP:
            self._meter: meter.Meter = meter.CgroupMeter(self._cgroup.cpu_seconds)
        elif plan.cpu_source == meter.PERF:
            self._meter = meter.PerfMeter()
            self._closing.callback(self._meter.close)
        else:
            self._meter = meter.Wait4Meter(self._tree)
        self._wake, wake_write = os.pipe()
        self._closing.callback(os.close, self._wake)
        self._closing.callback(os.close, wake_write)
        os.set_blocking(self._wake, False)
        os.set_blocking(wake_write, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        self._closing.callback(signal.set_wakeup_fd, -1)

    def _start(self) -> bool:
        """Fork and execute the agent; False when that did not come about, with the reason in the report."""
        with contextlib.ExitStack() as theirs:
            null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
            theirs.callback(os.close, null)
            self._errors, errors_write = os.pipe()
            self._closing.callback(os.close, self._errors)
            theirs.callback(os.close, errors_write)
            status_read, status_write = os.pipe()
            status = self._closing.enter_context(os.fdopen(status_read, "rb"))
            theirs.callback(os.close, status_write)
            self._started = time.monotonic()
            self._main = os.fork()
            if self._main == 0:
                child.become_agent(self._plan, null=null, stderr=errors_write, status=status_write)
        os.set_blocking(self._errors, False)
        kind, _, detail = status.read().decode("utf-8", "replace").partition(" ")
        self._report.failed = detail if kind == "setup" else ""
        self._report.not_started = detail if kind == "exec" else ""
        return not kind

    def _watch(self) -> None:
        """Until the agent's first process ends, or a limit is passed."""
        poller = select.poll()
        poller.register(self._wake, select.POLLIN)
        poller.register(self._errors, select.POLLIN)
        for descriptor in self._plan.alive:
            poller.register(descriptor, select.POLLIN)
        wait = _FIRST_LOOK
        look_at = self._started + wait
        deadline = self._started + self._limits["wall_seconds"]
        while not self._ended:
            until = min(look_at, deadline) - time.monotonic()
            for descriptor, event in poller.poll(max(0.0, until) * 1000):
                if descriptor in self._plan.alive:
                    raise Abandoned
                if descriptor == self._wake:
                    with contextlib.suppress(ChildProcessError):
                        self._reap()
                elif not self._read_errors() and event & select.POLLHUP:
                    poller.unregister(self._errors)
            if self._ended:
                return
            now = time.monotonic()
            if now >= deadline:
                self._stop("wall_time", f"it ran longer than {self._limits['wall_seconds']:g} s of real time")
            elif now >= look_at:
                self._look(now)
                wait = min(wait * 1.5, _LONGEST_WAIT)
                look_at = time.monotonic() + wait
            if self._report.stopped:
                return

    def _look(self, now: float) -> None:
        """Compare what the tree uses with what it may."""
        limits = self._limits
        if self._meter.seconds() > limits["cpu_seconds"]:
            self._stop("cpu_time", _over_cpu(limits))
            return
        pids = self._tree.members()
        if len(pids) > limits["processes"]:
            self._stop("memory", f"it had {len(pids)} processes at once; {limits['processes']:g} are allowed")
            return
        used = self._tree.memory(pids, int(limits["memory_bytes"]))
        self._report.peak_memory = max(self._report.peak_memory, used)
        if used > limits["memory_bytes"] or self._cgroup.out_of_memory():
            self._stop("memory", _over_memory(limits))
        elif now - self._last_directory_look > _DIRECTORY_EVERY:
            self._last_directory_look = now
            self._look_at_directory()

    def _look_at_directory(self) -> None:
        limits = self._limits
        try:
            files.measure(
                self._plan.directory_fd, files=int(limits["directory_files"]), size=int(limits["directory_bytes"])
            )
        except files.TooMuch as much:
            self._stop("memory", str(much))

    def _stop(self, verdict: str, reason: str) -> None:
        if not self._report.stopped:
            self._report.stopped, self._report.reason = verdict, reason

    def _reap(self) -> None:
        """Wait for every process that has ended, without blocking. Raises ChildProcessError when none is left."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake, _CHUNK):
                pass
        while self._wait():
            pass

    def _wait(self) -> bool:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
        if pid == 0:
            return False
        if isinstance(self._meter, meter.Wait4Meter):
            self._meter.reaped(usage.ru_utime + usage.ru_stime)
        self._report.peak_memory = max(self._report.peak_memory, usage.ru_maxrss * _MAXRSS_UNIT)
        if pid == self._main:
            self._ended = True
            self._report.status = os.waitstatus_to_exitcode(status)
            self._report.wall_seconds = time.monotonic() - self._started
        return True

    def _end_tree(self) -> None:
        """Kill until nothing is left to wait for: an orphan becomes ours, and `wait4` then finds it."""
        if isinstance(self._meter, meter.Wait4Meter):
            self._meter.seconds()  # a last look at those about to be killed
        poller = select.poll()
        poller.register(self._wake, select.POLLIN)
        with contextlib.suppress(ChildProcessError):
            while True:
                self._reap()
                self._tree.kill()
                if self._main and not self._ended:  # until then nobody else can be a group of this number
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.killpg(self._main, signal.SIGKILL)
                poller.poll(_KILL_AGAIN * 1000)

    def _read_errors(self) -> int:
        """Take what is in the pipe, once; keep only the end."""
        try:
            chunk = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return 0
        most = int(self._limits["stderr_bytes"])
        self._stderr = (self._stderr + chunk)[-most:] if most else b""
        return len(chunk)

    def _drain(self) -> None:
        while self._read_errors():
            pass

    def _conclude(self) -> None:
        report, limits = self._report, self._limits
        report.wall_seconds = report.wall_seconds or time.monotonic() - self._started
        report.cpu_seconds = self._meter.seconds()
        report.peak_memory = self._cgroup.peak() or report.peak_memory
        report.stderr = self._stderr.decode("utf-8", "replace")
        if report.cpu_seconds > limits["cpu_seconds"]:
            self._stop("cpu_time", _over_cpu(limits))
        if self._cgroup.out_of_memory() or report.peak_memory > limits["memory_bytes"]:
            self._stop("memory", _over_memory(limits))


class _CgroupFiles:
    """Files of the move's cgroup, opened by the supervisor: here they cannot be reached by path."""

    def __init__(self, plan: Plan) -> None:
        self._cpu, self._oom, self._peak = plan.cgroup_cpu, plan.cgroup_oom, plan.cgroup_peak

    def cpu_seconds(self) -> float:
        text = os.pread(self._cpu, 4096, 0).decode()
        if text.startswith("usage_usec"):  # version 2: cpu.stat
            return int(text.split()[1]) / 1e6
        return int(text) / 1e9  # version 1: cpuacct.usage

    def out_of_memory(self) -> bool:
        if self._oom < 0:
            return False
        lines = os.pread(self._oom, 4096, 0).decode().splitlines()
        return any(line.startswith("oom_kill ") and not line.endswith(" 0") for line in lines)

    def peak(self) -> int:
        return int(os.pread(self._peak, 64, 0)) if self._peak >= 0 else 0


def _over_cpu(limits: dict[str, float]) -> str:
    return f"it used more than {limits['cpu_seconds']:g} s of CPU time"


def _over_memory(limits: dict[str, float]) -> str:
    return f"it used more than {int(limits['memory_bytes']) >> 20} MiB of memory"
