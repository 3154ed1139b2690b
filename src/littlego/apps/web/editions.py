"""The editions that a server offers: those that come with the package, and courses of its owner's.

editions/NAME.toml   a copy of each file that `littlego web --edition FILE` was given
"""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import Final, Literal

from typing_extensions import TypedDict

from littlego.core.errors import UsageError
from littlego.core.rules import EDITIONS, Ko, Rules
from littlego.course.editions.edition import Edition
from littlego.course.editions.find import find_edition, format_edition, read_edition, shipped_edition
from littlego.storage.files import write_whole

FOLDER: Final = "editions"


class RulesShown(TypedDict):
    """The rules of a game."""

    edition: str
    size: int
    komi: float
    max_moves: int
    passing: bool
    ko: Literal["simple", "positional"]


class EditionLine(TypedDict):
    """An edition of the course, or another course."""

    name: str
    rules: RulesShown
    any_size: bool
    """Whether it can be played on other boards too."""
    stages: list[str]
    """What can be graded."""


def rules_shown(rules: Rules) -> RulesShown:
    """Rules as pages see them."""
    return {
        "edition": rules.edition,
        "size": rules.size,
        "komi": rules.komi,
        "max_moves": rules.max_moves,
        "passing": rules.passing,
        "ko": "simple" if rules.ko is Ko.SIMPLE else "positional",
    }


class Editions:
    """The editions in a server's data directory. Jobs, in other processes, have their own."""

    def __init__(self, data: Path) -> None:
        self._folder = data / FOLDER

    def add(self, file: str) -> Edition:
        """Keep a copy of an edition's file, in place of an earlier one of the same name. Raises UsageError, OSError."""
        edition = find_edition(file)
        if edition.name not in EDITIONS:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / f"{edition.name}.toml", format_edition(edition))
        return edition

    def names(self) -> list[str]:
        """The newest that comes with the package first, the owner's own last."""
        return [*reversed(EDITIONS), *sorted(path.stem for path in self._folder.glob("*.toml"))]

    def find(self, name: str) -> Edition:
        """Raises UsageError for a name that is not among `names`, and for a file that can no longer be read."""
        if name in EDITIONS:
            return shipped_edition(name)
        if name not in self.names():
            raise UsageError(f"edition {name!r}: expected one of {', '.join(self.names())}")
        return read_edition(self._folder / f"{name}.toml")

    def rules(self, name: str, size: int | None) -> Rules:
        """Raises UsageError."""
        return self.find(name).rules(size)

    def described(self) -> list[EditionLine]:
        """Names, rules and stages, for pages.

        Without those that can no longer be read, as when an opponent's files have moved: `find` says why.
        """
        found: list[Edition] = []
        for name in self.names():
            with contextlib.suppress(UsageError):
                found.append(self.find(name))
        return [
            {
                "name": edition.name,
                "rules": rules_shown(edition.rules(edition.board.size)),
                "any_size": edition.board == dataclasses.replace(edition.board, komi=None, length=None),
                "stages": edition.scheme.stages(),
            }
            for edition in found
        ]
