"""From a `core` position to the kernel's 5x5 frame and back."""

from __future__ import annotations

from dataclasses import dataclass

from littlego.core.position import Position
from littlego.kernel.bits import SIDE
from littlego.kernel.packing import NO_KO, Packed


@dataclass(frozen=True, slots=True)
class Spot:
    """A position as compiled code sees it, from the side of the player to move."""

    mine: int
    theirs: int
    ko: int
    """A point of the frame, or NO_KO."""
    left: int
    """Plies left."""


def spot_of(position: Position) -> Spot:
    """A position in the frame. Passes in a row are not part of it."""
    size = position.size
    return Spot(
        framed(position.board.stones(position.to_move), size),
        framed(position.board.stones(position.to_move.opponent), size),
        NO_KO if position.ko is None else framed_point(position.ko, size),
        position.plies_left,
    )


def board_mask(size: int) -> int:
    """The points of the frame that exist on a board of a size."""
    return framed((1 << size * size) - 1, size)


def framed(mask: int, size: int) -> int:
    row = (1 << size) - 1
    return sum((mask >> size * i & row) << SIDE * i for i in range(size))


def unframed(mask: Packed, size: int) -> Packed:
    """The inverse of `framed`."""
    row = (1 << size) - 1
    found = mask & row
    for i in range(1, size):
        found |= (mask >> SIDE * i & row) << size * i
    return found


def framed_point(point: int, size: int) -> int:
    return point // size * SIDE + point % size


def unframed_point(point: Packed, size: int) -> Packed:
    """The inverse of `framed_point`."""
    return point // SIDE * size + point % SIDE
