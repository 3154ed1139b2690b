"""The course's players to learn against, compiled. Their slow twins are in `littlego.players`.

Each takes the stones of the side to move, `own`, and of the other, and returns a point, or the number after the last
point for a pass. `littlego.players.course` says what they do and why; tests compare the two move by move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from littlego.core.points import centre_distance, spiral
from littlego.kernel.any_size import SIZES, CompiledRules, captured_by, find_legal, make_move, play
from littlego.kernel.marks import compiled
from littlego.kernel.words import NO_MOVE, popcount
from littlego.kernel.xorshift import State, draw_bit, draw_unit

NAMES = ("random", "greedy", "aggressive", "alphabeta")
"""Opponents by number, from 0. Self-play is -1."""
SELF, RANDOM = -1, 0


def _by_size(of: Callable[[int], Sequence[int]]) -> np.ndarray:
    """A row for each size up to the largest, so that compiled code has them as constants."""
    rows = np.zeros((SIZES[-1] + 1, SIZES[-1] ** 2), dtype=np.int64)
    for size in SIZES:
        rows[size, : size * size] = of(size)
    return rows


CENTRE_DISTANCE = _by_size(lambda size: [centre_distance(point, size) for point in range(size * size)])
SPIRAL = _by_size(spiral)
BRANCHING = 10
SEARCHED = 3


@compiled
def choose(game: CompiledRules, opponent: int, own: int, other: int, passes: int, legal: int, state: State) -> int:
    """The move of an opponent, by its number; `legal` are the points it may play."""
    if legal == 0:
        return game.points
    if opponent == 3:
        return alphabeta(game, own, other, passes, legal)
    if opponent == RANDOM:
        return draw_bit(legal, state)
    most, best = largest_captures(game, own, other, legal)
    if opponent == 1 or most > 0:
        return draw_bit(best, state)
    first = first_of_best_pair(game, own, other, legal)
    return first if first >= 0 else near_centre(game, legal, state)


@compiled
def largest_captures(game: CompiledRules, own: int, other: int, legal: int) -> tuple[int, int]:
    """How many stones one move can take at most, and the points that do."""
    most, best = -1, 0
    for point in range(game.points):
        if legal >> point & 1:
            taken = popcount(captured_by(game, 1 << point, own, other))
            if taken > most:
                most, best = taken, 0
            if taken == most:
                best |= 1 << point
    return most, best


@compiled
def first_of_best_pair(game: CompiledRules, own: int, other: int, legal: int) -> int:
    """The first of the two points that together take most, of equals nearest the centre; -1 if none."""
    most, nearest, found = 0, 0, -1
    for first in range(game.points):
        if not legal >> first & 1:
            continue
        own_after, other_after, _ = play(game, first, own, other)
        for second in range(first + 1, game.points):
            if not legal >> second & 1:
                continue
            taken = popcount(captured_by(game, 1 << second, own_after, other_after))
            distance = CENTRE_DISTANCE[game.size, first] + CENTRE_DISTANCE[game.size, second]
            if taken > most or (taken and taken == most and distance < nearest):
                most, nearest, found = taken, distance, first
    return found


@compiled
def near_centre(game: CompiledRules, legal: int, state: State) -> int:
    """A point nearest the centre; of k such points in order, weighted k, k - 1, ..., 1."""
    nearest, k = 2 * game.points, 0
    for point in range(game.points):
        if legal >> point & 1:
            if CENTRE_DISTANCE[game.size, point] < nearest:
                nearest, k = CENTRE_DISTANCE[game.size, point], 0
            if CENTRE_DISTANCE[game.size, point] == nearest:
                k += 1
    ticket = draw_unit(state) * (k * (k + 1) // 2)
    weight = k
    for point in range(game.points):
        if legal >> point & 1 and CENTRE_DISTANCE[game.size, point] == nearest:
            if ticket < weight:
                return point
            ticket -= weight
            weight -= 1
    return NO_MOVE


@compiled
def alphabeta(game: CompiledRules, own: int, other: int, passes: int, legal: int) -> int:
    """The first of the best moves after a search of three plies near the centre; a pass without a point to play.

    With the positional ko only the points `legal` of the first ply are exact; deeper, the simple ko is used.
    """
    centre = int(SPIRAL[game.size, 0])
    answer = centre + game.size + 1
    if own == 0 and other == 1 << centre and legal >> answer & 1:
        return answer
    # No literal numbers: see `compiling` about functions that call themselves.
    most = int(game.points + 1)
    _, move = search(game, int(own), int(other), int(passes), legal, int(SEARCHED), -most, most)
    return move


@compiled
def search(
    game: CompiledRules, own: int, other: int, passes: int, legal: int, depth: int, alpha: int, beta: int
) -> tuple[int, int]:
    """How many stones more the side to move can have `depth` plies later, and the first move that leads there.

    Values outside `alpha` and `beta` are cut to them.
    """
    if depth == 0 or passes == 2 or (legal == 0 and not game.passing):
        return min(max(popcount(own) - popcount(other), alpha), beta), game.points
    best = game.points
    tried = 0
    for i in range(game.points + 1):
        move = SPIRAL[game.size, i] if i < game.points else game.points
        if not (legal >> move & 1 or (move == game.points and legal == 0)):
            continue
        mover, opponent, retake, passed = make_move(game, move, own, other, passes)
        answers = find_legal(game, opponent, mover, retake)
        value, _ = search(game, opponent, mover, passed, answers, depth - 1, -beta, -alpha)
        if -value > alpha:
            alpha, best = -value, move
        tried += 1
        if tried == BRANCHING or alpha >= beta:
            break
    return alpha, best
