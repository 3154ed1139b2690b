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
    return search(own, other, ko, passes, played)


@njit(cache=True)
def search(own: int, other: int, ko: int, passes: int, played: int) -> int:
    """The move to most stones more than the opponent three plies later; of equals the first.

    Written with a frame for each ply instead of calls to itself, which numba cannot keep in its cache.
    """
    owns, others, kos = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.int64)
    passed, legal = np.empty(4, np.int64), np.empty(4, np.int64)
    alphas, betas = np.empty(4, np.int64), np.empty(4, np.int64)
    nexts, looked_at, moves = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.int64)
    depth, best = 0, PASS
    owns[0], others[0], kos[0], passed[0] = own, other, ko, passes
    alphas[0], betas[0] = -POINTS - 1, POINTS + 1
    nexts[0], looked_at[0], legal[0] = 0, 0, legal_points(own, other, ko)
    while True:
        maximises = depth % 2 == 0
        over = depth == SEARCHED or passed[depth] == 2 or played + depth >= LENGTH
        if not over and alphas[depth] < betas[depth] and next_candidate(legal, nexts, looked_at, moves, depth):
            move = moves[depth]
            if move == PASS:
                mover, opponent, retake = owns[depth], others[depth], NO_KO
            else:
                mover, opponent, retake = play(owns[depth], others[depth], move)
            depth += 1
            owns[depth], others[depth], kos[depth] = opponent, mover, retake
            passed[depth] = passed[depth - 1] + 1 if move == PASS else 0
            alphas[depth], betas[depth] = alphas[depth - 1], betas[depth - 1]
            nexts[depth], looked_at[depth] = 0, 0
            legal[depth] = legal_points(opponent, mover, retake)
            continue
        if over:
            difference = count(owns[depth]) - count(others[depth])
            if not maximises:
                difference = -difference
            value = min(max(difference, alphas[depth]), betas[depth])
        else:
            value = alphas[depth] if maximises else betas[depth]
        if depth == 0:
            return best
        depth -= 1
        if depth % 2 == 0 and value > alphas[depth]:
            alphas[depth] = value
            if depth == 0:
                best = moves[0]
        elif depth % 2 == 1 and value < betas[depth]:
            betas[depth] = value


@njit(cache=True)
def next_candidate(legal: np.ndarray, nexts: np.ndarray, looked_at: np.ndarray, moves: np.ndarray, depth: int) -> bool:
    """Whether the frame has another move to look at; if so it is put into `moves`."""
    if looked_at[depth] == BRANCHING:
        return False
    while nexts[depth] < POINTS:
        point = SPIRAL[nexts[depth]]
        nexts[depth] += 1
        if legal[depth] >> point & 1:
            looked_at[depth] += 1
            moves[depth] = point
            return True
    if looked_at[depth]:
        return False
    looked_at[depth] = BRANCHING
    moves[depth] = PASS
    return True
