"""The course's players to learn against, compiled. Their slow twins are in `littlego.players`.

Each takes (own, other, ko), `own` to move, and returns a point or PASS. `littlego.players.simple` and
`.alphabeta` say what they do and why; tests compare the two move by move.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from littlego.learn.rules_kernel import (
    LENGTH,
    NO_KO,
    PASS,
    POINTS,
    captured_by,
    count,
    draw_point,
    draw_unit,
    legal_points,
    play,
)

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


@njit(cache=True)
def choose(opponent: int, own: int, other: int, ko: int, passes: int, played: int, state: np.ndarray) -> int:
    """The move of the opponent of a number."""
    if opponent == 3:
        return alphabeta(own, other, ko, passes, played)
    legal = legal_points(own, other, ko)
    if legal == 0:
        return PASS
    if opponent == 0:
        return draw_point(legal, state)
    most, best = largest_captures(own, other, legal)
    if opponent == 1 or most > 0:
        return draw_point(best, state)
    first = first_of_best_pair(own, other, legal)
    return first if first >= 0 else near_centre(legal, state)


@njit(cache=True)
def largest_captures(own: int, other: int, legal: int) -> tuple[int, int]:
    """How many stones one move can take at most, and the points that do."""
    most, best = -1, 0
    for point in range(POINTS):
        if legal >> point & 1:
            taken = count(captured_by(own, other, point))
            if taken > most:
                most, best = taken, 0
            if taken == most:
                best |= 1 << point
    return most, best


@njit(cache=True)
def first_of_best_pair(own: int, other: int, legal: int) -> int:
    """The first of the two points that together take most, of equals nearest the centre; -1 if none."""
    most, nearest, found = 0, 0, -1
    for first in range(POINTS):
        if not legal >> first & 1:
            continue
        own_after, other_after, _ = play(own, other, first)
        for second in range(first + 1, POINTS):
            if not legal >> second & 1:
                continue
            taken = count(captured_by(own_after, other_after, second))
            distance = CENTRE_DISTANCE[first] + CENTRE_DISTANCE[second]
            if taken > most or (taken and taken == most and distance < nearest):
                most, nearest, found = taken, distance, first
    return found


@njit(cache=True)
def near_centre(legal: int, state: np.ndarray) -> int:
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


@njit(cache=True)
def alphabeta(own: int, other: int, ko: int, passes: int, played: int) -> int:
    """The first of the best moves after a search of three plies near the centre."""
    if own == 0 and other == 1 << CENTRE:
        return ANSWER_TO_CENTRE
    _, move = search(own, other, ko, passes, played, True, SEARCHED, -POINTS - 1, POINTS + 1)
    return move


# The types are spelt out because it calls itself: numba then has one version of it to link.
@njit("UniTuple(int64, 2)(int64, int64, int64, int64, int64, boolean, int64, int64, int64)", cache=True)
def search(
    own: int, other: int, ko: int, passes: int, played: int, maximises: bool, plies: int, alpha: int, beta: int
) -> tuple[int, int]:
    """Stones more than the opponent that the searcher has in the end, cut to alpha..beta, and the move."""
    if plies == 0 or passes == 2 or played >= LENGTH:
        difference = count(own) - count(other)
        if not maximises:
            difference = -difference
        return min(max(difference, alpha), beta), PASS
    legal = legal_points(own, other, ko)
    best, looked_at = PASS, 0
    for k in range(POINTS + 1):
        if k == POINTS:
            if looked_at:
                break
            value, _ = search(other, own, NO_KO, passes + 1, played + 1, not maximises, plies - 1, alpha, beta)
            point = PASS
        else:
            point = SPIRAL[k]
            if not legal >> point & 1:
                continue
            if looked_at == BRANCHING:
                break
            mover, opponent, retake = play(own, other, point)
            value, _ = search(opponent, mover, retake, 0, played + 1, not maximises, plies - 1, alpha, beta)
        looked_at += 1
        if maximises and value > alpha:
            alpha, best = value, point
        elif not maximises and value < beta:
            beta, best = value, point
        if alpha >= beta:
            break
    return (alpha if maximises else beta), best
