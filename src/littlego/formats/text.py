"""Text for people: printable, coloured at a terminal, with its plurals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from littlego.core.board import Board
    from littlego.core.game import GameRecord
    from littlego.core.points import Move, Point
    from littlego.core.position import Position


def plural(number: int, noun: str) -> str:
    """`1 game`, `2 games`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def joined(names: Sequence[str], word: str = "and") -> str:
    """`a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


def listed(names: Sequence[str], *, most: int | None = 5, by: str = ", ") -> str:
    """`a, b, c`; beyond `most` names, `a, b and 7 more`."""
    rest = 0 if most is None else len(names) - most
    return by.join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


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


_WOOD = "\x1b[48;5;179m"
_INK = {"black": "\x1b[1;38;5;16m", "white": "\x1b[1;38;5;231m"}
_LINE = "\x1b[38;5;94m"
_MARK = "\x1b[48;5;173m"
_DIM = "\x1b[2m"
_RESET = "\x1b[0m"


def draw_terminal(position: Position, *, last_move: Move | None = None, colour: bool = True) -> str:
    """The board with coordinates: `X`, `O`, `.`; brackets round the last move, `k` on a ko point while it is played.

    Without colour it is plain ASCII with the same content.
    """
    size = position.size
    ko = position.ko if position.outcome() is None else None
    header = "   " + "".join(f"{column:^3}" for column in range(size))
    lines = [_paint(header, _DIM, colour)]
    for row in range(size):
        label = _paint(f"{row:2} ", _DIM, colour)
        cells = "".join(_cell(position, row * size + column, ko, last_move, colour) for column in range(size))
        lines.append(label + cells + (_RESET if colour else ""))
    return "\n".join(lines)


_CAPTION: Final = re.compile(r"\bto move\b|^Move \d", re.IGNORECASE)
_ROW: Final = re.compile(r"(\s*\d+)(\s.*[.XOk*?].*)")


def parse_drawn(text: str, *, source: str = "diagram") -> tuple[Board, Point | None]:
    """A board that we have drawn without colour, and the ko point on it. Raises FormatError.

    A board without brackets, `k` or coordinates will do. Words below it do not count, and a move to come, which a
    review marks with `*`, `?` or its number, is an empty point.
    """
    from littlego.core.board import parse_board

    plain = "\n".join(map(_drawn_row, re.sub(r"[\[\]]", " ", text).splitlines()))
    cells = re.sub(r"[^.XOk]", "", plain)
    return parse_board(plain.replace("k", "."), source=source), cells.index("k") if "k" in cells else None


def _drawn_row(line: str) -> str:
    if _CAPTION.search(line):
        return ""
    label, cells = row.groups() if (row := _ROW.fullmatch(line)) else ("", line)
    return label + (re.sub(r"\d+|[*?]", ".", cells) if row else cells)


def verdict_sentence(record: GameRecord) -> str:
    return f"{record.outcome}." if record.outcome else "Not finished."


def draw_game(record: GameRecord, *, colour: bool) -> str:
    """The last position of a game, with its last move."""
    return draw_terminal(record.final(), last_move=record.moves[-1] if record.moves else None, colour=colour)


def _cell(position: Position, point: int, ko: int | None, last_move: Move | None, colour: bool) -> str:
    stone = position.board.at(point)
    ink, glyph = (_INK[stone.word], stone.symbol) if stone else (_LINE, "k" if point == ko else ".")
    text = f"[{glyph}]" if point == last_move else f" {glyph} "
    if not colour:
        return text
    ground = _MARK if point == last_move else _WOOD
    return f"{ground}{ink}{text}{_RESET}"


def _paint(text: str, style: str, colour: bool) -> str:
    return f"{style}{text}{_RESET}" if colour else text
