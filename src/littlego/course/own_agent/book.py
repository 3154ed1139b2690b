"""The agent's book: a move for every position of its strategy that its own search would be too slow for.

The walk starts from the empty board, once for each colour. Where the agent is to move it takes a winning
move in a won position, and in a lost one the move that leaves the fewest winning answers; these go into the
book. Where the opponent is to move it takes every legal move. Positions are folded by symmetry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from littlego.agent import my_player3 as agent

LEAST_LEFT: Final = 12
"""With fewer plies left the agent searches to the end by itself."""
PASS_POINT: Final = 25

Spot: TypeAlias = tuple[int, int, int]
"""Stones of the side to move, of the other, and the ko, as the agent keeps them."""
Level: TypeAlias = dict[int, Spot]
"""Positions with the agent to move and equally many plies left, by key."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the agent plays in a position."""

    move: int
    """A bit; 0 for a pass."""
    won: bool


def first_level(colour: int) -> tuple[int, Level]:
    """The plies left and the positions at the first move of a colour."""
    if colour == 1:
        return agent.LENGTH, _level([(0, 0, 0)], agent.LENGTH)
    left = agent.LENGTH - 1
    opened = [found[1:] for found in agent.legal_moves(0, 0, 0)]
    return left, _level([*opened, (0, 0, 0)], left)


def next_level(level: Level, decisions: dict[int, Decision], left: int, target: int) -> Level:
    """The positions with the agent to move again, after its moves and every answer to them."""
    reached = (answer for key, spot in level.items() for answer in answers(spot, decisions[key].move, target))
    return _level(reached, left - 2)


def _level(spots: Iterator[Spot] | list[Spot], left: int) -> Level:
    distinct = {(spot, left): None for spot in spots}
    return {agent.book_key(*spot, left)[0]: spot for spot, left in distinct}


def answers(spot: Spot, move: int, target: int) -> list[Spot]:
    """The positions with the agent to move again, after `move` and any answer to it.

    A pass is left out where the agent is ahead: it then passes too, and has won.
    """
    mine, theirs, _ = spot
    after = (theirs, mine, 0)
    if move != agent.PASS:
        after = next(found[1:] for found in agent.legal_moves(*spot) if found[0] == move)
    reached = [found[1:] for found in agent.legal_moves(*after)]
    lead = bin(after[1]).count("1") - bin(after[0]).count("1")
    if lead < target:
        reached.append((after[1], after[0], 0))
    return reached


def canonical_point(spot: Spot, left: int, move: int) -> int:
    """Where a move lies in the smallest image of its position; 25 for a pass."""
    if move == agent.PASS:
        return PASS_POINT
    _, image = agent.book_key(*spot, left)
    return int(image[agent.POINTS.index(move.bit_length() - 1)])


def move_of_point(spot: Spot, left: int, point: int) -> int:
    """What `canonical_point` was made from."""
    if point == PASS_POINT:
        return agent.PASS
    _, image = agent.book_key(*spot, left)
    bit: int = 1 << agent.POINTS[image.index(point)]
    return bit
