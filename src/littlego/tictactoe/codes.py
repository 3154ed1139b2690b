"""Boards as numbers, for tables of values: base 3, the top left cell the lowest digit."""

from __future__ import annotations

from collections.abc import Sequence

from littlego.tictactoe.board import result_of

Code = int
"""A board as a number."""

POWERS: tuple[int, ...] = tuple(3**cell for cell in range(9))
POSITIONS = 3**9


def cells_of(code: Code) -> list[int]:
    return [code // power % 3 for power in POWERS]


def code_of(cells: Sequence[int]) -> Code:
    return sum(mark * power for mark, power in zip(cells, POWERS, strict=True))


RESULTS = tuple(result_of(cells_of(code)) for code in range(POSITIONS))
"""How the game stands on each board."""
