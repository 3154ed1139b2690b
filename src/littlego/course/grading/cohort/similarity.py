"""How alike the programs of two submissions are. Advice for a teacher, never a verdict.

A program is reduced to its shape: comments and layout are dropped, every name of the author's becomes the same word,
every number and text another. Overlapping runs of `RUN` such words are the shingles of the program; what comes with the
starter kits, and what many submissions have beside their own files, is left out. Two programs are as alike as the share
of the smaller one's shingles that the other has. Renaming, reformatting and reordering functions change little of it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError
from littlego.course.grading.cohort.submissions import Opened
from littlego.course.starter import AGENT, AGENTS, KIT, KIT_2019, LEARNER
from littlego.storage.files import write_whole
from littlego.storage.scratch import temporary_directory

RUN: Final = 12
SOURCES: Final = (".py", ".cpp", ".h", ".hpp", ".java")
_FEWEST_SHINGLES: Final = 60
"""A smaller program is like too many others."""
_MOST_SHINGLES: Final = 20_000
_MOST_BYTES: Final = 1 << 20
"""Of an agent's sources; the rest of larger ones, which are mostly tables, is not looked at."""
ALIKE: Final = 0.6
"""From this share on, a pair is shown."""
_MANY: Final = 5
"""Submissions that have the same code in files beside their own."""
SHAPE: Final = "shape.json"

# What is never closed goes on to the end of the line or of the file: looking for its end again and again would take
# time that grows with the square of a file's length.
_TOKEN: Final = re.compile(
    r"(?P<comment>#(?!include|define|pragma)[^\n]*|//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<text>(?:[rbfuRBFU]{0,2})(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?))"
    r"|(?P<number>\d[\w.]*)|(?P<word>[^\W\d]\w*)|(?P<sign>[^\s\w])",
    re.S,
)
_KEPT: Final = (
    "and as assert break case catch class const continue def del do elif else except false finally for from if import "
    "in is lambda new none not null or pass private public raise return self static struct switch this throw true try "
    "vector void while with yield int float double bool string list dict set tuple range len min max abs sum"
)
"""Words of the languages themselves, which stay as they are."""
_KEYWORDS: Final = frozenset(_KEPT.split())


@dataclass(frozen=True, slots=True)
class Shingles:
    """The shingles of a submission's sources."""

    main: frozenset[int] = frozenset()
    """Of the files that the course runs."""
    beside: frozenset[int] = frozenset()
    """Of those that they import, some of which the course may have handed out."""
    is_kit: bool = False
    """A starter kit and nothing else."""


@dataclass(frozen=True, slots=True)
class Similar:
    """Two submissions that resemble each other."""

    first: str
    second: str
    programs: float
    """The share of the smaller program that is in the other as well."""


def shape(source: str) -> list[str]:
    """A program's words, with names, numbers and texts replaced."""
    words = []
    for token in _TOKEN.finditer(source):
        kind, text = token.lastgroup, token.group()
        if kind == "word":
            words.append(text.lower() if text.lower() in _KEYWORDS else "v")
        elif kind in ("text", "number"):
            words.append("t" if kind == "text" else "n")
        elif kind == "sign":
            words.append(text)
    return words


def shingles(sources: Iterable[str], *, without_kits: bool = True) -> frozenset[int]:
    """Hashes of all runs of words; of a very large program, the smallest ones."""
    found: set[int] = set()
    for source in sources:
        words = shape(source)
        found.update(zlib.crc32(" ".join(words[k : k + RUN]).encode()) for k in range(len(words) - RUN + 1))
    if without_kits:
        found -= _of_the_kits()
    return frozenset(sorted(found)[:_MOST_SHINGLES])


@cache
def _of_the_kits() -> frozenset[int]:
    folders = {KIT, KIT_2019, LEARNER.parent, *(agent.parent for agent in AGENTS.values())}
    files = [path for folder in sorted(folders) for path in sorted(folder.iterdir()) if path.suffix in SOURCES]
    return shingles((path.read_text(encoding="utf-8") for path in files), without_kits=False)


@cache
def our_agent() -> Shingles:
    """What `littlego agent export` writes, which everybody can hand in."""
    return Shingles(shingles([AGENT.read_text(encoding="utf-8")]))


def shape_of(opened: Opened) -> Shingles:
    """Raises UsageError if the agents' files cannot be read."""
    main: list[str] = []
    beside: list[str] = []
    for agent in opened.agents:
        with temporary_directory("littlego-look-") as look:
            agent.copy_files(look / "files")
            for name, text in sources_below(look).items():
                (main if name.startswith("my_player") else beside).append(text)
    own, others = shingles(main), shingles(beside)
    from_kits = shingles([*main, *beside], without_kits=False) & _of_the_kits()
    return Shingles(own, others, is_kit=not own | others and len(from_kits) >= _FEWEST_SHINGLES)


def sources_below(folder: Path) -> dict[str, str]:
    """An agent's source files by name; the folder must be our own copy of them."""
    texts: dict[str, str] = {}
    left = _MOST_BYTES
    for path in sorted(path for path in folder.rglob("*") if path.suffix in SOURCES and path.is_file()):
        with path.open("rb") as file:
            data = file.read(left)
        texts[path.name] = texts.get(path.name, "") + data.decode(errors="replace")
        left -= len(data)
    return texts


def write_shape(place: Path, program: Shingles) -> None:
    """Raises OSError."""
    fields = {"main": sorted(program.main), "beside": sorted(program.beside), "is_kit": program.is_kit}
    write_whole(place / SHAPE, json.dumps(fields) + "\n")


def read_shape(place: Path) -> Shingles:
    """An empty one if there is none."""
    try:
        data = json.loads((place / SHAPE).read_text(encoding="utf-8"))
        return Shingles(frozenset(data["main"]), frozenset(data["beside"]), bool(data["is_kit"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Shingles()


def handed_out_in(folder: Path | None) -> frozenset[int]:
    """The shingles of all programs below a folder that the course has handed out. Raises UsageError if it has none."""
    if folder is None:
        return frozenset()
    texts = sources_below(folder)
    if not texts:
        raise UsageError(f"{folder}: no programs here: expected what the course has handed out")
    return shingles(texts.values())


def similar_pairs(programs: Mapping[str, Shingles], handed_out: frozenset[int] = frozenset()) -> list[Similar]:
    """Pairs of submissions whose programs are alike, the most alike first.

    What was `handed_out` does not count, wherever it is: nor what many have in files beside their own.
    """
    found_in = Counter(shingle for program in programs.values() for shingle in program.beside)
    shared = handed_out | {shingle for shingle, submissions in found_in.items() if submissions >= _MANY}
    own = {name: (program.main | program.beside) - shared for name, program in programs.items()}
    found = []
    for first, second in combinations(sorted(own), 2):
        smaller = min(len(own[first]), len(own[second]))
        if smaller < _FEWEST_SHINGLES:
            continue
        share = len(own[first] & own[second]) / smaller
        if share >= ALIKE:
            found.append(Similar(first, second, share))
    return sorted(found, key=lambda pair: (-pair.programs, pair.first, pair.second))
