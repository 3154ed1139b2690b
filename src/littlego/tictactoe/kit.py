"""Writes the teaching example as the course hands it out: plain files that do not need this package.

The files are this package's own modules with their imports renamed and their types removed (the course's Python is
3.6), so that each has one source.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

FILES = {
    "Board.py": "board.py",
    "RandomPlayer.py": "players/random_player.py",
    "SmartPlayer.py": "players/smart_player.py",
    "PerfectPlayer.py": "players/perfect_player.py",
    "QLearner.py": "players/q_learner.py",
    "TicTacToe.py": "match.py",
    "README.txt": "kit_readme.txt",
}
"""Each file of the kit, and its source in this package."""

_COURSE_NAME = {Path(module).stem: Path(name).stem for name, module in FILES.items()}


def kit_files() -> dict[str, str]:
    """The text of every file of the kit, by name."""
    texts = {name: files("littlego.tictactoe").joinpath(source).read_text() for name, source in FILES.items()}
    return {name: _for_course(text) if name.endswith(".py") else text for name, text in texts.items()}


def write_tictactoe_kit(directory: Path, *, force: bool = False) -> list[Path]:
    """Write the kit into a directory, which is created if necessary; returns the files written.

    Raises FileExistsError, before writing anything, if one of them exists; `force` overwrites
    all but `QLearner.py`, which is the user's own.
    """
    there = [directory / name for name in FILES if (directory / name).exists()]
    if there and not force:
        raise FileExistsError(f"{there[0]} already exists")
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
    """A program for Python 3.6: imports by the course's names, no types, no comments for our linter."""
    text = _without_types(text)
    text = re.sub(
        r"from littlego\.tictactoe\.(?:players\.)?(\w+) import",
        lambda match: f"from {_COURSE_NAME[match[1]]} import",
        text,
    )
    return re.sub(r"  # noqa:.*", "", text)


def _without_types(text: str) -> str:
    """A program without annotations and their imports: Python 3.6 cannot defer their evaluation."""
    lines = text.splitlines(keepends=True)
    for start, end in sorted(_annotations(ast.parse(text)), reverse=True):
        head, tail = lines[start[0] - 1][: start[1]], lines[end[0] - 1][end[1] :]
        lines[start[0] - 1 : end[0]] = [head.removesuffix(" -> ") + tail]
    text = re.sub(r"^from (__future__|collections\.abc|typing) import .*\n", "", "".join(lines), flags=re.MULTILINE)
    return re.sub(r"\n{3,}(?=from |import |try:)", "\n\n", text)


def _annotations(tree: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where each annotation begins (after the name, or at the returned type) and ends: line and column."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as type_):
                start = (node.lineno, node.col_offset + len(node.arg))
            case ast.AnnAssign(annotation=type_, target=target):
                start = (target.end_lineno or 0, target.end_col_offset or 0)
            case ast.FunctionDef(returns=ast.expr() as type_):
                start = (type_.lineno, type_.col_offset)
            case _:
                continue
        yield start, (type_.end_lineno or 0, type_.end_col_offset or 0)
