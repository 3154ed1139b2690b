"""A class in a Python file, as it is named in `class:FILE:NAME` and `object:FILE:NAME`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final, Self

from littlego.arena.entrants.programs import copy_agent

DEFAULT_CLASS: Final = "MyPlayer"
_DEFAULT_FILE: Final = "my_player.py"


@dataclass(frozen=True, slots=True)
class ClassInFile:
    """A class, with the files beside it."""

    path: Path
    class_name: str = DEFAULT_CLASS
    prefix: ClassVar[str] = ""
    """Begins its spelling."""

    @property
    def spelling(self) -> str:
        return f"{self.prefix}{self.path.absolute()}:{self.class_name}"

    @property
    def name(self) -> str:
        """The directory's name."""
        return self.path.absolute().parent.name

    def copy_files(self, folder: Path) -> None:
        copy_agent(self.path.parent, folder)

    def at(self, folder: Path) -> Self:
        return replace(self, path=folder / self.path.name)


def file_and_class(text: str) -> tuple[Path, str]:
    """The file, which may be given as its directory, and the class that the rest of a spelling names."""
    path, _, class_name = text.partition(":")
    return Path(path) / _DEFAULT_FILE if Path(path).is_dir() else Path(path), class_name or DEFAULT_CLASS
