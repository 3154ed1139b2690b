"""An imitation of Windows for our own code: what it lacks is gone, and what it has instead is there.

    python -m tests.platforms.windows FILE    carries out each line of a file, a command of littlego, in this process

Modules of `littlego` see the one without `fork`, `fcntl`,
signals that kill, descriptors of directories, and `/proc`. Job objects are not imitated.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import types
from pathlib import Path
from typing import Any

from tests.platforms.imitation import Seen, by_path, carry_out, let_us_see, real_import

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": {
        *("fork", "forkpty", "getuid", "geteuid", "getgid", "getegid", "getpgid", "getsid", "killpg", "mkfifo"),
        *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH", "fchmod", "fchown", "chown", "fchdir"),
        *("pidfd_open", "posix_spawn", "pread", "sched_getaffinity", "set_blocking", "setsid", "statvfs", "sysconf"),
        *("uname", "wait4", "waitid", "WNOHANG", "getpriority", "setpriority", "getresuid", "initgroups"),
    },
    "signal": {"SIGKILL", "SIGCHLD", "SIGHUP", "SIGPROF", "SIGXFSZ", "SIGPIPE", "setitimer", "ITIMER_PROF", "alarm"},
    "select": {"poll", "epoll", "POLLIN", "POLLHUP"},
    "socket": {"AF_UNIX"},
}


def _open(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    if dir_fd is not None:
        raise NotImplementedError("dir_fd unavailable on this platform")
    if Path(path).is_dir():
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return os.open(path, flags, mode)


def _locking(file: int, mode: int, size: int) -> None:
    fcntl.lockf(file, fcntl.LOCK_UN if mode == 0 else fcntl.LOCK_EX | fcntl.LOCK_NB, size, os.lseek(file, 0, 1))


def imitate() -> None:
    """From now on modules of `littlego` that are imported see Windows."""
    msvcrt = types.ModuleType("msvcrt")
    vars(msvcrt).update(locking=_locking, LK_UNLCK=0, LK_LOCK=1, LK_NBLCK=2)
    paths = {name: by_path(getattr(os, name)) for name in ("stat", "lstat", "unlink", "listdir", "scandir", "rename")}
    instead = {
        "os": {**paths, "open": _open, "O_BINARY": 0, "O_NOINHERIT": 0, "name": "nt", "supports_dir_fd": set()},
        "signal": {"SIGBREAK": 21, "CTRL_BREAK_EVENT": 1},
        "sys": {"platform": "win32"},
    }
    seen: dict[str, types.ModuleType] = {
        name: Seen(real_import(name), NAMES.get(name, set()), instead.get(name, {}))
        for name in {*NAMES, "sys"}
    }  # fmt: skip
    subprocess = real_import("subprocess")

    class Popen(subprocess.Popen):  # type: ignore[name-defined, misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            options.pop("creationflags", 0)
            super().__init__(*arguments, **options)

    flags = {"CREATE_NEW_PROCESS_GROUP": 0x200, "Popen": Popen}
    seen |= {"subprocess": Seen(subprocess, set(), flags), "msvcrt": msvcrt}
    kernel = types.SimpleNamespace(GlobalMemoryStatusEx=lambda _status: 1)
    ctypes = real_import("ctypes")
    seen["ctypes"] = Seen(ctypes, set(), {"WinDLL": lambda _name: kernel})

    let_us_see(seen, MODULES)


def main() -> int:
    imitate()
    carry_out()
    return 0


if __name__ == "__main__":
    sys.exit(main())
