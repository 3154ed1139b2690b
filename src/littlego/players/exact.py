"""Players that know: `perfect` from exact values, `agent`, our submission, and `strongest`, the best for any rules."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Final

import littlego.learn
from littlego.agent import my_player3 as agent
from littlego.core.errors import UsageError
from littlego.core.game import Player
from littlego.core.points import PASS, Mask, Move, points_of
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE, EDITIONS, Rules, edition_rules
from littlego.players.catalogue import make_player, strengths_for
from littlego.players.course import Chances
from littlego.solve.oracle import Oracle, why_unsolvable
from littlego.solve.resistance import NODES, LostPosition

VARIED_LEFT: Final = 12
"""With at most this many plies left any winning move will do; earlier, only the proof's own move is quick to verify."""


@cache
def shared_oracle() -> Oracle:
    """One oracle for all perfect players of a process, which share what they work out."""
    return Oracle(memory=1 << 30)


class PerfectPlayer:
    """Plays from exact values. Boards up to 5x5 with the simple ko only."""

    def __init__(self, seed: int = 0, *, oracle: Oracle | None = None, most_nodes: int = NODES) -> None:
        """`most_nodes` limits the choice among losing moves; whether a move wins is always exact."""
        self._chances = Chances(seed)
        self._oracle = oracle or shared_oracle()
        self._most_nodes = most_nodes

    def choose(self, position: Position) -> Move:
        """A winning move if there is one, else a tying one, else the one hardest to answer (see `solve.resistance`).

        Among winning moves, and among those equally hard, the seed decides. Raises UsageError if the position cannot
        be solved.
        """
        if why := why_unsolvable(position):
            raise UsageError(f"the perfect player cannot play this: {why}")
        draws = self._chances.at(position)
        winner = self._oracle.value(position)
        if winner is position.to_move and position.plies_left > VARIED_LEFT:
            move = self._oracle.winning_move(position)
            assert move is not None, "a won position has a winning move"
            return move
        if winner is position.to_move.opponent:
            hardest = LostPosition(self._oracle, position, most_nodes=self._most_nodes).hardest()
            return draws.choice(hardest).move
        moves = draws.shuffled(position.legal_moves())
        # A pass comes last: playing on gives the opponent more chances to go wrong.
        moves.sort(key=lambda move: move is PASS)
        return next(move for move in moves if self._oracle.value(position.play_legal(move)) is winner)


agent.MODEL = str(Path(littlego.learn.__file__).with_name("model.json"))
"""The package has the learner's model once; `littlego agent export` writes it beside the program."""
_ITS_RULES = {rules for rules in map(edition_rules, EDITIONS) if rules.passing}


class AgentPlayer:
    """Chooses what the program would choose in the same position. Games of the course only: 5x5, simple ko."""

    def __init__(self, seed: int = 0) -> None:
        """`seed` decides among moves of lost positions."""
        self._random = random.Random(seed)

    def plays(self, rules: Rules) -> bool:
        return rules in _ITS_RULES

    def choose(self, position: Position) -> Move:
        """The agent's move. Raises UsageError for rules that it was not made for."""
        if not self.plays(position.rules):
            raise UsageError("the agent plays 5x5, 24 moves, komi 2.5 and the simple ko: edition 2022, 2024 or 2025")
        target = agent.TARGETS[position.to_move.value]
        spot, left = spot_of(position), position.plies_left
        move, _ = agent.choose(*spot, left, target, position.passes > 0, rng=self._random)
        return PASS if move == agent.PASS else agent.POINTS.index(move.bit_length() - 1)


def spot_of(position: Position) -> tuple[int, int, int]:
    """The stones of the side to move, of the other side, and the ko, in the agent's layout."""
    colour, board = position.to_move, position.board
    ko = 0 if position.ko is None else framed(1 << position.ko)
    return framed(board.stones(colour)), framed(board.stones(colour.opponent)), ko


def framed(mask: Mask) -> int:
    """A set of points in the agent's layout, six bits per row."""
    return sum(1 << agent.POINTS[point] for point in points_of(mask))


_EXACT: Final = ("agent", "perfect")


class StrongestPlayer:
    """On 5x5 with the simple ko the agent: from the empty board it answers at once and keeps what is won.

    Off its book, after an odd opening, it takes longer and may throw a won position away. Smaller boards are solved in
    a moment. Elsewhere, also on 5x5 with another length or komi, it is the best of the round robin with that ko on that
    size (`strengths`), or the champion if there was none.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._agent = AgentPlayer()
        self._others: dict[str, Player] = {}

    def choose(self, position: Position) -> Move:
        if self._agent.plays(position.rules):
            return self._agent.choose(position)
        name = _best_for(position)
        if name not in self._others:
            self._others[name] = make_player(name, seed=self._seed)
        return self._others[name].choose(position)


def _best_for(position: Position) -> str:
    if position.size < DEFAULT_SIZE and why_unsolvable(position) is None:
        return "perfect"
    measured = strengths_for(position.rules)
    # The exact players would refuse: a course game with another length or komi is in no book, and too long to solve.
    others = [player.name for player in measured.players if player.name not in _EXACT] if measured else []
    return others[0] if others else "champion"
