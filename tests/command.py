"""The command line in this process, for tests: starting a process often takes longer than the work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from littlego.apps.cli.main import run


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Littlego = Callable[..., Done]


def in_this_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Littlego:
    """A function that runs a command as `littlego.__main__` does."""

    def done(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["littlego", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        captured = capsys.readouterr()
        return Done(int(ended.value.code or 0), captured.out, captured.err)

    return done
