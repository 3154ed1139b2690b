"""The command line in this process, for tests: starting a process often takes longer than the work."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from littlego.apps.cli.main import run


def in_this_process(
    *arguments: str, cwd: Path | None = None, typed: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What the command prints in this process: one of its own would import everything again, for half a second.

    `typed` is all that it can read, and `environment` is added to ours.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        if cwd is not None:
            patch.chdir(cwd)
        for name, value in (environment or {}).items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["littlego", *arguments])
        patch.setattr(sys, "path", [*sys.path])
        patch.setattr(sys, "unraisablehook", sys.unraisablehook)
        patch.setattr(sys, "stdin", io.StringIO(typed))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            run()
    status = ended.value.code or 0
    assert isinstance(status, int)
    printed = (stream.buffer.getvalue().decode() for stream in (out, err))
    return subprocess.CompletedProcess(arguments, status, *printed)
