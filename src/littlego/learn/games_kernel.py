"""Games and learning from them, compiled.

The update is Q-learning on afterstates. After its move a side holds a value; the target is what the side
to move next can reach at best, seen from the other side, or the result when the game is over:

    V(s) <- V(s) + alpha (1 - max V(s') - V(s))            against itself, s' one move later
    V(s) <- V(s) + alpha (max V(s') - V(s))                against another, s' at its own next move

`gamma` draws the target towards an even chance for every move it looks ahead. With `lambda` above 0 a
share of the target comes from later targets, up to the next exploring move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from littlego.kernel.bits import FRAME, lowest, popcount
from littlego.kernel.compiling import compiled
from littlego.kernel.moves import find_legal, make_move, play
from littlego.kernel.packing import NO_KO, PASS
from littlego.kernel.xorshift import State, draw_bit, draw_unit
from littlego.learn.features import LENGTH
from littlego.learn.opponents_kernel import SELF
from littlego.learn.opponents_kernel import choose as opponent_choice
from littlego.learn.values_kernel import Values, learn_value, value_of

EVEN = 0.5
KOMI_TWICE = 5
"""Komi is 2.5; twice that keeps scores whole."""


class Moves(NamedTuple):
    """What learning needs of the moves of one game, by ply."""

    owns: np.ndarray
    """The mover's stones after the move."""
    others: np.ndarray
    best: np.ndarray
    """The value of the best move, where the learner moved."""
    ours: np.ndarray
    """Whether the learner moved."""
    explored: np.ndarray
    """Whether it moved at random."""


class Rates(NamedTuple):
    """How the learner learns: see `littlego.learn.trainer.Settings`."""

    alpha: float
    gamma: float
    lambda_: float
    epsilon: float


@compiled
def black_wins(black: int, white: int) -> bool:
    """Whether Black has more, counting komi. There is no tie."""
    return 2 * popcount(black) > 2 * popcount(white) + KOMI_TWICE


@compiled
def wins(own: int, other: int, colour: int) -> float:
    """1 if the side `own` of a colour (0 Black, 1 White) wins a game that ends here, else 0."""
    won = black_wins(own, other) if colour == 0 else not black_wins(other, own)
    return 1.0 if won else 0.0


@compiled
def value_after(values: Values, own: int, other: int, colour: int, played: int, passes: int) -> float:
    """The value to `own`, which has just moved: exact if the game is over or a second pass would end it lost."""
    if played == LENGTH or passes == 2:
        return wins(own, other, colour)
    if passes == 1 and wins(own, other, colour) == 0.0:
        return 0.0
    return value_of(values, own, other, colour, played)


@compiled
def best_move(
    values: Values, own: int, other: int, ko: int, colour: int, passes: int, played: int, slack: float, state: State
) -> tuple[int, float]:
    """A move of the best value, and that value; moves within `slack` of the best are equally likely."""
    legal = find_legal(own, other, ko, FRAME)
    found = np.empty(PASS + 1, dtype=np.float64)
    best = -1.0
    for move in range(PASS + 1):
        found[move] = -2.0
        if move == PASS:
            found[move] = value_after(values, own, other, colour, played + 1, passes + 1)
        elif legal >> move & 1:
            mover, opponent, _ = play(move, own, other, FRAME)
            found[move] = value_after(values, mover, opponent, colour, played + 1, 0)
        best = max(best, found[move])
    close = 0
    for move in range(PASS + 1):
        if found[move] >= best - slack:
            close |= 1 << move
    if close & (close - 1) == 0:  # no random number is drawn for a single move
        return lowest(close), best
    return draw_bit(close, state), best


@compiled
def train_games(
    values: Values, games: int, first_game: int, opponents: np.ndarray, rates: Rates, state: State
) -> np.ndarray:
    """Play and learn. For each entry of `opponents`: the games, the learner's wins as Black and as White.

    The learner's colour alternates with the number of the game. In self-play Black's wins count.
    """
    tally = np.zeros((opponents.shape[0], 3), dtype=np.int64)
    moves = Moves(
        np.zeros(LENGTH, dtype=np.int64),
        np.zeros(LENGTH, dtype=np.int64),
        np.zeros(LENGTH),
        np.zeros(LENGTH, dtype=np.bool_),
        np.zeros(LENGTH, dtype=np.bool_),
    )
    targets = np.zeros(LENGTH)
    for game in range(first_game, first_game + games):
        which = int(draw_unit(state) * opponents.shape[0])
        opponent = opponents[which]
        learner = game & 1
        played, black_won = practice_game(values, opponent, learner, rates.epsilon, moves, state)
        tally[which, 0] += 1
        if opponent == SELF:
            tally[which, 1] += black_won
        elif black_won == (learner == 0):
            tally[which, 1 + learner] += 1
        learn_game(values, moves, played, black_won, 1 if opponent == SELF else 2, rates, targets)
    return tally


@compiled
def practice_game(
    values: Values, opponent: int, learner: int, epsilon: float, moves: Moves, state: State
) -> tuple[int, bool]:
    """Play a game with exploring moves and record its moves; how many there were, and whether Black won."""
    own = other = passes = played = 0
    ko = NO_KO
    while played < LENGTH and passes < 2:
        colour = played & 1
        moves.ours[played] = opponent == SELF or colour == learner
        moves.explored[played] = False
        if moves.ours[played]:
            move, moves.best[played] = best_move(values, own, other, ko, colour, passes, played, 0.0, state)
            if draw_unit(state) < epsilon:
                moves.explored[played] = True
                legal = find_legal(own, other, ko, FRAME)
                move = draw_bit(legal, state) if legal else PASS
        else:
            move = opponent_choice(opponent, own, other, ko, passes, state)
        own, other, ko, passes = make_move(move, own, other, passes, FRAME)
        moves.owns[played], moves.others[played] = own, other
        played += 1
        own, other = other, own
    return played, black_wins(own, other) if played % 2 == 0 else black_wins(other, own)


@compiled
def learn_game(
    values: Values, moves: Moves, played: int, black_won: bool, step: int, rates: Rates, targets: np.ndarray
) -> None:
    """Learn from a game, its last move first; the learner moved every `step` plies.

    `targets` is scratch, as long as a game.
    """
    for ply in range(played - 1, -1, -1):
        if not moves.ours[ply]:
            continue
        following = ply + step
        if following >= played:
            won = black_won == (ply % 2 == 0)
            targets[ply] = 1.0 if won else 0.0
        else:
            seen = moves.best[following]
            if not moves.explored[following]:
                seen = (1 - rates.lambda_) * seen + rates.lambda_ * targets[following]
            if step == 1:
                seen = 1.0 - seen
            targets[ply] = EVEN + rates.gamma * (seen - EVEN)
        if ply + 1 < LENGTH:
            learn_value(values, moves.owns[ply], moves.others[ply], ply % 2, ply + 1, targets[ply], rates.alpha)


@compiled
def match_games(values: Values, games: int, opponent: int, learner: int, slack: float, state: State) -> int:
    """Play without learning; how many games the learner wins with colour 0 or 1."""
    won = 0
    for _ in range(games):
        own = other = passes = played = 0
        ko = NO_KO
        while played < LENGTH and passes < 2:
            if played & 1 == learner:
                move, _ = best_move(values, own, other, ko, learner, passes, played, slack, state)
            else:
                move = opponent_choice(opponent, own, other, ko, passes, state)
            own, other, ko, passes = make_move(move, own, other, passes, FRAME)
            played += 1
            own, other = other, own
        black_won = black_wins(own, other) if played % 2 == 0 else black_wins(other, own)
        won += black_won == (learner == 0)
    return won
