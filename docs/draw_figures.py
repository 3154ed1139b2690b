"""Draws the figures of these pages with the package's own code: `python docs/draw_figures.py [DIR]`."""

from __future__ import annotations

import json
import math
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

# What the solver found; docs/solution.md says how.
LINE = "2,2 1,2 2,1 1,3 2,3 1,1 3,2 0,0 2,4 1,0 1,4 2,0 0,2 0,3 3,0 3,1 4,1 3,3 0,4 4,2 0,1 0,0 0,3 1,0"
LINE_STOPS = (6, 12, 18, 24)
MARGINS = [1, 0] * 8 + [2, 0, 2, 1]
"""By length of the game, from 1 move to 20."""
MARGIN_22 = 2
SOLVER = json.loads((Path(__file__).parent / "measured" / "solver.json").read_text(encoding="utf-8"))["result"]
NODES = {int(line["what"].split()[2]): line["nodes"] for line in SOLVER["games"]}


def openings() -> str:
    """The points of the first move, by who wins after it."""
    cells = []
    for row in range(5):
        for column in range(5):
            wins = (row, column) == (2, 2)
            x, y = 30 + 40 * column, 30 + 40 * row
            fill, ink, side = ("#222", "#fff", "Black") if wins else ("#eee", "#222", "White")
            cells.append(f'<rect x="{x - 20}" y="{y - 20}" width="40" height="40" fill="{fill}" stroke="#999"/>')
            cells.append(f'<text x="{x}" y="{y + 5}" fill="{ink}">{side}</text>')
    return _svg(220, 220, "Who wins after each first move: Black after the centre, White after any other", cells)


def chart(title: str, points: dict[int, float], ticks: dict[float, str], mark: float | None = None) -> str:
    """A line over the length of the game; `mark` is a level to compare with."""
    low, high = min(ticks), max(ticks)
    first, last = min(points), max(points)

    def at(length: float, value: float) -> tuple[float, float]:
        return 50 + 400 * (length - first) / (last - first), 180 - 150 * (value - low) / (high - low)

    parts = []
    for value, text in ticks.items():
        _, y = at(first, value)
        parts.append(f'<line x1="50" x2="450" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="26" y="{y + 4:.1f}">{text}</text>')
    if mark is not None:
        _, y = at(first, mark)
        parts.append(f'<line x1="50" x2="450" y1="{y:.1f}" y2="{y:.1f}" stroke="#c33" stroke-dasharray="4"/>')
        parts.append(f'<text x="425" y="{y - 5:.1f}" fill="#c33">komi {mark:g}</text>')
    path = " ".join("{:.1f},{:.1f}".format(*at(*point)) for point in sorted(points.items()))
    parts.append(f'<polyline points="{path}" fill="none" stroke="#27c" stroke-width="2"/>')
    for length, value in sorted(points.items()):
        x, y = at(length, value)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#27c"/><text x="{x:.1f}" y="198">{length}</text>')
    return _svg(470, 205, title, parts)


def _svg(width: int, height: int, title: str, parts: list[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' font-family="sans-serif" font-size="11" text-anchor="middle" role="img"><title>{title}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n{body}\n</svg>\n'
    )


def solution() -> dict[str, str]:
    """The figures of docs/solution.md."""
    margins = dict(enumerate(MARGINS, start=1)) | {22: MARGIN_22, 24: 3}
    nodes = {length: math.log10(count) for length, count in NODES.items()}
    drawn = {
        "solution-openings.svg": openings(),
        "solution-length.svg": chart(
            "Black's lead at the end, by length of the game",
            {length: margin for length, margin in margins.items() if length % 2 == 0},
            {value: str(value) for value in range(4)},
            mark=2.5,
        ),
        "solution-nodes.svg": chart(
            "Nodes of the search, by length of the game", nodes, {2: "100", 4: "10 k", 6: "1 M", 8: "100 M", 9: "1 G"}
        ),
    }
    position = Position.initial()
    for number, text in enumerate(LINE.split(), start=1):
        move = parse_move(text, 5)
        position = position.play(move)
        if number in LINE_STOPS:
            drawn[f"solution-line-{number}.svg"] = draw_svg(position, last_move=move, width=180)
    return drawn


def figures() -> dict[str, str]:
    """The SVG of every figure, by file name."""
    drawn = {}
    for name, (diagram, to_move, text) in FIGURES.items():
        board = parse_board(diagram)
        position = Position(edition_rules(size=board.size), board, to_move)
        move = None if text is None else parse_move(text, board.size)
        drawn[f"{name}.svg"] = draw_svg(position if move is None else position.play(move), last_move=move, width=220)
    return drawn | solution()


def addresses() -> dict[str, str]:
    """Where the browser's pages show what a figure shows, by file name."""

    def letters(text: str | None) -> str:
        return "".join(chr(97 + int(k)) for k in reversed(text.split(","))) if text else "-"

    found = {"solution-openings.svg": "/solution"}
    for name, (diagram, to_move, text) in FIGURES.items():
        cells = "".join(str(".XO".index(cell)) for cell in diagram.split())
        found[f"{name}.svg"] = f"/play/{letters(text)}?from={cells}.{to_move.word[0]}..0"
    line = "".join(letters(text) for text in LINE.split())
    return found | {f"solution-line-{stop}.svg": f"/review/{line}?at={stop}" for stop in LINE_STOPS}


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in figures().items():
        (folder / name).write_text(svg)
