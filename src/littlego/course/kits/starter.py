"""The starter kits: what `littlego new` writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE, EDITIONS

KIT: Final = Path(__file__).parent / "program"
"""Files of the editions since 2022: a program, started for every move."""
AGENTS: Final = {
    "python": KIT / "my_player3.py",
    "c++": Path(__file__).parent / "cpp" / "my_player.cpp",
    "java": Path(__file__).parent / "java" / "my_player.java",
}
"""The kit's agent by language. All of them make the same moves."""
KIT_2019: Final = Path(__file__).parent / "class2019"
"""Files of 2019: a class that makes all moves in one process."""
LEARNER: Final = Path(__file__).parent / "learner" / "my_player3.py"
"""A program that plays from a trained model."""
LEARNER_2019: Final = LEARNER.with_name("my_player.py")
"""A class of 2019 that does."""


def kit_files(edition: str = DEFAULT_EDITION, language: str = "python") -> dict[Path, Path]:
    """The files of an edition's kit: paths in the kit to paths in the package. Raises UsageError.

    The agent is written in one of the languages of `AGENTS`; whatever else the kit has needs Python.
    """
    if edition not in EDITIONS:
        raise UsageError(f"edition {edition!r}: expected one of {', '.join(EDITIONS)}")
    if language not in AGENTS:
        raise UsageError(f"language {language!r}: expected one of {', '.join(AGENTS)}")
    if edition == "2019" and language != "python":
        raise UsageError(f"language {language}: an agent of 2019 is a Python class; choose another edition")
    kit = KIT_2019 if edition == "2019" else KIT
    found = (path for path in sorted(kit.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    files = {path.relative_to(kit): path for path in found}
    if language != "python":
        del files[Path(AGENTS["python"].name)]
        files[Path(AGENTS[language].name)] = AGENTS[language]
    return files


def write_kit(
    directory: Path,
    *,
    edition: str = DEFAULT_EDITION,
    language: str = "python",
    size: int = DEFAULT_SIZE,
    force: bool = False,
) -> list[Path]:
    """Write a kit into `directory`, its agent for a board of `size`; returns the files written.

    Raises UsageError as `copy_files` does.
    """
    written = copy_files(kit_files(edition, language), directory, force=force)
    agent = directory / AGENTS[language].name
    if size != DEFAULT_SIZE and agent in written:
        agent.write_text(agent.read_text().replace(f"SIZE = {DEFAULT_SIZE}", f"SIZE = {size}", 1))
    return written


def copy_files(files: Mapping[Path, Path], directory: Path, *, force: bool) -> list[Path]:
    """Copy files to their paths in `directory`, which is made if necessary; returns those paths.

    Raises UsageError, before writing anything, if one of them exists and `force` is not set, and if the directory
    cannot be written to.
    """
    existing = [str(name) for name in files if (directory / name).exists()]
    if existing and not force:
        raise UsageError(f"{directory}: already has {', '.join(existing)}; --force overwrites them")
    try:
        return [_copied(source, directory / name) for name, source in files.items()]
    except OSError as error:
        raise UsageError(f"{error.filename or directory}: cannot be written: {error.strerror}") from error


def _copied(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
    if target.suffix == ".sh":
        # Set, not copied: an installed package does not keep it everywhere.
        target.chmod(0o755)
    return target
