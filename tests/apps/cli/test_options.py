"""Shell completion: the protocol that the scripts of bash, zsh and fish speak, and bash itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LITTLEGO = Path(sys.executable).with_name("littlego")


def run(command: list[str], cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PATH": f"{LITTLEGO.parent}:{os.environ['PATH']}", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def offered(shell: str, line: str, cwd: Path) -> str:
    """What a shell is offered after Tab at the end of a line."""
    asked = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }
    return run([str(LITTLEGO)], cwd, _LITTLEGO_COMPLETE=f"complete_{shell}", **asked[shell])


CASES = [
    ("littlego play gr", ["greedy"], ["random"]),
    ("littlego tour", ["tournament"], ["train"]),
]


@pytest.mark.process
@pytest.mark.parametrize(
    ("shell", "line", "words", "others"),
    [(shell, *case) for shell in ("bash", "zsh", "fish") for case in CASES],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_words_are_offered(shell: str, line: str, words: list[str], others: list[str], tmp_path: Path) -> None:
    offers = offered(shell, line, tmp_path)
    for word in words:
        assert word in offers, offers
    for word in others:
        assert word not in offers, offers


@pytest.mark.process
def test_bash_itself_completes(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash, "the course's build.sh needs bash too"
    # The last command keeps bash from becoming littlego, which looks at the shell that started it.
    script = tmp_path / "completion.bash"
    script.write_text(run([bash, "-c", "littlego --show-completion; true"], tmp_path))
    line = "source completion.bash; COMP_WORDS=(littlego play gre); COMP_CWORD=2; _littlego_completion littlego"
    assert run([bash, "-c", f'{line}; echo "${{COMPREPLY[@]}}"'], tmp_path).split() == ["greedy"]
