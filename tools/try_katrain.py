"""Asks `littlego analyze` as KaTrain does, with KaTrain's own engine class and game tree.

    pip install katrain littlego && python tools/try_katrain.py

KaTrain is 106 MB with its network and needs Kivy, so that the tests do without it; the workflow `programs` runs this.
"""

from __future__ import annotations

import os
import sys
import time

os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_CONSOLELOG": "1", "KIVY_NO_FILELOG": "1"}

from katrain.core.engine import KataGoEngine
from katrain.core.game_node import GameNode
from pysgf import Move

from littlego import BLACK, Oracle, Position

GAME = ("C3", "C2", "D3", "B2", "C4", "B4", "D4", "D2", "E2", "B3", "D1", "B5")
SETTINGS = {
    "altcommand": f"{sys.executable} -m littlego analyze",
    "backend": "custom",
    "max_visits": 100,
    "max_time": 8.0,
    "wide_root_noise": 0.0,
    "_enable_ownership": False,
}


class Program:
    """What KaTrain's engine asks of KaTrain."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def log(self, message: str, level: int = 0) -> None:
        if level < 0:
            self.errors.append(message)

    def __call__(self, *message: object) -> None:
        self.errors.append(str(message))

    def config(self, _name: str, default: object = None) -> object:
        return default


def main() -> int:
    program = Program()
    engine = KataGoEngine(program, SETTINGS)
    node = GameNode(properties={"SZ": ["5"], "KM": ["2.5"], "RU": ["japanese"]})
    nodes = [node]
    for number, vertex in enumerate(GAME):
        node = node.play(Move.from_gtp(vertex, player="BW"[number % 2]))
        nodes.append(node)
    late = nodes[6:]  # the opening is in the atlas, the rest is solved quickly
    for each in late:
        each.analyze(engine)
    end = time.monotonic() + 240
    while not all(each.analysis_complete for each in late) and time.monotonic() < end and not program.errors:
        time.sleep(0.2)
    positions = [Position.initial()]
    for vertex in GAME:
        positions.append(positions[-1].play(vertex))
    wrong = 0
    with Oracle() as oracle:
        for number, (each, position) in enumerate(zip(nodes, positions, strict=True)):
            if each not in late:
                continue
            truth = float(oracle.value(position) is BLACK)
            ok = each.analysis_complete and each.winrate == truth and each.candidate_moves
            ok = ok and isinstance(each.score, float | int) and isinstance(each.comment(), str)
            wrong += not ok
            print(f"after {number} moves: Black wins {each.winrate:.0%}, lead {each.score}")
    engine.shutdown(finish=None)
    print(f"{len(late) - wrong} of {len(late)} positions as the solver says; errors: {program.errors or 'none'}")
    return 1 if wrong or program.errors else 0


if __name__ == "__main__":
    sys.exit(main())
