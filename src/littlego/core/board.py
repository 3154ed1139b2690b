"""The two sides, and stones on a board: groups, liberties and captures, on bit masks. No turns, no ko, no history.

A board is drawn and read as a diagram, `X` for Black, `O` for White, `.` for an empty point:

  0 1 2 3 4
0 . . X X .
1 . . O X .
2 . . O . .
3 . O . . .
4 . . . . .
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from littlego.core.errors import FormatError, UsageError
from littlego.core.points import MAX_SIZE, MIN_SIZE, Mask, Point, point_name

_CELLS: Final = ".XO"


class Colour(enum.Enum):
    """A side. The value is the digit that stands for it in the course's files."""

    BLACK = 1
    WHITE = 2

    opponent: Colour
    """The other side."""

    @property
    def symbol(self) -> str:
        """`X` or `O`, as the course draws stones."""
        return "X" if self is Colour.BLACK else "O"

    @property
    def word(self) -> str:
        """`black` or `white`, as JSON, GTP and file names write it."""
        return self.name.lower()

    def __str__(self) -> str:
        return self.name.capitalize()


# Plain attributes and names: looking a member up through its class is slow, and play does it often.
BLACK: Final = Colour.BLACK
WHITE: Final = Colour.WHITE
BLACK.opponent = WHITE
WHITE.opponent = BLACK


@dataclass(frozen=True, slots=True)
class Grid:
    """Everything that depends only on the size. Use `grid(size)`, which builds each size once."""

    size: int
    full: Mask
    not_first_column: Mask
    not_last_column: Mask
    neighbours: tuple[Mask, ...]
    """For each point, the points next to it."""
    neighbour_bits: tuple[tuple[Mask, ...], ...]
    """The same, as single-point masks."""

    def next_to(self, mask: Mask) -> Mask:
        """The points next to any point of `mask`; may include points of `mask` itself."""
        size = self.size
        return (
            mask >> size | mask << size | (mask & self.not_first_column) >> 1 | (mask & self.not_last_column) << 1
        ) & self.full

    def flood(self, seed: Mask, within: Mask) -> Mask:
        """The points of `within` connected to `seed`, which must lie in `within`."""
        size, not_first, not_last = self.size, self.not_first_column, self.not_last_column
        while True:
            grown = (seed | seed >> size | seed << size | (seed & not_first) >> 1 | (seed & not_last) << 1) & within
            if grown == seed:
                return seed
            seed = grown

    def dead_group(self, seed: Mask, stones: Mask, empty: Mask) -> Mask:
        """The stones connected to `seed` if none of them is next to `empty`; else 0.

        Stops at the first liberty it meets, which is what makes play fast.
        """
        size, not_first, not_last = self.size, self.not_first_column, self.not_last_column
        while True:
            grown = seed | seed >> size | seed << size | (seed & not_first) >> 1 | (seed & not_last) << 1
            if grown & empty:
                return 0
            grown &= stones
            if grown == seed:
                return seed
            seed = grown


@cache
def grid(size: int) -> Grid:
    """The grid of a size. Raises UsageError outside 2..19."""
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise UsageError(f"board size {size}: expected {MIN_SIZE} to {MAX_SIZE}")
    full = (1 << size * size) - 1
    first_column = sum(1 << row * size for row in range(size))
    bare = Grid(size, full, full & ~first_column, full & ~(first_column << size - 1), (), ())
    neighbours = tuple(bare.next_to(1 << point) for point in range(size * size))
    bits = tuple(tuple(1 << p for p in range(size * size) if mask >> p & 1) for mask in neighbours)
    return Grid(size, full, bare.not_first_column, bare.not_last_column, neighbours, bits)


class Board(NamedTuple):
    """Black's and White's stones as masks. The two must not overlap; `checked` makes sure.

    A named tuple, because one is made for every move and hashed for every ko: a frozen dataclass
    takes three times as long.
    """

    size: int
    black: Mask = 0
    white: Mask = 0

    def checked(self) -> Board:
        """This board, after checking it: UsageError if no sequence of moves can lead to it.

        >>> lg.Board(2, black=0b01, white=0b10).checked()
        Board(size=2, black=1, white=2)
        """
        everything = self.black | self.white
        if self.black & self.white or everything & ~grid(self.size).full or everything < 0:
            raise UsageError(f"not a {self.size}x{self.size} board: stones overlap or lie outside")
        for group in self.groups():
            if not self.liberties(group):
                name = point_name((group & -group).bit_length() - 1, self.size)
                raise UsageError(f"the group at {name} has no liberty: no game can have left it there")
        return self

    @property
    def empty(self) -> Mask:
        return grid(self.size).full & ~(self.black | self.white)

    def stones(self, colour: Colour) -> Mask:
        """The set of a side's stones.

        >>> lg.parse_board("X O\\n. .").stones(lg.WHITE)  # the set of point 1
        2
        """
        return self.black if colour is BLACK else self.white

    def at(self, point: Point) -> Colour | None:
        """The side whose stone is on a point, if any.

        >>> print(lg.parse_board("X O\\n. .").at(1))
        White
        """
        if self.black >> point & 1:
            return BLACK
        return WHITE if self.white >> point & 1 else None

    def group(self, point: Point) -> Mask:
        """The group that the stone on `point` belongs to; 0 for an empty point.

        >>> bin(lg.parse_board("X X\\n. O").group(0))  # points 0 and 1
        '0b11'
        """
        colour = self.at(point)
        return grid(self.size).flood(1 << point, self.stones(colour)) if colour else 0

    def groups(self, colour: Colour | None = None) -> Iterator[Mask]:
        """The groups of one side, or of both, Black's first.

        >>> len(list(lg.parse_board("X . X\\n. O .\\nX . .").groups()))
        4
        """
        for side in Colour if colour is None else (colour,):
            rest = self.stones(side)
            while rest:
                group = grid(self.size).flood(rest & -rest, rest)
                yield group
                rest ^= group

    def liberties(self, group: Mask) -> Mask:
        """The empty points next to a group.

        >>> board = lg.parse_board("X . .\\nO . .\\n. . .")
        >>> bin(board.liberties(board.group(0)))  # point 1 alone
        '0b10'
        """
        return grid(self.size).next_to(group) & self.empty

    def in_atari(self, colour: Colour) -> Mask:
        """The stones of `colour` in groups with one liberty.

        >>> bin(lg.parse_board("X . X\\nO . .\\n. . .").in_atari(lg.BLACK))  # the stone on point 0
        '0b1'
        """
        return sum(group for group in self.groups(colour) if self.liberties(group).bit_count() == 1)

    def captured_by(self, colour: Colour, point: Point) -> Mask:
        """The opponent's stones that `colour` would capture on `point`, which must be empty.

        >>> bin(lg.parse_board("X . .\\nO . .\\n. . .").captured_by(lg.WHITE, 1))  # the stone on point 0
        '0b1'
        """
        own, other = self._sides(colour)
        return _captured(grid(self.size), point, own, other)

    def is_suicide(self, colour: Colour, point: Point) -> bool:
        """Whether a stone there, on an empty point, would capture nothing and have no liberty.

        >>> lg.parse_board(". X .\\nX . .\\n. . .").is_suicide(lg.WHITE, 0)
        True
        """
        own, other = self._sides(colour)
        g = grid(self.size)
        bit = 1 << point
        empty_after = g.full & ~(own | other | bit)
        if g.neighbours[point] & empty_after:
            return False
        return bool(g.dead_group(bit, own | bit, empty_after)) and not _captured(g, point, own, other)

    def after(self, colour: Colour, point: Point) -> tuple[Board, Mask]:
        """The board after a stone on an empty `point`, and what it captured. Suicide is not checked.

        >>> board, captured = lg.parse_board("X . .\\nO . .\\n. . .").after(lg.WHITE, 1)
        >>> board.rows(), captured
        (['.O.', 'O..', '...'], 1)
        """
        size, black, white = self
        if colour is BLACK:
            captured = _captured(grid(size), point, black, white)
            return Board(size, black | 1 << point, white & ~captured), captured
        captured = _captured(grid(size), point, white, black)
        return Board(size, black & ~captured, white | 1 << point), captured

    def playable(self, colour: Colour) -> Mask:
        """The empty points where `colour` may place a stone, ko aside.

        >>> bin(lg.parse_board(". X\\nX .").playable(lg.BLACK))  # Black may fill either eye, not die
        '0b1001'
        """
        size, (own, other) = self.size, self._sides(colour)
        g = grid(size)
        empty = g.full & ~(own | other)
        # Points with an empty neighbour are playable. The others are tested one by one.
        beside = empty >> size | empty << size | (empty & g.not_first_column) >> 1 | (empty & g.not_last_column) << 1
        enclosed = empty & ~beside
        playable = empty ^ enclosed
        while enclosed:
            bit = enclosed & -enclosed
            enclosed ^= bit
            point = bit.bit_length() - 1
            friends = g.neighbours[point] & own
            if (friends and not g.dead_group(friends, own, empty ^ bit)) or _captured(g, point, own, other):
                playable |= bit
        return playable

    def rows(self) -> list[str]:
        """The rows from the top: `X`, `O`, and `.` for an empty point.

        >>> lg.Position.initial().play("C3").board.rows()
        ['.....', '.....', '..X..', '.....', '.....']
        """
        size = self.size
        symbols = [stone.symbol if (stone := self.at(point)) else "." for point in range(size * size)]
        return ["".join(symbols[start : start + size]) for start in range(0, size * size, size)]

    def __str__(self) -> str:
        return draw_board(self)

    def _repr_svg_(self) -> str:
        from littlego.core.position import Position
        from littlego.core.rules import edition_rules
        from littlego.core.svg import draw_svg

        return draw_svg(Position(edition_rules(size=self.size), self))

    def _sides(self, colour: Colour) -> tuple[Mask, Mask]:
        return (self.black, self.white) if colour is BLACK else (self.white, self.black)


def _captured(g: Grid, point: Point, own: Mask, other: Mask) -> Mask:
    """The stones of `other` left without a liberty by a stone of `own` on an empty `point`."""
    suspects = g.neighbours[point] & other
    if not suspects:
        return 0
    empty_after = g.full & ~(own | other | 1 << point)
    captured = 0
    for bit in g.neighbour_bits[point]:
        if bit & suspects and not bit & captured:
            captured |= g.dead_group(bit, other, empty_after)
    return captured


def draw_board(board: Board, *, coordinates: bool = True) -> str:
    """The diagram of a board, without a newline at its end.

    >>> print(lg.draw_board(lg.Board(2, black=0b01, white=0b10)))
       0 1
     0 X O
     1 . .
    """
    return draw_marked(board, {}) if coordinates else "\n".join(" ".join(row) for row in board.rows())


def draw_marked(board: Board, marks: Mapping[Point, str]) -> str:
    """The diagram of a board, with other characters on some of its empty points."""
    # Columns from 10 on show their last digit, so that the diagram stays square.
    lines = ["   " + " ".join(str(column % 10) for column in range(board.size))]
    for number, row in enumerate(board.rows()):
        cells = [marks.get(number * board.size + k, mark) if mark == "." else mark for k, mark in enumerate(row)]
        lines.append(f"{number:2} {' '.join(cells)}")
    return "\n".join(lines)


def parse_board(text: str, *, source: str = "diagram") -> Board:
    """The board of a diagram, with or without coordinates and spaces between the cells.

    Raises FormatError, including for a group without liberties.

    >>> lg.parse_board("X O\\n. .")
    Board(size=2, black=1, white=2)
    """
    rows: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or re.fullmatch(r"[\d\s]+", line):
            continue
        cells = re.sub(r"^\s*\d+(?=[\s.XO])|\s", "", line)
        if wrong := re.search(rf"[^{_CELLS}]", cells):
            raise FormatError(
                f"{source}: line {number}: column {line.index(wrong[0]) + 1}: expected one of '.XO', got {wrong[0]!r}"
            )
        if rows and len(cells) != len(rows[0]):
            raise FormatError(f"{source}: line {number}: expected {len(rows[0])} cells, got {len(cells)}")
        rows.append(cells)
    if not rows or len(rows) != len(rows[0]):
        width = len(rows[0]) if rows else 0
        raise FormatError(f"{source}: expected a square board, got {len(rows)} rows of {width}")
    return board_of_rows(rows, _CELLS, source=source)


def board_of_rows(rows: list[str], cells: str, *, source: str) -> Board:
    """The board of equally long rows; `cells` are the characters for empty, Black and White.

    The caller has checked the characters. Raises FormatError for a board that no game can reach.
    """
    size = len(rows)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise FormatError(f"{source}: expected a board of {MIN_SIZE} to {MAX_SIZE} rows, got {size}")
    flat = "".join(rows)
    black = sum(1 << point for point, char in enumerate(flat) if char == cells[1])
    white = sum(1 << point for point, char in enumerate(flat) if char == cells[2])
    try:
        return Board(size, black, white).checked()
    except UsageError as error:
        raise FormatError(f"{source}: {error}") from error
