"""How every command prints: results on stdout, progress and diagnostics on stderr."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol

from littlego.formats.text import printable as printable  # for the commands, which print through this module
from littlego.storage.files import writing as writing

if TYPE_CHECKING:
    from rich.progress import Progress

    from littlego.arena.games import GamesProgress
    from littlego.arena.store import GameResult


_FIRST_LINE: Final = 10.0
_EVERY_LINE: Final = 60.0
"""Seconds between lines of progress where nothing can be redrawn."""
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C."""


def print_json(data: Any) -> None:
    """Of JSON values and dataclasses."""

    def fields_of(value: Any) -> dict[str, Any]:
        return {field.name: getattr(value, field.name) for field in fields(value)}

    print(json.dumps(data, indent=1, default=fields_of))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None) -> None:
    """The first column is text; numbers are right-aligned, `-` stands for an unknown one.

    Where the terminal is too narrow, cells are broken between words; no word is cut.
    """
    numeric = [
        number > 0 and all(row[number] in ("", "-") or row[number].lstrip("+-")[:1].isdigit() for row in rows)
        for number in range(len(columns))
    ]
    table = [list(map(printable, row)) for row in (columns, *rows)]
    widths = _widths(table, shutil.get_terminal_size().columns - 2 - 2 * (len(columns) - 1))
    lines = [line for row in table for line in _table_row(row, widths, numeric)]
    head = len(_table_row(table[0], widths, numeric))
    rule = ("─" if "utf" in (sys.stdout.encoding or "").lower() else "-") * (sum(widths) + 2 * (len(widths) - 1))
    print("\n".join(f"  {line}".rstrip() for line in (title or "", *lines[:head], rule, *lines[head:], "")))


def _widths(table: Sequence[Sequence[str]], room: int) -> list[int]:
    """The widest column gives way first, as far as its longest word allows."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    least = [
        max((cell_len(word) for cell in column for word in cell.split()), default=0)
        for column in zip(*table, strict=True)
    ]
    for _ in range(sum(widths) - room):
        spare, number = max(
            (width - words and width, k) for k, (width, words) in enumerate(zip(widths, least, strict=True))
        )
        if not spare:
            break
        widths[number] -= 1
    return widths


def _table_row(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> list[str]:
    """The lines of a row, each cell in as many as it needs."""
    from rich.cells import cell_len

    wrapped = [
        [cell] if cell_len(cell) <= width else textwrap.wrap(cell, width, break_on_hyphens=False)
        for cell, width in zip(cells, widths, strict=True)
    ]
    lines = []
    for parts in zip_longest(*wrapped, fillvalue=""):
        padded = [
            " " * (width - cell_len(part)) + part if is_numeric else part + " " * (width - cell_len(part))
            for part, width, is_numeric in zip(parts, widths, numeric, strict=True)
        ]
        lines.append("  ".join(padded))
    return lines


def print_sentences(text: str, *, indent: int = 0) -> None:
    """Print lines, at a terminal broken between words with the margin that they begin with; a pipe gets them whole.

    After the first line the margin is at least `indent`.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for number, line in enumerate(text.split("\n")):
        margin = " " * max(indent, len(line) - len(line.lstrip(" ")))
        if width <= 2 * len(margin):  # textwrap never ends where the margin is wider than the line
            print(line)
        else:
            words = margin + line.lstrip(" ") if number else line
            print(textwrap.fill(words, width, subsequent_indent=margin, break_on_hyphens=False, break_long_words=False))


def note(text: str) -> None:
    """Print something that is not the result."""
    print(text, file=sys.stderr, flush=True)


def check_writable(path: Path | None) -> None:
    """Called before long work: raises UsageError if a file cannot be written. Leaves no file behind."""
    if path is None:
        return
    is_new = not path.exists()
    with writing(path):
        with path.open("a"):
            pass
        if is_new:
            path.unlink()


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar with the time left, on a terminal; the value advances it by one."""
    with _bars(transient=True) as bars:
        task = bars.add_task(what, total=total, remark="")
        yield lambda: bars.advance(task)


class Update(Protocol):
    """Sets the bar of a stage."""

    def __call__(self, what: str, done: int, total: int, *, remark: str = "") -> None: ...


@contextmanager
def stages(*, transient: bool = False) -> Iterator[Update]:
    """A progress bar for each stage of long work, with the time left, on a terminal; elsewhere a line now and then."""
    with _bars(transient=transient) as bars:
        tasks: dict[str, Any] = {}
        text = ""

        def update(what: str, done: int, total: int, *, remark: str = "") -> None:
            nonlocal text
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total, remark=remark)
            bars.update(tasks[what], completed=done, total=total, remark=remark)
            if bars.disable:
                seconds = bars.tasks[tasks[what]].time_remaining
                left = f", about {seconds / 60:.0f} min left" if seconds is not None and done < total else ""
                text = f"{what}: {done:,} of {total:,}{left}{remark and ', '}{remark}"
                line()

        line = _now_and_then(lambda: note(text))
        yield update


def _bars(*, transient: bool) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    what, remark = TextColumn("{task.description}"), TextColumn("{task.fields[remark]}")
    columns = (what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), remark)
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=transient, disable=not console.is_terminal)


@contextmanager
def resumable(kept: str) -> Iterator[None]:
    """Around work that the same command continues: Ctrl-C prints what is kept and how to continue, and exits."""
    try:
        yield
    except KeyboardInterrupt:
        stop(f"\nStopped. {kept}")


def stop(text: str) -> NoReturn:
    """Exit as after Ctrl-C, with a note that the same command continues."""
    note(f"{text} To continue:\n  {same_command()}")
    raise SystemExit(INTERRUPTED) from None


def same_command() -> str:
    """The running command, for the user to run again."""
    return shlex.join(["littlego", *sys.argv[1:]])


@contextmanager
def live(line: Callable[[], str]) -> Iterator[Callable[[], None]]:
    """Text on a terminal that is redrawn whenever the value is called; elsewhere its first line, now and then."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _now_and_then(lambda: note(line().splitlines()[0]))
        return
    # As plain text: a name with brackets in it must not be read as markup.
    with Live(Text(line()), console=console, transient=True) as shown:
        yield lambda: shown.update(Text(line()))


def _now_and_then(act: Callable[[], None]) -> Callable[[], None]:
    """A function that acts when it is called, but seldom enough for a log."""
    due = time.monotonic() + _FIRST_LINE

    def call() -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + _EVERY_LINE
            act()

    return call


@contextmanager
def counted(games: GamesProgress) -> Iterator[Callable[[GameResult], None]]:
    """Shows the progress of games; call the value with each result."""
    with live(games.line) as redraw:

        def count(result: GameResult) -> None:
            games.add(result)
            redraw()

        yield count


@contextmanager
def status() -> Iterator[Callable[[str], None]]:
    """Text on a terminal that each call of the value replaces."""
    text = ""

    def show(new: str) -> None:
        nonlocal text
        text = new
        redraw()

    with live(lambda: text) as redraw:
        yield show


def has_colours() -> bool:
    """Whether stdout is a terminal whose user wants colours."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}%"


def percent_interval(interval: tuple[float, float]) -> str:
    return f"{100 * interval[0]:.1f}-{100 * interval[1]:.1f}%"


def time_left(seconds: float | None) -> str:
    """An estimate for the rest in words."""
    if seconds is None:
        return "time left unknown"
    from littlego.arena.games import duration

    return f"{duration(seconds)} left"
