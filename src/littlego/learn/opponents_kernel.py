"""The course's players to learn against, compiled. Their slow twins are in `littlego.players`.

Each takes (own, other, ko), `own` to move, and returns a point or PASS. `littlego.players.simple` and
`.alphabeta` say what they do and why; tests compare the two move by move.
"""

from __future__ import annotations

import numpy as np

from littlego.kernel.bits import FRAME, POINTS, popcount
from littlego.kernel.compiling import compiled
from littlego.kernel.moves import captured_by, find_legal, make_move, play
from littlego.kernel.packing import PASS
from littlego.kernel.xorshift import State, draw_bit, draw_unit

NAMES = ("random", "greedy", "aggressive", "alphabeta")
"""Opponents by number, from 0. Self-play is -1."""
SELF = -1

CENTRE_DISTANCE = np.array([abs(p // 5 - 2) + abs(p % 5 - 2) for p in range(POINTS)], dtype=np.int64)

# A spiral from the centre: down, then right, up, left; arms 1, 1, 2, 2, 3, 3, ... long.
SPIRAL = np.array(
    [12, 17, 18, 13, 8, 7, 6, 11, 16, 21, 22, 23, 24, 19, 14, 9, 4, 3, 2, 1, 0, 5, 10, 15, 20], dtype=np.int64
)
CENTRE, ANSWER_TO_CENTRE = 12, 18
BRANCHING = 10
SEARCHED = 3


@compiled
def choose(opponent: int, own: int, other: int, ko: int, passes: int, state: State) -> int:
    """The move of an opponent, by its number."""
    if opponent == 3:
        return alphabeta(own, other, ko, passes)
    legal = find_legal(own, other, ko, FRAME)
    if legal == 0:
        return PASS
    if opponent == 0:
        return draw_bit(legal, state)
    most, best = largest_captures(own, other, legal)
    if opponent == 1 or most > 0:
        return draw_bit(best, state)
    first = first_of_best_pair(own, other, legal)
    return first if first >= 0 else near_centre(legal, state)


@compiled
def largest_captures(own: int, other: int, legal: int) -> tuple[int, int]:
    """How many stones one move can take at most, and the points that do."""
    most, best = -1, 0
    for point in range(POINTS):
        if legal >> point & 1:
            taken = popcount(captured_by(1 << point, own, other, FRAME))
            if taken > most:
                most, best = taken, 0
            if taken == most:
                best |= 1 << point
    return most, best


@compiled
def first_of_best_pair(own: int, other: int, legal: int) -> int:
    """The first of the two points that together take most, of equals nearest the centre; -1 if none."""
    most, nearest, found = 0, 0, -1
    for first in range(POINTS):
        if not legal >> first & 1:
            continue
        own_after, other_after, _ = play(first, own, other, FRAME)
        for second in range(first + 1, POINTS):
            if not legal >> second & 1:
                continue
            taken = popcount(captured_by(1 << second, own_after, other_after, FRAME))
            distance = CENTRE_DISTANCE[first] + CENTRE_DISTANCE[second]
            if taken > most or (taken and taken == most and distance < nearest):
                most, nearest, found = taken, distance, first
    return found


@compiled
def near_centre(legal: int, state: State) -> int:
    """A point nearest the centre; of k such points in order, weighted k, k - 1, ..., 1."""
    nearest, k = 99, 0
    for point in range(POINTS):
        if legal >> point & 1:
            if CENTRE_DISTANCE[point] < nearest:
                nearest, k = CENTRE_DISTANCE[point], 0
            if CENTRE_DISTANCE[point] == nearest:
                k += 1
    ticket = draw_unit(state) * (k * (k + 1) // 2)
    weight = k
    for point in range(POINTS):
        if legal >> point & 1 and CENTRE_DISTANCE[point] == nearest:
            if ticket < weight:
                return point
            ticket -= weight
            weight -= 1
    return PASS


@compiled
def alphabeta(own: int, other: int, ko: int, passes: int) -> int:
    """The first of the best moves after a search of three plies near the centre."""
    if own == 0 and other == 1 << CENTRE:
        return ANSWER_TO_CENTRE
    # No literal numbers: see `compiling` about functions that call themselves.
    _, move = search(own, other, ko, passes, int(SEARCHED), int(-POINTS - 1), int(POINTS + 1))
    return move


@compiled
def search(own: int, other: int, ko: int, passes: int, depth: int, alpha: int, beta: int) -> tuple[int, int]:
    """How many stones more the side to move can have `depth` plies later, and the first move that leads there.

    Values outside `alpha` and `beta` are cut to them.
    """
    if depth == 0 or passes == 2:
        return min(max(popcount(own) - popcount(other), alpha), beta), PASS
    legal = find_legal(own, other, ko, FRAME)
    best = PASS
    tried = 0
    for i in range(POINTS + 1):
        move = SPIRAL[i] if i < POINTS else PASS
        if not (legal >> move & 1 or (move == PASS and legal == 0)):
            continue
        mover, opponent, retake, passed = make_move(move, own, other, passes, FRAME)
        value, _ = search(opponent, mover, retake, passed, depth - 1, -beta, -alpha)
        if -value > alpha:
            alpha, best = -value, move
        tried += 1
        if tried == BRANCHING or alpha >= beta:
            break
    return alpha, best
