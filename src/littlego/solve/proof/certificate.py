"""Write a certificate: the winner's strategy, in the form that `check` describes and verifies."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.kernel.bits import SIDE, Words
from littlego.kernel.frame import spot_of, unframed, unframed_point
from littlego.kernel.packing import NO_KO, PASS, pack_key, plies_left, unpack_key
from littlego.solve import search
from littlego.solve.engine import Engine, Stopped
from littlego.solve.oracle import Oracle, least_win
from littlego.solve.proof import strategy
from littlego.solve.proof.check import KIND, PASS_BYTE

SEARCHED_BY_THE_VERIFIER: Final = 2
"""With at most this many plies left the verifier finds the move itself."""
NEVER: Final = 99
_MOST_ENTRIES: Final = 1 << 26
_ENTRIES_A_SLICE: Final = 10_000


@dataclass(frozen=True, slots=True)
class CertificateSummary:
    """The certificate that was written."""

    winner: Colour
    entries: int
    file_bytes: int


def certify(
    position: Position,
    path: Path | str,
    oracle: Oracle,
    *,
    search_left: int = SEARCHED_BY_THE_VERIFIER,
    progress: Callable[[int], None] | None = None,
    most_entries: int = _MOST_ENTRIES,
    frontier: int = 0,
) -> CertificateSummary:
    """Write the strategy of the side that wins `position`, down to `frontier` plies left, to a file.

    Raises UsageError for a position that is tied, over, or cannot be solved, and Stopped.
    """
    if position.outcome() is not None:
        raise UsageError("the game is over: there is nothing to certify")
    if frontier > position.plies_left:
        raise UsageError(f"down to {frontier} plies left: the position has only {position.plies_left}")
    winner = oracle.value(position)
    if winner is None:
        raise UsageError("the position is a tie with best play: there is no winner to certify")
    engine = oracle.engine_for(position.size)
    keys, moves = _strategy(position, winner, engine, search_left, progress, most_entries)
    within = plies_left(keys) >= frontier
    keys, moves = _on_board(keys[within], moves[within], position.size)
    head = _head(position, winner, search_left, frontier, len(keys))
    compressed = lzma.compress(head + keys.astype(">u8").tobytes() + moves.astype("u1").tobytes(), preset=6)
    Path(path).write_bytes(compressed)
    return CertificateSummary(winner, len(keys), len(compressed))


def _strategy(
    position: Position,
    winner: Colour,
    engine: Engine,
    search_left: int,
    progress: Callable[[int], None] | None,
    most_entries: int,
) -> tuple[Words, Words]:
    """Keys in the kernel's frame and the winner's moves."""
    spot = spot_of(position)
    target = least_win(position.rules, winner)
    line = search.new_line(engine.board, log_words=1 << 10)
    control: Words = np.zeros(1, dtype=np.int64)
    way = strategy.Walk(
        stack=np.zeros(1 << 16, dtype=np.int64),
        seen=np.zeros(4 * most_entries, dtype=np.int64),
        keys=np.zeros(most_entries, dtype=np.int64),
        moves=np.zeros(most_entries, dtype=np.int64),
        progress=np.zeros(3, dtype=np.int64),
    )
    if position.to_move is winner:
        way.stack[0] = engine.key(spot)
        way.progress[strategy.WAITING] = 1
    else:
        key = pack_key(spot.mine, spot.theirs, spot.ko, spot.left)
        way.progress[strategy.WAITING] = strategy.answers(line, key, 1 - target, way.stack)
    status = strategy.PAUSED
    while status == strategy.PAUSED:
        engine.make_room()
        shared = engine.shared._replace(control=control)
        status = strategy.walk(way, line, shared, target, search_left, _ENTRIES_A_SLICE)
        written = int(way.progress[strategy.WRITTEN])
        if progress:
            progress(written)
    if status == strategy.FULL:
        raise UsageError(
            f"the strategy has more than {most_entries:,} positions: allow more, or certify a shorter game"
        )
    if status != strategy.DONE:
        raise Stopped("the certificate was not finished")
    return way.keys[:written], way.moves[:written]


def _on_board(keys: Words, moves: Words, size: int) -> tuple[Words, Words]:
    """Entries in ascending order, converted from the kernel's frame to the board's own numbering."""
    moves = np.where(moves == PASS, PASS_BYTE, unframed_point(moves, size))
    mine, theirs, ko, left = unpack_key(keys)
    ko = np.where(ko == NO_KO, NO_KO, unframed_point(ko, size))
    keys = pack_key(unframed(mine, size), unframed(theirs, size), ko, left)
    ranks = np.argsort(keys)
    return keys[ranks], moves[ranks]


def _head(position: Position, winner: Colour, search_left: int, frontier: int, entries: int) -> bytes:
    rules = position.rules
    head = {
        "kind": KIND,
        "version": 1,
        "size": rules.size,
        "komi": rules.komi,
        "moves": rules.max_moves,
        "black": position.board.black,
        "white": position.board.white,
        "to_move": position.to_move.value,
        "ko": position.ko,
        "passes": position.passes,
        "moves_played": position.moves_played,
        "winner": winner.value,
        "fold": search.FOLD_LEFT if rules.size == SIDE else NEVER,
        "search": search_left,
        "frontier": frontier,
        "entries": entries,
    }
    return json.dumps(head).encode() + b"\n"
