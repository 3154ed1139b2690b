"""Observations of a position, the same in all environments: planes and a mask of actions.

An action is a point, `row * size + column`, or `size * size`, the pass. The planes are seen by one player, with shape
(PLANES, size, size), as 32-bit floats; together they determine the game's future under the simple ko.

0  the player's own stones
1  the opponent's stones
2  where ko forbids a stone, if the player is to move
3  all 1 if the player is White
4  all 1 if the last move was a pass
5  everywhere the share of the game's moves that are left
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from littlego.core.board import BLACK, Colour
from littlego.core.points import PASS, Mask, Move, Pass
from littlego.core.position import Position

PLANES: Final = 6
OWN, OTHER, KO, IS_WHITE, PASSED, LEFT = range(PLANES)

Planes = npt.NDArray[np.float32]
ActionMask = npt.NDArray[np.int8]


def move_of(action: int, size: int) -> Move:
    return PASS if action == size * size else action


def action_of(move: Move, size: int) -> int:
    return size * size if isinstance(move, Pass) else move


def planes(position: Position, player: Colour) -> Planes:
    size, board = position.size, position.board
    seen = np.zeros((PLANES, size, size), dtype=np.float32)
    seen[OWN] = _grid(board.stones(player), size)
    seen[OTHER] = _grid(board.stones(player.opponent), size)
    if player is position.to_move:
        seen[KO] = _grid(board.playable(player) & ~position.legal_points(), size)
    seen[IS_WHITE] = player is not BLACK
    seen[PASSED] = position.passes > 0
    seen[LEFT] = position.plies_left / position.rules.max_moves
    return seen


def action_mask(position: Position) -> ActionMask:
    """1 for every legal action of the side to move; all 0 when the game is over."""
    size = position.size
    mask = np.zeros(size * size + 1, dtype=np.int8)
    if position.outcome() is None:
        mask[[action_of(move, size) for move in position.legal_moves()]] = 1
    return mask


def _grid(mask: Mask, size: int) -> Planes:
    cells = [mask >> point & 1 for point in range(size * size)]
    return np.array(cells, dtype=np.float32).reshape(size, size)
