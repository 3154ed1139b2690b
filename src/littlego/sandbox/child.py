"""From fork to exec: how the agent's first process confines itself before it becomes the agent."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import resource
import signal
from collections.abc import Callable

from littlego.sandbox import files, seccomp, syscalls, view
from littlego.sandbox.plan import TASKS_PER_PROCESS, Plan

CONFINED = b"+"
"""Sent to the keeper once the agent is confined."""

_DESCRIPTORS = 512
_SCARCE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)  # the machine lacks something: not its fault


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
    for descriptor in plan.cgroup_join:
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
        _make_rules(plan).restrict()
    if plan.seccomp:
        seccomp.install(filter_for(plan))


def _make_rules(plan: Plan) -> view.Ruleset:
    rules = view.Ruleset(plan.landlock)
    for path in {*view.system_paths(), *plan.readable}:
        rules.allow(path, view.READ)
    for path in view.DEVICES:
        rules.allow(path, view.DEVICE)
    # Without a /proc of its own an agent may read the machine's size, and nothing about other processes.
    for path in ["/proc"] if plan.alone else ["/proc/cpuinfo", "/proc/meminfo", "/proc/stat"]:
        rules.allow(path, view.READ)
    rules.allow_beneath(plan.directory_fd, view.OWN)
    return rules


def filter_for(plan: Plan) -> bytes:
    """The assembled filter. The supervisor calls this before the fork, so that it is in the cache of its children."""
    return _assembled(plan.alone, plan.cpu_source == "wait4", plan.memory_counted)


@functools.lru_cache(maxsize=4)
def _assembled(own_view: bool, keep_sigchld: bool, shared_memory: bool) -> bytes:
    return seccomp.assemble(seccomp.policy(own_view=own_view, keep_sigchld=keep_sigchld, shared_memory=shared_memory))
