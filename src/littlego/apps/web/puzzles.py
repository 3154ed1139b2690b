"""The fifty puzzles that ship: won positions with one winning move, which captures nothing.

`tools/make_puzzles.py` made `puzzles.tsv`, a line for each: the moves that lead to the position, the answer, and
how many of 16 choices of `learner` and `alphabeta` (in the eight images of the position) were not the answer.
`tools/page_data.py` writes them where the pages read them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

from littlego.core.game import GameRecord
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.review.drills import Deck, Drill

FILE: Final = Path(__file__).with_name("puzzles.tsv")
NAME: Final = "Fifty puzzles"
Difficulty = Literal["easy", "medium", "hard"]


@cache
def shipped_deck() -> Deck:
    """All puzzles, from easy to hard."""
    return Deck(tuple(_rated()), NAME)


def difficulty(drill: str) -> Difficulty | None:
    """How hard the puzzle with an id is; None if there is none."""
    failures = {each.id: failed for each, failed in _rated().items()}.get(drill)
    if failures is None:
        return None
    return "easy" if failures < 4 else "medium" if failures < 10 else "hard"


@cache
def _rated() -> dict[Drill, int]:
    rows = (line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines())
    rated = [(_drill(moves.split(), answer), int(failures)) for moves, answer, failures in rows]
    return dict(sorted(rated, key=lambda pair: (pair[1], pair[0].position.plies_left)))


def _drill(moves: list[str], answer: str) -> Drill:
    record = GameRecord("Black", "White", Position.initial())
    size = record.start.size
    line = tuple(parse_move(move, size) for move in moves)
    return Drill(replace(record, moves=line), (parse_move(answer, size),))
