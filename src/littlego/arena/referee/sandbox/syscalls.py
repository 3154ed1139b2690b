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

# name: (x86_64, aarch64), None if the machine never had the call; from the kernel's tables.
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "capset": (126, 91),
    "chmod": (90, None),
    "chown": (92, None),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "close_range": (436, 436),
    "delete_module": (176, 106),
    "exit_group": (231, 94),
    "fanotify_init": (300, 262),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "fcntl": (72, 25),
    "finit_module": (313, 273),
    "fremovexattr": (199, 16),
    "fsconfig": (431, 431),
    "fsetxattr": (190, 7),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "futimesat": (261, None),
    "init_module": (175, 105),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "ioperm": (173, None),
    "iopl": (172, None),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "lchown": (94, None),
    "lookup_dcookie": (212, 18),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "mmap": (9, 222),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "removexattr": (197, 14),
    "request_key": (249, 218),
    "rt_sigaction": (13, 134),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "seccomp": (317, 277),
    "semget": (64, 190),
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "setrlimit": (160, 164),
    "settimeofday": (164, 170),
    "setxattr": (188, 5),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "timer_create": (222, 107),
    "tkill": (200, 130),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
    "vhangup": (153, 58),
    "vmsplice": (278, 75),
}

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
