"""Make the atlas: `python -m littlego.solve.build_atlas STORE [--plies N] [--entries N] [--gib G]`.

Solves the empty board and then every position of the first plies, all replies included, and writes
the bounds that were dearest to prove. STORE keeps everything, so that the work can be stopped at any
time and gone on with; `--plies 0` writes the atlas from what the store has already.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import time
from pathlib import Path
from typing import Final

import numpy as np

from littlego.core.position import Position
from littlego.solve import atlas
from littlego.solve.bits import Words
from littlego.solve.oracle import Oracle

LEAST_LEFT: Final = 9
"""Positions with fewer plies left are solved faster than they are loaded."""
DEAR: Final = 1 << 12


def openings(plies: int) -> list[Position]:
    """Every position of the first `plies` plies, each in one of its eight images."""
    found = {Position.initial(): None}
    layer = list(found)
    for _ in range(plies):
        following: dict[Position, None] = {}
        for position in layer:
            if position.outcome() is None:
                for move in position.legal_moves():
                    following[position.play_legal(move).canonical()[0]] = None
        layer = list(following)
        found.update(following)
    return list(found)


def dearest(store: Path, entries: int) -> tuple[Words, Words]:
    """The bounds of a store that took most nodes: keys and values as the atlas keeps them."""
    rows = (
        sqlite3.connect(store)
        .execute(
            "SELECT key, low, high, move FROM bound WHERE size = ? AND key >> 55 >= ? ORDER BY nodes DESC LIMIT ?",
            (atlas.SIZE, LEAST_LEFT, entries),
        )
        .fetchall()
    )
    columns: Words = np.array(rows, dtype=np.int64).reshape(-1, 4)
    key, low, high, move = columns.T
    return key.copy(), low + 25 | high + 25 << 6 | move + 1 << 12


def main() -> None:
    """Solve, then write."""
    parser = argparse.ArgumentParser(description="Make the atlas of opening values.")
    parser.add_argument("store", type=Path, metavar="STORE")
    parser.add_argument("--plies", type=int, default=2)
    parser.add_argument("--entries", type=int, default=250_000)
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name(atlas.FILE))
    options = parser.parse_args()
    oracle = Oracle(
        memory=int(options.gib * (1 << 30)), threads=options.threads, store=options.store, use_atlas=False, dear=DEAR
    )
    positions = openings(options.plies) if options.plies else []
    began = time.perf_counter()
    for number, position in enumerate(positions, start=1):
        winner = oracle.value(position)
        line = f"{number}/{len(positions)} {winner} wins with {position.plies_left} left"
        print(f"{line}, {oracle.nodes:,} nodes, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    oracle.close()
    keys, values = dearest(options.store, options.entries)
    data = atlas.packed(keys, values)
    options.out.write_bytes(data)
    print(f"{options.out}: {len(keys):,} bounds, {len(data):,} bytes")


if __name__ == "__main__":
    main()
