"""Our own processes: which modules they find, where their temporary files go, and how a group of them ends together.

People work in an agent's directory, which may contain the agent's `random.py`. Python searches the current directory
first when it runs a module (`-m`) or a string (`-c`); none of our processes may, or the agent's code would run with
the rights of whoever ran the command. So every process of ours is started with what this module provides.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

_SAFE_PATH: Final = "PYTHONSAFEPATH"
_OURS: Final = "littlego"
"""Marks the variable as set by us."""


def own_python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module with our Python."""
    return [sys.executable, "-P", "-m", module, *arguments]


def own_environment(*, temporary: Path | None = None) -> dict[str, str]:
    """The environment for such a process; its temporary files go to `temporary`, or to our own temporary directory."""
    return {
        **os.environ,
        _SAFE_PATH: os.environ.get(_SAFE_PATH) or _OURS,
        "TMPDIR": str(temporary or tempfile.gettempdir()),
    }


def stay_out_of_the_current_directory() -> None:
    """From now on import nothing from there, in this process or in any Python that it starts.

    A command calls this first. `multiprocessing` starts its processes with `-c`, and they heed only the variable.
    """
    here = _current_directory()
    package = str(Path(__file__).resolve().parent.parent.parent)
    if here != package:
        sys.path[:] = [path for path in sys.path if path and os.path.realpath(path) != here]
        if others := os.environ.get("PYTHONPATH"):
            kept = [path for path in others.split(os.pathsep) if path and os.path.realpath(path) != here]
            os.environ["PYTHONPATH"] = os.pathsep.join(kept)
    os.environ[_SAFE_PATH] = os.environ.get(_SAFE_PATH) or _OURS


def environment_of_others() -> dict[str, str]:
    """The environment for a user's command, which may be a Python program with modules beside it."""
    return {name: value for name, value in os.environ.items() if (name, value) != (_SAFE_PATH, _OURS)}


def _current_directory() -> str:
    try:
        return str(Path.cwd().resolve())
    except OSError:  # it has been removed
        return ""


if sys.platform == "win32":
    import _thread
    import ctypes

    APART: Final[dict[str, Any]] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    """For `subprocess.Popen`: begin a group of its own."""
    _SYNCHRONIZE, _FOREVER = 0x00100000, 0xFFFFFFFF

    def interrupt_group(leader: int) -> None:
        """Ask a group to end, if it is still there."""
        with contextlib.suppress(OSError):
            os.kill(leader, signal.CTRL_BREAK_EVENT)

    def heed_interruptions() -> None:
        """Let `interrupt_group` raise KeyboardInterrupt in this process."""
        signal.signal(signal.SIGBREAK, signal.default_int_handler)

    def kill_group(leader: int) -> None:
        """End a process and its descendants; those whose parent has ended are not found."""
        words = ["taskkill", "/T", "/F", "/PID", str(leader)]
        subprocess.run(words, capture_output=True, check=False, stdin=subprocess.DEVNULL)

    def interrupt_ourselves() -> None:
        """Raise KeyboardInterrupt in the main thread."""
        _thread.interrupt_main()

    def kill_ourselves() -> None:
        """End this process and what it has started."""
        kill_group(os.getpid())

    def wait_for_end(process: int) -> None:
        """Return when another process has ended."""
        kernel = ctypes.WinDLL("kernel32")
        kernel.OpenProcess.restype = ctypes.c_void_p
        if handle := kernel.OpenProcess(_SYNCHRONIZE, False, process):
            kernel.WaitForSingleObject(ctypes.c_void_p(handle), _FOREVER)

else:
    import select

    APART: Final[dict[str, Any]] = {"start_new_session": True}
    """For `subprocess.Popen`: begin a group of its own."""

    def interrupt_group(leader: int) -> None:
        """Ask a group to end, if it is still there."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGINT)

    def heed_interruptions() -> None:
        """Let `interrupt_group` raise KeyboardInterrupt in this process: SIGINT does."""

    def kill_group(leader: int) -> None:
        """End all processes of a group, if it is still there."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)

    def interrupt_ourselves() -> None:
        """Raise KeyboardInterrupt in the main thread."""
        os.kill(os.getpid(), signal.SIGINT)

    def kill_ourselves() -> None:
        """End this process and, if it leads a group, all of that."""
        if os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)

    def wait_for_end(process: int) -> None:
        """Return when our parent has ended."""
        if sys.platform == "linux" and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                select.select([os.pidfd_open(process)], [], [])
        while os.getppid() == process:
            time.sleep(0.5)
