"""Opponents that make mistakes, as the chances of their moves: whom the agent's lost positions are made hard for.

Each is a function from a position to a chance for every legal move. Nobody is sure of anything: a few percent of every
opponent's moves are any move at all.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from littlego.agent import my_player3 as agent
from littlego.core.board import BLACK
from littlego.core.points import PASS, Move, points_of
from littlego.core.position import Position
from littlego.players.course import AggressivePlayer, AlphaBeta, GreedyPlayer, SimplePlayer, SmartPlayer
from littlego.players.exact import spot_of
from littlego.players.learned import Champion, learned_values
from own_agent.decide import core_move
from own_agent.look import look

if TYPE_CHECKING:
    from littlego.learn.learned import Learned

Chances = dict[Move, float]
Policy = Callable[[Position], Chances]

ANY_MOVE: Final = 0.03
"""The share of every opponent's moves that are any move."""
TEMPERATURE: Final = 0.08
"""A move whose log-odds of winning are lower by this, such as 48% instead of 50%, is chosen 1/e times as often."""
CERTAIN: Final = 1e-6
"""Learned chances nearer to 0 or 1 than this are as good as certain."""
DEPTHS: Final = (1, 2, 3, 5)
"""How many moves those look ahead that play by learned values."""


def fallible_opponents() -> dict[str, Policy]:
    """The opponents by name."""
    found: dict[str, Policy] = {f"learned values, {depth} deep": learned(depth) for depth in DEPTHS}
    champion = Champion()
    found["champion"] = lambda position: shares((move, 1.0) for move in champion.choices(position))
    found["by looks"] = by_looks
    found["alphabeta"] = lambda position: {AlphaBeta().choose(position): 1.0}
    for name, player in (("greedy", GreedyPlayer()), ("aggressive", AggressivePlayer()), ("smart", SmartPlayer())):
        found[name] = simple(player)
    return {name: unsure(policy) for name, policy in found.items()}


def opponents_identity() -> str:
    """Changes with what decides their chances: the model, and the code of the players and of this module."""
    package = resources.files("littlego")
    files = [package / name for name in ("learn/model.json", "players/learned.py", "players/course.py")]
    texts = [file.read_bytes() for file in files]
    return hashlib.sha256(b"".join([*texts, Path(__file__).read_bytes()])).hexdigest()[:12]


def unsure(policy: Policy) -> Policy:
    """The same opponent, with a share of moves at random."""

    def chances(position: Position) -> Chances:
        moves = position.legal_moves()
        chosen = policy(position)
        return {move: (1 - ANY_MOVE) * chosen.get(move, 0.0) + ANY_MOVE / len(moves) for move in moves}

    return chances


def learned(depth: int) -> Policy:
    """Plays by the learner's values, `depth` moves ahead."""

    def chances(position: Position) -> Chances:
        values = {move: log_odds(value) for move, value in values_after(position, depth).items()}
        best = max(values.values())
        return shares((move, math.exp((value - best) / TEMPERATURE)) for move, value in values.items())

    return chances


def log_odds(value: float) -> float:
    value = min(max(value, CERTAIN), 1 - CERTAIN)
    return math.log(value / (1 - value))


def values_after(position: Position, depth: int, known: Learned | None = None) -> dict[Move, float]:
    """The chance of winning after each move as learned values see it, `depth` moves ahead with this one.

    They are those of the shipped model by default.
    """
    mover = position.to_move
    known = known or learned_values(position.rules)
    found: dict[Move, float] = {}
    for move in position.legal_moves():
        after = position.play_legal(move)
        own, other = after.board.stones(mover), after.board.stones(mover.opponent)
        if (outcome := after.outcome()) is not None:
            found[move] = float(outcome.winner is mover)
        elif depth == 1:
            found[move] = known.value_after(own, other, int(mover is not BLACK), after.moves_played, after.passes)
        else:
            # Moves far below the best are hardly ever chosen: how far below does not matter.
            worst = 1 / (1 + math.exp(5 * TEMPERATURE - log_odds(max(found.values(), default=0.0))))
            found[move] = 1.0 - look(known.arrays, after, depth - 1, 0.0, 1.0 - worst)
    return found


def by_looks(position: Position) -> Chances:
    """Plays what the agent's own move order puts first, or second, ...: by liberties and captures."""
    search = agent.Search(agent.Clock(1 << 30, float("inf")))
    target = agent.TARGETS[position.to_move.value]
    ordered = search.moves(*spot_of(position), position.plies_left, target, every=True)
    return shares((core_move(bit), agent.plausibility(place)) for place, (bit, *_) in enumerate(ordered))


def simple(player: SimplePlayer) -> Policy:
    def chances(position: Position) -> Chances:
        points = points_of(position.legal_points())
        return shares(player.choices(position, points).items()) if points else {PASS: 1.0}

    return chances


def shares(weights: Iterable[tuple[Move, float]]) -> Chances:
    """Chances in proportion to weights; none without any."""
    listed = list(weights)
    total = sum(weight for _, weight in listed)
    return {move: weight / total for move, weight in listed}
