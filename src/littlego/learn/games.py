"""Games, learning from them, and looking ahead with what was learned, compiled. Slow twins are in tests.

The update is Q-learning on afterstates. After its move a side holds a value; the target is what the side
to move next can reach at best, seen from the other side, or the result when the game is over:

    V(s) <- V(s) + alpha (1 - max V(s') - V(s))            against itself, s' one move later
    V(s) <- V(s) + alpha (max V(s') - V(s))                against another, s' at its own next move

`gamma` draws the target towards an even chance for every move it looks ahead. With `lambda` above 0 a
share of the target comes from later targets, up to the next exploring move. With `endings` plies left, or fewer, the
target is not a guess: every line is played out to see who wins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from littlego.kernel.any_size import black_wins, find_legal, make_move, wins, without_repeats
from littlego.kernel.marks import compiled
from littlego.kernel.words import NO_KO, lowest
from littlego.kernel.xorshift import State, draw_bit, draw_unit
from littlego.learn.opponents import RANDOM, SELF
from littlego.learn.opponents import choose as opponent_choice
from littlego.learn.values import MOVE_WORDS, LearnedArrays, learn_value, margins, see_groups, value_of

EVEN = 0.5
OPENING_SLIPS = 0.2
"""The share of random moves of those who open a game, unless all their moves are."""


class Moves(NamedTuple):
    """What learning needs of the moves of games, by game and ply; `one_game` has those of a single game, by ply."""

    owns: np.ndarray
    """The mover's stones after the move."""
    others: np.ndarray
    best: np.ndarray
    """The value of the best move, where the learner moved."""
    exact: np.ndarray
    """Whether that value is known for sure."""
    ours: np.ndarray
    """Whether the learner moved."""
    explored: np.ndarray
    """Whether it moved at random."""


class PracticeGames(NamedTuple):
    """Games that were played, and are to be learned from: room for so many."""

    moves: Moves
    lengths: np.ndarray
    black_won: np.ndarray
    opponents: np.ndarray


class Rates(NamedTuple):
    """How the learner learns: see `littlego.learn.trainer.TrainingSettings`."""

    alpha: float
    gamma: float
    lambda_: float
    epsilon: float
    starts: float
    opening: int
    endings: int
    openers: np.ndarray
    opponents: np.ndarray


def new_games(games: int, length: int) -> PracticeGames:
    """Room for `games` games of `length` moves."""
    moves = Moves(
        np.zeros((games, length), dtype=np.int64),
        np.zeros((games, length), dtype=np.int64),
        np.zeros((games, length)),
        np.zeros((games, length), dtype=np.bool_),
        np.zeros((games, length), dtype=np.bool_),
        np.zeros((games, length), dtype=np.bool_),
    )
    return PracticeGames(
        moves, np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.bool_), np.zeros(games, dtype=np.int64)
    )


@compiled
def one_game(moves: Moves, k: int) -> Moves:
    return Moves(moves.owns[k], moves.others[k], moves.best[k], moves.exact[k], moves.ours[k], moves.explored[k])


@compiled
def value_after(values: LearnedArrays, own: int, other: int, colour: int, played: int, passes: int) -> float:
    """The value to `own`, which has just moved: exact if the game is over or a second pass would end it lost."""
    if played == values.game.length or passes == 2:
        return wins(values.game, own, other, colour)
    if passes == 1 and wins(values.game, own, other, colour) == 0.0:
        return 0.0
    return value_of(values, own, other, colour, played)


@compiled
def best_move(
    values: LearnedArrays,
    own: int,
    other: int,
    legal: int,
    colour: int,
    passes: int,
    played: int,
    slack: float,
    state: State,
) -> tuple[int, float]:
    """A move of the best value among the points `legal` and, where there is one, the pass; and that value.

    Moves that are as good by `model.least_alike` are equally likely.
    """
    game = values.game
    found = values.found
    best = -1.0
    for move in range(game.points + 1):
        found[move] = -2.0
        if legal >> move & 1 or (move == game.points and game.passing):
            mover, opponent, _, passed = make_move(game, move, own, other, passes)
            found[move] = value_after(values, mover, opponent, colour, played + 1, passed)
        best = max(best, found[move])
    close = 0
    least = best - 4.0 * slack * best * (1.0 - best)
    for move in range(game.points + 1):
        if found[move] >= least:
            close |= 1 << move
    if close & (close - 1) == 0:  # no random number is drawn for a single move
        return lowest(close), best
    return draw_bit(close, state), best


@compiled
def train_games(
    values: LearnedArrays, games: int, first_game: int, rates: Rates, record: PracticeGames, state: State
) -> None:
    """Play, and learn from each game before the next. `record` is scratch, for a game at least."""
    for game in range(first_game, first_game + games):
        play_games(values, 1, game, rates, record, state)
        learn_games(values, 1, rates, record)


@compiled
def play_games(
    values: LearnedArrays, games: int, first_game: int, rates: Rates, record: PracticeGames, state: State
) -> None:
    """Play games and record them, without learning, each against one of the opponents.

    The learner's colour alternates with the number of the game.
    """
    for k in range(games):
        record.opponents[k] = opponent = draw_one(rates.opponents, state)
        learner = (first_game + k) & 1
        record.lengths[k], record.black_won[k] = practice_game(
            values, opponent, learner, rates, one_game(record.moves, k), state
        )


@compiled
def learn_games(values: LearnedArrays, games: int, rates: Rates, record: PracticeGames) -> None:
    """Learn from recorded games, in their order."""
    for k in range(games):
        step = 1 if record.opponents[k] == SELF else 2
        learn_game(values, one_game(record.moves, k), record.lengths[k], record.black_won[k], step, rates)


@compiled
def practice_game(
    values: LearnedArrays,
    opponent: int,
    learner: int,
    rates: Rates,
    moves: Moves,
    state: State,
) -> tuple[int, bool]:
    """Play a game with exploring moves and record its moves; how many there were, and whether Black won.

    In a share of the games the first moves are not the players' own: for each side an opener is drawn, who makes them
    with some random ones. Another's moves teach nothing about the opponent, so the learner learns from them only in
    self-play, where values are those of best replies.
    """
    game = values.game
    own = other = passes = played = 0
    ko = NO_KO
    opened = 0
    openers = (rates.openers[0], rates.openers[0])
    if draw_unit(state) < rates.starts:
        opened = 1 + int(draw_unit(state) * rates.opening)
        if rates.openers.shape[0] > 1:
            openers = draw_one(rates.openers, state), draw_one(rates.openers, state)
    while played < game.length and passes < 2:
        colour = played & 1
        legal = legal_now(values, own, other, ko, played)
        if legal == 0 and not game.passing:
            break
        starting = played < opened
        moves.ours[played] = opponent == SELF or (colour == learner and not starting)
        moves.explored[played] = starting or (moves.ours[played] and draw_unit(state) < rates.epsilon)
        move = game.points
        if moves.ours[played]:
            move, moves.best[played] = best_move(values, own, other, legal, colour, passes, played, 0.0, state)
            # Against another player the best move is not the one that wins against everyone.
            moves.exact[played] = opponent == SELF and game.length - played <= rates.endings
            if moves.exact[played]:
                # No literal numbers: see `compiling` about functions that call themselves.
                won = wins_ending(values, int(own), int(other), int(ko), int(passes), int(played))
                moves.best[played] = 1.0 if won else 0.0
        opener = openers[colour]
        if starting and opener != RANDOM and draw_unit(state) >= OPENING_SLIPS:
            if opener != SELF:
                move = opponent_choice(game, opener, own, other, passes, legal, state)
        elif moves.explored[played]:
            move = draw_bit(legal, state) if legal else game.points
        elif not moves.ours[played]:
            move = opponent_choice(game, opponent, own, other, passes, legal, state)
        own, other, ko, passes = make_move(game, move, own, other, passes)
        moves.owns[played], moves.others[played] = own, other
        played += 1
        own, other = other, own
    return played, black_wins(game, own, other) if played % 2 == 0 else black_wins(game, other, own)


@compiled
def draw_one(numbers: np.ndarray, state: State) -> int:
    return int(numbers[int(draw_unit(state) * numbers.shape[0])])


@compiled
def legal_now(values: LearnedArrays, own: int, other: int, ko: int, played: int) -> int:
    """The legal points after `played` moves; notes the board, after those of the moves before."""
    seen = values.seen
    seen[played, 0], seen[played, 1] = (own, other) if played & 1 == 0 else (other, own)
    return without_repeats(values.game, own, other, find_legal(values.game, own, other, ko), played, seen)


@compiled
def learn_game(values: LearnedArrays, moves: Moves, played: int, black_won: bool, step: int, rates: Rates) -> None:
    """Learn from a game, its last move first; the learner moved every `step` plies."""
    targets = values.targets
    for ply in range(played - 1, -1, -1):
        if not moves.ours[ply]:
            continue
        following = ply + step
        if following >= played:
            won = black_won == (ply % 2 == 0)
            targets[ply] = 1.0 if won else 0.0
        else:
            seen = moves.best[following]
            if not (moves.explored[following] or moves.exact[following]):
                seen = (1 - rates.lambda_) * seen + rates.lambda_ * targets[following]
            if step == 1:
                seen = 1.0 - seen
            targets[ply] = EVEN + rates.gamma * (seen - EVEN)
        if ply + 1 < values.game.length:
            learn_value(values, moves.owns[ply], moves.others[ply], ply % 2, ply + 1, targets[ply], rates.alpha)


@compiled
def match_games(values: LearnedArrays, games: int, opponent: int, learner: int, slack: float, state: State) -> int:
    """Play without learning; how many games the learner wins with colour 0 or 1."""
    game = values.game
    won = 0
    for _ in range(games):
        own = other = passes = played = 0
        ko = NO_KO
        while played < game.length and passes < 2:
            legal = legal_now(values, own, other, ko, played)
            if legal == 0 and not game.passing:
                break
            if played & 1 == learner:
                move, _ = best_move(values, own, other, legal, learner, passes, played, slack, state)
            else:
                move = opponent_choice(game, opponent, own, other, passes, legal, state)
            own, other, ko, passes = make_move(game, move, own, other, passes)
            played += 1
            own, other = other, own
        black_won = black_wins(game, own, other) if played % 2 == 0 else black_wins(game, other, own)
        won += black_won == (learner == 0)
    return won


MOVER, OPPONENT, KO, PASSES, PROMISE = range(MOVE_WORDS)
"""What is kept of a move: the position after it, and how good it looks."""


@compiled
def wins_ending(values: LearnedArrays, own: int, other: int, ko: int, passes: int, played: int) -> bool:
    """Whether the side to move wins with best play. For rules with passes and the simple ko.

    At most MOST_PLIES may be left. A move is decided by the margins where they prove who wins, else by searching on,
    the most promising move first.
    """
    game = values.game
    colour = played & 1
    if played == game.length or passes == 2:
        return wins(game, own, other, colour) == 1.0
    moves = values.work[game.length - played]
    count = 0
    legal = find_legal(game, own, other, ko) | 1 << game.points
    for move in range(game.points + 1):
        if legal >> move & 1 == 0:
            continue
        mover, opponent, retake, passed = make_move(game, move, own, other, passes)
        is_ahead = wins(game, mover, opponent, colour) == 1.0
        if played + 1 == game.length or passed == 2:
            if is_ahead:
                return True
            continue
        if passed and not is_ahead:
            continue  # the opponent passes too, and has won
        mine, theirs = see_groups(values, mover, opponent)
        sure, possible = margins(values, mover, opponent, mine, theirs, colour, played + 1)
        if sure >= 0:
            return True
        if possible >= 0:
            moves[count, MOVER], moves[count, OPPONENT], moves[count, KO] = mover, opponent, retake
            moves[count, PASSES], moves[count, PROMISE] = passed, sure + possible
            count += 1
    for _ in range(count):
        k = 0
        for other_move in range(1, count):
            if moves[other_move, PROMISE] > moves[k, PROMISE]:
                k = other_move
        moves[k, PROMISE] = -1000
        after, before = moves[k, OPPONENT], moves[k, MOVER]
        if not wins_ending(values, after, before, moves[k, KO], moves[k, PASSES], int(played + 1)):
            return True
    return False


@compiled
def planned(values: LearnedArrays, own: int, other: int, ko: int, passes: int, played: int, plans: int) -> float:
    """The chance that the side that has just moved wins with its next `plans` moves, at least 1, as they look best.

    Each time the side to move, of `own`, makes the first move of the best value at a glance, and no other. Exact where
    the game ends. With the positional ko, only the last capture is not retaken.
    """
    game = values.game
    legal = find_legal(game, own, other, ko)
    if played >= game.length or passes == 2 or (legal == 0 and not game.passing):
        return wins(game, other, own, (played + 1) & 1)
    reply, likeliest = game.points, -1.0
    for move in range(game.points + 1):
        if legal >> move & 1 or (move == game.points and game.passing):
            mover, opponent, _, passed = make_move(game, move, own, other, passes)
            value = value_after(values, mover, opponent, played & 1, played + 1, passed)
            if value > likeliest:
                reply, likeliest = move, value
    theirs, mine, retake, passed = make_move(game, reply, own, other, passes)
    legal = find_legal(game, mine, theirs, retake)
    # No literal numbers: see `compiling` about functions that call themselves.
    now, rest = int(played + 1), int(plans - 1)
    if now >= game.length or passed == 2 or (legal == 0 and not game.passing):
        return wins(game, mine, theirs, now & 1)
    best = 0.0
    for move in range(game.points + 1):
        if legal >> move & 1 or (move == game.points and game.passing):
            mover, opponent, ko_after, passes_after = make_move(game, move, mine, theirs, passed)
            if plans == 1:
                value = value_after(values, mover, opponent, now & 1, now + 1, passes_after)
            else:
                value = planned(values, opponent, mover, ko_after, passes_after, now + 1, rest)
            best = max(best, value)
    return best
