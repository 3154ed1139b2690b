"""Which system calls an agent may make, as a program for the kernel's filter.

The filter allows a list of calls (`syscalls.AGENTS`), some of them only in part, and refuses everything else. Landlock
and the mount view protect files; the filter covers what they do not.

A filter is written in classic BPF. An instruction is eight bytes: code u16, jump-if-true u8, jump-if-false u8, constant
u32. Jumps count the instructions to skip and go forward only. The input is `struct seccomp_data`:

    0 nr u32 | 4 arch u32 | 8 instruction pointer u64 | 16 six arguments u64 each, low half first
"""

from __future__ import annotations

import ctypes
import errno
import struct

from littlego.sandbox import syscalls

LOAD_WORD = 0x20
JUMP_EQUAL = 0x15
JUMP_GREATER = 0x25
JUMP_AT_LEAST = 0x35
JUMP_ANY_BIT = 0x45
RETURN = 0x06

NR = 0
ARCH = 4
_ARGUMENTS = 16

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000

Instruction = tuple[int, int, int, int]


def refuse(error: int) -> int:
    """The return value that makes the call fail with `error`, or with 0 seem to succeed, without running it."""
    return _ERRNO | error


def argument_low(index: int) -> int:
    """The offset of the low 32 bits of argument `index` (both supported machines are little-endian)."""
    return _ARGUMENTS + 8 * index


def argument_high(index: int) -> int:
    return argument_low(index) + 4


def load(offset: int) -> Instruction:
    return LOAD_WORD, 0, 0, offset


def give(value: int) -> Instruction:
    return RETURN, 0, 0, value


def unless(code: int, constant: int, body: list[Instruction]) -> list[Instruction]:
    """`body`, skipped if the loaded word satisfies the test `code` with `constant`."""
    return [(code, len(body), 0, constant), *body]


def when(code: int, constant: int, body: list[Instruction]) -> list[Instruction]:
    """`body`, run only if the loaded word satisfies the test `code` with `constant`."""
    return [(code, 0, len(body), constant), *body]


def assemble(program: list[Instruction]) -> bytes:
    """The program in the kernel's format. Raises struct.error for a jump beyond 255 instructions."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


AUDIT_ARCH = {syscalls.X86_64: 0xC000003E, syscalls.AARCH64: 0xC00000B7}

# These seem to succeed and do nothing. A program that lowered its own priority could starve itself on a busy machine,
# and so turn a lost game into a void one; one that only means to be polite must not crash. A lock on a file that all
# may read would be a signal to other games, and so would a file that leaves the page cache. The kernel divides the
# processor among sessions, so a move stays one.
IGNORED = (
    "flock",
    "fadvise64",
    "setsid",
    "setpriority",
    "ioprio_set",
    "sched_setaffinity",
    "sched_setattr",
    "sched_setparam",
    "sched_setscheduler",
)

# Calls that send a signal; their first argument is the process.
SIGNALS = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")

# Landlock does not control these, so without a mount view of its own an agent may not use them at all.
METADATA = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
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
_DATAGRAM_BIT = 2  # SOCK_DGRAM is 2, SOCK_RAW 3, SOCK_STREAM 1, SOCK_SEQPACKET 5
_SIGCHLD = 17
_EXIT_SIGNALS = 0xFF & ~_SIGCHLD  # of clone's flags: a child whose end is announced by SIGKILL would end its parent
_CLONE_FILES, _CLONE_THREAD, _CLOSE_RANGE_UNSHARE = 0x400, 0x10000, 2
_MAP_SHARED, _MAP_ANONYMOUS = 1, 0x20  # MAP_SHARED_VALIDATE is 3, MAP_PRIVATE is 2
_F_SETLEASE, _F_NOTIFY = 1024, 1026
_F_GETLK, _F_OFD_GETLK = 5, 36  # these tell of locks in other games
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15  # a file's signals may go to anyone
_TCGETS, _TIOCGPGRP, _TIOCGWINSZ, _FIONREAD, _FIONBIO = 0x5401, 0x540F, 0x5413, 0x541B, 0x5421
_FIONCLEX, _FIOCLEX = 0x5450, 0x5451
_SO_COOKIE, _SO_NETNS_COOKIE, _SO_PEERPIDFD = 57, 71, 77  # numbers of sockets, supervisors and processes so far
_RWF_NOWAIT = 8  # it fails for a page that nobody has read lately: a signal from game to game
_STATX_MNT_ID_UNIQUE = 0x4000  # it counts all mounts since the system started, and so all moves

_MODE_FILTER = 1
_REFUSED = [give(refuse(errno.EPERM))]


def policy(
    *,
    own_view: bool,
    keep_sigchld: bool,
    shared_memory: bool,
    machine: str = syscalls.MACHINE,
) -> list[Instruction]:
    """The filter for one agent on `machine`.

    `own_view`: the agent has a mount namespace of its own, so it may change the modes and times of files.
    `keep_sigchld`: refuse every change to SIGCHLD. If a parent ignores SIGCHLD the kernel discards its children's CPU
    time; this keeps the count complete where there is no cgroup.
    `shared_memory`: a cgroup counts memory. Elsewhere shared memory without a name is refused: what a process fills and
    leaves to others is in no resident memory.
    """
    program = [
        load(ARCH),
        *unless(JUMP_EQUAL, AUDIT_ARCH[machine], [give(KILL_PROCESS)]),
        load(NR),
    ]
    if machine == syscalls.X86_64:
        program += when(JUMP_AT_LEAST, _X32_BIT, [give(KILL_PROCESS)])
    program += when(JUMP_GREATER, syscalls.LAST_KNOWN, [give(refuse(errno.ENOSYS))])
    for name in () if own_view else METADATA:
        program += _on_call(name, _REFUSED, machine)
    for name in IGNORED:
        program += _on_call(name, [give(refuse(0))], machine)
    # The flags of clone3 are in memory, which a filter cannot read. Without it libraries use clone.
    program += _on_call("clone3", [give(refuse(errno.ENOSYS))], machine)
    unwanted = when(JUMP_ANY_BIT, _NAMESPACES | _EXIT_SIGNALS, _REFUSED)
    # Threads must share their descriptors, so that looking at one of them is enough.
    apart = when(JUMP_ANY_BIT, _CLONE_THREAD, unless(JUMP_ANY_BIT, _CLONE_FILES, _REFUSED))
    program += _on_call("clone", _checked(0, [*unwanted, *apart]), machine)
    program += _on_call("close_range", _checked(2, when(JUMP_ANY_BIT, _CLOSE_RANGE_UNSHARE, _REFUSED)), machine)
    # A datagram can be sent to any address; the ends of a stream or of packets are bound to each other.
    datagram = [load(argument_low(1)), *when(JUMP_ANY_BIT, _DATAGRAM_BIT, _REFUSED)]
    program += _on_call("socketpair", _checked(0, [*unless(JUMP_EQUAL, _AF_UNIX, _REFUSED), *datagram]), machine)
    program += _on_call("sendto", [*_not_null(4), give(ALLOW)], machine)
    controls = (_TCGETS, _TIOCGPGRP, _TIOCGWINSZ, _FIONREAD, _FIONBIO, _FIONCLEX, _FIOCLEX)
    program += _on_call("ioctl", [load(argument_low(1)), *_either(*controls, then=[give(ALLOW)]), *_REFUSED], machine)
    unwanted = _either(syscalls.PR_SET_DUMPABLE, syscalls.PR_SET_SECCOMP, syscalls.PR_SCHED_CORE)
    program += _on_call("prctl", _checked(0, unwanted), machine)
    program += _on_call("getsockopt", _checked(2, _either(_SO_COOKIE, _SO_NETNS_COOKIE, _SO_PEERPIDFD)), machine)
    if not shared_memory:
        shared = when(JUMP_ANY_BIT, _MAP_SHARED, _REFUSED)
        program += _on_call("mmap", _checked(3, when(JUMP_ANY_BIT, _MAP_ANONYMOUS, shared)), machine)
    if keep_sigchld:
        program += _on_call("rt_sigaction", _checked(0, when(JUMP_EQUAL, _SIGCHLD, _not_null(1))), machine)
    for name in SIGNALS:
        program += _on_call(name, _checked(0, when(JUMP_EQUAL, 1, _REFUSED)), machine)  # none for the keeper
    program += _on_call("prlimit64", _checked(0, unless(JUMP_EQUAL, 0, _REFUSED)), machine)
    for name in ("preadv2", "pwritev2"):
        waits = when(JUMP_ANY_BIT, _RWF_NOWAIT, [give(refuse(errno.EOPNOTSUPP))])
        program += _on_call(name, _checked(5, waits), machine)
    program += _on_call("statx", _checked(3, when(JUMP_ANY_BIT, _STATX_MNT_ID_UNIQUE, _REFUSED)), machine)
    control = _either(_F_SETLEASE, _F_NOTIFY, _F_GETLK, _F_OFD_GETLK, _F_SETOWN, _F_SETSIG, _F_SETOWN_EX)
    program += _on_call("fcntl", _checked(1, control), machine)
    for first, last in _runs(machine):
        program += when(JUMP_AT_LEAST, first, unless(JUMP_GREATER, last, [give(ALLOW)]))
    return [*program, *_REFUSED]


def _runs(machine: str) -> list[tuple[int, int]]:
    """The numbers of the calls that agents may make, as runs of consecutive ones."""
    found: list[tuple[int, int]] = []
    for nr in sorted(nr for name in syscalls.AGENTS if (nr := syscalls.number(name, machine)) is not None):
        if found and found[-1][1] == nr - 1:
            found[-1] = found[-1][0], nr
        else:
            found.append((nr, nr))
    return found


def install(program: bytes) -> None:
    """Apply the assembled filter to this process and its descendants for ever. Needs no-new-privileges."""
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: length u16, padding, pointer to the instructions
    filter_ = ctypes.create_string_buffer(struct.pack("=H6xQ", len(program) // 8, ctypes.addressof(code)), 16)
    syscalls.call("seccomp", _MODE_FILTER, 0, filter_)


def _on_call(name: str, body: list[Instruction], machine: str) -> list[Instruction]:
    nr = syscalls.number(name, machine)
    return [] if nr is None else when(JUMP_EQUAL, nr, body)


def _checked(argument: int, body: list[Instruction]) -> list[Instruction]:
    """`body` with the argument loaded; what it does not refuse is allowed."""
    return [load(argument_low(argument)), *body, give(ALLOW)]


def _either(*values: int, then: list[Instruction] = _REFUSED) -> list[Instruction]:
    return [instruction for value in values for instruction in when(JUMP_EQUAL, value, then)]


def _not_null(argument: int, then: list[Instruction] = _REFUSED) -> list[Instruction]:
    """`then`, unless the pointer is null: reading the current action or limit is harmless."""
    return [
        load(argument_low(argument)),
        *unless(JUMP_EQUAL, 0, then),
        load(argument_high(argument)),
        *unless(JUMP_EQUAL, 0, then),
    ]
