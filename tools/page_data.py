"""What the pages know without the kernel: players with their measured strengths, and the puzzles.

python tools/page_data.py        writes src/littlego/apps/web/static/js/data.js; a test compares
"""

from __future__ import annotations

import json
from pathlib import Path

from littlego.apps.web.puzzles import difficulty, shipped_deck
from littlego.players.catalogue import PLAYERS, course_strengths

FILE = Path(__file__).parents[1] / "src/littlego/apps/web/static/js/data.js"
IN_PAGE = ("random", "greedy", "aggressive", "smart", "alphabeta", "qlearning", "learner", "champion", "perfect")
"""The players that the kernel has, too."""
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


def letters(move: str) -> str:
    """A move as addresses have it: the column, then the row."""
    if move == "PASS":
        return "--"
    row, column = map(int, move.split(","))
    return chr(ord("a") + column) + chr(ord("a") + row)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
