"""What the pages know without the kernel: players with their measured strengths, and the puzzles.

python tools/page_data.py        writes src/littlego/apps/web/static/js/data.js; a test compares

The fifty puzzles are won positions with one winning move, which captures nothing. `make_puzzles.py` made `puzzles.tsv`,
a line for each: the moves that lead to the position, the answer, and how many of 16 choices of `learner` and
`alphabeta` (in the eight images of the position) were not the answer.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

from littlego.core.game import GameRecord
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.players.catalogue import PLAYERS, course_strengths
from littlego.review.drills import Deck, Drill

FILE = Path(__file__).parents[1] / "src/littlego/apps/web/static/js/data.js"
IN_PAGE = ("random", "greedy", "aggressive", "smart", "alphabeta", "qlearning", "learner", "champion", "perfect")
"""The players that the kernel has, too."""
PUZZLES = Path(__file__).with_name("puzzles.tsv")
Difficulty = Literal["easy", "medium", "hard"]
_HEAD = "// Made by tools/page_data.py from the catalogue of players and the puzzles of the package.\n\n"


def text() -> str:
    ratings = {player.name: player.rating for player in course_strengths().players}
    known: list[tuple[float, dict[str, object]]] = [
        (rating, {"name": entry.name, "summary": entry.summary, "rating": rating, "quick": entry.is_quick})
        for entry in PLAYERS.values()
        if entry.name in IN_PAGE and (rating := ratings[entry.name]) is not None
    ]
    puzzles = [
        {"moves": "".join(letters(text) for text in moves), "answer": answer, "difficulty": difficulty(drill.id)}
        for drill in shipped_deck().drills
        for moves, answer in [
            (
                [drill.position.move_name(move) for move in drill.record.moves],
                drill.position.move_name(drill.accepted[0]),
            )
        ]
    ]
    listed = (f"  {json.dumps(one)},\n" for _, one in sorted(known, key=lambda pair: pair[0]))
    asked = (f"  {json.dumps(one)},\n" for one in puzzles)
    keep = "// prettier-ignore\n"
    shown = (
        f"{keep}export const PLAYERS = [\n{''.join(listed)}];\n\n{keep}export const PUZZLES = [\n{''.join(asked)}];\n"
    )
    return _HEAD + shown


@cache
def shipped_deck() -> Deck:
    """All puzzles, from easy to hard."""
    return Deck(tuple(_rated()))


def difficulty(drill: str) -> Difficulty | None:
    """How hard the puzzle with an id is; None if there is none."""
    failures = {each.id: failed for each, failed in _rated().items()}.get(drill)
    if failures is None:
        return None
    return "easy" if failures < 4 else "medium" if failures < 10 else "hard"


@cache
def _rated() -> dict[Drill, int]:
    rows = (line.split("\t") for line in PUZZLES.read_text(encoding="utf-8").splitlines())
    rated = [(_drill(moves.split(), answer), int(failures)) for moves, answer, failures in rows]
    return dict(sorted(rated, key=lambda pair: (pair[1], pair[0].position.plies_left)))


def _drill(moves: list[str], answer: str) -> Drill:
    record = GameRecord("Black", "White", Position.initial())
    size = record.start.size
    line = tuple(parse_move(move, size) for move in moves)
    return Drill(replace(record, moves=line), (parse_move(answer, size),))


def letters(move: str) -> str:
    """A move as addresses have it: the column, then the row."""
    if move == "PASS":
        return "--"
    row, column = map(int, move.split(","))
    return chr(ord("a") + column) + chr(ord("a") + row)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
