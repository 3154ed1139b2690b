"""A Little-Go agent that plays from what it has learned, one move ahead. Python 3.7, standard library.

Lies beside little_go.py (the rules, the files and the shapes) and model.json (what `littlego train` learned). Each
legal move leads to a board; the model says how likely the side that has just moved wins from there, by the
shapes on that board, and the agent plays to the best one. The shapes are those of littlego/learn/features.py, written
out again because the agent runs without the littlego package; tests/agent/test_learner.py compares the two.
"""

import json
import os
import random
import sys

import little_go as game

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.json")
SLACK = 0.005
"""Moves this close to an even chance are drawn with equal chances; near certainty they must be closer: a loss in 300
games is not as good as a sure win."""


def read_model():
    """The model; None without one, and then the agent plays for stones alone."""
    try:
        with open(MODEL) as file:
            data = json.load(file)
        return game.Patterns(data)
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"my_player3: model.json: {error}\n")
        return None


def value_after(model, own, other, colour, played, passes):
    """How likely the side wins that has just made move `played`: exact if that ended the game."""
    lead = game.count(own) - game.count(other) - game.TARGETS[colour]
    if played >= game.LENGTH or passes == 2:
        return float(lead >= 0)
    if passes and lead < 0:
        return 0.0  # the opponent passes too and has won
    return model.value(own, other, colour - 1, min(played, 23)) if model else 0.5 + lead / 100.0


def main():
    """Read, choose, write."""
    try:
        colour, before, now = game.read_input()
    except (OSError, ValueError) as error:
        sys.stderr.write(f"my_player3: input.txt: {error}\n")
        return 1
    mine, theirs = now[colour - 1], now[2 - colour]
    played = game.moves_played(colour, before, now)[0] + 1
    passed = before == now and played > 1
    model = read_model()
    moves = [(game.PASS, theirs, mine, 1 + passed)]
    for bit, a, b, _ in game.legal_moves(mine, theirs, game.find_ko(colour, before, now)):
        moves.append((bit, a, b, 0))
    values = [value_after(model, b, a, colour, played, passes) for _, a, b, passes in moves]
    best = max(values)
    least = best - 4 * SLACK * best * (1 - best)
    move, theirs, mine, _ = random.choice([m for m, value in zip(moves, values) if value >= least])
    text = "PASS"
    if move != game.PASS:
        text = "{},{}".format(*divmod(game.POINTS.index(move.bit_length() - 1), game.SIZE))
    with open("output.txt", "w") as file:
        file.write(text)
    game.note_moves(played, colour, mine, theirs, False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
