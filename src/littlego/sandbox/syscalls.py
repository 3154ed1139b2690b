"""System calls that the standard library does not offer, and their numbers.

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

_TABLE = """
accept                     43  202 | ioperm                    173    - | quotactl                  179   60
accept4                   288  242 | iopl                      172    - | quotactl_fd               443  443
acct                      163   89 | ioprio_set                251   30 | reboot                    169  142
add_key                   248  217 | kcmp                      312  272 | removexattr               197   14
adjtimex                  159  171 | kexec_file_load           320  294 | request_key               249  218
bind                       49  200 | kexec_load                246  104 | rt_sigaction               13  134
bpf                       321  280 | keyctl                    250  219 | rt_sigqueueinfo           129  138
capset                    126   91 | kill                       62  129 | rt_tgsigqueueinfo         297  240
chmod                      90    - | landlock_add_rule         445  445 | sched_setaffinity         203  122
chown                      92    - | landlock_create_ruleset   444  444 | sched_setattr             314  274
chroot                    161   51 | landlock_restrict_self    446  446 | sched_setparam            142  118
clock_adjtime             305  266 | lchown                     94    - | sched_setscheduler        144  119
clock_settime             227  112 | listen                     50  201 | seccomp                   317  277
clone                      56  220 | lookup_dcookie            212   18 | semget                     64  190
clone3                    435  435 | lremovexattr              198   15 | sendmmsg                  307  269
close_range               436  436 | lsetxattr                 189    6 | sendmsg                    46  211
connect                    42  203 | memfd_create              319  279 | sendto                     44  206
delete_module             176  106 | memfd_secret              447  447 | setdomainname             171  162
exit_group                231   94 | migrate_pages             256  238 | sethostname               170  161
fanotify_init             300  262 | mmap                        9  222 | setns                     308  268
fchmod                     91   52 | modify_ldt                154    - | setpriority               141  140
fchmodat                  268   53 | mount                     165   40 | setrlimit                 160  164
fchmodat2                 452  452 | mount_setattr             442  442 | settimeofday              164  170
fchown                     93   55 | move_mount                429  429 | setxattr                  188    5
fchownat                  260   54 | move_pages                279  239 | shmget                     29  194
fcntl                      72   25 | mq_open                   240  180 | socket                     41  198
finit_module              313  273 | msgget                     68  186 | socketpair                 53  199
flock                      73   32 | name_to_handle_at         303  264 | swapoff                   168  225
fremovexattr              199   16 | nfsservctl                180   42 | swapon                    167  224
fsconfig                  431  431 | open_by_handle_at         304  265 | syslog                    103  116
fsetxattr                 190    7 | open_tree                 428  428 | tgkill                    234  131
fsmount                   432  432 | perf_event_open           298  241 | timer_create              222  107
fsopen                    430  430 | personality               135   92 | tkill                     200  130
fspick                    433  433 | pidfd_getfd               438  438 | umount2                   166   39
futimesat                 261    - | pidfd_send_signal         424  424 | unshare                   272   97
init_module               175  105 | pivot_root                155   41 | userfaultfd               323  282
inotify_init              253    - | prctl                     157  167 | utime                     132    -
inotify_init1             294   26 | prlimit64                 302  261 | utimensat                 280   88
io_setup                  206    0 | process_madvise           440  440 | utimes                    235    -
io_uring_enter            426  426 | process_mrelease          448  448 | vhangup                   153   58
io_uring_register         427  427 | process_vm_readv          310  270 | vmsplice                  278   75
io_uring_setup            425  425 | process_vm_writev         311  271
ioctl                      16   29 | ptrace                    101  117
"""
NUMBERS = {
    name: (None if x86_64 == "-" else int(x86_64), None if aarch64 == "-" else int(aarch64))
    for name, x86_64, aarch64 in (cell.split() for line in _TABLE.strip().splitlines() for cell in line.split("|"))
}
"""By name: the numbers on x86_64 and aarch64, None if the machine never had the call; from the kernel's tables."""

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
PR_CAPBSET_DROP = 24
PR_TASK_PERF_EVENTS_DISABLE = 31
PR_TASK_PERF_EVENTS_ENABLE = 32
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

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
