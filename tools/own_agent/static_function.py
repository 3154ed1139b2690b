"""A static function: many keys to 16 bits each, stored without the keys.

Each key has three places in a table, one in each third; the exclusive or of the three words is its value. A table of
1.24 words a key nearly always has a solution, which peeling finds: a place that only one key uses can be set last, so
that key is put aside, and so on until none is left.
"""

from __future__ import annotations

import base64
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Final

from littlego.agent import my_player3 as agent

_SPACE: Final = 1.24
_MOST_TRIES: Final = 50


def write_book(moves: Mapping[int, int], *, least: int) -> str:
    """The text of `book.txt`: `moves` are points (25: pass) by key, `least` the fewest plies left."""
    part = int(_SPACE * len(moves) / 3) + 8
    keys = sorted(moves)
    for seed in range(1, _MOST_TRIES):
        spots = [agent.book_places(key, seed, part) for key in keys]
        order = _peeled([places for places, _ in spots], 3 * part)
        if order is not None:
            break
    else:
        raise AssertionError(f"no seed up to {_MOST_TRIES} separates {len(keys)} keys")
    table = array("H", bytes(2 * 3 * part))
    for edge, place in reversed(order):
        places, check = spots[edge]
        word = check << 5 | moves[keys[edge]]
        for other in places:
            word ^= table[other] if other != place else 0
        table[place] = word
    if sys.byteorder == "big":
        table.byteswap()
    data = table.tobytes()
    data += bytes(3 + -len(data) % 3)  # so that two groups of three bytes can be read anywhere
    return f"{seed} {part} {least}\n{base64.b64encode(data).decode()}\n"


def _peeled(edges: Sequence[tuple[int, ...]], places: int) -> list[tuple[int, int]] | None:
    """The edges in an order in which each has a place that no later one uses; None if there is none."""
    degree = [0] * places
    edges_at = [0] * places  # the exclusive or of the edges at a place: of one edge, that edge
    for edge, ends in enumerate(edges):
        for end in ends:
            degree[end] += 1
            edges_at[end] ^= edge
    order = []
    waiting = [place for place in range(places) if degree[place] == 1]
    while waiting:
        place = waiting.pop()
        if degree[place] != 1:
            continue
        edge = edges_at[place]
        order.append((edge, place))
        for end in edges[edge]:
            degree[end] -= 1
            edges_at[end] ^= edge
            if degree[end] == 1:
                waiting.append(end)
    return order if len(order) == len(edges) else None
