"""Write a certificate, the winner's strategy in the form that `check` describes, and verify one in parts."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.kernel.words import (
    NO_KO,
    PASS,
    SIDE,
    Words,
    pack_key,
    plies_left,
    spot_of,
    unframed,
    unframed_point,
    unpack_key,
)
from littlego.solve.engine import Engine
from littlego.solve.oracle import Oracle, least_win
from littlego.solve.proof import strategy
from littlego.solve.proof.check import KIND, PASS_BYTE, Certificate, verify_entries, verify_start
from littlego.solve.proof.fast_check import FastChecker
from littlego.solve.search import FOLD_LEFT
from littlego.storage.files import writing

SEARCHED_BY_THE_VERIFIER: Final = 2
"""With at most this many plies left the verifier finds the move itself."""
NEVER: Final = 99
_MOST_ENTRIES: Final = 1 << 26


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

    Raises UsageError for a position that is tied, over, or cannot be solved or a file that cannot be written, and
    Stopped.
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
    with writing(Path(path)):
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
    if position.to_move is winner:
        reached = [spot]
    else:
        after = [position.play_legal(move) for move in position.legal_moves()]
        reached = [spot_of(one) for one in after if one.outcome() is None]
    level: Words = np.unique(np.array([engine.key(one) for one in reached], dtype=np.int64))
    keys: list[Words] = []
    moves: list[Words] = []
    written = 0
    while len(level):  # of one number of plies left: what follows has two fewer
        following: list[Words] = []
        for start in range(0, len(level), engine.MOST_RESPONSES):
            asked = level[start : start + engine.MOST_RESPONSES]
            chosen, after_keys = engine.respond(asked, target, search_left)
            needed = chosen != strategy.LEFT_OUT
            keys.append(asked[needed])
            moves.append(chosen[needed])
            following.append(after_keys)
            written += int(needed.sum())
            if written > most_entries:
                raise UsageError(
                    f"the strategy has more than {most_entries:,} positions: allow more, or certify a shorter game"
                )
            if progress:
                progress(written)
        level = np.unique(np.concatenate(following))
    return np.concatenate(keys), np.concatenate(moves)


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
        "fold": FOLD_LEFT if rules.size == SIDE else NEVER,
        "search": search_left,
        "frontier": frontier,
        "entries": entries,
    }
    return json.dumps(head).encode() + b"\n"


PART: Final = 2000
"""Entries handed out at once."""


def verify_in_parts(
    certificate: Certificate,
    *,
    sample: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    slow: bool = False,
    progress: Callable[[], None] | None = None,
) -> int:
    """Check the first position and every entry, or `sample` of them; returns how many entries.

    `jobs` are threads of the compiled checker; `slow` is its twin, which has one. Raises CheckFailed.
    """
    verify_start(certificate)
    numbers: Sequence[int] = range(len(certificate.keys))
    if sample is not None and sample < len(numbers):
        numbers = sorted(random.Random(seed).sample(numbers, sample))
    parts = [numbers[i : i + PART] for i in range(0, len(numbers), PART)]
    check: Callable[[Sequence[int]], int]
    check = partial(verify_entries, certificate) if slow else FastChecker(certificate).check
    with ThreadPoolExecutor(1 if slow else jobs) as pool:
        for _ in pool.map(check, parts):
            if progress:
                progress()
    return len(numbers)
