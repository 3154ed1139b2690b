"""Which system calls an agent may not make.

The filter refuses a list of calls and allows the rest: agents are Python, C++ and Java of any version, and a list of
what these may need would break some honest program. Landlock and the mount view protect files; the filter covers
what they do not.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from littlego.arena.referee.sandbox.confinement import bpf, syscalls

AUDIT_ARCH = {syscalls.X86_64: 0xC000003E, syscalls.AARCH64: 0xC00000B7}

# These fail with "not permitted".
NOT_PERMITTED = (
    # another process's memory, registers or descriptors
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise", "process_mrelease"),
    # signals to a process which a filter cannot distinguish from the keeper
    "pidfd_send_signal",
    # the network: no socket of any family (socketpair is handled below)
    "socket",
    # system calls that a filter does not see, kernel programs, measuring other processes
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd", "perf_event_open"),
    # memory that outlives the process, or that no resident-memory count sees
    *("shmget", "msgget", "semget", "mq_open", "memfd_create", "memfd_secret", "vmsplice"),
    *("io_setup", "inotify_init", "inotify_init1"),
    *("add_key", "request_key", "keyctl"),
    # other views of the file system, and ways around paths
    *("mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount"),
    *("fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "quotactl", "quotactl_fd"),
    # new namespaces
    *("unshare", "setns"),
    # the machine itself
    *("reboot", "swapon", "swapoff", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
    *("settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "syslog", "acct"),
    *("iopl", "ioperm", "modify_ldt", "personality", "lookup_dcookie", "vhangup", "nfsservctl"),
    *("migrate_pages", "move_pages"),
)

# These seem to succeed and do nothing. A program that lowered its own priority could starve itself on a busy machine,
# and so turn a lost game into a void one; one that only means to be polite must not crash.
IGNORED = ("setpriority", "ioprio_set", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler")

# Calls that send a signal: which argument is the process, and which the signal.
SIGNALS = {"kill": (0, 1), "tkill": (0, 1), "tgkill": (0, 2), "rt_sigqueueinfo": (0, 1), "rt_tgsigqueueinfo": (0, 2)}

# Landlock does not control these, so without a mount view of its own an agent may not use them at all.
METADATA = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
)

_NAMESPACES = (
    syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWCGROUP
    | syscalls.CLONE_NEWUTS
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
)
_X32_BIT = 0x40000000
_AF_UNIX = 1
_SIGKILL, _SIGCHLD = 9, 17
_EXIT_SIGNALS = 0xFF & ~_SIGCHLD  # of clone's flags: a child whose end is announced by SIGKILL would end its parent
_CLONE_FILES, _CLONE_THREAD, _CLOSE_RANGE_UNSHARE = 0x400, 0x10000, 2
_RLIMIT_CPU = 0
_MAP_SHARED, _MAP_ANONYMOUS = 1, 0x20  # MAP_SHARED_VALIDATE is 3, MAP_PRIVATE is 2
_F_SETSIG, _F_SETLEASE, _F_NOTIFY = 10, 1024, 1026
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C

_MODE_FILTER = 1
_NEW_LISTENER = 1 << 3
_REFUSED = [bpf.give(bpf.refuse(errno.EPERM))]


def policy(
    *,
    own_view: bool,
    keep_sigchld: bool,
    shared_memory: bool,
    watched: bool,
    exits: bool = False,
    machine: str = syscalls.MACHINE,
) -> list[bpf.Instruction]:
    """The filter for one agent on `machine`.

    `own_view`: the agent has a mount namespace of its own, so it may change the modes and times of files.
    `keep_sigchld`: refuse every change to SIGCHLD. If a parent ignores SIGCHLD the kernel discards its children's CPU
    time; this keeps the count complete where there is neither a cgroup nor a perf counter.
    `shared_memory`: a cgroup counts memory. Elsewhere shared memory without a name is refused: what a process fills and
    leaves to others is in no resident memory.
    `watched`: calls with which a program can kill itself wait until the keeper has noted them (`selfkill`).
    `exits`: if watched, so do exits of processes.
    """
    refused = NOT_PERMITTED if own_view else NOT_PERMITTED + METADATA
    program = [
        bpf.load(bpf.ARCH),
        *bpf.unless(bpf.JUMP_EQUAL, AUDIT_ARCH[machine], [bpf.give(bpf.KILL_PROCESS)]),
        bpf.load(bpf.NR),
    ]
    if machine == syscalls.X86_64:
        program += bpf.when(bpf.JUMP_AT_LEAST, _X32_BIT, [bpf.give(bpf.KILL_PROCESS)])
    program += bpf.when(bpf.JUMP_GREATER, syscalls.LAST_KNOWN, [bpf.give(bpf.refuse(errno.ENOSYS))])
    for name in refused:
        program += _on_call(name, _REFUSED, machine)
    for name in IGNORED:
        program += _on_call(name, [bpf.give(bpf.refuse(0))], machine)
    # The flags of clone3 are in memory, which a filter cannot read. Without it libraries use clone.
    program += _on_call("clone3", [bpf.give(bpf.refuse(errno.ENOSYS))], machine)
    unwanted = bpf.when(bpf.JUMP_ANY_BIT, _NAMESPACES | _EXIT_SIGNALS, _REFUSED)
    # Threads must share their descriptors, so that looking at one of them is enough.
    apart = bpf.when(bpf.JUMP_ANY_BIT, _CLONE_THREAD, bpf.unless(bpf.JUMP_ANY_BIT, _CLONE_FILES, _REFUSED))
    program += _on_call("clone", _checked(0, [*unwanted, *apart]), machine)
    program += _on_call("close_range", _checked(2, bpf.when(bpf.JUMP_ANY_BIT, _CLOSE_RANGE_UNSHARE, _REFUSED)), machine)
    program += _on_call("socketpair", _checked(0, bpf.unless(bpf.JUMP_EQUAL, _AF_UNIX, _REFUSED)), machine)
    program += _on_call("ioctl", _checked(1, _either(_TIOCSTI, _TIOCLINUX)), machine)
    kept = (syscalls.PR_TASK_PERF_EVENTS_DISABLE, syscalls.PR_TASK_PERF_EVENTS_ENABLE, syscalls.PR_SET_DUMPABLE)
    program += _on_call("prctl", _checked(0, _either(*kept)), machine)
    if not shared_memory:
        shared = bpf.when(bpf.JUMP_ANY_BIT, _MAP_SHARED, _REFUSED)
        program += _on_call("mmap", _checked(3, bpf.when(bpf.JUMP_ANY_BIT, _MAP_ANONYMOUS, shared)), machine)
    if keep_sigchld:
        program += _on_call("rt_sigaction", _checked(0, bpf.when(bpf.JUMP_EQUAL, _SIGCHLD, _not_null(1))), machine)
    if exits and watched:
        program += _on_call("exit_group", [bpf.give(bpf.NOTIFY)], machine)
    return [*program, *_ends_of_itself(watched, machine), bpf.give(bpf.ALLOW)]


def no_passing_on(machine: str = syscalls.MACHINE) -> list[bpf.Instruction]:
    """A second filter, installed after the listener of the first was sent: no more descriptors can be sent.

    A file that was sent and closed is open in no process, and would not be counted. The content of a message is in
    memory, which a filter cannot read, so all such messages are refused; `send` and `write` remain.
    """
    refused = [step for name in ("sendmsg", "sendmmsg") for step in _on_call(name, _REFUSED, machine)]
    return [bpf.load(bpf.NR), *refused, bpf.give(bpf.ALLOW)]


def _ends_of_itself(watched: bool, machine: str) -> list[bpf.Instruction]:
    """Signals, limits and timers: none for the keeper, which notes those that can kill the agent itself."""
    seen = [bpf.give(bpf.NOTIFY if watched else bpf.ALLOW)]
    program: list[bpf.Instruction] = []
    for name, (process, number) in SIGNALS.items():
        keeper = bpf.when(bpf.JUMP_EQUAL, 1, _REFUSED)
        kill = [bpf.load(bpf.argument_low(number)), *bpf.when(bpf.JUMP_EQUAL, _SIGKILL, seen)]
        program += _on_call(name, _checked(process, [*keeper, *kill]), machine)
    own_limits = bpf.unless(bpf.JUMP_EQUAL, 0, _REFUSED)
    cpu_limit = [bpf.load(bpf.argument_low(1)), *bpf.when(bpf.JUMP_EQUAL, _RLIMIT_CPU, _not_null(2, seen))]
    program += _on_call("prlimit64", _checked(0, [*own_limits, *cpu_limit]), machine)
    program += _on_call("setrlimit", _checked(0, bpf.when(bpf.JUMP_EQUAL, _RLIMIT_CPU, seen)), machine)
    program += _on_call("timer_create", seen, machine)
    control = [*bpf.when(bpf.JUMP_EQUAL, _F_SETSIG, seen), *_either(_F_SETLEASE, _F_NOTIFY)]
    return program + _on_call("fcntl", _checked(1, control), machine)


def install(program: bytes, *, listen: bool = False) -> int:
    """Apply the assembled filter to this process and its descendants for ever. Needs no-new-privileges.

    `listen`: returns a descriptor that receives the calls with NOTIFY, which wait for an answer.
    """
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: length u16, padding, pointer to the instructions
    filter_ = ctypes.create_string_buffer(struct.pack("=H6xQ", len(program) // 8, ctypes.addressof(code)), 16)
    return syscalls.call("seccomp", _MODE_FILTER, _NEW_LISTENER if listen else 0, filter_)


def _on_call(name: str, body: list[bpf.Instruction], machine: str) -> list[bpf.Instruction]:
    nr = syscalls.number(name, machine)
    return [] if nr is None else bpf.when(bpf.JUMP_EQUAL, nr, body)


def _checked(argument: int, body: list[bpf.Instruction]) -> list[bpf.Instruction]:
    """`body` with the argument loaded; what it does not refuse is allowed."""
    return [bpf.load(bpf.argument_low(argument)), *body, bpf.give(bpf.ALLOW)]


def _either(*values: int) -> list[bpf.Instruction]:
    return [instruction for value in values for instruction in bpf.when(bpf.JUMP_EQUAL, value, _REFUSED)]


def _not_null(argument: int, then: list[bpf.Instruction] = _REFUSED) -> list[bpf.Instruction]:
    """`then`, unless the pointer is null: reading the current action or limit is harmless."""
    return [
        bpf.load(bpf.argument_low(argument)),
        *bpf.unless(bpf.JUMP_EQUAL, 0, then),
        bpf.load(bpf.argument_high(argument)),
        *bpf.unless(bpf.JUMP_EQUAL, 0, then),
    ]
