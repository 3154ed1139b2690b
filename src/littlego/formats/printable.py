"""Untrusted text, such as agents' names and their stderr, made safe to show."""

from __future__ import annotations

from html import escape
from typing import Final

_MESSAGE: Final = 40


def printable(text: str) -> str:
    """Untrusted text with its control and direction characters made visible, except newlines."""
    return "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in text)


def shortened(text: str) -> str:
    """A text cut to a length that fits a message."""
    return text if len(text) <= _MESSAGE else text[: _MESSAGE - 3] + "..."


def clipped(text: str, limit: int) -> str:
    """Untrusted text made printable and cut after `limit` characters, with the number of the rest."""
    rest = f"… ({len(text) - limit:,} more characters)" if len(text) > limit else ""
    return printable(text[:limit]) + rest


def escaped(text: str, *, limit: int = 2000) -> str:
    """Untrusted text as HTML, for an element's content or a quoted attribute: printable, clipped, without tags."""
    return escape(clipped(text, limit), quote=True)
