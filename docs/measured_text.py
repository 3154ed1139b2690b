"""How measured figures are written in the documentation: where they are kept, tables, paragraphs and numbers."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from littlego.stats import wilson_interval

DOCS = Path(__file__).parent
MEASURED = DOCS / "measured"
Found = dict[str, Any]


def file_of(name: str) -> Path:
    return MEASURED / f"{name}.json"


def read(path: Path) -> Found:
    data: Found = json.loads(path.read_text(encoding="utf-8"))
    return data


def measurement(name: str) -> tuple[Any, str]:
    """What a command of `docs/measure.py` found, and a line on when and where."""
    found = read(file_of(name))
    busy = f", {found['load']:.0f} processes at work" if found["load"] > found["cores"] else ""
    where = f"{found['machine']}, {found['cores']} cores{busy}, {found['python']}"
    return found["result"], paragraph(f"Measured on {found['date']} by `{found['command']}`: {where}.")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def paragraph(text: str) -> str:
    """On its own, as wide as the rest of the pages."""
    return "\n" + textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def number(value: float) -> str:
    """With three significant digits, and commas."""
    return f"{round(value, -len(str(int(value))) + 3):,.0f}" if value >= 100 else f"{value:.3g}"


def share(count: int, of: int) -> str:
    """A percentage with its 95% interval."""
    low, high = wilson_interval(count, of)
    return f"{100 * count / of:.1f}% ({100 * low:.1f}-{100 * high:.1f})"
