"""Many games at once, one move in each: the compiled half of the vectorised environment.

A game is one row of `games`, of ROW words; the sides are the one to move and the other. The action after the last point
is the pass.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from littlego.kernel.any_size import CompiledRules, find_legal, make_move
from littlego.kernel.marks import compiled
from littlego.kernel.words import NO_KO, lowest, popcount
from littlego.kernel.xorshift import State, draw_below

MINE: Final = 0
THEIRS: Final = 1
KO: Final = 2
PASSES: Final = 3
PLAYED: Final = 4
LEGAL: Final = 5
ROW: Final = 6


class GameRows(NamedTuple):
    """Games, their rules, and what a step writes."""

    rules: CompiledRules
    games: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    """Of the side that moved."""
    terminated: np.ndarray
    illegal: np.ndarray
    margins: np.ndarray
    """Of games that ended: Black's stones minus White's and komi."""
    finals: np.ndarray
    """Rows of games that ended, as they were at the end."""
    planes: np.ndarray
    """Flat observations, as `littlego.apps.env.planes` has them."""
    masks: np.ndarray
    """1 for every legal action."""


def new_games(n: int, rules: CompiledRules, planes: int) -> GameRows:
    """Games that have not begun."""
    return GameRows(
        rules,
        np.zeros((n, ROW), dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.float32),
        np.zeros(n, dtype=np.bool_),
        np.zeros(n, dtype=np.bool_),
        np.zeros(n, dtype=np.float32),
        np.zeros((n, ROW), dtype=np.int64),
        np.zeros((n, planes * rules.points), dtype=np.float32),
        np.zeros((n, rules.points + 1), dtype=np.int8),
    )


@compiled
def begin(at: GameRows, number: int) -> None:
    """Set a game to the empty board with Black to move."""
    for word in range(ROW):
        at.games[number, word] = 0
    at.games[number, KO] = NO_KO
    at.games[number, LEGAL] = at.rules.full


@compiled
def begin_all(at: GameRows) -> int:
    """How many."""
    for number in range(at.games.shape[0]):
        begin(at, number)
    return int(at.games.shape[0])


@compiled
def mark_legal(at: GameRows, number: int) -> None:
    """Update LEGAL, the points where the side to move may place a stone."""
    game = at.games[number]
    game[LEGAL] = find_legal(at.rules, game[MINE], game[THEIRS], game[KO])


@compiled
def step_all(at: GameRows) -> int:
    """Make the move of `actions` in every game; how many ended. These start again.

    An illegal action loses the game.
    """
    ended = 0
    for i in range(at.games.shape[0]):
        game = at.games[i]
        action = at.actions[i]
        allowed = action == at.rules.points
        if 0 <= action < at.rules.points:
            allowed = (game[LEGAL] >> action & 1) != 0
        at.illegal[i] = not allowed
        at.rewards[i] = 0
        at.margins[i] = 0
        black_moved = game[PLAYED] & 1 == 0
        if allowed:
            game[THEIRS], game[MINE], game[KO], game[PASSES] = make_move(
                at.rules, action, game[MINE], game[THEIRS], game[PASSES]
            )
            game[PLAYED] += 1
        at.terminated[i] = not allowed or game[PASSES] == 2 or game[PLAYED] == at.rules.length
        if not at.terminated[i]:
            mark_legal(at, i)
            continue
        ended += 1
        # After a legal move the sides are swapped, so THEIRS moved; after an illegal one they are not.
        mover, other = (game[THEIRS], game[MINE]) if allowed else (game[MINE], game[THEIRS])
        lead = 2 * (popcount(mover) - popcount(other))
        lead += -at.rules.komi_twice if black_moved else at.rules.komi_twice
        at.margins[i] = (lead if black_moved else -lead) / 2
        at.rewards[i] = min(max(lead, -1), 1) if allowed else -1
        for word in range(ROW):
            at.finals[i, word] = game[word]
        begin(at, i)
    return ended


@compiled
def write_observations(at: GameRows, count: int) -> int:
    """Write the observations of the side to move in the first `count` games: planes and masks."""
    n, length = at.rules.points, at.rules.length
    for i in range(count):
        game = at.games[i]
        mine, theirs, legal, played = game[MINE], game[THEIRS], game[LEGAL], game[PLAYED]
        # But for the ko its point would always be legal: retaking captures.
        ko = 1 << game[KO] if game[KO] != NO_KO else 0
        for point in range(n):
            at.planes[i, point] = mine >> point & 1
            at.planes[i, n + point] = theirs >> point & 1
            at.planes[i, 2 * n + point] = ko >> point & 1
            at.planes[i, 3 * n + point] = played & 1
            at.planes[i, 4 * n + point] = 1 if game[PASSES] > 0 else 0
            at.planes[i, 5 * n + point] = (length - played) / length
            at.masks[i, point] = legal >> point & 1
        at.masks[i, n] = 1
    return count


@compiled
def draw_actions(at: GameRows, state: State) -> int:
    """Draw a legal action for every game, uniformly, the pass included; for how many games."""
    for i in range(at.games.shape[0]):
        legal = at.games[i, LEGAL]
        choices = popcount(legal) + 1
        skip = draw_below(choices, state)
        if skip == choices - 1:
            at.actions[i] = at.rules.points
            continue
        for _ in range(skip):
            legal &= legal - 1
        at.actions[i] = lowest(legal)
    return int(at.games.shape[0])


@compiled
def play_random(at: GameRows, steps: int, state: State) -> int:
    """Make `steps` random legal moves in every game, without observations; how many games ended."""
    ended = 0
    for _ in range(steps):
        draw_actions(at, state)
        ended += step_all(at)
    return ended
