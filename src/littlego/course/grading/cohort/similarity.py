"""How alike two submissions are: their programs, and the games they played. Advice for a teacher, never a verdict.

A program is reduced to its shape: comments and layout are dropped, every name of the author's becomes the same word,
every number and text another. Overlapping runs of `RUN` such words are the shingles of the program; what comes with the
starter kits is left out. Two programs are as alike as the share of the smaller one's shingles that the other has too.
Renaming, reformatting and reordering functions change little of it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Final

from littlego.course.kits.starter import AGENTS, KIT, KIT_2019, LEARNER

RUN: Final = 12
SOURCES: Final = (".py", ".cpp", ".h", ".hpp", ".java")
_FEWEST_SHINGLES: Final = 60
"""A smaller program is like too many others."""
_FEWEST_GAMES: Final = 4
_MOST_SHINGLES: Final = 20_000
_MOST_BYTES: Final = 1 << 20
"""Of an agent's sources; the rest of larger ones, which are mostly tables, is not looked at."""
ALIKE: Final = 0.6
"""From this share on, a pair is shown."""

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
class Similar:
    """Two submissions that resemble each other."""

    first: str
    second: str
    programs: float
    """The share of the smaller program that the other has too."""
    games: float | None
    """The share of games with the same opponent and seed that went the same way; None if there are too few."""


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


def sources_below(folder: Path) -> list[str]:
    """The texts of an agent's source files; the folder must be our own copy of them."""
    texts, left = [], _MOST_BYTES
    for path in sorted(path for path in folder.rglob("*") if path.suffix in SOURCES and path.is_file()):
        with path.open("rb") as file:
            data = file.read(left)
        texts.append(data.decode(errors="replace"))
        left -= len(data)
    return texts


def similar_pairs(programs: Mapping[str, frozenset[int]], games: Mapping[str, Mapping[int, int]]) -> list[Similar]:
    """Pairs of submissions whose programs or games are alike, the most alike first.

    `games` has, for each submission, a hash of the moves of every game by its number.
    """
    found = []
    for first, second in combinations(sorted(programs), 2):
        alike = _program_share(programs[first], programs[second])
        same = _game_share(games.get(first, {}), games.get(second, {}))
        if alike >= ALIKE or (same is not None and same >= ALIKE and alike > 0):
            found.append(Similar(first, second, alike, same))
    return sorted(found, key=lambda pair: (-pair.programs, -(pair.games or 0.0), pair.first, pair.second))


def _program_share(first: frozenset[int], second: frozenset[int]) -> float:
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller >= _FEWEST_SHINGLES else 0.0


def _game_share(first: Mapping[int, int], second: Mapping[int, int]) -> float | None:
    both = first.keys() & second.keys()
    return sum(first[key] == second[key] for key in both) / len(both) if len(both) >= _FEWEST_GAMES else None
