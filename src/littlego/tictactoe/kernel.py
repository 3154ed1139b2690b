"""Compiled training: the same games and the same updates as `q_learner` and `match.train`.

A position is a number, as in `codes`. `q` has a row for each position and a column for each cell; occupied cells
have the value minus infinity, so that no maximum chooses them. Random numbers are those of `kernel.xorshift`, which
the slow twin in the tests uses too.
"""

from __future__ import annotations

import numpy as np

from littlego.kernel.compiling import compiled
from littlego.kernel.xorshift import State, draw_unit
from littlego.tictactoe.board import EMPTY
from littlego.tictactoe.codes import POSITIONS, cells_of


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
def best_cell(row: np.ndarray) -> int:
    best = 0
    for cell in range(1, 9):
        if row[cell] > row[best]:
            best = cell
    return best


@compiled
def train(
    q: np.ndarray,
    learned: np.ndarray,
    results: np.ndarray,
    powers: np.ndarray,
    side: int,
    games: int,
    alpha: float,
    fall: float,
    gamma: float,
    epsilon: float,
    rewards: np.ndarray,
    state: State,
) -> np.ndarray:
    """Learn from games as `side` against the random player; how many were drawn, won by X, by O.

    `rewards` are those of a draw, X's win and O's win to this side. `learned` counts the updates of each value.
    """
    counts = np.zeros(3, dtype=np.int64)
    codes = np.empty(5, dtype=np.int64)
    cells = np.empty(5, dtype=np.int64)
    for _ in range(games):
        code, empty, mover, made = 0, 9, 1, 0
        while results[code] == -1:
            if mover == side:
                if epsilon > 0 and draw_unit(state) < epsilon:
                    cell = random_empty(code, empty, state)
                else:
                    cell = best_cell(q[code])
                codes[made] = code
                cells[made] = cell
                made += 1
            else:
                cell = random_empty(code, empty, state)
            code += mover * powers[cell]
            mover = 3 - mover
            empty -= 1
        result = results[code]
        counts[result] += 1
        target = rewards[result]
        for turn in range(made - 1, -1, -1):
            code, cell = codes[turn], cells[turn]
            row = q[code]
            learned[code, cell] += 1
            rate = alpha / learned[code, cell] ** fall
            row[cell] = (1 - rate) * row[cell] + rate * target
            target = gamma * row[best_cell(row)]
    return counts
