"""System calls that the standard library does not offer, and their numbers.

`PyDLL` keeps the interpreter lock during the call, so that a raw `clone` returns in the child with the lock held, as
`os.fork` does. That is safe only because the supervisor has a single thread.
"""

from __future__ import annotations

import ctypes
import os
import sys

LINUX = sys.platform == "linux"
MACHINE = os.uname().machine

X86_64 = "x86_64"
AARCH64 = "aarch64"
SUPPORTED = LINUX and MACHINE in (X86_64, AARCH64)

_TABLE = """
acct                      163   89 | ioprio_set                251   30 | quotactl                  179   60
add_key                   248  217 | kcmp                      312  272 | quotactl_fd               443  443
adjtimex                  159  171 | kexec_file_load           320  294 | reboot                    169  142
bpf                       321  280 | kexec_load                246  104 | removexattr               197   14
capset                    126   91 | keyctl                    250  219 | request_key               249  218
chmod                      90    - | kill                       62  129 | rt_sigaction               13  134
chown                      92    - | landlock_add_rule         445  445 | rt_sigqueueinfo           129  138
chroot                    161   51 | landlock_create_ruleset   444  444 | rt_tgsigqueueinfo         297  240
clock_adjtime             305  266 | landlock_restrict_self    446  446 | sched_setaffinity         203  122
clock_settime             227  112 | lchown                     94    - | sched_setattr             314  274
clone                      56  220 | lookup_dcookie            212   18 | sched_setparam            142  118
clone3                    435  435 | lremovexattr              198   15 | sched_setscheduler        144  119
close_range               436  436 | lsetxattr                 189    6 | seccomp                   317  277
delete_module             176  106 | memfd_create              319  279 | semget                     64  190
exit_group                231   94 | memfd_secret              447  447 | sendmmsg                  307  269
fanotify_init             300  262 | migrate_pages             256  238 | sendmsg                    46  211
fchmod                     91   52 | mmap                        9  222 | setdomainname             171  162
fchmodat                  268   53 | modify_ldt                154    - | sethostname               170  161
fchmodat2                 452  452 | mount                     165   40 | setns                     308  268
fchown                     93   55 | mount_setattr             442  442 | setpriority               141  140
fchownat                  260   54 | move_mount                429  429 | setrlimit                 160  164
fcntl                      72   25 | move_pages                279  239 | settimeofday              164  170
finit_module              313  273 | mq_open                   240  180 | setxattr                  188    5
fremovexattr              199   16 | msgget                     68  186 | shmget                     29  194
fsconfig                  431  431 | name_to_handle_at         303  264 | socket                     41  198
fsetxattr                 190    7 | nfsservctl                180   42 | socketpair                 53  199
fsmount                   432  432 | open_by_handle_at         304  265 | swapoff                   168  225
fsopen                    430  430 | open_tree                 428  428 | swapon                    167  224
fspick                    433  433 | perf_event_open           298  241 | syslog                    103  116
futimesat                 261    - | personality               135   92 | tgkill                    234  131
init_module               175  105 | pidfd_getfd               438  438 | timer_create              222  107
inotify_init              253    - | pidfd_send_signal         424  424 | tkill                     200  130
inotify_init1             294   26 | pivot_root                155   41 | umount2                   166   39
io_setup                  206    0 | prctl                     157  167 | unshare                   272   97
io_uring_enter            426  426 | prlimit64                 302  261 | userfaultfd               323  282
io_uring_register         427  427 | process_madvise           440  440 | utime                     132    -
io_uring_setup            425  425 | process_mrelease          448  448 | utimensat                 280   88
ioctl                      16   29 | process_vm_readv          310  270 | utimes                    235    -
ioperm                    173    - | process_vm_writev         311  271 | vhangup                   153   58
iopl                      172    - | ptrace                    101  117 | vmsplice                  278   75
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
    call("prctl", option, value, 0, 0, 0)


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
