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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol

from littlego.formats.printable import printable as printable  # for the commands, which print through this module
from littlego.storage.whole_files import writing as writing

if TYPE_CHECKING:
    from rich.progress import Progress

    from littlego.arena.progress import GamesProgress
    from littlego.arena.results import GameResult

_FIRST_LINE: Final = 10.0
_EVERY_LINE: Final = 60.0
"""Seconds between lines of progress where nothing can be redrawn."""
_LONG: Final = 1000
"""Lists longer than this are printed one row per line."""
_TALL: Final = 200
"""Tables with more rows than this are printed as plain text."""
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C."""


def print_json(data: Any) -> None:
    """Indented; but a long list is printed one row per line, which takes a tenth of the time."""
    if not isinstance(data, dict) or not any(map(_is_long, data.values())):
        print(json.dumps(data, indent=1))
        return
    encode = json.JSONEncoder().encode
    parts = []
    for key, value in data.items():
        text = ",\n  ".join(map(encode, value)) if _is_long(value) else ""
        parts.append(f" {encode(key)}: [\n  {text}\n ]" if text else f" {encode(key)}: {_indented(value)}")
    print("{\n" + ",\n".join(parts) + "\n}")


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and len(value) > _LONG


def _indented(value: Any) -> str:
    return json.dumps(value, indent=1).replace("\n", "\n ")


_WHOLE_WORD = 30
"""Characters: longer words of a table, such as paths, may be broken."""


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None) -> None:
    """The first column is text; numbers are right-aligned, `-` stands for an unknown one.

    No word is cut or broken: where the terminal is too narrow for that, each row is printed as a few lines.
    """
    numeric = [
        number > 0 and all(row[number] == "-" or row[number].lstrip("-")[:1].isdigit() for row in rows)
        for number in range(len(columns))
    ]
    if len(rows) > _TALL:
        _print_tall_table(columns, rows, numeric, title)
        return
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    needed = [
        min(max((cell_len(word) for cell in column for word in printable(cell).split()), default=0), _WHOLE_WORD)
        for column in zip(columns, *rows, strict=True)
    ]
    natural = [max(cell_len(printable(cell)) for cell in column) for column in zip(columns, *rows, strict=True)]
    gap = 1 if sum(needed) + 3 * len(needed) + 1 <= console.width else 0
    room = console.width - len(needed) * (1 + 2 * gap) - 1
    if sum(needed) > room:
        _print_narrow_table(columns, rows, title, console.width)
        return
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", padding=(0, gap))
    for column, is_numeric, width in zip(columns, numeric, _widths(needed, natural, room), strict=True):
        table.add_column(column, justify="right" if is_numeric else "left", overflow="fold", width=width)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console.print(table)


def _widths(needed: Sequence[int], natural: Sequence[int], room: int) -> list[int]:
    """What each column gets: its longest word, and its share of the rest, the ones that lack least first."""
    widths = [min(pair) for pair in zip(needed, natural, strict=True)]
    spare = room - sum(widths)
    lacking = sorted((whole - width, number) for number, (width, whole) in enumerate(zip(widths, natural, strict=True)))
    for place, (lack, number) in enumerate(lacking):
        more = min(lack, spare // (len(lacking) - place))
        widths[number] += more
        spare -= more
    return widths


def _print_narrow_table(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None, width: int) -> None:
    """Each row as a paragraph: the cells without a heading and the first one with it, then the others by name."""
    if title:
        print("\n".join(textwrap.wrap(title, width)))
    headed = next((number for number, column in enumerate(columns) if column), 0)
    for row in rows:
        named = [f"{name} {cell}" for name, cell in zip(columns[headed + 1 :], row[headed + 1 :], strict=True) if cell]
        text = f"{' '.join(row[: headed + 1])}: {', '.join(part.strip() for part in named)}"
        print("\n".join(textwrap.wrap(printable(text), width, subsequent_indent="  ", break_on_hyphens=False)))
    print()


def _print_tall_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool], title: str | None
) -> None:
    """As plain text that is not fitted to the terminal: rich takes minutes for a hundred thousand rows."""
    cells = [list(map(printable, row)) for row in (columns, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "   ".join(
            cell.rjust(width) if is_numeric else cell.ljust(width)
            for cell, width, is_numeric in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in cells
    ]
    rule = ("─" if "utf" in sys.stdout.encoding.lower() else "-") * (sum(widths) + 3 * (len(widths) - 1))
    print("\n".join(f"  {line}".rstrip() for line in (title or "", lines[0], rule, *lines[1:], "")))


def print_sentences(text: str) -> None:
    """Print a paragraph, broken between words at a terminal; a pipe gets one line."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    print("\n".join(textwrap.wrap(text, width, break_on_hyphens=False)) if width else text)


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
    from littlego.arena.progress import duration

    return f"{duration(seconds)} left"
