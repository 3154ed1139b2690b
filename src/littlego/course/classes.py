"""Agents that are Python classes of 2019, `class:FILE:NAME`: told from programs, and played in any match."""

from __future__ import annotations

import ast
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from littlego.arena.building import (
    LARGEST,
    Interpreter,
    Program,
    Speaks,
    copy_agent,
    files_digest,
    find_python,
    parse_source,
    read_sources,
)
from littlego.arena.participants import PreparedProgram
from littlego.arena.untrusted import read_plain
from littlego.core.errors import UsageError
from littlego.course.starter import KIT, KIT_2019
from littlego.sandbox.client import MoveRequest, Supervisor, SupervisorFailed
from littlego.sandbox.limits import Limits
from littlego.storage.files import reading
from littlego.storage.scratch import temporary_directory

_CLASS: Final = "MyPlayer"
_FILE: Final = "my_player.py"
_PROTOCOL: Final = ("input.txt", "output.txt")
_HELPERS: Final = frozenset({"readInput", "readOutput", "writeOutput", "writePass", "writeNextInput"})
"""Functions of the course's starter files that read and write these."""


def is_class_of_2019(main: Path) -> bool:
    """Whether an agent's file has the class `MyPlayer` with `get_input`, and does not touch the protocol's files.

    False for a file that is not Python. Raises UsageError, OSError.
    """
    if main.name != _FILE:
        return False
    try:
        tree = parse_source(read_plain(main))
    except SyntaxError:
        return False
    return any(map(_is_player, tree.body)) and not any(map(_is_of_the_protocol, ast.walk(tree)))


def _is_player(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ClassDef) or node.name != _CLASS:
        return False
    # It may inherit `get_input`.
    return bool(node.bases) or any(getattr(each, "name", "") == "get_input" for each in node.body)


def _is_of_the_protocol(node: ast.AST) -> bool:
    """Whether it names such a file, which a docstring may, too, or calls a helper."""
    if isinstance(node, ast.Call):
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called in _HELPERS:
            return True
    texts = [each.value for each in ast.iter_child_nodes(node) if isinstance(each, ast.Constant)]
    return not isinstance(node, ast.Expr) and any(isinstance(text, str) and text.endswith(_PROTOCOL) for text in texts)


DRIVER: Final = Path(__file__).with_name("class_driver.py")
"""The program that lets a class play through files, run in the class's directory."""
_GO_FILES: Final = {
    "2019": [KIT_2019 / "go.py"],
    "later": [KIT / name for name in ("host.py", "read.py", "write.py")],
}


@dataclass(frozen=True, slots=True)
class ClassAgent:
    """`class:PATH` or `class:PATH:NAME`: a class in a Python file, which makes all moves of a game.

    It plays by the rules of the match: those of 2019 with `go.py`, later ones with `host.py`.
    """

    path: Path
    class_name: str = _CLASS
    python: str | None = None
    edition: str = "2019"

    @property
    def spelling(self) -> str:
        return f"class:{self.path.absolute()}:{self.class_name}"

    @property
    def name(self) -> str:
        """The directory's name."""
        return self.path.absolute().parent.name

    def copy_files(self, folder: Path) -> None:
        copy_agent(self.path.parent, folder)

    def at(self, folder: Path) -> Self:
        return replace(self, path=folder / self.path.name)

    def prepare(self, workshop: Path, supervisor: Supervisor) -> PreparedProgram:
        """Copies the class's files and the driver. Raises UsageError."""
        _check_class(self.path, self.class_name)
        copy_agent(self.path.parent, workshop)
        digest = files_digest(workshop)
        is_2019 = self.edition == "2019"
        _bring_driver(workshop, is_2019=is_2019)
        interpreter, sources = find_python(self.python or "python3"), read_sources(workshop / self.path.name)
        program = Program(
            (str(interpreter.path), DRIVER.name, f"{self.path.stem}:{self.class_name}",
             "--go", "go" if is_2019 else "host"),
            workshop,
            interpreter.readable,
            language=f"{interpreter}, class {self.class_name}",
            speaks=Speaks.MOVES,
            digest=digest,
            made_with=interpreter.identity,
            packages=sources.packages(interpreter),
            lacking=sources.lacking(interpreter),
            start_seconds=_start_seconds(interpreter, supervisor, is_2019=is_2019),
        )  # fmt: skip
        return PreparedProgram(program)

    def made_with(self) -> str:
        """The interpreter and the class; needs no build. Raises UsageError."""
        return f"{find_python(self.python or 'python3').identity} {self.path.stem}:{self.class_name}"


def _bring_driver(folder: Path, *, is_2019: bool) -> None:
    shutil.copy2(DRIVER, folder)
    for source in _GO_FILES["2019" if is_2019 else "later"]:
        shutil.copy2(source, folder / source.name)


_measured: dict[tuple[str, bool], float] = {}
_EMPTY: Final = "class MyPlayer:\n    def get_input(self, go, piece_type):\n        return 2, 2\n"
_FIRST_MOVE: Final = '{"size": 5, "komi": 2.5, "max_moves": 24, "moves": [], "piece_type": 1}'


def _start_seconds(interpreter: Interpreter, supervisor: Supervisor, *, is_2019: bool) -> float:
    """CPU time of a move of a class that does not think, which `go_play.py` would not spend: the least of some moves.

    0 if it cannot be measured, such as on a full disk: then all of a move is the agent's, as of a program.
    """
    key = (interpreter.identity, is_2019)
    if key not in _measured:
        with temporary_directory("littlego-start-") as folder:
            _bring_driver(folder, is_2019=is_2019)
            (folder / _FILE).write_text(_EMPTY)
            argv = (str(interpreter.path), DRIVER.name, "--go", "go" if is_2019 else "host")
            request = MoveRequest(argv, folder, _FIRST_MOVE.encode(), Limits(), interpreter.readable)
            try:
                moves = [supervisor.run(request) for _ in range(_MOVES_MEASURED)]
            except SupervisorFailed:
                return 0.0
        if any(move.fault is not None for move in moves):
            return 0.0
        _measured[key] = min(move.cpu_seconds for move in moves)
    return _measured[key]


_MOVES_MEASURED: Final = 5


def parse_class_agent(text: str, *, python: str | None, edition: str) -> ClassAgent:
    """From the part after `class:`, a file or its directory, and perhaps a class. Raises UsageError."""
    path, colon, class_name = text.rpartition(":")
    if not colon or not class_name.isidentifier() or Path(text).exists():
        path, class_name = text.removesuffix(":"), _CLASS
    file = Path(path) / _FILE if Path(path).is_dir() else Path(path)
    _check_class(file, class_name)
    return ClassAgent(file, class_name, python, edition)


def _check_class(path: Path, class_name: str) -> None:
    try:
        with reading(path):
            tree = parse_source(read_plain(path, most=LARGEST))
    except SyntaxError as error:
        raise UsageError(f"{path}: not Python: {error}") from error
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if class_name not in classes:
        found = f"it has {', '.join(classes)}" if classes else "it has no class"
        raise UsageError(f"{path}: expected a class {class_name}: {found}; write class:{path}:NAME for another")
