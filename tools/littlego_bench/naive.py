"""A deliberately naive referee on lists of lists, written from the course's text alone.

It shares no code with `littlego.core`: tests compare their games, and `bench.py engine` their speed. It is what
a student might write after reading the course's host: boards are copied to try a move, groups are searched depth first.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

Cells = list[list[int]]
Place = tuple[int, int]

EMPTY, BLACK, WHITE = 0, 1, 2


@dataclass
class NaiveGame:
    """A game in progress, changed in place. `superko` and no passing make it the 2019 edition."""

    size: int = 5
    superko: bool = False
    passing: bool = True
    length: int = 0
    cells: Cells = field(default_factory=list)
    history: list[Cells] = field(default_factory=list)
    to_move: int = BLACK
    passes: int = 0
    moves: int = 0

    def __post_init__(self) -> None:
        self.length = self.length or self.size * self.size - 1
        self.cells = self.cells or [[EMPTY] * self.size for _ in range(self.size)]

    def legal(self) -> list[Place]:
        return [(i, j) for i in range(self.size) for j in range(self.size) if self.why_not(i, j) is None]

    def why_not(self, i: int, j: int) -> str | None:
        """`occupied`, `suicide`, `ko`, or None if the move is legal."""
        if self.cells[i][j] != EMPTY:
            return "occupied"
        after = self.after(i, j)
        if not self.has_liberty(after, i, j):
            return "suicide"
        forbidden = self.history if self.superko else self.history[-1:]
        return "ko" if after in forbidden else None

    def after(self, i: int, j: int) -> Cells:
        """The board with a stone there, without what it captures."""
        cells = deepcopy(self.cells)
        cells[i][j] = self.to_move
        for x, y in self.neighbours(i, j):
            if cells[x][y] == 3 - self.to_move and not self.has_liberty(cells, x, y):
                for a, b in self.group(cells, x, y):
                    cells[a][b] = EMPTY
        return cells

    def play(self, place: Place | None) -> None:
        """Make a legal move (not checked); None is a pass."""
        before = deepcopy(self.cells)
        if place is None:
            self.passes += 1
        else:
            self.cells = self.after(*place)
            self.passes = 0
        self.history.append(before)
        self.to_move = 3 - self.to_move
        self.moves += 1

    def over(self) -> bool:
        if self.moves >= self.length or self.passes >= 2:
            return True
        return not self.passing and not self.legal()

    def score(self, colour: int) -> float:
        """Stones on the board, White's with komi."""
        stones = sum(row.count(colour) for row in self.cells)
        return stones + (self.size / 2 if colour == WHITE else 0)

    def has_liberty(self, cells: Cells, i: int, j: int) -> bool:
        """Whether the group at that place has a liberty."""
        return any(cells[x][y] == EMPTY for a, b in self.group(cells, i, j) for x, y in self.neighbours(a, b))

    def group(self, cells: Cells, i: int, j: int) -> list[Place]:
        """The stones connected to the one at that place."""
        stack, members = [(i, j)], []
        while stack:
            place = stack.pop()
            members.append(place)
            for x, y in self.neighbours(*place):
                if cells[x][y] == cells[i][j] and (x, y) not in stack and (x, y) not in members:
                    stack.append((x, y))
        return members

    def neighbours(self, i: int, j: int) -> list[Place]:
        around = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
        return [(x, y) for x, y in around if 0 <= x < self.size and 0 <= y < self.size]
