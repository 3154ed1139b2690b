"""Which move of a lost position is hardest to answer.

Every move of a lost position loses to an opponent who makes no mistake. The best move demands the most of
the opponent. The measure, each step deciding among the moves that the step before left equal:

1. any move before a pass, which lets the opponent end the game;
2. the fewest replies of the opponent that still win;
3. the smallest margin that the opponent can be sure of;
4. near the end, the smallest chance that an opponent who replies at random still wins after two replies,
   with the best move in between.

Far from the end, counting all of this exactly would take minutes, so the number of nodes is limited. The work goes
from easy questions to hard ones, and drops a move as soon as it has more winning replies than another can have. A
reply that is still undecided counts half. Nothing is at stake but how a lost game is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.kernel.words import MARGIN
from littlego.solve.engine import NO_LIMIT, OutOfNodes
from littlego.solve.oracle import Oracle, komi_for, least_win

NODES: Final = 3_000_000
"""A few seconds' work."""
EXACT_LEFT: Final = 14
"""With at most this many plies left everything is counted, without a limit on nodes: it takes seconds at most."""
TWO_REPLIES_LEFT: Final = 8
"""With at most this many plies left the replies after the next count, too."""
COST_OF_A_QUESTION: Final = 200
"""In nodes, in addition to those that it takes."""
_ALLOWANCES: Final = (1 << 8, 1 << 11, 1 << 14, 1 << 17, 1 << 20)


@dataclass(slots=True)
class Resistance:
    """What is known about the opponent's replies to a losing move."""

    move: Move
    after: Position
    winning: int = 0
    """Replies that are known to win."""
    undecided: list[Position] = field(default_factory=list)
    """The positions after replies that may or may not win."""

    @property
    def estimate(self) -> float:
        """How many replies win, the undecided ones counted half."""
        return self.winning + len(self.undecided) / 2


class _Spent(Exception):
    """All nodes are used up."""


class LostPosition:
    """Finds the moves that are hardest to answer, within a number of nodes."""

    def __init__(self, oracle: Oracle, position: Position, *, most_nodes: int = NODES) -> None:
        """`position` is lost for the side to move; this is not checked."""
        self.position = position
        self._oracle = oracle
        self._left = NO_LIMIT if position.plies_left <= EXACT_LEFT else most_nodes

    def hardest(self) -> list[Resistance]:
        """The best moves found; more than one if they are equal by the measure."""
        found = [Resistance(move, after) for move, after in _replies(self.position)]
        found = [item for item in found if item.move is not PASS] or found
        try:
            self._count(found)
            found = _least(found)
            found = self._narrowest(found)
            if self.position.plies_left <= TWO_REPLIES_LEFT and len(found) > 1:
                chances = [self._chance(item.after, 2) for item in found]
                found = [item for item, chance in zip(found, chances, strict=True) if chance == min(chances)]
        except _Spent:
            found = _least(found)
        return found

    def _count(self, found: list[Resistance]) -> None:
        """Count each move's winning replies until it is clear that another move has fewer."""
        for item in found:
            item.undecided = [after for _, after in _replies(item.after)]
        for allowance in (0, *_ALLOWANCES, NO_LIMIT):
            for item in sorted(found, key=lambda item: item.estimate):
                most = min(other.winning + len(other.undecided) for other in found)
                for after in list(item.undecided):
                    if item.winning > most:
                        break
                    wins = self._opponent_wins(after, allowance)
                    if wins is not None:
                        item.undecided.remove(after)
                        item.winning += wins
            most = min(item.winning + len(item.undecided) for item in found)
            if not any(item.undecided for item in found if item.winning <= most):
                return

    def _opponent_wins(self, after_reply: Position, allowance: int) -> bool | None:
        """Whether a reply won, or None if `allowance` nodes do not settle it; 0: without searching."""
        least = math.ceil(komi_for(after_reply.rules, self.position.to_move))
        if allowance == 0 and after_reply.outcome() is None:
            reached = self._oracle.known_reaches(after_reply, least)
        else:
            reached = self._reaches(after_reply, least, max(allowance, 1))
        return None if reached is None else not reached

    def _narrowest(self, found: list[Resistance]) -> list[Resistance]:
        target = least_win(self.position.rules, self.position.to_move.opponent) + 1
        while len(found) > 1 and target <= MARGIN:
            held = [item for item in found if not self._reaches(item.after, target, NO_LIMIT)]
            if held:
                return held
            target += 1
        return found

    def _chance(self, position: Position, replies: int) -> float:
        """The chance that an opponent who is to move, and moves at random, still wins after `replies` replies."""
        least = math.ceil(komi_for(position.rules, self.position.to_move))
        after_all = _replies(position)
        if not after_all:
            return 1.0
        total = 0.0
        for _, after in after_all:
            if self._reaches(after, least, NO_LIMIT):
                continue
            answers = [mine for _, mine in _replies(after)]
            if replies == 1 or not answers:
                total += 1.0
            else:
                total += min(self._chance(mine, replies - 1) for mine in answers)
        return total / len(after_all)

    def _reaches(self, position: Position, target: int, allowance: int) -> bool | None:
        """Whether the side to move reaches the target; None if the allowance was too small. Raises _Spent."""
        if self._left <= 0:
            raise _Spent
        before = self._oracle.nodes
        try:
            return self._oracle.reaches(position, target, most_nodes=min(allowance, self._left))
        except OutOfNodes:
            return None
        finally:
            self._left -= self._oracle.nodes - before + COST_OF_A_QUESTION


def _least(found: list[Resistance]) -> list[Resistance]:
    fewest = min(item.estimate for item in found)
    return [item for item in found if item.estimate == fewest]


def _replies(position: Position) -> list[tuple[Move, Position]]:
    """The legal moves and what they lead to; none when the game is over."""
    if position.outcome() is not None:
        return []
    return [(move, position.play_legal(move)) for move in position.legal_moves()]
