"""An imitation of Windows for our own code: what it lacks is gone, and what it has instead is there.

    python -m tests.platforms.windows FILE    carries out each line of a file, a command of littlego, in this process

The standard library and other packages see the real system; modules of `littlego` see the one without `fork`, `fcntl`,
signals that kill, descriptors of directories, and `/proc`. Job objects are not imitated.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import os
import shlex
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
_real_import = builtins.__import__


class Seen(types.ModuleType):
    """A module as `littlego` sees it: without some names, and with others."""

    def __init__(self, real: types.ModuleType, missing: set[str], instead: Mapping[str, Any]) -> None:
        super().__init__(real.__name__)
        object.__setattr__(self, "_seen", (real, missing, instead))

    def __getattribute__(self, name: str) -> Any:
        real, missing, instead = object.__getattribute__(self, "_seen")
        if name in instead:
            return instead[name]
        if name in missing:
            raise AttributeError(f"module {real.__name__!r} has no attribute {name!r} on Windows")
        return getattr(real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        real, _, _ = object.__getattribute__(self, "_seen")
        setattr(real, name, value)


def _by_path(function: Any) -> Any:
    def call(path: Any, *arguments: Any, dir_fd: int | None = None, **options: Any) -> Any:
        if isinstance(path, int) or dir_fd is not None:
            raise NotImplementedError("dir_fd unavailable on this platform")
        if str(path).startswith("/proc"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return function(path, *arguments, **options)

    return call


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
    assert not any(name.startswith("littlego") for name in sys.modules)
    msvcrt = types.ModuleType("msvcrt")
    vars(msvcrt).update(locking=_locking, LK_UNLCK=0, LK_LOCK=1, LK_NBLCK=2)
    paths = {name: _by_path(getattr(os, name)) for name in ("stat", "lstat", "unlink", "listdir", "scandir", "rename")}
    instead = {
        "os": {**paths, "open": _open, "O_BINARY": 0, "O_NOINHERIT": 0, "name": "nt", "supports_dir_fd": set()},
        "signal": {"SIGBREAK": 21, "CTRL_BREAK_EVENT": 1},
        "sys": {"platform": "win32"},
    }
    seen: dict[str, types.ModuleType] = {
        name: Seen(_real_import(name), NAMES.get(name, set()), instead.get(name, {}))
        for name in {*NAMES, "sys"}
    }  # fmt: skip
    subprocess = _real_import("subprocess")

    class Popen(subprocess.Popen):  # type: ignore[name-defined, misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            options.pop("creationflags", 0)
            super().__init__(*arguments, **options)

    flags = {"CREATE_NEW_PROCESS_GROUP": 0x200, "Popen": Popen}
    seen |= {"subprocess": Seen(subprocess, set(), flags), "msvcrt": msvcrt}
    kernel = types.SimpleNamespace(GlobalMemoryStatusEx=lambda _status: 1)
    ctypes = _real_import("ctypes")
    seen["ctypes"] = Seen(ctypes, set(), {"WinDLL": lambda _name: kernel})

    def see(name: str, globals: Mapping[str, object] | None = None, *more: Any, **named: Any) -> types.ModuleType:  # noqa: A002 - Python's own name
        ours = str((globals or {}).get("__name__", "")).startswith("littlego")
        if ours and name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return seen[name] if ours and name in seen else _real_import(name, globals, *more, **named)

    vars(builtins)["__import__"] = see


def main() -> int:
    imitate()
    from tests.command import in_this_process

    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        words, _, typed = line.partition(" < ")
        done = in_this_process(*shlex.split(words), typed=typed.replace("\\n", "\n"))
        last = (done.stdout or done.stderr).strip().rpartition("\n")[2]
        print(f"{done.returncode} {words}: {last if done.returncode == 0 else done.stderr.strip()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
