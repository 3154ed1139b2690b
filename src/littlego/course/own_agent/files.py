"""The files to submit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from littlego.agent import my_player3
from littlego.course.kits.starter import LEARNER, copy_files
from littlego.learn.model import FILE_NAME, read_model

AGENT: Final = Path(my_player3.__file__)
BOOK: Final = AGENT.with_name("book.txt")


def export_agent(directory: Path, *, force: bool = False) -> list[Path]:
    """Write `my_player3.py` and `book.txt` into a directory. Raises UsageError as `copy_files` does."""
    return copy_files({Path(source.name): source for source in (AGENT, BOOK)}, directory, force=force)


def export_learner(model: Path, directory: Path, *, force: bool = False) -> list[Path]:
    """Write an agent that plays from a trained model: `my_player3.py`, `little_go.py` and `model.json`.

    `model` is a model's file or the directory that training wrote. Raises FormatError if it is not a model, and
    UsageError as `copy_files` does.
    """
    read_model(model)
    file = model / FILE_NAME if model.is_dir() else model
    sources = {Path("my_player3.py"): LEARNER, Path("little_go.py"): AGENT, Path(FILE_NAME): file}
    return copy_files(sources, directory, force=force)
