"""The agent's move in a position of its book, by the oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from littlego.agent import my_player3 as agent
from littlego.core.board import Board, Colour
from littlego.core.points import PASS, Move, Pass
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.solve.oracle import Oracle
from littlego.solve.proof.certificate import certify
from littlego.solve.proof.check import read_certificate
from own_agent.book import AgentSpot, Decision

_EXPENSIVE: Final = 1 << 12
"""Answers worth caching: those that cost at least this many nodes."""


STORE: Final = "oracle.sqlite"
STRATEGY: Final = "strategy.xz"


def write_strategy(work: Path, *, least: int, memory: int, threads: int) -> None:
    """Write the winner's moves with at least `least` plies left to `work`, unless they are there.

    Takes minutes if the game has to be solved first. Solved values are saved in `work` as well.
    """
    if not (work / STRATEGY).exists():
        oracle = Oracle(memory=memory, threads=threads, store=work / STORE, expensive=_EXPENSIVE)
        unfinished = work / f"{STRATEGY}.part"
        certify(Position.initial(), unfinished, oracle, search_left=least - 1)
        unfinished.rename(work / STRATEGY)


class Decider:
    """Decides positions; the oracle's answers are saved in `work`."""

    def __init__(self, work: Path, *, memory: int) -> None:
        self._oracle = Oracle(memory=memory, store=work / STORE, expensive=_EXPENSIVE)
        self._strategy = read_certificate(work / STRATEGY)

    def decide(self, spot: AgentSpot, left: int, target: int) -> Decision:
        """A winning move if there is one, more promising moves first; otherwise the one that is hardest to answer."""
        key, image = agent.book_key(*spot, left)
        move = self._strategy.move(key) if target == agent.TARGETS[self._strategy.winner.value] else None
        if move is not None:
            point = None if isinstance(move, Pass) else image.index(move)
            return Decision(agent.PASS if point is None else 1 << agent.POINTS[point], won=True)
        position = position_of(spot, left, target)
        if self._oracle.value(position) is position.to_move:
            return Decision(self._winning_move(position, spot, left, target), won=True)
        return Decision(self._trickiest_move(position, spot, left, target), won=False)

    def _winning_move(self, position: Position, spot: AgentSpot, left: int, target: int) -> int:
        for found in _moves(spot, left, target, every=False):
            bit: int = found[0]
            if self._oracle.value(position.play(core_move(bit))) is position.to_move:
                return bit
        raise AssertionError(f"{position!r} is won and no move wins")

    def _trickiest_move(self, position: Position, spot: AgentSpot, left: int, target: int) -> int:
        """The move that leaves the opponent's winning answers the least weight."""
        best, least = agent.PASS, float("inf")
        for bit, *after in _moves(spot, left, target):
            theirs: AgentSpot = (after[0], after[1], after[2])
            share = self._winning_share(position.play(core_move(bit)), theirs, left - 1, 1 - target, least)
            if share < least:
                best, least = bit, share
        return best

    def _winning_share(self, position: Position, spot: AgentSpot, left: int, target: int, enough: float) -> float:
        """The share of winning moves, weighted by the agent's plausibility; may stop at `enough`."""
        moves = _moves(spot, left, target)
        total = sum(map(agent.plausibility, range(len(moves))))
        won = 0.0
        for place, found in enumerate(moves):
            if self._oracle.value(position.play(core_move(found[0]))) is position.to_move:
                won += agent.plausibility(place) / total
                if won >= enough:
                    break
        return won


def _moves(spot: AgentSpot, left: int, target: int, *, every: bool = True) -> list[tuple[int, int, int, int]]:
    """The moves worth trying, more promising first; unless `every`, a single one if it surely wins."""
    search = agent.Search(agent.Clock(1 << 30, float("inf")))
    return list(search.moves(*spot, left, target, every=every))


def position_of(spot: AgentSpot, left: int, target: int) -> Position:
    mine, theirs, ko = map(agent.plain, spot)
    colour = Colour(next(number for number, wins in agent.TARGETS.items() if wins == target))
    black, white = (mine, theirs) if colour is Colour.BLACK else (theirs, mine)
    board = Board(agent.SIZE, black, white)
    point = ko.bit_length() - 1 if ko else None
    return Position(edition_rules(), board, colour, point, moves_played=agent.LENGTH - left)


def core_move(bit: int) -> Move:
    return PASS if bit == agent.PASS else agent.POINTS.index(bit.bit_length() - 1)
