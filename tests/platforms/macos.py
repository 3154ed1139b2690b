"""An imitation of macOS for our own code: without `/proc`, without what only Linux has.

python -m tests.platforms.macos FILE    carries out each line of a file, a command of littlego, in this process
"""

from __future__ import annotations

import os
import sys
from typing import Any

from tests.platforms.imitation import Seen, by_path, carry_out, let_us_see, real_import

NAMES = {
    "os": {
        *("O_PATH", "O_TMPFILE", "copy_file_range", "eventfd", "getrandom", "getresgid", "getresuid", "memfd_create"),
        *("pidfd_open", "pipe2", "posix_fadvise", "posix_fallocate", "sched_getaffinity", "sched_setaffinity", "setns"),
        *("setresgid", "setresuid", "splice", "unshare", "waitid", "P_PIDFD", "sched_setscheduler", "getxattr"),
    },
    "signal": {"pidfd_send_signal", "SIGRTMIN", "SIGSTKFLT", "SIGPOLL", "sigtimedwait", "sigwaitinfo"},
    "select": {"epoll", "EPOLLIN"},
    "socket": {"AF_NETLINK", "AF_PACKET", "AF_VSOCK", "SO_PEERCRED", "SO_PASSCRED", "SCM_CREDENTIALS", "AF_ALG"},
    "resource": {"prlimit", "RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_RTPRIO", "RLIMIT_SIGPENDING"},
    "fcntl": {"F_ADD_SEALS", "F_GETPIPE_SZ", "F_SETPIPE_SZ", "F_NOTIFY"},
    "mmap": {"MAP_POPULATE"},
}


def _sysconf(name: str | int) -> int:
    if name in ("SC_AVPHYS_PAGES",):
        raise ValueError("unrecognized configuration name")
    return os.sysconf(name)


def imitate() -> None:
    """From now on modules of `littlego` that are imported see macOS."""
    paths: dict[str, Any] = {
        name: by_path(getattr(os, name), descriptors=True)
        for name in ("stat", "lstat", "unlink", "listdir", "scandir", "rename", "open", "readlink")
    }
    instead = {"os": {**paths, "sysconf": _sysconf}, "sys": {"platform": "darwin"}}
    let_us_see(
        {name: Seen(real_import(name), NAMES.get(name, set()), instead.get(name, {})) for name in {*NAMES, "sys"}},
        set(),
    )


def main() -> int:
    imitate()
    carry_out()
    return 0


if __name__ == "__main__":
    sys.exit(main())
