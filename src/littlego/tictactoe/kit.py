"""Writes the teaching example as the course hands it out: plain files that need nothing of ours.

The files are this package's own modules with their imports renamed, so there is one source of each.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

FILES = {
    "Board.py": "board.py",
    "RandomPlayer.py": "random_player.py",
    "SmartPlayer.py": "smart_player.py",
    "PerfectPlayer.py": "perfect_player.py",
    "QLearner.py": "q_learner.py",
    "TicTacToe.py": "match.py",
    "README.txt": "kit_readme.txt",
}
"""Each file of the kit, and the file of this package that it is made from."""

_COURSE_NAME = {Path(module).stem: Path(name).stem for name, module in FILES.items()}


def kit_files() -> dict[str, str]:
    """The text of every file of the kit, by name."""
    return {
        name: _for_course(files("littlego.tictactoe").joinpath(source).read_text()) for name, source in FILES.items()
    }


def write_tictactoe_kit(directory: Path, *, force: bool = False) -> list[Path]:
    """Write the kit into a directory, which is made if need be; the files written.

    Raises FileExistsError, before anything is written, if one of them is there; `force` writes
    over all but `QLearner.py`, which is the user's own.
    """
    there = [directory / name for name in FILES if (directory / name).exists()]
    if there and not force:
        raise FileExistsError(f"{there[0]} is there already")
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in kit_files().items():
        path = directory / name
        if name == "QLearner.py" and path in there:
            continue
        path.write_text(text)
        written.append(path)
    return written


def _for_course(text: str) -> str:
    """The same with imports by the course's names, and without marks for our linter."""
    text = re.sub(
        r"from littlego\.tictactoe\.(\w+) import", lambda match: f"from {_COURSE_NAME[match[1]]} import", text
    )
    return re.sub(r"  # noqa:.*", "", text)
