"""The solved game: the mistakes of a player in every position that it can meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from littlego.tictactoe.board import EMPTY, ONGOING, X, result_of
from littlego.tictactoe.players.perfect_player import after, to_move, value

Cells = tuple[int, ...]
START: Cells = (EMPTY,) * 9


def continuations(cells: Cells) -> list[Cells]:
    """The positions one move later; none if the game is over."""
    if result_of(cells) != ONGOING:
        return []
    side = to_move(cells)
    return [after(cells, cell, side) for cell in range(9) if cells[cell] == EMPTY]


@dataclass(frozen=True)
class SolvedCheck:
    """A player compared with the solved game, in every position it can meet as one side."""

    side: int
    met: int
    """How many positions with its side to move the opponent can bring about."""
    mistakes: tuple[tuple[Cells, int], ...]
    """Positions, and its move there, where it gives a win or a draw away."""

    @property
    def is_perfect(self) -> bool:
        return not self.mistakes


def check(choose: Callable[[Cells], int], side: int) -> SolvedCheck:
    """Follow `choose` (a cell for a position) against every play of the opponent."""
    met: set[Cells] = set()
    mistakes = []
    frontier = [START] if side == X else continuations(START)
    while frontier:
        cells = frontier.pop()
        if cells in met or result_of(cells) != ONGOING:
            continue
        met.add(cells)
        cell = choose(cells)
        following = after(cells, cell, side)
        if value(following) != value(cells):
            mistakes.append((cells, cell))
        frontier.extend(continuations(following))
    return SolvedCheck(side, len(met), tuple(sorted(mistakes)))


def draw(cells: Sequence[int]) -> str:
    return "\n".join(" ".join(".XO"[mark] for mark in cells[start : start + 3]) for start in (0, 3, 6))
