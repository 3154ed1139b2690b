"""Measures the student tutorial's second agent against its first, on openings of three moves: prints JSON.

    python tools/measure_tutorial.py            about a minute
    python tools/measure_tutorial.py 2 22       openings of two moves and 22 games: those of `littlego compare`

The second agent was chosen among a dozen by games from openings of two moves, as `littlego compare` plays them, so
their result flatters it. No position after three stones is among those. Both colours are played from each opening, by
the functions `choose` themselves in this process: neither draws lots, so the referee would see the same games.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any, Final

from littlego.arena.games import openings
from littlego.arena.program import course_input
from littlego.core.board import Board, Colour
from littlego.core.game import play
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.starter import KIT
from littlego.formats.course import write_input

PAGE: Final = Path(__file__).parent.parent / "docs" / "tutorial-student.md"
_CHOOSE: Final = re.compile(r"^def choose\(.*?(?=^if __name__)", re.M | re.S)
_SHOWN: Final = re.compile(r'^```python title="my-agent/my_player3\.py"\n(.*?)^```', re.M | re.S)
Grid = list[list[int]]
Choose = Callable[[int, Grid, Grid], tuple[int, int] | None]


def agents() -> tuple[Choose, Choose]:
    """The function `choose` of the kit, and the one that the page has instead."""
    kit = (KIT / "my_player3.py").read_text(encoding="utf-8")
    shown = _SHOWN.search(PAGE.read_text(encoding="utf-8"))
    assert shown is not None
    text, replaced = _CHOOSE.subn(lambda _: f"{shown[1]}\n\n", kit)
    assert replaced == 1
    return _choose_of(kit), _choose_of(text)


def _choose_of(text: str) -> Choose:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "my_player3.py"
        path.write_text(text, encoding="utf-8")
        found: Choose = run_path(str(path))["choose"]
    return found


class Agent:
    """A player for one game, which sees what an agent reads from `input.txt`."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        self._own_board: Board | None = None

    def choose(self, position: Position) -> Move:
        colour, *rows = write_input(course_input(position, self._own_board)).split()
        grid = [[int(cell) for cell in row] for row in rows]
        chosen = self._choose(int(colour), grid[: position.size], grid[position.size :])
        move: Move = PASS if chosen is None else chosen[0] * position.size + chosen[1]
        self._own_board = position.play(move).board
        return move


def measure(plies: int, games: int | None = None) -> dict[str, Any]:
    """From all openings of so many moves, or as many as there are games for."""
    before, after = agents()
    starts = openings(edition_rules(), plies)[: None if games is None else games // 2]
    won = []
    for opening in starts:
        for colour in Colour:
            players = {colour: Agent(after), colour.opponent: Agent(before)}
            outcome = play(players, opening=opening).outcome
            assert outcome is not None
            assert not outcome.verdict.is_forfeit, outcome
            won.append(outcome.winner is colour)
    pairs = [sum(pair) for pair in zip(won[::2], won[1::2], strict=True)]
    return {
        "openings": len(starts),
        "games": len(won),
        "wins": sum(won),
        "wins_as_black": sum(won[::2]),
        "both": pairs.count(2),
        "neither": pairs.count(0),
    }


if __name__ == "__main__":
    print(json.dumps(measure(*map(int, sys.argv[1:]) if len(sys.argv) > 1 else (3,))))
