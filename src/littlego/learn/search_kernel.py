"""Looking ahead with learned values, compiled: the champion's plan, and alpha-beta. Their slow twins are in a test."""

from __future__ import annotations

from littlego.kernel.any_size import find_legal, make_move, wins
from littlego.kernel.marks import compiled
from littlego.learn.games_kernel import value_after
from littlego.learn.values_kernel import LearnedArrays


@compiled
def look(
    values: LearnedArrays,
    own: int,
    other: int,
    ko: int,
    passes: int,
    played: int,
    depth: int,
    alpha: float,
    beta: float,
) -> float:
    """The chance that the side to move wins, by the values `depth` of its and its opponent's moves later.

    Exact where the game ends within the depth. Outside `alpha` and `beta` it is a bound. Moves are tried in the order
    of their own values. `depth` is from 1 to MOST_AHEAD. With the positional ko, only the last capture is not retaken.
    """
    game = values.game
    colour = played & 1
    legal = find_legal(game, own, other, ko)
    if played >= game.length or passes == 2 or (legal == 0 and not game.passing):
        return wins(game, own, other, colour)
    moves, found = values.ahead[depth], values.hopes[depth]
    count = 0
    for move in range(game.points + 1):
        if legal >> move & 1 or (move == game.points and game.passing):
            mover, opponent, _, passed = make_move(game, move, own, other, passes)
            value = value_after(values, mover, opponent, colour, played + 1, passed)
            if depth == 1 and value >= beta:
                return value
            place = count
            while place and found[place - 1] < value:
                found[place], moves[place] = found[place - 1], moves[place - 1]
                place -= 1
            found[place], moves[place] = value, move
            count += 1
    if depth == 1:
        return float(found[0])
    best = 0.0
    for k in range(count):
        mover, opponent, retake, passed = make_move(game, moves[k], own, other, passes)
        # No literal number: see `compiling` about functions that call themselves.
        rest = int(depth - 1)
        value = 1.0 - look(values, opponent, mover, retake, passed, played + 1, rest, 1.0 - beta, 1.0 - alpha)
        best = max(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


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
