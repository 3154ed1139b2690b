"""Level 2: bubblewrap makes the namespaces and the file system view, and starts the keeper as their first process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from littlego.arena.referee.sandbox.confinement import mounts

_REFEREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def find() -> str:
    """The version of bubblewrap, empty if it does not work here."""
    program = shutil.which("bwrap")
    if not program:
        return ""
    try:
        test = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--", program, "--version"]
        done = subprocess.run(test, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.split()[-1] if done.returncode == 0 and done.stdout else ""


def command(*, readable: list[str], directory: str, plan_fd: int, report_fd: int) -> list[str]:
    """The command line that starts a keeper, which reads its plan from one descriptor and reports to the other."""
    words = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent", "--new-session"]
    ours = [sys.base_prefix, sys.base_exec_prefix, os.path.dirname(os.path.realpath(sys.executable)), _REFEREE]
    for path in mounts.outermost({*mounts.system_paths(), *readable, *ours}):
        if os.path.islink(path) and os.path.dirname(path) == "/":
            words += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            words += ["--ro-bind", path, path]
    for path in mounts.DEVICES:
        words += ["--dev-bind", path, path]
    words += ["--proc", "/proc", "--bind", directory, directory, "--chdir", directory, "--remount-ro", "/"]
    program = ["-I", "-S", os.path.join(_REFEREE, "supervisor.py"), "keep", str(plan_fd), str(report_fd)]
    return [*words, "--", os.path.realpath(sys.executable), *program]
