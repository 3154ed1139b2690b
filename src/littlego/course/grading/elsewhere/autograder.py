"""The `.zip` that Gradescope takes as an autograder, made from what is installed here.

setup.sh, run_autograder     what Gradescope runs, once and for every submission
requirements.txt             every package that grading needs, in the version it has here
littlego/                    this package
edition.toml, opponents/     the edition, if it is a file, and the agents that play in it
"""

from __future__ import annotations

import re
import shlex
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import littlego
from littlego.arena.building import GIVEN, main_file
from littlego.arena.untrusted import plain_files
from littlego.core.errors import UsageError
from littlego.core.rules import EDITIONS
from littlego.course.editions.edition import Edition
from littlego.course.editions.find import EDITION_FILE, format_edition
from littlego.course.editions.rubric import Rubric
from littlego.players.catalogue import PLAYERS

HERE: Final = Path(__file__).parent
_PACKAGE: Final = Path(littlego.__file__).parent
_NEEDED: Final = ("numba", "numpy", "rich", "typer")
_DATE: Final = (2020, 1, 1, 0, 0, 0)
"""Of every file in the archive, so that the same input makes the same archive."""
_OPPONENTS: Final = "opponents"


@dataclass(frozen=True, slots=True)
class AutograderTerms:
    """What is chosen for every submission."""

    edition: Edition
    stage: str
    repeats: int | None = None
    seed: int = 1
    strict: bool = False

    def options(self) -> list[str]:
        """For `littlego grade`, in the container."""
        is_shipped = self.edition.name in EDITIONS
        words = ["--edition", self.edition.name if is_shipped else f"$root/source/{EDITION_FILE}"]
        words += ["--stage", self.stage, "--seed", str(self.seed)]
        words += ["--strict"] if self.strict else []
        return words + ([] if self.repeats is None else ["--repeats", str(self.repeats)])


def write_autograder(path: Path, terms: AutograderTerms) -> None:
    """Raises OSError, and UsageError for a stage that the edition does not have, or an opponent that has to stay."""
    for rubric in (rubric for batch in terms.edition.scheme.selected(terms.stage) for rubric in batch.rubrics):
        if not rubric.files and rubric.spelling not in PLAYERS:
            raise UsageError(
                f"{rubric.opponent} is {rubric.spelling}, which the archive cannot take along: only the players of "
                f"littlego and folders with agents can play elsewhere"
            )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", (HERE / "setup.sh").read_bytes(), 0o755)
        run = (HERE / "run_autograder.sh").read_text(encoding="utf-8").replace("@OPTIONS@", _quoted(terms.options()))
        _add(archive, "run_autograder", run.encode(), 0o755)
        _add(archive, "has_pins.py", (HERE / "has_pins.py").read_bytes())
        _add(archive, "requirements.txt", "".join(f"{line}\n" for line in pinned()).encode())
        for file in sorted(_PACKAGE.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                _add(archive, f"littlego/{file.relative_to(_PACKAGE).as_posix()}", file.read_bytes())
        if terms.edition.name not in EDITIONS:
            for name, content in _edition_files(terms.edition):
                _add(archive, name, content)


def _quoted(words: Iterable[str]) -> str:
    """For the shell, in which only our own `$root` is a variable."""
    return " ".join(f'"{word}"' if word.startswith("$root/") else shlex.quote(word) for word in words)


def _edition_files(edition: Edition) -> Iterator[tuple[str, bytes]]:
    """The edition's file, and those of the agents that play in it."""

    def moved(rubric: Rubric) -> Rubric:
        return replace(rubric, player=f"{_OPPONENTS}/{rubric.opponent}") if rubric.files else rubric

    scheme = edition.scheme
    batches = tuple(replace(batch, rubrics=tuple(map(moved, batch.rubrics))) for batch in scheme.batches)
    yield EDITION_FILE, format_edition(replace(edition, scheme=replace(scheme, batches=batches))).encode()
    for rubric in scheme.rubrics().values():
        if rubric.files:
            for relative, descriptor in plain_files(main_file(Path(rubric.spelling)).parent, GIVEN):
                with open(descriptor, "rb", closefd=False) as stream:
                    yield f"{_OPPONENTS}/{rubric.opponent}/{relative.as_posix()}", stream.read()


def pinned() -> list[str]:
    """`name==version` for every package that grading needs, with those that they need."""
    found: dict[str, str] = {}
    waiting = list(_NEEDED)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:  # for another system or Python only
            continue
        found[name] = package.version
        needed = (line for line in package.requires or [] if "extra ==" not in line)
        waiting += [match[0] for line in needed if (match := re.match(r"[\w.-]+", line))]
    return [f"{name}=={found[name]}" for name in sorted(found)]


def _add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int = 0o644) -> None:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
