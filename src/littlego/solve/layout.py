"""What a host of the kernel must know about memory: the numbers that Python and JavaScript share."""

from __future__ import annotations

from functools import cache
from typing import Final

from littlego.kernel import host, words
from littlego.kernel.words import SIDE

CHECKER_WORDS: Final = 4 * 32
"""Scratch of the fast checker: four tables of a word for each group."""


def layout() -> dict[str, int]:
    """Sizes in words, and the places of what a host reads and writes; `kernel.wasm` carries the same numbers."""
    from littlego.solve import guess, search, table

    frame = ("MINE", "THEIRS", "KO", "TARGET", "COUNT", "NEXT", "MOVE")
    state = ("PLY", "LEFT", "NODES", "BOARD", "THREADS", "LOGGED", "LOG_EFFORT", "PRUNE", "GUESS_LEFT", "SEEK")
    return {
        "side": SIDE,
        "pass": words.PASS,
        "no_ko": words.NO_KO,
        "margin": words.MARGIN,
        "frame_words": search.FRAME_WORDS,
        "most_plies": search.MOST_PLIES,
        "work_words": search.WORK_WORDS,
        "state_words": search.STATE_WORDS,
        "log_words": search.LOG_WORDS,
        "busy_bits": search.BUSY_BITS,
        "slots": table.SLOTS,
        "least_bits": table.LEAST_BITS,
        "guess_weights": guess.SETS * guess.SET_SIZE,
        "guess_set": guess.SET_SIZE,
        "guess_game": guess.GAME,
        "guess_least_left": guess.LEAST_LEFT,
        "checker_words": CHECKER_WORDS,
        **{f"result_{name.lower()}": getattr(search, name) for name in ("LOST", "WON", "STOPPED")},
        **{f"frame_{name.lower()}": getattr(search, name) for name in frame},
        **{f"state_{name.lower()}": getattr(search, name) for name in state},
    }


def new_memory() -> host.KernelMemory:
    """Memory of a kernel that was made for this layout. Raises KernelError."""
    _check()
    return host.KernelMemory()


@cache
def _check() -> None:
    host.check_layout(layout())
