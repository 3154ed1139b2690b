"""The files that we hand out: starter kits, which `littlego new` writes, and our own submission."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE, EDITIONS

_KITS: Final = Path(__file__).with_name("kits")
KIT: Final = _KITS / "program"
"""Files of the editions since 2022: a program, started for every move."""
AGENTS: Final = {
    "python": KIT / "my_player3.py",
    "c++": _KITS / "cpp" / "my_player.cpp",
    "java": _KITS / "java" / "my_player.java",
}
"""The kit's agent by language. All of them make the same moves."""
KIT_2019: Final = _KITS / "class2019"
"""Files of 2019: a class that makes all moves in one process."""
LEARNER: Final = _KITS / "learner" / "my_player3.py"
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


TICTACTOE: Final = Path("resource", "startercode")
"""Where the course keeps the teaching example, which others write."""
COURSE_FILES: Final = Path("resource", "asnlib", "public", "myplayer_play")
"""Where the course keeps the files of its kit; the documents write $ASNLIB for the middle."""
_SCRIPTS: Final = (KIT / "run.sh", KIT / "build.sh", _KITS / "course" / "submit.sh")
"""Behind the buttons Run, Build and Submit."""


def write_course(directory: Path, *, edition: str = DEFAULT_EDITION, force: bool = False) -> list[Path]:
    """Write a stage as the course's machine has it, the student's `work` empty; returns the files written.

    Raises UsageError as `copy_files` does, and for an edition whose agents are classes.
    """
    if edition == "2019":
        raise UsageError("edition 2019 had no such directories: its kit is all of it")
    kit = {name: path for name, path in kit_files(edition).items() if not name.name.startswith("my_player")}
    files = {COURSE_FILES / name: path for name, path in kit.items() if name != Path("input.txt")}
    files |= {Path("resource", "scripts", path.name): path for path in _SCRIPTS}
    written = copy_files(files, directory, force=force)
    (directory / "work").mkdir(exist_ok=True)
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


AGENT: Final = Path(__file__).parents[1] / "agent" / "my_player3.py"
CLASS: Final = AGENT.with_name("my_player.py")
BOOK: Final = AGENT.with_name("book.txt")
CORRIDOR: Final = AGENT.with_name("corridor.txt")
MODEL: Final = Path(__file__).parents[1] / "learn" / "model.json"
MODEL_7X7: Final = MODEL.with_name("model-7x7.json")


def export_agent(directory: Path, *, force: bool = False) -> list[Path]:
    """Write `my_player3.py` and the files it reads into a directory. Raises UsageError as `copy_files` does."""
    return copy_files({Path(file.name): file for file in (AGENT, BOOK, CORRIDOR, MODEL)}, directory, force=force)


def export_class(directory: Path, *, force: bool = False) -> list[Path]:
    """Write the class `MyPlayer` of 2019 and the files it reads into a directory. Raises UsageError as `copy_files`."""
    sources = {Path("little_go.py"): AGENT}
    sources |= {Path(file.name): file for file in (CLASS, BOOK, CORRIDOR, MODEL, MODEL_7X7)}
    return copy_files(sources, directory, force=force)


def export_learner(model: Path, directory: Path, *, edition: str = DEFAULT_EDITION, force: bool = False) -> list[Path]:
    """Write an agent that plays from a trained model.

    For 2019 that is the class `MyPlayer` in `my_player.py`, for later editions `my_player3.py`; with them go
    `little_go.py` and `model.json`. `model` is a model's file or the directory that training wrote. Raises FormatError
    if it is not a model, and UsageError if the edition cannot use it, and as `copy_files` does.
    """
    from littlego.learn.model import read_model

    learned = read_model(model)
    file = model / MODEL.name if model.is_dir() else model
    if edition == "2019":
        player = LEARNER_2019
    elif learned.size != DEFAULT_SIZE:
        raise UsageError(f"{file}: trained on size {learned.size}, which only --edition 2019 can use")
    else:
        player = LEARNER
    sources = {Path(player.name): player, Path("little_go.py"): AGENT, Path(MODEL.name): file}
    return copy_files(sources, directory, force=force)
