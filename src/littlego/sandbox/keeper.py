"""The keeper: starts the agent for one move, which confines itself, watches its tree, ends all of it, and reports.

It runs in the first process of a PID namespace where there is one, else in a subreaper, so that no process of the agent
can escape it. That process runs only our own code, and the agent cannot reach it: it is not dumpable, outside the
agent's Landlock domain, and cannot be killed from within the namespace (none of this holds at the portable level).
"""

from __future__ import annotations

import contextlib
import errno
import functools
import gc
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Iterator

from littlego.sandbox import files, seccomp, syscalls, view, watch
from littlego.sandbox.plan import STARVED, TASKS_PER_PROCESS, Plan, Report, over_cpu, over_memory

_FIRST_LOOK, _LONGEST_WAIT = 0.01, 0.05
_SELDOM = 0.25
_SOCKETS = 64  # each holds up to 416 KiB that are counted for no process
_KILL_AGAIN = 0.02
_CHUNK = 1 << 16
CONFINED = b"+"
"""Sent to the keeper once the agent is confined."""

_DESCRIPTORS = 512
_SCARCE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)  # the machine lacks something: not its fault


class Abandoned(Exception):
    """Nobody waits for the move any more. The tree is dead."""


def keep(plan: Plan) -> Report:
    """Play one move. None of its processes is alive afterwards. Raises Abandoned, and OSError for a failure of ours."""
    with contextlib.ExitStack() as closing:
        return _Keeper(plan, closing).run()


def settle(*, confine: bool) -> None:
    """Prepare this process to keep agents: it inherits orphans, and its descendants cannot look into it.

    `confine`: nothing that it executes can have a capability.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a first process only gets signals for which it has a handler
    gc.freeze()  # a child that never collects garbage shares more memory with us, and forks sooner
    gc.disable()
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
        self._last_careful_look = 0.0

    def run(self) -> Report:
        self._settle()
        try:
            if self._start():
                self._watch()
        finally:
            self._end_tree()
        self._conclude()
        return self._report

    def _settle(self) -> None:
        """Prepare rules, meter and the alarm for ended children before there is an agent."""
        plan = self._plan
        if plan.seccomp:
            filter_for(plan)
        self._tree = watch.Tree(alone=plan.alone)
        self._meter = watch.Wait4Meter(self._tree)
        self._cpu = plan.cgroup.cpu_seconds if plan.cgroup and plan.cpu_counted else self._meter.seconds
        self._sockets_before = watch.open_sockets() if plan.alone else 0
        self._wake, wake_write = os.pipe()
        self._closing.callback(os.close, self._wake)
        self._closing.callback(os.close, wake_write)
        os.set_blocking(self._wake, False)
        os.set_blocking(wake_write, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        self._closing.callback(signal.set_wakeup_fd, -1)
        self._tree.first = _new_namespace() if plan.alone else 0

    def _start(self) -> bool:
        """Fork and execute the agent; False if that failed, with the reason in the report."""
        with contextlib.ExitStack() as theirs:
            null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
            theirs.callback(os.close, null)
            self._errors, errors_write = os.pipe()
            self._closing.callback(os.close, self._errors)
            theirs.callback(os.close, errors_write)
            status, status_write = os.pipe()
            self._closing.callback(os.close, status)
            theirs.callback(os.close, status_write)
            self._started = time.monotonic()
            self._main = os.fork()
            if self._main == 0:
                become_agent(self._plan, null=null, stderr=errors_write, status=status_write)
        os.set_blocking(self._errors, False)
        report = b""
        while chunk := os.read(status, _CHUNK):
            report += chunk
        if not report:  # only our own code had run
            self._report.failed = "its program was killed from outside before it began"
            return False
        kind, _, detail = report.removeprefix(CONFINED).decode("utf-8", "replace").partition(" ")
        self._report.failed = detail if kind == "setup" else ""
        self._report.not_started = detail if kind == "exec" else ""
        self._plan.began = not kind
        return not kind

    def _watch(self) -> None:
        """Return when the agent's first process ends, or a limit is exceeded."""
        self._starvation = watch.Starvation(self._cpu, watch.waits, self._main)
        poller = select.poll()
        poller.register(self._wake, select.POLLIN)
        poller.register(self._errors, select.POLLIN)
        for descriptor in self._plan.alive:
            poller.register(descriptor, select.POLLIN)
        wait = _FIRST_LOOK
        look_at = self._started + wait
        while not self._ended:
            self._serve(poller, look_at)
            if self._ended:
                return
            now = time.monotonic()
            if now >= look_at:
                self._starvation.woke(now - look_at)
                self._look(now)
                if not self._report.stopped:
                    self._look_at_clock()
                wait = min(wait * 1.5, _LONGEST_WAIT)
                look_at = time.monotonic() + wait
            if self._report.stopped or self._report.failed:
                return

    def _serve(self, poller: select.poll, until: float) -> None:
        """Wait for events up to a moment, and handle those of one poll."""
        for descriptor, event in poller.poll(max(0.0, until - time.monotonic()) * 1000):
            if descriptor in self._plan.alive:
                raise Abandoned
            if descriptor == self._wake:
                with contextlib.suppress(ChildProcessError):
                    self._reap()
            elif not self._read_errors() and event & select.POLLHUP:
                poller.unregister(self._errors)

    def _look_at_clock(self) -> None:
        """Check real time, less the time that others took; and all of it against a higher limit."""
        limit = self._limits["wall_seconds"]
        gone = time.monotonic() - self._started
        if gone < limit:
            return
        self._starvation.look(self._tree.members())
        lost = self._starvation.seconds
        if gone - lost >= limit:
            self._report.stop("wall_time", f"it ran longer than {limit:g} s of real time")
        elif gone >= STARVED * limit:
            self._report.failed = f"the machine is too busy: of {gone:.0f} s the program waited {lost:.0f} s for a core"
            self._report.is_ours = False  # the same agent may be playing another game beside this one

    def _look(self, now: float) -> None:
        """Compare what the tree uses with its limits."""
        limits = self._limits
        if self._cpu() > limits["cpu_seconds"]:
            self._report.stop("cpu_time", over_cpu(limits))
            return
        pids = self._tree.members()
        if len(pids) > limits["processes"]:
            self._report.stop("memory", f"it had {len(pids)} processes at once; {limits['processes']:g} are allowed")
            return
        memory, threads = self._tree.usage(pids, int(limits["memory_bytes"]))
        self._report.peak_memory = max(self._report.peak_memory, memory)
        tasks = int(limits["processes"]) * TASKS_PER_PROCESS
        if memory > limits["memory_bytes"] or self._out_of_memory():
            self._report.stop("memory", over_memory(limits))
        elif threads > tasks:
            self._report.stop("memory", f"it had {threads} threads at once; {tasks} are allowed")
        elif self._plan.seccomp and self._sockets(pids) > _SOCKETS:
            self._report.stop("memory", f"it had more than {_SOCKETS} sockets")
        elif now - self._last_careful_look > _SELDOM:
            self._last_careful_look = now
            self._starvation.look(pids)
            if self._plan.kept_fd < 0:
                self._look_at_directory()

    def _sockets(self, pids: list[int]) -> int:
        """The number of sockets. None is ever in flight through another: `sendmsg` is refused."""
        return watch.open_sockets() - self._sockets_before if self._plan.alone else self._tree.sockets(pids)

    def _look_at_directory(self) -> None:
        limits = self._limits
        directory, size = self._plan.directory_fd, int(limits["directory_bytes"])
        try:
            files.measure(directory, files=int(limits["directory_files"]), size=size)
        except files.TooMuch as much:
            self._report.stop("memory", str(much))

    def _out_of_memory(self) -> bool:
        return self._plan.cgroup is not None and self._plan.cgroup.out_of_memory()

    def _reap(self) -> None:
        """Wait for every process that has ended, without blocking. Raises ChildProcessError if none is left."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake, _CHUNK):
                pass
        while True:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            self._meter.reaped(usage.ru_utime + usage.ru_stime)
            if pid != self._tree.first:
                self._report.peak_memory = max(self._report.peak_memory, usage.ru_maxrss * 1024)
            if pid == self._main:
                self._ended = True
                self._report.status = os.waitstatus_to_exitcode(status)
                self._report.wall_seconds = time.monotonic() - self._started

    def _end_tree(self) -> None:
        """Kill until nothing is left to wait for: orphans become our children, and `wait4` finds them."""
        if self._tree.first:
            _leave_namespace()
        self._cpu()  # a last look at those about to be killed
        if self._ended and not self._report.stopped:
            self._report.left_behind = self._tree.running()
        poller = select.poll()
        poller.register(self._wake, select.POLLIN)
        with contextlib.suppress(ChildProcessError):
            while True:
                self._reap()
                if self._main and not self._ended:  # at once, and until then no other group can have this number
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.killpg(self._main, signal.SIGKILL)
                self._tree.kill()
                poller.poll(_KILL_AGAIN * 1000)

    def _read_errors(self) -> int:
        """Read from the pipe once, and keep only the end."""
        try:
            chunk = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return 0
        most = int(self._limits["stderr_bytes"])
        self._stderr = (self._stderr + chunk)[-most:] if most else b""
        return len(chunk)

    def _conclude(self) -> None:
        while self._read_errors():
            pass
        report, limits = self._report, self._limits
        report.wall_seconds = report.wall_seconds or time.monotonic() - self._started
        report.waited_seconds = self._starvation.seconds if self._plan.began else 0.0
        report.cpu_seconds = self._cpu()
        report.stderr = self._stderr.decode("utf-8", "replace")
        if report.cpu_seconds > limits["cpu_seconds"]:
            report.stop("cpu_time", over_cpu(limits))
        if self._out_of_memory() or report.peak_memory > limits["memory_bytes"]:
            report.stop("memory", over_memory(limits))


def _new_namespace() -> int:
    """From now on our children are in a PID namespace of their own; returns its first process, whose end ends them all.

    That process takes in orphans, and waits for them, so that their CPU time is counted.
    """
    syscalls.call("unshare", syscalls.CLONE_NEWPID)
    try:
        first = os.fork()
    except OSError:
        _leave_namespace()
        raise
    if first:
        return first
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        while True:
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            signal.sigwait({signal.SIGCHLD})
    finally:
        os._exit(1)


def _leave_namespace() -> None:
    """From now on our children are in our own PID namespace again."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    try:
        syscalls.call("setns", own, syscalls.CLONE_NEWPID)
    finally:
        os.close(own)


# From fork to exec: how the agent's first process confines itself before it becomes the agent.


def become_agent(plan: Plan, *, null: int, stderr: int, status: int) -> None:
    """Set everything up and execute the agent; does not return.

    `status` is a pipe that the exec closes. `CONFINED` is written to it, then a message if something fails: `setup ...`
    for a failure of ours, `exec ...` if the agent's program cannot be executed. A plan without a program is a trial:
    everything but the exec.
    """
    try:
        _confine(plan, null=null, stderr=stderr, status=status)
        if not plan.argv:
            _try_out(plan)
    except BaseException as error:
        _tell(status, f"setup {type(error).__name__}: {error}")
    else:
        try:
            os.execvpe(plan.argv[0], plan.argv, plan.environment)
        except OSError as error:
            whose = "setup" if error.errno in _SCARCE or _is_ours(plan) else "exec"
            _tell(status, f"{whose} {plan.argv[0]}: {error.strerror}")
    os._exit(127)


def _try_out(plan: Plan) -> None:
    """A trial: check that the confinement works, and do what every agent needs. Does not return. Raises OSError."""
    if plan.uid is not None and os.getresuid() != (plan.uid,) * 3:
        raise OSError("the user was not changed")
    if plan.landlock and _works(os.listdir, "/"):
        raise OSError("Landlock lets everything through")
    if plan.seccomp and _works(syscalls.call, "setns", -1, 0, expect=errno.EPERM):
        raise OSError("the filter of system calls lets everything through")
    with open(files.INPUT, "rb") as given, open(files.OUTPUT, "wb") as file:
        file.write(given.read())
    os._exit(0)


def _works(action: Callable[..., object], *arguments: object, expect: int = errno.EACCES) -> bool:
    try:
        action(*arguments)
    except OSError as error:
        return error.errno != expect
    return True


def _is_ours(plan: Plan) -> bool:
    """Whether we chose the program, such as an interpreter, and it is not the agent's own."""
    program = plan.argv[0]
    return "/" not in program or (program.startswith("/") and not program.startswith(f"{plan.directory}/"))


def _tell(status: int, text: str) -> None:
    with contextlib.suppress(OSError):
        os.write(status, text.encode("utf-8", "replace"))


def _confine(plan: Plan, *, null: int, stderr: int, status: int) -> None:
    os.setsid()
    for descriptor in plan.cgroup.join if plan.cgroup else ():
        os.write(descriptor, b"0")  # zero: the process that writes
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    for descriptor, target in ((null, 0), (null, 1), (stderr, 2)):
        os.dup2(descriptor, target, inheritable=True)
    if plan.alone:
        view.enter(readable=plan.readable, directory=plan.directory, descriptor=plan.directory_fd)
        os.chdir(plan.directory)
    else:
        os.fchdir(plan.directory_fd)
    _limit(plan)
    _give_up(plan)
    os.write(status, CONFINED)
    os.closerange(3, status)  # `status` itself closes on exec
    os.closerange(status + 1, 8 * _DESCRIPTORS)


def _limit(plan: Plan) -> None:
    """Limits for each process, in case the keeper, which watches the tree, is late. They cannot be raised again."""
    limits = plan.limits
    cpu = int(limits["cpu_seconds"]) + 2
    memory = int(limits["memory_bytes"])
    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, int(limits["file_bytes"])),
        (resource.RLIMIT_NOFILE, _DESCRIPTORS),
        # Writable private memory. A JVM maps more than it uses, hence four times; the keeper watches resident memory.
        (resource.RLIMIT_DATA, 4 * memory),
    ]
    if plan.count_tasks:
        wanted.append((resource.RLIMIT_NPROC, int(limits["processes"]) * TASKS_PER_PROCESS))
    for which, value in wanted:
        _, hard = resource.getrlimit(which)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))


def _give_up(plan: Plan) -> None:
    """Give up privileges, then files, then system calls: each step needs what the next one takes away."""
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    if plan.uid is not None:
        os.setgroups([])
        os.setresgid(plan.uid, plan.uid, plan.uid)
        os.setresuid(plan.uid, plan.uid, plan.uid)
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of user clears it
    if plan.landlock or plan.seccomp:
        syscalls.drop_capabilities()
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if plan.landlock:
        view.restrict(plan.landlock, _rules(plan))
    if plan.seccomp:
        seccomp.install(filter_for(plan))


def _rules(plan: Plan) -> Iterator[tuple[str | int, int]]:
    """What Landlock lets the agent do: see `view.restrict`."""
    # Without a /proc of its own an agent may read the machine's size, and nothing about other processes.
    proc = ("/proc",) if plan.alone else ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
    for path in {*view.system_paths(), *plan.readable, *proc}:
        yield path, view.READ
    for path in view.DEVICES:
        yield path, view.DEVICE
    yield plan.directory_fd, view.OWN


def filter_for(plan: Plan) -> bytes:
    """The assembled filter. The supervisor calls this before the fork, so that it is in the cache of its children."""
    return _assembled(plan.alone, not plan.cpu_counted, plan.memory_counted)


@functools.lru_cache(maxsize=4)
def _assembled(own_view: bool, keep_sigchld: bool, shared_memory: bool) -> bytes:
    return seccomp.assemble(seccomp.policy(own_view=own_view, keep_sigchld=keep_sigchld, shared_memory=shared_memory))
