"""Games and learning from them, compiled.

The update is Q-learning on afterstates. After its move a side holds a value; the target is what the side
to move next can reach at best, seen from the other side, or the result when the game is over:

    V(s) <- V(s) + alpha (1 - max V(s') - V(s))            against itself, s' one move later
    V(s) <- V(s) + alpha (max V(s') - V(s))                against another, s' at its own next move

`gamma` draws the target towards an even chance for every move it looks ahead. With `lambda` above 0 a
share of the target is what later targets said, up to the next exploring move.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from littlego.learn.opponents_kernel import SELF
from littlego.learn.opponents_kernel import choose as opponent_choice
from littlego.learn.rules_kernel import LENGTH, NO_KO, PASS, black_wins, draw_point, draw_unit, legal_points, play
from littlego.learn.values_kernel import FEATURES, Values, learn_value, value_of

EVEN = 0.5


@njit(cache=True)
def wins(own: int, other: int, colour: int) -> float:
    """1 if the side `own` of a colour (0 Black, 1 White) wins a game that ends here, else 0."""
    won = black_wins(own, other) if colour == 0 else not black_wins(other, own)
    return 1.0 if won else 0.0


@njit(cache=True)
def value_after(
    values: Values,
    own: int,
    other: int,
    colour: int,
    played: int,
    passes: int,
    codes: np.ndarray,
    indices: np.ndarray,
) -> float:
    """The value to `own`, which has just moved: exact where the game is over or a second pass ends it lost."""
    if played == LENGTH or passes == 2:
        return wins(own, other, colour)
    if passes == 1 and wins(own, other, colour) == 0.0:
        return 0.0
    return value_of(values, own, other, colour, played, codes, indices)


@njit(cache=True)
def best_move(
    values: Values,
    own: int,
    other: int,
    ko: int,
    colour: int,
    passes: int,
    played: int,
    slack: float,
    codes: np.ndarray,
    indices: np.ndarray,
    state: np.ndarray,
) -> tuple[int, float]:
    """A move of the best value, and that value; moves within `slack` of the best are drawn alike."""
    legal = legal_points(own, other, ko)
    found = np.empty(26, dtype=np.float64)
    best = -1.0
    for move in range(26):
        found[move] = -2.0
        if move == 25:
            found[move] = value_after(values, own, other, colour, played + 1, passes + 1, codes, indices)
        elif legal >> move & 1:
            mover, opponent, _ = play(own, other, move)
            found[move] = value_after(values, mover, opponent, colour, played + 1, 0, codes, indices)
        best = max(best, found[move])
    close = 0
    for move in range(26):
        if found[move] >= best - slack:
            close |= 1 << move
    chosen = close_choice(close, state)
    return (PASS if chosen == 25 else chosen), best


@njit(cache=True)
def close_choice(close: int, state: np.ndarray) -> int:
    """One of the moves of a set; no random number is drawn for a set of one."""
    if close & (close - 1) == 0:
        point = 0
        while not close >> point & 1:
            point += 1
        return point
    return draw_point(close, state)


@njit(cache=True)
def train_games(
    values: Values,
    games: int,
    first_game: int,
    opponents: np.ndarray,
    alpha: float,
    gamma: float,
    lambda_: float,
    epsilon: float,
    state: np.ndarray,
) -> np.ndarray:
    """Play and learn; how many games each entry of `opponents` had, and how many the learner won as Black, as White.

    The learner's colour alternates by the number of the game. In self-play Black's wins count.
    """
    tally = np.zeros((opponents.shape[0], 3), dtype=np.int64)
    codes = np.zeros((3, 25), dtype=np.int64)
    indices = np.zeros(FEATURES, dtype=np.int64)
    owns, others = np.zeros(LENGTH, dtype=np.int64), np.zeros(LENGTH, dtype=np.int64)
    best = np.zeros(LENGTH + 2)
    targets = np.zeros(LENGTH + 2)
    ours, explored = np.zeros(LENGTH + 2, dtype=np.bool_), np.zeros(LENGTH + 2, dtype=np.bool_)
    for game in range(first_game, first_game + games):
        which = int(draw_unit(state) * opponents.shape[0])
        opponent = opponents[which]
        learner = game & 1
        own = other = passes = played = 0
        ko = NO_KO
        while played < LENGTH and passes < 2:
            colour = played & 1
            ours[played] = opponent == SELF or colour == learner
            explored[played] = False
            if ours[played]:
                move, best[played] = best_move(
                    values, own, other, ko, colour, passes, played, 0.0, codes, indices, state
                )
                if draw_unit(state) < epsilon:
                    explored[played] = True
                    legal = legal_points(own, other, ko)
                    move = draw_point(legal, state) if legal else PASS
            else:
                move = opponent_choice(opponent, own, other, ko, passes, played, state)
            if move == PASS:
                passes += 1
                ko = NO_KO
            else:
                passes = 0
                own, other, ko = play(own, other, move)
            owns[played], others[played] = own, other
            played += 1
            own, other = other, own
        black, white = (own, other) if played % 2 == 0 else (other, own)
        black_won = black_wins(black, white)
        tally[which, 0] += 1
        if opponent == SELF:
            tally[which, 1] += black_won
        elif black_won == (learner == 0):
            tally[which, 1 + learner] += 1
        step = 1 if opponent == SELF else 2
        for ply in range(played - 1, -1, -1):
            if not ours[ply]:
                continue
            following = ply + step
            if following >= played:
                won = black_won == (ply % 2 == 0)
                targets[ply] = 1.0 if won else 0.0
            else:
                seen = best[following]
                if not explored[following]:
                    seen = (1 - lambda_) * seen + lambda_ * targets[following]
                if step == 1:
                    seen = 1.0 - seen
                targets[ply] = EVEN + gamma * (seen - EVEN)
            if ply + 1 < LENGTH:
                learn_value(values, owns[ply], others[ply], ply % 2, ply + 1, targets[ply], alpha, codes, indices)
    return tally


@njit(cache=True)
def match_games(values: Values, games: int, opponent: int, learner: int, slack: float, state: np.ndarray) -> int:
    """Play without learning; how many the learner, of colour 0 or 1, wins."""
    codes = np.zeros((3, 25), dtype=np.int64)
    indices = np.zeros(FEATURES, dtype=np.int64)
    won = 0
    for _ in range(games):
        own = other = passes = played = 0
        ko = NO_KO
        while played < LENGTH and passes < 2:
            if played & 1 == learner:
                move, _ = best_move(values, own, other, ko, learner, passes, played, slack, codes, indices, state)
            else:
                move = opponent_choice(opponent, own, other, ko, passes, played, state)
            if move == PASS:
                passes += 1
                ko = NO_KO
            else:
                passes = 0
                own, other, ko = play(own, other, move)
            played += 1
            own, other = other, own
        black, white = (own, other) if played % 2 == 0 else (other, own)
        won += black_wins(black, white) == (learner == 0)
    return won
