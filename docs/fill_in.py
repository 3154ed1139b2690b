"""Figures of the documentation, filled in from files that the benchmarks wrote.

    littlego bench all --out docs/measured          measures; keep bench.json
    python docs/fill_in.py                          writes the figures into the pages

A page has a table between two comments, `<!-- measured NAME -->` and `<!-- end -->`; NAME is a function below. A test
compares the pages with the files, so that no such figure is typed by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
MEASURED = DOCS / "measured"
BLOCK = re.compile(r"(<!-- measured ([\w-]+) -->\n).*?(<!-- end -->)", re.S)


def filled(text: str) -> str:
    """The text of a page with every table as it was measured."""
    return BLOCK.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def number(value: float) -> str:
    """With three significant digits, and commas."""
    return f"{round(value, -len(str(int(value))) + 3):,.0f}" if value >= 100 else f"{value:.3g}"


def read(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((MEASURED / name).read_text(encoding="utf-8"))
    return data


def part(name: str) -> tuple[dict[str, Any], str]:
    """A part of the benchmarks, and a sentence on when and where it was measured."""
    suite = read("bench.json")
    busy = f" with {suite['load']:.0f} processes at work" if suite["load"] > suite["cores"] else ""
    where = f"{suite['machine']}, {suite['cores']} cores{busy}, {suite['python']}"
    found = next(each for each in suite["parts"] if each["name"] == name)
    return found, f"\nMeasured on {suite['date']} by version {suite['version']}: {where}.\n"


def measures(name: str) -> str:
    """The rates of a part, its ratios, and when and where they were measured."""
    found, when = part(name)
    rates = [
        (f"{chart['title']}: {what}", f"{number(value)} {chart['unit']}")
        for chart in found["bars"]
        for what, value in chart["values"].items()
    ]
    ratios = [(row["what"], row["over"], number(row["value"])) for row in found["ratios"]]
    return table(["", "rate"], rates) + "\n" + table(["", "over", "ratio"], ratios) + when


def systems() -> str:
    """What `tools/try_installed.py` found, and how long a newcomer waits."""
    rows = []
    for path in sorted(MEASURED.glob("try-*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        works = f"{found['commands'] - len(found['wrong'])} of {found['commands']} commands"
        used = found.get("processor_seconds_to_first_review")
        wait = f"{found['seconds_to_first_review']:.0f} s" + (f" ({used:.0f} s)" if used else "")
        rows.append((found["what"], found["machine"], works, wait, found["date"]))
    return table(["what", "where", "work", "to the first reviewed game (processor time)", "tried"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "engine": lambda: measures("engine"),
    "learn": lambda: measures("learn"),
    "systems": systems,
}


if __name__ == "__main__":
    for page in [DOCS.parent / "README.md", *DOCS.glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        page.write_text(filled(text), encoding="utf-8")
