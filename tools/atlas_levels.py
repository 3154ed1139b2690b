"""Complete the atlas level by level: `python tools/atlas_levels.py STORE [--levels 22 21 20] [--seconds N] [--write]`.

A level is every position with so many plies left, passes included, once for its eight images: 97 with 22 plies left,
1,043 with 21, 11,627 with 20, 84,700 with 19. The levels are worked out in the order given. What the level before
implies is taken over: every move of a lost position wins for the opponent. Then, within a level, the easy questions
come first: each position may take a number of nodes, which grows fourfold with every round, and what a round that gave
up has proven stays in the table. STORE keeps every answer, so the work can be interrupted at any time, and resumed.
`--write` adds what STORE knows of the levels, and below them `--down-to` so many plies left, to the atlas that ships
with the package; with `--seconds 0` it searches nothing. `--mend` then looks at the atlas's moves that stand beside
another margin than the one that wins, and replaces those that do not reach it.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Final

import numpy as np

from build_atlas import openings, packed
from littlego.core.board import BLACK, WHITE, Board, Colour
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.kernel.words import (
    MARGIN,
    NO_KO,
    NO_MOVE,
    Spot,
    Words,
    best_move,
    greatest,
    least,
    pack_value,
    plies_left,
    spot_of,
    unpack_key,
)
from littlego.kernel.words import PASS as PASS_MOVE
from littlego.solve import atlas
from littlego.solve.engine import Engine, OutOfNodes
from littlego.solve.oracle import Oracle, least_win
from littlego.solve.store import BoundStore

FIRST_ALLOWANCE: Final = 1 << 16
"""Nodes that a position may take in the first round."""
GROWTH: Final = 4
EXPENSIVE: Final = 1 << 14
"""Positions below the levels that took so many nodes are kept as well: they make resuming cheap."""
LEVELS: Final = (22, 21, 20)


def level(left: int) -> list[Position]:
    """Every position with `left` plies left that is not over, once for its eight images.

    Where the same stones arise after a pass and without one, it is the position without: its value decides both.
    """
    start = Position.initial()
    found: dict[object, Position] = {}
    for position in openings(start.plies_left - left):
        key = (position.board, position.to_move, position.ko)
        if position.plies_left == left and position.outcome() is None and (key not in found or not position.passes):
            found[key] = position
    return list(found.values())


def inherit(oracle: Oracle, parents: list[Position]) -> None:
    """Tell the oracle what it knows, without searching, about the positions that a stone in one of `parents` leads to.

    None of them is better for the mover than the parent's greatest margin, and the one after the move that the
    parent's proof was found with is as good as its least.
    """
    engine = oracle.engine_for(atlas.SIZE)
    keys, values = [], []
    for parent in parents:
        low, high = engine.bounds(spot_of(parent))
        proven_by = engine.kept_move(spot_of(parent))
        for move in parent.legal_moves():
            most = -low if move == proven_by else MARGIN
            if move is not PASS and (high < MARGIN or most < MARGIN):
                keys.append(engine.key(spot_of(parent.play_legal(move))))
                values.append(pack_value(-high, most, NO_MOVE))
    engine.teach(np.array(keys, dtype=np.int64), np.array(values, dtype=np.int64))


def complete(
    oracle: Oracle, positions: list[Position], until: float, allowance: int = FIRST_ALLOWANCE
) -> list[Position]:
    """Work out who wins each position, easy ones first; returns those still open at the time `until`."""
    while positions:
        still_open: list[Position] = []
        for number, position in enumerate(positions, start=1):
            if time.monotonic() > until:
                return [rest for rest in still_open + positions[number - 1 :] if oracle.is_known_won(rest) is None]
            try:
                oracle.reaches(
                    position, least_win(position.rules, position.to_move), most_nodes=allowance
                )  # also tells the store what is known
            except OutOfNodes:
                still_open.append(position)
            if number % 20 == 0:
                report(f"  {number}/{len(positions)} with {allowance:,} nodes each, {len(still_open)} still open")
        positions = still_open
        report(f"{len(positions)} open after {allowance:,} nodes each, {oracle.nodes:,} nodes in all")
        allowance *= GROWTH
    return []


def merged(*parts: tuple[Words, Words]) -> tuple[Words, Words]:
    """Each key once, with all that the parts know about it; the move is that of the part with the best margin."""
    known: dict[int, int] = {}
    for keys, values in parts:
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            if (other := known.get(key)) is None:
                known[key] = value
            else:
                better = max(other, value, key=lambda word: (least(word), best_move(word) >= 0))
                low, high = least(better), min(greatest(other), greatest(value))
                if low > high:
                    raise ValueError(f"key {key}: one source says at least {low}, another at most {high}")
                known[key] = pack_value(low, high, best_move(better))
    return np.fromiter(known, dtype=np.int64), np.fromiter(known.values(), dtype=np.int64)


def position_of(key: int) -> Position:
    """The 5x5 position of a key, by the rules of the course."""
    mine, theirs, ko, left = unpack_key(key)
    start = Position.initial()
    played = start.plies_left - left
    turn = WHITE if played % 2 else BLACK
    board = Board(atlas.SIZE, *((mine, theirs) if turn is BLACK else (theirs, mine)))
    return Position(start.rules, board, turn, None if ko == NO_KO else ko, moves_played=played)


def reaches_least(engine: Engine, key: int, value: int) -> bool:
    """Whether the move of a value reaches its least margin."""
    position, move = position_of(key), best_move(value)
    after = position.play_legal(PASS if move == PASS_MOVE else move)
    return not engine.reaches(spot_of(after), 1 - least(value))


def of_other_margins(keys: Words, values: Words) -> list[int]:
    """Where a move stands beside another least margin than the one that wins: what two sources may have made."""
    enough = np.where(plies_left(keys) % 2 == 0, *(least_win(Position.initial().rules, side) for side in Colour))
    return [int(place) for place in np.flatnonzero((best_move(values) != NO_MOVE) & (least(values) != enough))]


def mended(keys: Words, values: Words, *, memory: int) -> Words:
    """The values, with a move that reaches the least margin in place of one that does not."""
    values = values.copy()
    engine = Engine(atlas.SIZE, memory=memory)
    engine.teach(keys, values)
    for place in of_other_margins(keys, values):
        key, value = int(keys[place]), int(values[place])
        if not reaches_least(engine, key, value):
            spot = Spot(*unpack_key(key))
            engine.reaches(spot, least(value), seek=True)
            found = engine.kept_move(spot)
            values[place] = pack_value(least(value), greatest(value), NO_MOVE if found is None else found)
            report(f"{place}: {spot.left} plies left, {best_move(value)} became {found}")
    return values


def report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Complete the atlas level by level.")
    parser.add_argument("store", type=Path, metavar="STORE")
    parser.add_argument("--levels", type=int, nargs="*", default=LEVELS, metavar="LEFT", help="plies left, in order")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time; resume later")
    parser.add_argument(
        "--allowance", type=int, default=FIRST_ALLOWANCE, help="nodes a position may take in the first round"
    )
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="add what STORE knows of the levels to the atlas")
    parser.add_argument("--down-to", type=int, metavar="LEFT", help="write positions below the levels, too")
    parser.add_argument("--mend", action="store_true", help="replace moves in the atlas that do not reach their margin")
    parser.add_argument("--out", type=Path, default=Path(atlas.__file__).with_name(atlas.FILE))
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    memory = int(options.gib * (1 << 30))
    oracle = Oracle(memory=memory, threads=options.threads, store=options.store, expensive=EXPENSIVE)
    for left in options.levels:
        positions = level(left)
        inherit(oracle, level(left + 1))
        for position in positions:
            if oracle.is_known_won(position) is not None:
                oracle.reaches(
                    position, least_win(position.rules, position.to_move)
                )  # nothing is searched: the store is told
        still_open = complete(oracle, positions, until, options.allowance)
        report(f"{left} plies left: {len(positions) - len(still_open):,} of {len(positions):,} known")
    oracle.close()
    if options.mend:
        keys, values = atlas.load()
        options.out.write_bytes(packed(keys, mended(keys, values, memory=memory)))
    if options.write:
        store = BoundStore(options.store)
        least_left = options.down_to or min(options.levels)
        found = store.most_expensive(atlas.SIZE, least_left=least_left, all_left=24, entries=1 << 30)
        store.close()
        keys, values = merged(atlas.load(), found)
        data = packed(keys, values)
        options.out.write_bytes(data)
        print(f"{options.out}: {len(keys):,} bounds, {len(data):,} bytes")


if __name__ == "__main__":
    main()
