"""Play games between two players and print how often each won.

python3 go_play.py -n=5 -p1=manual -p2=random -t=1
python3 go_play.py -p1=greedy -t=100
"""

import argparse
import importlib
import os
import sys

from aggressive_player import AggressivePlayer
from go import GO
from greedy_player import GreedyPlayer
from manual_player import ManualPlayer
from random_player import RandomPlayer
from smart_player import SmartPlayer

PLAYERS = {
    "manual": ManualPlayer,
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "aggressive": AggressivePlayer,
    "smart": SmartPlayer,
}
OPTIONS = "Player class. Options: manual, random, greedy, aggressive, smart, my, or the name of a file here, without \
its .py, that has a class MyPlayer. Default: random."


def make_player(name, parser):
    """A player by its name. Ends the program if there is none; what its own file raises is shown in full."""
    if name in PLAYERS:
        return PLAYERS[name]()
    imported = globals().get(name)  # such as `from student1_player import MyPlayer as s1`
    if hasattr(imported, "get_input"):
        return imported()
    module = "my_player" if name == "my" else name
    if not os.path.isfile(os.path.join(sys.path[0], module + ".py")):
        parser.error(f"there is no player {name!r}, and no {module}.py here")
    found = importlib.import_module(module)
    if not hasattr(found, "MyPlayer"):
        parser.error(f"{module}.py has no class MyPlayer")
    return found.MyPlayer()


def number(least, most):
    """A type of argument: a whole number in a range."""

    def parse(text):
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a number from {least} to {most}, got {text!r}")
        return int(text)

    return parse


def main():
    """Play the games that the command line asks for."""
    parser = argparse.ArgumentParser(description="Play games of Go and print how often each player won.")
    parser.add_argument("--size", "-n", type=number(2, 19), default=5, help="size of board n*n. Default: 5.")
    parser.add_argument("--player1", "-p1", default="random", help=OPTIONS)
    parser.add_argument("--player2", "-p2", default="random", help=OPTIONS)
    parser.add_argument("--times", "-t", type=number(1, 10**6), default=1, help="playing times. Default: 1.")
    options = parser.parse_args()

    player1, player2 = make_player(options.player1, parser), make_player(options.player2, parser)
    wins = {0: 0, 1: 0, 2: 0}  # by winner; 0 counts the ties, which boards of odd size never have
    try:
        for _ in range(options.times):
            wins[GO(options.size).play(player1, player2)] += 1
    except (EOFError, KeyboardInterrupt):
        sys.exit("\nStopped.")
    black, white = (100 * wins[winner] / options.times for winner in (1, 2))
    print(f"Black player (X) | Wins:{black:.1f}% Loses:{white:.1f}%")
    print(f"White player (O) | Wins:{white:.1f}% Loses:{black:.1f}%")


if __name__ == "__main__":
    main()
