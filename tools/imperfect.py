"""Imperfect opponents of many kinds, to measure the agent with: alpha-beta, tree search by playouts, a careless oracle.

They share no evaluation with the learner or with the agent, which was not tuned against them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from compiling import allocating, compiled
from littlego.arena.participants import Entrant, Prepared
from littlego.core.game import Player
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.kernel.any_size import CompiledRules, beside, compiled_rules, find_legal, flood, make_move, wins
from littlego.kernel.words import NO_KO, popcount
from littlego.kernel.xorshift import State, draw_below, draw_bit, seeded_state
from littlego.players.exact import PerfectPlayer
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits

EVALUATIONS: Final = ("stones", "liberties", "groups")
WON: Final = 1000.0


def imperfect_opponents() -> dict[str, Callable[[int], Player]]:
    """Makers of players, by name; each takes a seed."""
    found: dict[str, Callable[[int], Player]] = {}
    for kind, evaluation in enumerate(EVALUATIONS):
        for depth in range(2, 7):
            found[f"alpha-beta {depth}, {evaluation}"] = partial(Searcher, depth, kind)
    for playouts in (100, 1000, 5000):
        found[f"playouts {playouts}"] = partial(Sampler, playouts)
    for percent in (2, 5, 10):
        found[f"perfect, {percent}% random"] = partial(Careless, percent / 100)
    return found


@dataclass(frozen=True)
class ImperfectAgent:
    """One of them as a participant of games through the referee, by its name."""

    name: str

    @property
    def spelling(self) -> str:
        return self.name

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        return self

    def copy_files(self, folder: Path) -> None:
        """It has none."""

    def at(self, folder: Path) -> Entrant:  # noqa: ARG002 - an Entrant
        return self

    def seated(self, seed: int, _supervisor: Supervisor, _limits: Limits, /) -> AbstractContextManager[Player]:
        return nullcontext(imperfect_opponents()[self.name](seed))

    def identity(self) -> str:
        return self.name


class Searcher:
    """Alpha-beta to a fixed depth; equal moves are drawn."""

    def __init__(self, depth: int, kind: int, seed: int) -> None:
        self._depth, self._kind = depth, kind
        self._random = random.Random(seed)

    def choose(self, position: Position) -> Move:
        game, mover = compiled_rules(position.rules), position.to_move
        found: dict[Move, float] = {}
        for move in position.legal_moves():
            after = position.play_legal(move)
            own, other = after.board.stones(mover.opponent), after.board.stones(mover)
            ko = NO_KO if after.ko is None else after.ko
            floor = max(found.values(), default=-2 * WON) - 1e-6
            depth = self._depth - 1
            args = (own, other, ko, after.passes, after.moves_played, depth, -2 * WON, -floor)
            found[move] = -float(search(game, *args, self._kind))
        best = max(found.values())
        return self._random.choice([move for move, value in found.items() if value >= best - 1e-9])


class Sampler:
    """Monte Carlo tree search with random playouts."""

    def __init__(self, playouts: int, seed: int) -> None:
        self._playouts = playouts
        self._state = seeded_state(seed)

    def choose(self, position: Position) -> Move:
        game, mover = compiled_rules(position.rules), position.to_move
        ko = NO_KO if position.ko is None else position.ko
        own, other = position.board.stones(mover), position.board.stones(mover.opponent)
        played, passes = position.moves_played, position.passes
        move = int(sample(game, own, other, ko, passes, played, self._playouts, self._state))
        return PASS if move == game.points else move


class Careless:
    """The perfect player, except for a share of moves at random."""

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._random = random.Random(seed)
        self._perfect = PerfectPlayer(seed)

    def choose(self, position: Position) -> Move:
        if self._random.random() < self._share:
            return self._random.choice(position.legal_moves()[:-1] or position.legal_moves())
        return self._perfect.choose(position)


@compiled
def evaluate(game: CompiledRules, own: int, other: int, kind: int) -> float:
    """What a board is worth to the side of `own`."""
    value = float(popcount(own) - popcount(other))
    if kind == 0:
        return value
    empty = game.full & ~(own | other)
    if kind == 1:
        return value + 0.25 * (popcount(beside(game, own) & empty) - popcount(beside(game, other) & empty))
    for side in range(2):
        rest = other if side else own
        sign = -1.0 if side else 1.0
        while rest:
            group = flood(game, rest & -rest, rest)
            rest &= ~group
            liberties = popcount(beside(game, group) & empty)
            value += sign * (0.5 * min(liberties, 4) - 0.8 - (0.5 * popcount(group) if liberties == 1 else 0.0))
    return value


@compiled
def search(
    game: CompiledRules,
    own: int,
    other: int,
    ko: int,
    passes: int,
    played: int,
    depth: int,
    alpha: float,
    beta: float,
    kind: int,
) -> float:
    """What the position is worth to the side to move; exact, more than `WON`, where the game ends within the depth."""
    if played >= game.length or passes == 2:
        return (2.0 * wins(game, own, other, played & 1) - 1.0) * 1000.0
    if depth <= 0:
        return evaluate(game, own, other, kind)
    legal = find_legal(game, own, other, ko)
    best = -2000.0
    for move in range(game.points + 1):
        if legal >> move & 1 or move == game.points:
            mover, opponent, retake, passed = make_move(game, move, own, other, passes)
            rest, next_ply = int(depth - 1), int(played + 1)
            value = -search(game, opponent, mover, retake, passed, next_ply, rest, -beta, -alpha, kind)
            best = max(best, value)
            alpha = max(alpha, best)
            if alpha >= beta:
                break
    return best


@allocating
def sample(
    game: CompiledRules, own: int, other: int, ko: int, passes: int, played: int, playouts: int, state: State
) -> int:
    """The move that most playouts went through."""
    # A row for each node: own, other, ko, passes, played, move, first child, children.
    nodes = np.zeros((26 * (playouts + 2), 8), dtype=np.int64)
    visits = np.zeros(nodes.shape[0])
    won = np.zeros(nodes.shape[0])
    """Of the side that moved to the node."""
    nodes[0, :5] = (own, other, ko, passes, played)
    size = 1
    path = np.zeros(game.length + 2, dtype=np.int64)
    for _ in range(playouts):
        at, length = 0, 1
        while nodes[at, 7]:
            first, count = nodes[at, 6], nodes[at, 7]
            best, best_score = first, -1.0
            for child in range(first, first + count):
                if visits[child] == 0:
                    best = child
                    break
                score = won[child] / visits[child] + math.sqrt(math.log(visits[at]) / visits[child])
                if score > best_score:
                    best, best_score = child, score
            at = best
            path[length] = at
            length += 1
        if nodes[at, 4] < game.length and nodes[at, 3] < 2 and (visits[at] > 0 or at == 0):
            legal = find_legal(game, nodes[at, 0], nodes[at, 1], nodes[at, 2])
            nodes[at, 6] = size
            for move in range(game.points + 1):
                if legal >> move & 1 or (move == game.points and (legal == 0 or nodes[at, 3])):
                    mover, opponent, retake, passed = make_move(game, move, nodes[at, 0], nodes[at, 1], nodes[at, 3])
                    nodes[size, :6] = (opponent, mover, retake, passed, nodes[at, 4] + 1, move)
                    size += 1
            nodes[at, 7] = size - nodes[at, 6]
            at = nodes[at, 6] + draw_below(nodes[at, 7], state)
            path[length] = at
            length += 1
        result = played_out(game, nodes[at, 0], nodes[at, 1], nodes[at, 2], nodes[at, 3], nodes[at, 4], state)
        for k in range(length):
            node = path[k]
            visits[node] += 1
            # `result` is for the side to move at the last node; the mover to a node is the other one.
            same = (nodes[node, 4] - nodes[at, 4]) % 2 == 0
            won[node] += 1.0 - result if same else result
    best = nodes[0, 6]
    for child in range(nodes[0, 6], nodes[0, 6] + nodes[0, 7]):
        if visits[child] > visits[best]:
            best = child
    likeliest: int = nodes[best, 5]
    return likeliest


@compiled
def played_out(game: CompiledRules, own: int, other: int, ko: int, passes: int, played: int, state: State) -> float:
    """Whether the side to move wins after random moves, 1 or 0; passes only without a legal point."""
    colour = played & 1
    while played < game.length and passes < 2:
        legal = find_legal(game, own, other, ko)
        move = draw_bit(legal, state) if legal else game.points
        mover, opponent, ko, passes = make_move(game, move, own, other, passes)
        own, other = opponent, mover
        played += 1
    if played & 1 != colour:
        own, other = other, own
    return wins(game, own, other, colour)
