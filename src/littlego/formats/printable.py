"""Text of strangers, such as agents' names and what they write to stderr, made safe to show."""

from __future__ import annotations

from html import escape


def printable(text: str) -> str:
    """A stranger's text with its control and direction characters shown, not obeyed; lines stay lines."""
    return "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in text)


def clipped(text: str, limit: int) -> str:
    """The text, or its first `limit` characters and how many more there were."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def escaped(text: str, *, limit: int = 2000) -> str:
    """The text as HTML, for an element's content or a quoted attribute: printable, clipped, nothing of it a tag."""
    return escape(printable(clipped(text, limit)), quote=True)
