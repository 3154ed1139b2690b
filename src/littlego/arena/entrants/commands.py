"""Commands that a user gives as a player: `cmd:'./agent -x'` and `gtp:'gnugo --mode gtp'`."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from littlego.core.errors import UsageError


def command_words(spelling: str, command: str, *, example: str) -> list[str]:
    """The words of a command, with full paths for files, because it will run in another directory.

    A word without a slash is not a path, even if a file has that name here: `strong` in `--level strong`. The first
    word, the program, is left unchanged. Raises UsageError.
    """
    try:
        words = split_words(command)
    except ValueError as error:
        raise UsageError(f"{spelling}{command}: {error}") from error
    if not words:
        raise UsageError(f"{spelling} needs a command, such as {example}")
    return [words[0], *(str(Path(word).absolute()) if is_path(word) and Path(word).exists() else word
                        for word in words[1:])]  # fmt: skip


def is_path(word: str) -> bool:
    """Whether a word of a command names a file by its place, and not a program or an argument."""
    return "/" in word or os.sep in word


def split_words(command: str) -> list[str]:
    """The words of a command. Raises ValueError.

    A backslash is part of a path on Windows, and elsewhere keeps the next character as it is.
    """
    if sys.platform == "win32":
        return [word.strip("\"'") for word in shlex.split(command, posix=False)]
    return shlex.split(command)


def check_executable(program: Path) -> None:
    """Raises UsageError, which says what to do, for a program that the system will not start."""
    if not program.exists():
        raise UsageError(f"{program}: there is no such program")
    if program.is_dir():
        raise UsageError(f"{program}: a directory, not a program")
    if not os.access(program, os.X_OK):
        raise UsageError(
            f"{program}: not executable: run chmod +x, or name what runs it, such as cmd:'python3 {program}'"
        )
