"""The files of our own submission, ready to hand in: what `littlego agent export` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import littlego.learn
from littlego.agent import my_player3
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE
from littlego.course.kits.starter import LEARNER, LEARNER_2019, copy_files
from littlego.learn.model import FILE_NAME, read_model

AGENT: Final = Path(my_player3.__file__)
CLASS: Final = AGENT.with_name("my_player.py")
BOOK: Final = AGENT.with_name("book.txt")
CORRIDOR: Final = AGENT.with_name("corridor.txt")
MODEL: Final = Path(littlego.learn.__file__).with_name(FILE_NAME)
MODEL_7X7: Final = MODEL.with_name("model-7x7.json")


def export_agent(directory: Path, *, force: bool = False) -> list[Path]:
    """Write `my_player3.py` and the files it reads into a directory. Raises UsageError as `copy_files` does."""
    return copy_files({Path(file.name): file for file in (AGENT, BOOK, CORRIDOR, MODEL)}, directory, force=force)


def export_class(directory: Path, *, force: bool = False) -> list[Path]:
    """Write the class `MyPlayer` of 2019 and the files it reads into a directory. Raises UsageError as `copy_files`."""
    sources = {CLASS: CLASS, Path("little_go.py"): AGENT}
    sources |= {file: file for file in (BOOK, CORRIDOR, MODEL, MODEL_7X7)}
    return copy_files({Path(name.name): file for name, file in sources.items()}, directory, force=force)


def export_learner(model: Path, directory: Path, *, edition: str = DEFAULT_EDITION, force: bool = False) -> list[Path]:
    """Write an agent that plays from a trained model.

    For 2019 that is the class `MyPlayer` in `my_player.py`, for later editions `my_player3.py`; with them go
    `little_go.py` and `model.json`. `model` is a model's file or the directory that training wrote. Raises FormatError
    if it is not a model, and UsageError if the edition cannot use it, and as `copy_files` does.
    """
    learned = read_model(model)
    file = model / FILE_NAME if model.is_dir() else model
    if edition == "2019":
        sources = {Path("my_player.py"): LEARNER_2019, Path("little_go.py"): AGENT, Path(FILE_NAME): file}
        return copy_files(sources, directory, force=force)
    if learned.size != DEFAULT_SIZE:
        raise UsageError(f"{file}: trained on size {learned.size}, which only --edition 2019 can use")
    sources = {Path("my_player3.py"): LEARNER, Path("little_go.py"): AGENT, Path(FILE_NAME): file}
    return copy_files(sources, directory, force=force)
