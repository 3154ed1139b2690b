"""The files that are handed in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from littlego.agent import my_player3
from littlego.core.errors import UsageError
from littlego.course.kits.starter import LEARNER
from littlego.learn.model import FILE_NAME, read_model

AGENT: Final = Path(my_player3.__file__)
BOOK: Final = AGENT.with_name("book.txt")


def export_agent(directory: Path, *, force: bool = False) -> list[Path]:
    """Write `my_player3.py` and `book.txt` into a directory, which is made if need be.

    Raises UsageError, before writing anything, if one of them is there and `force` is not set.
    """
    return _written({source.name: source for source in (AGENT, BOOK)}, directory, force=force)


def export_learner(model: Path, directory: Path, *, force: bool = False) -> list[Path]:
    """Write an agent that plays from a trained model: `my_player3.py`, `little_go.py` and `model.json`.

    `model` is a model's file or the directory that training wrote. Raises FormatError if it is not
    one, and UsageError as `export_agent` does.
    """
    read_model(model)
    file = model / FILE_NAME if model.is_dir() else model
    sources = {"my_player3.py": LEARNER, "little_go.py": AGENT, FILE_NAME: file}
    return _written(sources, directory, force=force)


def _written(sources: dict[str, Path], directory: Path, *, force: bool) -> list[Path]:
    if there := [name for name in sources if (directory / name).exists() and not force]:
        raise UsageError(f"{directory}: already has {', '.join(there)}; --force overwrites them")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, source in sources.items():
            (directory / name).write_bytes(source.read_bytes())
    except OSError as error:
        raise UsageError(f"{error.filename or directory}: cannot be written: {error.strerror}") from error
    return [directory / name for name in sources]
