"""The end of a game played out in every line, compiled: who wins, by the rules alone. Its slow twin is in its test."""

from __future__ import annotations

from littlego.kernel.any_size import find_legal, make_move, wins
from littlego.kernel.marks import compiled
from littlego.learn.values_kernel import MOVE_WORDS, LearnedArrays, margins, see_groups

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
