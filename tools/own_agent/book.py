"""The agent's book: a move for every position of its strategy for which its own search would be too slow.

The walk starts from the empty board, once for each colour. With the agent to move it takes a winning move in a won
position, and in a lost one the move that leaves the fewest winning answers; these go into the book. With the opponent
to move it takes every legal move. Symmetric positions are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from littlego.agent import my_player3 as agent
from littlego.core.errors import UsageError
from littlego.course.starter import CORRIDOR

LEAST_LEFT: Final = 12
"""With fewer plies left the agent searches to the end itself."""
PASS_POINT: Final = 25

AgentSpot: TypeAlias = tuple[int, int, int]
"""Stones of the side to move, of the other side, and the ko, in the agent's encoding."""
BookLevel: TypeAlias = dict[int, AgentSpot]
"""Positions with the agent to move and the same number of plies left, by key."""
StageWatch: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of a stage of the work, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The agent's move in a position."""

    move: int
    """A bit; 0 for a pass."""
    won: bool


def first_level(colour: int) -> tuple[int, BookLevel]:
    """The plies left and the positions at a colour's first move."""
    if colour == 1:
        return agent.LENGTH, _level([(0, 0, 0)], agent.LENGTH)
    left = agent.LENGTH - 1
    opened = [found[1:] for found in agent.legal_moves(0, 0, 0)]
    return left, _level([*opened, (0, 0, 0)], left)


def next_level(level: BookLevel, decisions: dict[int, Decision], left: int, target: int) -> BookLevel:
    """The next positions with the agent to move: after its moves and every answer to them."""
    reached = (answer for key, spot in level.items() for answer in answers(spot, decisions[key].move, target))
    return _level(reached, left - 2)


def _level(spots: Iterator[AgentSpot] | list[AgentSpot], left: int) -> BookLevel:
    distinct = {(spot, left): None for spot in spots}
    return {agent.book_key(*spot, left)[0]: spot for spot, left in distinct}


def answers(spot: AgentSpot, move: int, target: int) -> list[AgentSpot]:
    """The next positions with the agent to move: after `move` and every answer to it.

    Without the opponent's pass where the agent is ahead: it then passes too, and has won.
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


def canonical_point(spot: AgentSpot, left: int, move: int) -> int:
    """The point of a move in the canonical image of its position; 25 for a pass."""
    if move == agent.PASS:
        return PASS_POINT
    _, image = agent.book_key(*spot, left)
    return int(image[agent.POINTS.index(move.bit_length() - 1)])


def move_of_point(spot: AgentSpot, left: int, point: int) -> int:
    """The inverse of `canonical_point`."""
    if point == PASS_POINT:
        return agent.PASS
    _, image = agent.book_key(*spot, left)
    bit: int = 1 << agent.POINTS[image.index(point)]
    return bit


@contextmanager
def reading(book: Path | None) -> Iterator[None]:
    """Lets the agent in this process read another book, and corridor.txt beside it; None for its own.

    Raises UsageError if there is no such book.
    """
    if book is None:
        yield
        return
    if not book.is_file():
        raise UsageError(f"{book}: there is no such book")
    own = agent.BOOK, agent.CORRIDOR
    agent.BOOK, agent.CORRIDOR = str(book), str(book.with_name(CORRIDOR.name))
    try:
        yield
    finally:
        agent.BOOK, agent.CORRIDOR = own
