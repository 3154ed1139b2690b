"""Make the atlas: `python tools/build_atlas.py STORE [--plies N] [--paths N] [--entries N] [--gib G]`.

Follows the perfect player with either colour, against every reply, down to `--paths` plies left; solves every
position of the first plies; and writes every bound of the opening and the most expensive of the others. STORE keeps
everything, so the work can be interrupted at any time and resumed; `--write-only` writes the atlas from what the
store already has.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from build_kernel import leb128
from littlego.core.board import Colour
from littlego.core.position import Position
from littlego.kernel.words import Words, unpack_key
from littlego.solve import atlas
from littlego.solve.oracle import Oracle
from littlego.solve.resistance import LostPosition
from littlego.solve.store import BoundStore

ALL_LEFT: Final = 15
"""Positions with at least this many plies left are all written, whatever they cost: the player meets them."""
LOST_LEFT: Final = 20
"""The perfect player's choices in lost positions are followed down to this many plies left; then there are too many."""
LEAST_LEFT: Final = 9
"""Positions with fewer plies left are solved faster than loaded."""
EXPENSIVE: Final = 1 << 12
NODES_IF_LOST: Final = 15_000_000
ENTRIES: Final = 300_000


def openings(plies: int) -> list[Position]:
    """Every position of the first `plies` plies, each in one of its eight images."""
    layer = [Position.initial()]
    found = dict.fromkeys(layer)
    for _ in range(plies):
        layer = _after_all([position for position in layer if position.outcome() is None])
        found.update(dict.fromkeys(layer))
    return list(found)


def own_path(oracle: Oracle, colour: Colour, down_to: int) -> Iterator[list[Position]]:
    """The positions that the perfect player meets with a colour, whatever the opponent plays, one list per ply.

    Works out its move in each, which leaves the proof in the oracle's store.
    """
    start = Position.initial()
    layer = [start] if colour is start.to_move else _after_all([start])
    while layer and layer[0].plies_left >= down_to:
        yield layer
        following = _after_all([after for position in layer for after in _own_moves(oracle, position)])
        layer = [position for position in following if position.outcome() is None]


def _own_moves(oracle: Oracle, position: Position) -> list[Position]:
    """The positions after the perfect player's move; several if it chooses at random."""
    move = oracle.winning_move(position)
    if move is not None:
        return [position.play_legal(move)]
    if position.plies_left < LOST_LEFT:
        return []
    return [item.after for item in LostPosition(oracle, position, most_nodes=NODES_IF_LOST).hardest()]


def _after_all(positions: list[Position]) -> list[Position]:
    """The positions one move later, each in one of its eight images and once."""
    after = (position.play_legal(move) for position in positions for move in position.legal_moves())
    return list(dict.fromkeys(position.canonical()[0] for position in after))


def work_out(oracle: Oracle, plies: int, paths: int) -> None:
    """Fill the store of an oracle, the player's own paths first: games follow those."""
    began = time.perf_counter()

    def report(what: str) -> None:
        line = f"{what}, {oracle.nodes:,} nodes, {time.perf_counter() - began:.0f} s"
        print(line, file=sys.stderr, flush=True)

    for colour in Colour:
        for layer in own_path(oracle, colour, paths):
            report(f"{colour}'s path, {layer[0].plies_left} left: {len(layer)} positions")
    positions = openings(plies)
    for number, position in enumerate(positions, start=1):
        winner = oracle.value(position)
        report(f"{number}/{len(positions)} {winner} wins with {position.plies_left} left")
    oracle.close()


def packed(keys: Words, values: Words) -> bytes:
    """The bytes of an atlas. Keys must be distinct, and those of positions."""
    parts = []
    numbers, left = atlas.board_numbers(keys), unpack_key(keys)[3]
    for plies in sorted(set(left.tolist()), reverse=True):
        chosen = np.flatnonzero(left == plies)
        chosen = chosen[np.argsort(numbers[chosen])]
        here = values[chosen]
        usual = atlas.usual_values(plies)
        places = np.argsort(usual)
        place = np.searchsorted(usual, here, sorter=places) % len(usual)
        codes = np.where(usual[places][place] == here, places[place], atlas.ODD).astype(np.uint8)
        steps = b"".join(leb128(step) for step in np.diff(numbers[chosen], prepend=0).tolist())
        odd = b"".join(value.to_bytes(3, "little") for value in here[codes == atlas.ODD].tolist())
        parts += [atlas.HEAD.pack(plies, len(here), len(steps)), steps, codes.tobytes(), odd]
    return gzip.compress(b"".join(parts), mtime=0)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the atlas of opening values.")
    parser.add_argument("store", type=Path, metavar="STORE")
    parser.add_argument("--plies", type=int, default=2)
    parser.add_argument("--paths", type=int, default=16, metavar="LEFT")
    parser.add_argument("--write-only", action="store_true")
    parser.add_argument("--entries", type=int, default=ENTRIES)
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(atlas.__file__).with_name(atlas.FILE))
    options = parser.parse_args()
    if not options.write_only:
        memory, threads = int(options.gib * (1 << 30)), options.threads
        oracle = Oracle(memory=memory, threads=threads, store=options.store, use_atlas=False, expensive=EXPENSIVE)
        work_out(oracle, options.plies, options.paths)
    keys, values = BoundStore(options.store).most_expensive(
        atlas.SIZE, least_left=LEAST_LEFT, all_left=ALL_LEFT, entries=options.entries
    )
    data = packed(keys, values)
    options.out.write_bytes(data)
    print(f"{options.out}: {len(keys):,} bounds, {len(data):,} bytes")


if __name__ == "__main__":
    main()
