"""Compiled training: the same games and the same updates as `q_learner` and `match.train`.

A position is a number, as in `codes`. `q` has a row for each position and a column for each cell; occupied cells
have the value minus infinity, so that no maximum chooses them. Random numbers are those of `kernel.xorshift`, which
the slow twin in the tests uses too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from littlego.kernel.marks import compiled
from littlego.kernel.xorshift import State, draw_unit
from littlego.tictactoe.board import EMPTY
from littlego.tictactoe.codes import POSITIONS, POWERS, RESULTS, cells_of


class Tables(NamedTuple):
    """What a learner knows."""

    q: np.ndarray
    learned: np.ndarray
    """How many times each value was updated."""
    rates: np.ndarray
    """The learning rate at the first update of a value, the second, ...: as many as games have been played."""
    rewards: np.ndarray
    """Of a draw, X's win and O's win."""
    results: np.ndarray
    """The winner of each position, 0 for a draw, -1 while the game goes on."""
    powers: np.ndarray
    """What a mark on each cell adds to the number of a position."""
    codes: np.ndarray
    """Scratch: the learner's positions in a game."""
    cells: np.ndarray
    """Scratch: its moves there."""


def new_tables(initial: float) -> Tables:
    return Tables(
        new_table(initial),
        np.zeros((POSITIONS, 9), dtype=np.int64),
        np.zeros(1),
        np.zeros(3),
        np.array(RESULTS, dtype=np.int8),
        np.array(POWERS, dtype=np.int64),
        np.zeros(5, dtype=np.int64),
        np.zeros(5, dtype=np.int64),
    )


def new_table(initial: float) -> np.ndarray:
    table = np.full((POSITIONS, 9), initial)
    for code in range(POSITIONS):
        for cell, mark in enumerate(cells_of(code)):
            if mark != EMPTY:
                table[code, cell] = -np.inf
    return table


@compiled
def random_empty(code: int, empty: int, state: State) -> int:
    """One of the `empty` empty cells of a position, each equally likely."""
    skip = int(draw_unit(state) * empty)
    cell = 0
    while True:
        if code % 3 == 0:
            if skip == 0:
                return cell
            skip -= 1
        code //= 3
        cell += 1


@compiled
def best_cell(q: np.ndarray, code: int) -> int:
    best = 0
    for cell in range(1, 9):
        if q[code, cell] > q[code, best]:
            best = cell
    return best


@compiled
def train(tables: Tables, side: int, games: int, gamma: float, epsilon: float, state: State) -> int:
    """Learn from games as `side` against the random player; how many."""
    codes, cells = tables.codes, tables.cells
    for _ in range(games):
        code, empty, mover, made = 0, 9, 1, 0
        while tables.results[code] == -1:
            if mover == side:
                if epsilon > 0 and draw_unit(state) < epsilon:
                    cell = random_empty(code, empty, state)
                else:
                    cell = best_cell(tables.q, code)
                codes[made] = code
                cells[made] = cell
                made += 1
            else:
                cell = random_empty(code, empty, state)
            code += mover * tables.powers[cell]
            mover = 3 - mover
            empty -= 1
        target = tables.rewards[tables.results[code]]
        for turn in range(made - 1, -1, -1):
            code, cell = codes[turn], cells[turn]
            rate = tables.rates[tables.learned[code, cell]]
            tables.learned[code, cell] += 1
            tables.q[code, cell] = (1 - rate) * tables.q[code, cell] + rate * target
            target = gamma * tables.q[code, best_cell(tables.q, code)]
    return games
