"""The words of the Go Text Protocol, version 2: commands and answers as text, for engine and client alike."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.errors import FormatError
from littlego.formats.text import shortened

_COLOURS: Final = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class GtpCommand:
    """A line that was sent to an engine."""

    id: str
    """The number before the command, to be echoed; empty if there is none."""
    name: str
    """Empty for a line with only a number."""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GtpAnswer:
    """An engine's answer to a command."""

    ok: bool
    text: str


def parse_command(line: str) -> GtpCommand | None:
    """The command of a line; None for a line of comments, control characters and spaces only."""
    words = _CONTROL.sub("", line.replace("\t", " ").partition("#")[0]).split()
    if not words:
        return None
    number = words.pop(0) if re.fullmatch(r"[0-9]{1,10}", words[0]) else ""
    return GtpCommand(number, words[0] if words else "", tuple(words[1:]))


def write_answer(answer: GtpAnswer, number: str = "") -> str:
    """The text of an answer, with the empty line that ends it. Other empty lines, which would end it, are removed."""
    lines = [_CONTROL.sub("", line.replace("\t", " ")).rstrip() for line in answer.text.split("\n")]
    # The first line may be empty, as before a board: it still has the sign.
    first = f"{'=' if answer.ok else '?'}{number} {lines[0]}".rstrip()
    return "\n".join([first, *filter(None, lines[1:])]) + "\n\n"


def parse_answer(text: str) -> GtpAnswer:
    """The answer in a text without the empty line at its end. Raises FormatError."""
    cleaned = "\n".join(_CONTROL.sub("", line).rstrip() for line in text.split("\n"))
    match = re.fullmatch(r"([=?])[0-9]*[ \t]*(.*)", cleaned, re.S)
    if match is None:
        raise FormatError(f"expected an answer that begins with = or ?, got {shortened(text)!r}")
    return GtpAnswer(match[1] == "=", match[2].strip("\n"))


def parse_colour(text: str) -> Colour:
    """The side that `b`, `black`, `w` or `white` names, in upper or lower case. Raises FormatError."""
    if (colour := _COLOURS.get(text.lower())) is None:
        raise FormatError(f"expected a colour, b or w, got {shortened(text)!r}")
    return colour
