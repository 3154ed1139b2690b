"""From fork to exec: how the agent's first process confines itself before it becomes the agent."""

from __future__ import annotations

import _socket
import contextlib
import errno
import functools
import os
import resource
import signal
import struct
from collections.abc import Callable

from littlego.arena.referee.sandbox import files
from littlego.arena.referee.sandbox.confinement import bpf, landlock, mounts, seccomp, syscalls
from littlego.arena.referee.sandbox.plan import TASKS_PER_PROCESS, Plan

LISTENER, UNWATCHED = b"+", b"-"
"""Sent to the keeper once the agent is confined: with the listener of its filter, or without one."""

_DESCRIPTORS = 512
_SCARCE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)  # the machine lacks something: not its fault


def become_agent(plan: Plan, *, null: int, stderr: int, status: _socket.socket) -> None:
    """Set everything up and execute the agent; does not return.

    `status` is a socket that the exec closes. The listener of the filter is passed through it with `LISTENER`, or
    `UNWATCHED` if there is none; then a message if something fails: `setup ...` for a failure of ours, `exec ...` if
    the agent's program cannot be executed. A plan without a program is a trial: everything but the exec.
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
    status.close()  # before the exit, which may wait for the keeper, and the keeper waits for this
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


def _tell(status: _socket.socket, text: str) -> None:
    with contextlib.suppress(OSError):
        os.write(status.fileno(), text.encode("utf-8", "replace"))


def _confine(plan: Plan, *, null: int, stderr: int, status: _socket.socket) -> None:
    os.setsid()
    for descriptor in plan.cgroup_join:
        os.write(descriptor, b"0")  # zero: the process that writes
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    for descriptor, target in ((null, 0), (null, 1), (stderr, 2)):
        os.dup2(descriptor, target, inheritable=True)
    if plan.alone and not plan.view_made:
        mounts.enter_view(readable=plan.readable, directory=plan.directory, descriptor=plan.directory_fd)
    if plan.alone:
        os.chdir(plan.directory)
    else:
        os.fchdir(plan.directory_fd)
    _limit(plan)
    if syscalls.SUPPORTED:
        _give_up(plan, status)
    if not plan.seccomp:
        os.write(status.fileno(), UNWATCHED)
    os.closerange(3, status.fileno())  # `status` itself closes on exec
    os.closerange(status.fileno() + 1, 8 * _DESCRIPTORS)


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


def _give_up(plan: Plan, status: _socket.socket) -> None:
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
        RULES.prepare(plan).restrict()
    if plan.seccomp:
        _filter(plan, status)


def _filter(plan: Plan, status: _socket.socket) -> None:
    """Filter system calls; the keeper gets the listener, unless a container around us already has one."""
    try:
        listener = seccomp.install(filter_for(plan, watched=True), listen=True)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        seccomp.install(filter_for(plan, watched=False))
        os.write(status.fileno(), UNWATCHED)
    else:
        status.sendmsg([LISTENER], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener))])
    seccomp.install(NO_PASSING_ON)


NO_PASSING_ON = bpf.assemble(seccomp.no_passing_on()) if syscalls.SUPPORTED else b""


class LandlockRules:
    """Landlock rules by work directory, made by the keeper before the fork and kept from move to move.

    Rules apply to files, not paths, so they hold in a mount view of the same files. Each is kept with an open
    descriptor of its directory, so that no other directory can get its inode number, and with it its rules.
    """

    _MOST = 4

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[int, landlock.Ruleset]] = {}

    def prepare(self, plan: Plan) -> landlock.Ruleset:
        found = os.fstat(plan.directory_fd)
        key = (found.st_dev, found.st_ino, *plan.readable)
        if key not in self._made:
            while len(self._made) >= self._MOST:
                descriptor, rules = self._made.pop(next(iter(self._made)))
                os.close(descriptor)
                rules.close()
            self._made[key] = os.dup(plan.directory_fd), _make_rules(plan)
        return self._made[key][1]


RULES = LandlockRules()


def _make_rules(plan: Plan) -> landlock.Ruleset:
    rules = landlock.Ruleset(plan.landlock)
    for path in {*mounts.system_paths(), *plan.readable}:
        rules.allow(path, landlock.READ)
    for path in mounts.DEVICES:
        rules.allow(path, landlock.DEVICE)
    # Without a /proc of its own an agent may read the machine's size, and nothing about other processes.
    for path in ["/proc"] if plan.alone else ["/proc/cpuinfo", "/proc/meminfo", "/proc/stat"]:
        rules.allow(path, landlock.READ)
    rules.allow_beneath(plan.directory_fd, landlock.OWN)
    return rules


def filter_for(plan: Plan, *, watched: bool) -> bytes:
    """The assembled filter. The supervisor calls this before the fork, so that it is in the cache of its children."""
    return _assembled(plan.alone, plan.cpu_source == "wait4", plan.memory_counted, watched, plan.watch_children)


@functools.lru_cache(maxsize=4)
def _assembled(own_view: bool, keep_sigchld: bool, shared_memory: bool, watched: bool, exits: bool) -> bytes:
    return bpf.assemble(
        seccomp.policy(
            own_view=own_view, keep_sigchld=keep_sigchld, shared_memory=shared_memory, watched=watched, exits=exits
        )
    )
