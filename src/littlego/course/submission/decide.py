"""What the agent should play in a position of its book, by the oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from littlego.agent import my_player3 as agent
from littlego.core.board import Board
from littlego.core.colour import Colour
from littlego.core.points import PASS, Move, Pass
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.submission.book import Decision, Spot, certain_move
from littlego.solve.certificate import certify
from littlego.solve.check import read_certificate
from littlego.solve.oracle import Oracle

_DEAR: Final = 1 << 12
"""Answers that took so many nodes are kept."""


STORE: Final = "oracle.sqlite"
STRATEGY: Final = "strategy.xz"


def write_strategy(work: Path, *, least: int, memory: int, threads: int) -> None:
    """Write the winner's moves with at least `least` plies left to `work`, unless they are there.

    Solves the game if nobody has: minutes. What is solved is kept in `work` as well.
    """
    if not (work / STRATEGY).exists():
        oracle = Oracle(memory=memory, threads=threads, store=work / STORE, dear=_DEAR)
        unfinished = work / f"{STRATEGY}.part"
        certify(Position.initial(), unfinished, oracle, search_left=least - 1)
        unfinished.rename(work / STRATEGY)


class Decider:
    """Decides positions one by one; what the oracle works out is kept in `work`."""

    def __init__(self, work: Path, *, memory: int) -> None:
        self._oracle = Oracle(memory=memory, store=work / STORE, dear=_DEAR)
        self._strategy = read_certificate(work / STRATEGY)

    def decide(self, spot: Spot, left: int, target: int) -> Decision:
        """A winning move if there is one, the better looking first; else what looking ahead finds."""
        sure = certain_move(spot, left, target)
        if sure is not None:
            return Decision(sure, won=True, by_bound=True)
        key, image = agent.book_key(*spot, left)
        move = self._strategy.move(key) if target == agent.TARGETS[self._strategy.winner.value] else None
        if move is not None:
            point = None if isinstance(move, Pass) else image.index(move)
            return Decision(agent.PASS if point is None else 1 << agent.POINTS[point], won=True)
        position = position_of(spot, left, target)
        if self._oracle.value(position) is position.to_move:
            return Decision(self._winning_move(position, spot, left, target), won=True)
        clock = agent.Clock(agent.LOOK_NODES, float("inf"))
        return Decision(agent.Lookahead(clock).choose(*spot, left, target), won=False)

    def _winning_move(self, position: Position, spot: Spot, left: int, target: int) -> int:
        for found in agent.Search(agent.Clock(1 << 30, float("inf"))).moves(*spot, left, target):
            bit: int = found[0]
            if self._oracle.value(position.play(core_move(bit))) is position.to_move:
                return bit
        raise AssertionError(f"{position} is won and no move wins")


def position_of(spot: Spot, left: int, target: int) -> Position:
    """The agent's spot as a position of the game."""
    mine, theirs, ko = map(agent.plain, spot)
    colour = Colour(next(number for number, wins in agent.TARGETS.items() if wins == target))
    black, white = (mine, theirs) if colour is Colour.BLACK else (theirs, mine)
    board = Board(agent.SIZE, black, white)
    point = ko.bit_length() - 1 if ko else None
    return Position(edition_rules(), board, colour, point, moves_played=agent.LENGTH - left)


def core_move(bit: int) -> Move:
    """The agent's move as a move of the game."""
    return PASS if bit == agent.PASS else agent.POINTS.index(bit.bit_length() - 1)
