"""Numbers and lists as English phrases."""

from __future__ import annotations

from collections.abc import Sequence


def plural(number: int, noun: str) -> str:
    """`1 game`, `2 games`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def joined(names: Sequence[str], word: str = "and") -> str:
    """`a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


def listed(names: Sequence[str], *, most: int = 5) -> str:
    """`a, b, c`; beyond `most` names, `a, b and 7 more`."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
