"""A process of ours and all that it starts, as one: apart from the terminal's Ctrl-C, and ended together."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from typing import Any, Final

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
