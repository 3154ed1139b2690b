"""A 2019 class, with `get_input(go, piece_type)`, as an entrant of any match."""

from __future__ import annotations

import ast
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from littlego.arena.entrants.kinds import Prepared, PreparedProgram
from littlego.arena.entrants.programs import Program, Speaks, copy_agent, files_digest
from littlego.arena.entrants.python_sources import lacking_modules, parse_source, used_packages
from littlego.arena.entrants.toolchain import find_python
from littlego.arena.referee.client import Supervisor
from littlego.core.errors import UsageError
from littlego.course.kits.starter import KIT, KIT_2019
from littlego.course.python_class.class_in_file import ClassInFile, file_and_class
from littlego.storage.whole_files import reading

DRIVER: Final = Path(__file__).with_name("driver.py")
"""The program that lets a class play through files, run in the class's directory."""
_DRIVER_NAME: Final = "class_driver.py"
"""Its name there: students may have their own `driver.py`."""
_GO_FILES: Final = {
    "2019": [KIT_2019 / "go.py"],
    "later": [KIT / name for name in ("host.py", "read.py", "write.py")],
}


@dataclass(frozen=True, slots=True)
class ClassAgent(ClassInFile):
    """`class:PATH` or `class:PATH:NAME`: a class in a Python file, which makes all moves of a game.

    It plays by the rules of the match: those of 2019 with `go.py`, later ones with `host.py`.
    """

    python: str | None = None
    edition: str = "2019"
    prefix: ClassVar[str] = "class:"

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        """Copies the class's files and the driver. Raises UsageError."""
        _check_class(self.path, self.class_name)
        copy_agent(self.path.parent, workshop)
        digest = files_digest(workshop)
        is_2019 = self.edition == "2019"
        shutil.copy2(DRIVER, workshop / _DRIVER_NAME)
        for source in _GO_FILES["2019" if is_2019 else "later"]:
            shutil.copy2(source, workshop / source.name)
        interpreter = find_python(self.python or "python3")
        program = Program(
            (str(interpreter.path), _DRIVER_NAME, f"{self.path.stem}:{self.class_name}",
             "--go", "go" if is_2019 else "host"),
            workshop,
            interpreter.readable,
            language=f"{interpreter}, class {self.class_name}",
            speaks=Speaks.MOVES,
            digest=digest,
            made_with=interpreter.identity,
            packages=used_packages(workshop, interpreter),
            lacking=lacking_modules(workshop / self.path.name, interpreter),
        )  # fmt: skip
        return PreparedProgram(program)

    def made_with(self) -> str:
        """The interpreter and the class; needs no build. Raises UsageError."""
        return f"{find_python(self.python or 'python3').identity} {self.path.stem}:{self.class_name}"


def parse_class_agent(text: str, *, python: str | None, edition: str) -> ClassAgent:
    """From the part after `class:`. Raises UsageError."""
    file, class_name = file_and_class(text)
    _check_class(file, class_name)
    return ClassAgent(file, class_name, python, edition)


def _check_class(path: Path, class_name: str) -> None:
    try:
        with reading(path):
            tree = parse_source(path)
    except SyntaxError as error:
        raise UsageError(f"{path}: not Python: {error}") from error
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if class_name not in classes:
        found = f"it has {', '.join(classes)}" if classes else "it has no class"
        raise UsageError(f"{path}: expected a class {class_name}: {found}; write class:{path}:NAME for another")
