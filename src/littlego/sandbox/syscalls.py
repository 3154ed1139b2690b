"""System calls: the list of what an agent may make, their numbers, and calls that the standard library lacks.

`PyDLL` keeps the interpreter lock during the call, so that a raw `clone` returns in the child with the lock held, as
`os.fork` does. That is safe only because the supervisor has a single thread.
"""

from __future__ import annotations

import ctypes
import os
import sys

MACHINE = os.uname().machine

X86_64 = "x86_64"
AARCH64 = "aarch64"
SUPPORTED = MACHINE in (X86_64, AARCH64)
"""Whether the numbers of system calls are known, and so anything above the portable level is possible."""

_AGENTS = """
access           21   - | getpid        39 172 | restart_syscall        219 128
alarm            37   - | getppid      110 173 | rmdir                   84   -
arch_prctl      158   - | getpriority  140 141 | rseq                   334 293
brk              12 214 | getrandom    318 278 | rt_sigaction            13 134
capget          125  90 | getresgid    120 150 | rt_sigpending          127 136
chdir            80  49 | getresuid    118 148 | rt_sigprocmask          14 135
chmod            90   - | getrlimit     97 163 | rt_sigqueueinfo        129 138
chown            92   - | getrusage     98 165 | rt_sigreturn            15 139
clock_getres    229 114 | getsid       124 156 | rt_sigsuspend          130 133
clock_gettime   228 113 | getsockname   51 204 | rt_sigtimedwait        128 137
clock_nanosleep 230 115 | getsockopt    55 209 | rt_tgsigqueueinfo      297 240
clone            56 220 | gettid       186 178 | sched_get_priority_max 146 125
clone3          435 435 | gettimeofday  96 169 | sched_get_priority_min 147 126
close             3  57 | getuid       102 174 | sched_getaffinity      204 123
close_range     436 436 | getxattr     191   8 | sched_getattr          315 275
copy_file_range 326 285 | ioctl         16  29 | sched_getparam         143 121
creat            85   - | ioprio_get   252  31 | sched_getscheduler     145 120
dup              32  23 | kill          62 129 | sched_rr_get_interval  148 127
dup2             33   - | lchown        94   - | sched_yield             24 124
dup3            292  24 | lgetxattr    192   9 | select                  23   -
epoll_create    213   - | link          86   - | sendfile                40  71
epoll_create1   291  20 | linkat       265  37 | sendto                  44 206
epoll_ctl       233  21 | listxattr    194  11 | set_robust_list        273  99
epoll_pwait     281  22 | llistxattr   195  12 | set_tid_address        218  96
epoll_wait      232   - | lseek          8  62 | setitimer               38 103
eventfd         284   - | lstat          6   - | setpgid                109 154
eventfd2        290  19 | madvise       28 233 | setrlimit              160 164
execve           59 221 | membarrier   324 283 | shutdown                48 210
exit             60  93 | mkdir         83   - | sigaltstack            131 132
exit_group      231  94 | mkdirat      258  34 | signalfd4              289  74
faccessat       269  48 | mknod        133   - | socketpair              53 199
faccessat2      439 439 | mknodat      259  33 | stat                     4   -
fallocate       285  47 | mmap           9 222 | statfs                 137  43
fchdir           81  50 | mprotect      10 226 | statx                  332 291
fchmod           91  52 | mremap        25 216 | symlink                 88   -
fchmodat        268  53 | msync         26 227 | symlinkat              266  36
fchmodat2       452 452 | munmap        11 215 | sysinfo                 99 179
fchown           93  55 | nanosleep     35 101 | tgkill                 234 131
fchownat        260  54 | newfstatat   262  79 | time                   201   -
fcntl            72  25 | open           2   - | timer_create           222 107
fdatasync        75  83 | openat       257  56 | timer_delete           226 111
fgetxattr       193  10 | pause         34   - | timer_getoverrun       225 109
flistxattr      196  13 | pipe          22   - | timer_gettime          224 108
fork             57   - | pipe2        293  59 | timer_settime          223 110
fstat             5  80 | poll           7   - | timerfd_create         283  85
fstatfs         138  44 | ppoll        271  73 | timerfd_gettime        287  87
fsync            74  82 | prctl        157 167 | timerfd_settime        286  86
ftruncate        77  46 | pread64       17  67 | times                  100 153
futex           202  98 | preadv       295  69 | tkill                  200 130
futimesat       261   - | preadv2      327 286 | truncate                76  45
get_mempolicy   239 236 | prlimit64    302 261 | umask                   95 166
get_robust_list 274 100 | pselect6     270  72 | uname                   63 160
getcpu          309 168 | pwrite64      18  68 | unlink                  87   -
getcwd           79  17 | pwritev      296  70 | unlinkat               263  35
getdents         78   - | pwritev2     328 287 | utime                  132   -
getdents64      217  61 | read           0  63 | utimensat              280  88
getegid         108 177 | readlink      89   - | utimes                 235   -
geteuid         107 175 | readlinkat   267  78 | vfork                   58   -
getgid          104 176 | readv         19  65 | wait4                   61 260
getgroups       115 158 | recvfrom      45 207 | waitid                 247  95
getitimer        36 102 | recvmsg       47 212 | write                    1  64
getpeername      52 205 | rename        82   - | writev                  20  66
getpgid         121 155 | renameat     264  38
getpgrp         111   - | renameat2    316 276
"""
_OURS = """
capset                  126  91 | mount_setattr     442 442 | sched_setscheduler 144 119
fadvise64               221 223 | move_mount        429 429 | seccomp            317 277
flock                    73  32 | open_tree         428 428 | sethostname        170 161
ioprio_set              251  30 | setns              308 268
landlock_add_rule       445 445 | pivot_root        155  41 | setpriority        141 140
landlock_create_ruleset 444 444 | sched_setaffinity 203 122 | setsid             112 157
landlock_restrict_self  446 446 | sched_setattr     314 274 | umount2            166  39
mount                   165  40 | sched_setparam    142 118 | unshare            272  97
"""


def _numbers(table: str) -> dict[str, tuple[int | None, int | None]]:
    cells = (cell.split() for line in table.strip().splitlines() for cell in line.split("|"))
    return {
        name: (None if x86_64 == "-" else int(x86_64), None if arm == "-" else int(arm)) for name, x86_64, arm in cells
    }


AGENTS = _numbers(_AGENTS)
"""What an agent may call, some of it only in part (`seccomp`): found by running agents in every language.

By name: the numbers on x86_64 and aarch64, None if the machine never had the call; from the kernel's tables.
"""
NUMBERS = AGENTS | _numbers(_OURS)
"""The same with what only this package calls, and what is pretended."""

# The last call of Linux 6.10 (mseal). Agents may not make newer ones, which this code does not know.
LAST_KNOWN = 462

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
"""Filters of a program's own are memory that is counted for nobody, of which the machine has little."""
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_SCHED_CORE = 62
"""With a group of its own a program keeps all others from the other half of its core."""

_libc = ctypes.PyDLL(None, use_errno=True)


def number(name: str, machine: str = MACHINE) -> int | None:
    """The number of the call on `machine`, None if it has none."""
    return NUMBERS[name][0 if machine == X86_64 else 1]


def call(name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make one system call. Raises OSError with the call's name.

    Integers are passed as machine words, bytes and buffers as pointers, None as a null pointer.
    """
    nr = number(name)
    if nr is None:
        raise OSError(38, f"{name}: no such call on {MACHINE}")
    words = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) if a is None else a for a in arguments]
    result: int = _libc.syscall(ctypes.c_long(nr), *words)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, value: int = 0) -> None:
    """Works on every machine, as the numbers of calls do not. Raises OSError."""
    if _libc.prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0))) < 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def clone(flags: int) -> int:
    """Like `os.fork`, into new namespaces: `flags` are `CLONE_NEW*`."""
    sigchld = 17
    return call("clone", flags | sigchld, 0, 0, 0, 0)


def empty_bounding_set() -> None:
    """Ensure that no exec, as root or of a set-uid program, gains a capability. Keeps those we have."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # beyond the last capability, or not permitted to drop any


def drop_capabilities() -> None:
    version_3, ourselves = 0x20080522, 0
    header = ctypes.create_string_buffer(version_3.to_bytes(4, sys.byteorder) + ourselves.to_bytes(4, sys.byteorder), 8)
    call("capset", header, ctypes.create_string_buffer(24))
