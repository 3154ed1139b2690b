"""Run a command as an ordinary user: `python as_user.py COMMAND...`, as root. A program of its own.

The interpreter and this project may lie where that user may not go, such as root's home. They are put into its way, at
the same paths and in a mount namespace of its own, so nothing on the machine changes.
"""

import os
import sys
from pathlib import Path

from littlego.sandbox import syscalls, view

USER = 65534
NEEDED = {Path(sys.base_prefix), Path(sys.prefix), Path(__file__).resolve().parents[2]}


def closed_to_others(path: Path) -> Path | None:
    """The outermost directory on the way to `path` that others may not pass through."""
    return next((each for each in reversed(path.parents) if not each.stat().st_mode & 0o001), None)


def open_the_way() -> None:
    syscalls.call("unshare", syscalls.CLONE_NEWNS)
    syscalls.call("mount", b"none", b"/", None, 16384 | 1 << 18, None)  # MS_REC | MS_PRIVATE
    closed: dict[Path, list[Path]] = {}
    for path in sorted(NEEDED):
        if outermost := closed_to_others(path):
            closed.setdefault(outermost, []).append(path)
    for outermost, paths in closed.items():
        trees = [(path, view.detached(str(path), 0)) for path in paths]
        syscalls.call("mount", b"none", os.fsencode(outermost), b"tmpfs", 0, b"mode=0755")
        for path, tree in trees:
            path.mkdir(parents=True, exist_ok=True)
            view.attach(str(path), tree)


def main() -> None:
    os.chdir("/")
    open_the_way()
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    environment = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    os.execvpe(sys.argv[1], sys.argv[1:], environment)


if __name__ == "__main__":
    main()
