"""Draws the figures of these pages with the package's own code: `python docs/draw_figures.py [DIR]`."""

from __future__ import annotations

import sys
from pathlib import Path

from littlego import Colour, Position, draw_svg, edition_rules, parse_board, parse_move

FIGURES = {
    # name: (board, to move, the move that is played, or none)
    "capture-before": (". . . . .\n. X X . .\nX O O X .\n. X O . .\n. . X . .", Colour.BLACK, None),
    "capture-after": (". . . . .\n. X X . .\nX O O X .\n. X O . .\n. . X . .", Colour.BLACK, "3,3"),
    "ko-before": (". . . . .\n. . O X .\n. O X . X\n. . O X .\n. . . . .", Colour.WHITE, None),
    "ko-after": (". . . . .\n. . O X .\n. O X . X\n. . O X .\n. . . . .", Colour.WHITE, "2,3"),
    "score": ("X X X X X\nX X X X X\nX X . O O\nO O O O .\nO O O O .", Colour.BLACK, None),
}


def figures() -> dict[str, str]:
    """The SVG of every figure, by file name."""
    drawn = {}
    for name, (diagram, to_move, text) in FIGURES.items():
        board = parse_board(diagram)
        position = Position(edition_rules(size=board.size), board, to_move)
        move = None if text is None else parse_move(text, board.size)
        drawn[f"{name}.svg"] = draw_svg(position if move is None else position.play(move), last_move=move, width=220)
    return drawn


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in figures().items():
        (folder / name).write_text(svg)
