"""The two files that are handed in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from littlego.agent import my_player3
from littlego.core.errors import UsageError

AGENT: Final = Path(my_player3.__file__)
BOOK: Final = AGENT.with_name("book.txt")


def export_agent(directory: Path, *, force: bool = False) -> list[Path]:
    """Write `my_player3.py` and `book.txt` into a directory, which is made if need be.

    Raises UsageError, before writing anything, if one of them is there and `force` is not set.
    """
    targets = [directory / source.name for source in (AGENT, BOOK)]
    if there := [path.name for path in targets if path.exists() and not force]:
        raise UsageError(f"{directory}: already has {', '.join(there)}; --force overwrites them")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for source, target in zip((AGENT, BOOK), targets, strict=True):
            target.write_bytes(source.read_bytes())
    except OSError as error:
        raise UsageError(f"{error.filename or directory}: cannot be written: {error.strerror}") from error
    return targets
