"""Two processes that watch each other: the guard, which the referee started, and the server, which runs the moves.

The server runs one move after the other: it prepares the directory, keeps the agent, and judges what it did wrong.
Where possible it is the first process of its namespaces, so that its end ends every agent. Elsewhere an agent could
outlive a killed server, and then the guard, which inherits all orphans, ends it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import zlib

from littlego.sandbox import cgroups, files, keeper, machine, syscalls, view, watch
from littlego.sandbox.limits import Level, Limits
from littlego.sandbox.plan import TASKS_PER_PROCESS, Message, Plan, Report, Void, judged, receive, send

_STOOD = "+"
_ROOM = 1 << 20  # bytes that a disk has left which is not full


class Server:
    """Runs moves at one level. Make it in the process that answers.

    `alive` are descriptors that become readable when nobody waits for an answer any more; `maker` is the supervisor's
    process number outside of namespaces.
    """

    def __init__(self, here: machine.Machine, level: Level, *, alive: list[int], maker: int) -> None:
        self._machine = here
        self._level = level
        self._alive = alive
        self._maker = maker
        self._alone = here.alone(level)
        self._current: Plan | None = None
        keeper.settle(confine=level >= Level.LINUX)
        if level >= Level.LINUX:
            view.system_paths()

    def greeting(self) -> Message:
        return {"mechanisms": self._machine.mechanisms(self._level), "level": self._level}

    def trial(self) -> str:
        """Play a move without a program: everything but the exec. Returns why that failed, or ""."""
        with tempfile.TemporaryDirectory(prefix="littlego-trial-") as directory:
            request = {"argv": [], "environment": {}, "directory": directory, "input": "1", "readable": []}
            reply = self.answer(request | {"limits": Limits().as_dict()})
        return str(reply["failed"] if "failed" in reply else reply["message"])

    def answer(self, request: Message) -> Message:
        """Run one move. A reply with `failed` means that it was not played (`is_ours`: see Void). Raises Abandoned."""
        self._current = None
        try:
            return self._move(request)
        except Void as void:
            return {"failed": str(void), "is_ours": void.is_ours}
        except (OSError, ValueError) as error:
            began = self._current is not None and self._current.began
            return {"failed": f"{type(error).__name__}: {error}", "is_ours": not began}

    def _move(self, request: Message) -> Message:
        directory: str = os.path.realpath(request["directory"])
        with contextlib.ExitStack() as closing:
            kept = files.open_directory(directory)
            closing.callback(os.close, kept)
            plan = self._current = self._plan(request, directory, kept)
            try:
                files.prepare(kept, request["input"].encode("latin-1"))
            except files.TooMuch as much:
                return judge(plan, Report(stopped="memory", reason=str(much)))
            bounds = {"files": int(plan.limits["directory_files"]), "size": int(plan.limits["directory_bytes"])}
            if self._alone:
                work = closing.enter_context(view.fixed_size(directory, **bounds, owner=plan.uid))
                try:
                    plan.kept_bytes = files.copy(kept, work, **bounds, owner=plan.uid)
                except files.TooMuch as much:
                    return judge(plan, Report(stopped="memory", reason=str(much)))
                plan.directory_fd, plan.kept_fd = work, kept
            else:
                with contextlib.suppress(files.TooMuch):  # which is said after the move
                    plan.kept_bytes = files.measure(kept, **bounds)
            report = self._run(plan)
            if report.failed:
                raise Void(report.failed, is_ours=report.is_ours)
            # Nothing of an agent can move or remove its directory, so someone else did, such as a cleaner of temporary
            # files. That must not cost the agent its game.
            if plan.landlock and not files.is_still(directory, plan.directory_fd):
                raise Void(f"{directory} was taken away from outside")
            return judge(plan, report)

    def _plan(self, request: Message, directory: str, descriptor: int) -> Plan:
        level = self._level
        uid = None
        if level == Level.ROOT:
            found = os.fstat(descriptor)
            first, count = machine.USERS
            uid = first + zlib.crc32(f"{found.st_dev}:{found.st_ino}".encode()) % count
        return Plan(
            argv=request["argv"],
            environment=request["environment"],
            directory=directory,
            readable=request["readable"],
            limits=request["limits"],
            directory_fd=descriptor,
            alive=self._alive,
            landlock=self._machine.landlock if level >= Level.LINUX else 0,
            seccomp=level >= Level.LINUX,
            alone=self._alone,
            # Root is not counted; a user is, but without its other processes only in a user namespace of ours.
            count_tasks=uid is not None or (self._alone and not self._machine.root),
            uid=uid,
        )

    def _run(self, plan: Plan) -> Report:
        if not self._machine.cgroup:
            return keeper.keep(plan)
        with cgroups.MoveGroup(
            maker=self._maker,
            memory=int(plan.limits["memory_bytes"]),
            tasks=int(plan.limits["processes"]) * TASKS_PER_PROCESS,
            # RLIMIT_NPROC does not count root's processes, and a fork bomb of them is faster than any watcher.
            wanted=frozenset(self._machine.cgroup) if self._level == Level.ROOT else frozenset({"pids"}),
        ) as plan.cgroup:
            return keeper.keep(plan)


def judge(plan: Plan, report: Report) -> Message:
    """The reply for one move, whose files are kept for the next one.

    Raises Void as `judged` does, and for a disk of ours that is full; then nothing is kept.
    """
    if not files.is_still(plan.directory, plan.directory_fd):
        report.stop("crash", "it moved or replaced its work directory")
    reply = judged(report, plan.limits, lambda most: files.read_output(plan.directory_fd, most))
    if (much := _keep_files(plan)) and not report.stopped:
        reply |= {"fault": "memory", "message": much, "output": None}
    return reply


def _keep_files(plan: Plan) -> str:
    """Keep the work directory's files for the next move. Returns what there is too much of, or "". Raises Void."""
    bounds = {"files": int(plan.limits["directory_files"]), "size": int(plan.limits["directory_bytes"])}
    failure = None
    try:
        try:
            if plan.kept_fd < 0:
                files.measure(plan.directory_fd, **bounds)
            else:
                files.copy(plan.directory_fd, plan.kept_fd, **bounds)
        except OSError as error:
            failure = error
        disk = os.statvfs(plan.directory_fd if plan.kept_fd < 0 else plan.kept_fd)
        is_full = failure is not None or disk.f_bavail * disk.f_frsize < _ROOM
        # Was it this move that filled our disk, or our quota? Else a losing agent could have its game played for ever.
        if is_full and files.measure(plan.directory_fd, **bounds) - plan.kept_bytes >= _ROOM:
            return "its files fill the disk of this machine"
    except files.TooMuch as much:  # of a full disk, too, whose failure may have come first
        return str(much)
    if failure:
        raise Void(f"its files could not be kept: {failure.strerror}") from failure
    return ""


def probe(here: machine.Machine) -> dict[str, object]:
    """What this machine can do, as plain values: which levels passed the trial, and why the others did not."""
    refused = {level: here.why_not(level) or serve(here, level, None) for level in Level}
    offered = [level for level in refused if not refused[level]]
    return {
        "levels": offered,
        "refused": {level: why for level, why in refused.items() if why},
        "mechanisms": {level: here.mechanisms(level) for level in offered},
    }


def serve(here: machine.Machine, level: Level, control: int | None) -> str:
    """Play a trial, then answer requests over `control`, if any, until the other end closes it.

    Returns "", or why the level failed its trial `TRIALS` times; then nothing was sent. No process is left afterwards.
    """
    why = "no trial"
    for _ in range(machine.TRIALS):
        if not (why := _serve_if_it_stands(here, level, control)):
            break
    return why


def _serve_if_it_stands(here: machine.Machine, level: Level, control: int | None) -> str:
    alive = _pidfd(os.getppid())
    ours, guards = os.pipe()  # never written to: it ends when the guard does
    trial_read, trial_write = os.pipe()
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # ignored since an earlier trial, and then by agents as well
    if here.cgroup:
        cgroups.sweep()
    maker = os.getpid()
    alone = here.alone(level)
    try:
        pid = machine.fork_into_namespaces() if alone else os.fork()
        if pid == 0:
            os.close(guards)
            os.close(trial_read)
            if alone:
                syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
            known = [ours, *alive] if control is None else [control, ours, *alive]
            _serve(Server(here, level, alive=known, maker=maker), trial_write, control)
    except Exception as error:
        if os.getpid() == maker:
            return f"{type(error).__name__}: {error}"
        os.write(trial_write, f"{type(error).__name__}: {error}".encode())
    finally:
        if os.getpid() != maker:
            os._exit(0)
        os.close(trial_write)
    with os.fdopen(trial_read, "rb") as file:
        why = file.read().decode("utf-8", "replace")
    if control is not None and why == _STOOD:
        os.close(control)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGKILL))  # a server that is stuck, or was stopped
    os.waitpid(pid, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _end_orphans()
    if here.cgroup:
        cgroups.sweep(also=maker)
    for descriptor in (ours, guards, *alive):
        os.close(descriptor)
    return "" if why == _STOOD else why or "the trial was killed"


def _serve(server: Server, trial: int, control: int | None) -> None:
    """The server's process: the trial first, then one move after the other, if there is a `control`."""
    with contextlib.suppress(keeper.Abandoned, BrokenPipeError):
        why = server.trial()
        os.write(trial, (why or _STOOD).encode())
        os.close(trial)
        if control is not None and not why:
            _answer(server, control)


def _answer(server: Server, control: int) -> None:
    send(control, server.greeting())
    while (request := receive(control)) is not None:
        send(control, server.answer(request))


def _end_orphans() -> None:
    tree = watch.Tree(alone=False)
    with contextlib.suppress(ChildProcessError):
        while True:
            tree.kill()
            os.waitpid(-1, 0)


def _pidfd(pid: int) -> list[int]:
    """A descriptor that becomes readable when the process ends; empty where the system has no such thing."""
    try:
        return [os.pidfd_open(pid)]
    except (AttributeError, OSError):
        return []
