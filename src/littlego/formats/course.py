"""The course's two files: `input.txt`, which an agent reads, and `output.txt`, which it writes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from littlego.core.board import Board, Colour, board_of_rows
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.points import PASS, Move, Pass, Point, move_name
from littlego.core.position import Position, fewest_moves
from littlego.core.rules import Ko, Rules, Why, edition_rules
from littlego.formats.text import shortened

_DIGITS = "012"
_NUMBER = re.compile(r"\s*[+-]?(?=[0-9_]{1,20}\s*$)[0-9]+(?:_[0-9]+)*\s*")
"""What Python's `int` takes, in ASCII and not endless."""


@dataclass(frozen=True, slots=True)
class CourseInput:
    """What `input.txt` says: the agent's colour, the board after its last move, the board now."""

    to_move: Colour
    previous: Board
    current: Board

    def position(self, rules: Rules | None = None, *, moves_played: int | None = None) -> Position:
        """The position to move in, its ko derived from the two boards.

        The file does not say how many moves were played: the default is `fewest_moves`.
        Whether `current` is one move after `previous` is not checked.

        >>> given = lg.parse_input("2\\n" + "00000\\n" * 5 + "00000\\n" * 2 + "00100\\n" + "00000\\n" * 2)
        >>> given.position().legal_moves()[-1]
        PASS
        """
        rules = rules or edition_rules(size=self.current.size)
        if moves_played is None:
            moves_played = fewest_moves(self.current, self.to_move)
        earlier = frozenset({self.previous} - {self.current}) if rules.ko is Ko.POSITIONAL else frozenset()
        ko = self._ko() if rules.ko is Ko.SIMPLE else None
        return Position(rules, self.current, self.to_move, ko, moves_played=moves_played, earlier=earlier)

    def _ko(self) -> Point | None:
        """The point where this side would recreate the previous board, if there is one."""
        taken = self.previous.stones(self.to_move) & ~self.current.stones(self.to_move)
        if taken.bit_count() != 1:
            return None
        point = taken.bit_length() - 1
        return point if self.current.after(self.to_move, point)[0] == self.previous else None


def write_input(course_input: CourseInput) -> str:
    """The text of `input.txt`; like the course's host, without a final newline.

    A `Position` does not say what the board was before; `CourseInput` does. Raises UsageError for anything else.

    >>> board = lg.Board(2)
    >>> lg.write_input(lg.CourseInput(lg.BLACK, board, board))
    '1\\n00\\n00\\n00\\n00'
    """
    if not isinstance(course_input, CourseInput):
        got = type(course_input).__name__
        raise UsageError(
            f"write_input: expected CourseInput(to_move, previous, current), the boards before and now, got {got}"
        )
    rows = [*board_rows(course_input.previous), *board_rows(course_input.current)]
    return "\n".join([str(course_input.to_move.value), *rows])


def board_rows(board: Board) -> list[str]:
    """The rows of a board in digits: 0 empty, 1 Black, 2 White."""
    size = board.size
    cells = [(board.black >> point & 1) + 2 * (board.white >> point & 1) for point in range(size * size)]
    return ["".join(map(str, cells[row * size : (row + 1) * size])) for row in range(size)]


def parse_input(text: str, *, source: str = "input.txt", size: int | None = None) -> CourseInput:
    """The content of an `input.txt`; without `size`, its rows decide. Raises FormatError with line and column.

    >>> lg.parse_input("1\\n" + "00000\\n" * 10).to_move
    <Colour.BLACK: 1>
    """
    lines = text.removesuffix("\n").split("\n")
    if lines[0] not in ("1", "2"):
        raise FormatError(f"{source}: line 1: expected '1' (Black) or '2' (White), got {lines[0]!r}")
    if len(lines) == 1:
        raise FormatError(f"{source}: expected the colour and two boards, got the colour alone")
    if size is None:
        size = len(lines[1].rstrip("\r"))
    if len(lines) != 1 + 2 * size:
        raise FormatError(
            f"{source}: expected {1 + 2 * size} lines (the colour and two boards of {size} rows), got {len(lines)}"
        )
    for number, line in enumerate(lines[1:], start=2):
        _check_row(line, size, f"{source}: line {number}")
    previous, current = lines[1 : 1 + size], lines[1 + size :]
    return CourseInput(
        Colour(int(lines[0])),
        board_of_rows(previous, _DIGITS, source=f"{source}: previous board"),
        board_of_rows(current, _DIGITS, source=f"{source}: current board"),
    )


def parse_board_rows(rows: list[str], *, source: str) -> Board:
    """The board that `board_rows` wrote. Raises FormatError."""
    for number, row in enumerate(rows):
        _check_row(row, len(rows), f"{source}: row {number}")
    return board_of_rows(rows, _DIGITS, source=source)


def _check_row(row: str, size: int, where: str) -> None:
    if wrong := re.search(r"[^012]", row):
        what = "a carriage return (lines end with LF alone)" if wrong[0] == "\r" else repr(wrong[0])
        raise FormatError(f"{where}: column {wrong.start() + 1}: expected 0, 1 or 2, got {what}")
    if len(row) != size:
        raise FormatError(f"{where}: expected {size} digits, got {len(row)}")


@dataclass(frozen=True, slots=True)
class CourseOutput:
    """What `output.txt` says. `remark` is empty, or says how it differs from what the course asks for."""

    move: Move
    remark: str = ""


def write_output(move: Move, size: int) -> str:
    """The text of `output.txt` for a move.

    >>> lg.write_output(13, 5)
    '2,3'
    """
    return move_name(move, size)


def parse_output(text: str, *, size: int, source: str = "output.txt", strict: bool = False) -> CourseOutput:
    """The move in the text of an `output.txt`, read as the course's host does, or to the letter if `strict`.

    To the host only the first line counts, and any of Python's line ends ends it; whitespace around numbers, signs,
    zeros and underscores in them, and anything after a second comma are accepted with a remark. Raises FormatError,
    and IllegalMove for a point that is not on the board.

    >>> lg.parse_output("2,3", size=5).move
    13
    """
    output = _read_as_the_host(text, size, source)
    if strict and output.remark:
        raise FormatError(f"{source}: {output.remark}")
    return output


def _read_as_the_host(text: str, size: int, source: str) -> CourseOutput:
    first = re.split(r"[\r\n]", text, maxsplit=1)[0].strip()
    where = f"{source}: line 1: expected 'PASS' or 'row,column' such as 2,3"
    if not first:
        raise FormatError(f"{where}, got {'nothing' if not text else 'an empty line'}")
    fields = first.split(",")
    if fields[0] == "PASS":
        return CourseOutput(PASS, _remark(text, PASS, size))
    if len(fields) < 2 or not all(_NUMBER.fullmatch(field) for field in fields[:2]):
        hint = "; PASS is written in capitals" if first.upper() == "PASS" else ""
        raise FormatError(f"{where}, got {shortened(first)!r}{hint}")
    row, column = int(fields[0]), int(fields[1])
    if not (0 <= row < size and 0 <= column < size):
        raise IllegalMove(f"{row},{column}", Why.OFF_BOARD)
    point = row * size + column
    return CourseOutput(point, _remark(text, point, size))


def _remark(text: str, move: Move, size: int) -> str:
    expected = move_name(move, size)
    if text.removesuffix("\n") == expected:
        return ""
    what = "PASS" if isinstance(move, Pass) else "the move"
    asks = f"the course's text asks for {what} alone, {expected!r}; the file says {shortened(text)!r}"
    return f"{asks} ({_broken_rule(text)})"


def _broken_rule(text: str) -> str:
    """The line of the course's documents, with its section, that an inexact output breaks."""
    if "\r" in text:
        return '5.2: "The end-of-line character is LF"'
    if re.search(r"\s", text.split("\n", 1)[0]):
        return '5.3: "separated by a comma without whitespace"'
    return '5.2: "must exactly match", or the agent "will never win any game"'
