"""Ask a 2019 class for one move, through files: the class then plays wherever a program can.

    python3 class_driver.py [MODULE[:CLASS]] [--go MODULE]

runs in the directory of the class, with go.py beside it, and reads input.txt:

    {"size": 5, "komi": 2.5, "max_moves": 24, "moves": ["2,2", "PASS", "1,2"], "piece_type": 2, "attempts": 100}

The moves are replayed from the empty board, so that the class sees the same GO instance as in a
game played in one process: board, died_pieces, n_move, X_move and all earlier boards. Its answer
goes to output.txt, as `2,3` or `PASS`. After an invalid move it is asked again, `attempts` times
in all (1 if not given); the last answer is written even so, for the referee to say what is wrong.

go.py knows the rules of 2019. For a game by later rules give `--go host`, with the starter kit's
host.py, read.py and write.py beside it: their GO has the same interface and lets a ko be retaken.

A new process is started for every move, so that nothing runs while the opponent thinks. The object lives through the
game all the same: after a move it is pickled to class_state.pickle, and the next move unpickles it instead of making
a new one, so `__init__` runs once a game. If it cannot be pickled, the attributes that can are kept, `__init__` runs
for every move, and stderr names the others. Variables of its module and of the class itself are
not kept.

Exit status: 0 written; 1 the class failed or did not answer with a move. Python 3.7 and its
standard library; imports nothing of the package.
"""

from __future__ import annotations

import argparse
import importlib
import json
import operator
import os
import pickle
import sys
from typing import Any

STATE = "class_state.pickle"


class NoMove(Exception):
    """What get_input returned is not a move. The class is to blame, and not this file."""


def rebuild(game_class: Any, position: dict[str, Any]) -> Any:
    """The GO instance after the moves of a position, which are legal."""
    go = game_class(position["size"])
    go.init_board(position["size"])  # the course's own GO has no board before
    go.komi = position["komi"]
    go.max_move = position["max_moves"]
    for move in position["moves"]:
        piece_type = 1 if go.X_move else 2
        if move == "PASS":
            go.previous_board = [list(row) for row in go.board]
            go.died_pieces = []
        else:
            i, j = map(int, move.split(","))
            go.place_chess(i, j, piece_type)
            go.died_pieces = go.remove_died_pieces(3 - piece_type)
        go.n_move += 1
        go.X_move = not go.X_move
    return go


def answer(player: Any, go: Any, position: dict[str, Any]) -> str:
    """The text of the player's move: its first valid one, or else its last. Raises NoMove."""
    piece_type = position["piece_type"]
    attempts = position.get("attempts", 1)
    for attempt in range(attempts):
        action = player.get_input(go.copy_board(), piece_type)
        if isinstance(action, str) and action == "PASS":
            return "PASS"
        try:
            i, j = (operator.index(number) for number in action)
        except (TypeError, ValueError):
            if attempt + 1 < attempts:
                continue
            raise NoMove(f"get_input returned {action!r}: expected (row, column) or 'PASS'") from None
        if go.valid_place_check(i, j, piece_type, test_check=True):
            break
    return f"{i},{j}"


def seat(make: Any) -> Any:
    """The player of the moves before, or a new one from `make`, its class."""
    try:
        with open(STATE, "rb") as file:
            kind, kept = pickle.load(file)
    except FileNotFoundError:
        return make()
    except Exception as error:  # whatever the class's own objects raise
        print(f"class_driver: the state of the moves before is lost: {error!r}", file=sys.stderr)
        return make()
    if kind == "whole":
        return kept
    player = make()
    for name, data in kept.items():
        restore(player, name, data)
    return player


def restore(player: Any, name: str, data: bytes) -> None:
    """One attribute; a line on stderr if that is not possible."""
    try:
        player.__dict__[name] = pickle.loads(data)
    except Exception as error:
        print(f"class_driver: self.{name} of the moves before is lost: {error!r}", file=sys.stderr)


def keep(player: Any) -> None:
    """Save the player for its next move: all of it, or the attributes that can be pickled."""
    try:
        data = pickle.dumps(("whole", player), protocol=4)
    except Exception:  # whatever the class's own objects raise
        pickled = {name: pickled_alone(name, value) for name, value in getattr(player, "__dict__", {}).items()}
        kept = {name: data for name, data in pickled.items() if data is not None}
        data = pickle.dumps(("attributes", kept), protocol=4)
    try:
        with open(STATE + ".part", "wb") as file:
            file.write(data)
        os.replace(STATE + ".part", STATE)
    except OSError as error:  # larger than a file may be
        print(f"class_driver: nothing of self is kept for the next move: {error}", file=sys.stderr)
        for name in (STATE + ".part", STATE):
            if os.path.exists(name):
                os.remove(name)


def pickled_alone(name: str, value: Any) -> bytes | None:
    """One attribute; None, and a line on stderr, if it cannot be pickled."""
    try:
        return pickle.dumps(value, protocol=4)
    except Exception as error:
        print(f"class_driver: self.{name} is not kept for the next move: {error}", file=sys.stderr)
        return None


def main() -> int:
    """Read the position, ask, write; the exit status."""
    parser = argparse.ArgumentParser(description="Ask a class with get_input(go, piece_type) for one move.")
    parser.add_argument("player", nargs="?", default="my_player:MyPlayer", metavar="MODULE[:CLASS]")
    parser.add_argument("--go", default="go", metavar="MODULE", help="where the class GO is (default: go)")
    options = parser.parse_args()
    sys.path.insert(0, os.getcwd())
    module, _, name = options.player.partition(":")
    with open("input.txt", encoding="utf-8") as file:
        position = json.load(file)
    go = rebuild(importlib.import_module(options.go).GO, position)
    # What the class itself raises is shown in full: its author needs to see where.
    player = seat(getattr(importlib.import_module(module), name or "MyPlayer"))
    try:
        text = answer(player, go, position)
    except NoMove as error:
        asked = getattr(type(player).get_input, "__code__", None)
        place = f'File "{asked.co_filename}", line {asked.co_firstlineno}, in get_input' if asked else "get_input"
        print(f"  {place}\nTypeError: {error}", file=sys.stderr)
        return 1
    keep(player)
    with open("output.txt", "w") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
