"""Openings: the first moves of games, so that deterministic players do not repeat one game.

Each is played twice, with swapped colours, so that it favours nobody.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.points import Move, Pass, parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.storage.files import read_text

Opening: TypeAlias = tuple[Move, ...]

MOST_PLIES: Final = 4
_MOST_WAYS: Final = 400_000
_SEED: Final = 1
_SOLVED: Final = edition_rules()


def openings(rules: Rules, plies: int) -> tuple[Opening, ...]:
    """Moves that lead to each position after this many stones, up to symmetry, in a fixed order.

    Shuffled, so that a match that stops early has seen openings of every kind; but those known to be settled, where the
    player to move has two or more winning moves or none, come last. Raises UsageError.
    """
    if not 1 <= plies <= MOST_PLIES:
        raise UsageError(f"openings of {plies} moves: expected 1 to {MOST_PLIES}")
    if math.perm(rules.size**2, plies) > _MOST_WAYS:
        raise UsageError(f"openings of {plies} moves on {rules.size}x{rules.size}: too many: choose fewer moves")
    found: dict[object, tuple[Opening, Position]] = {None: ((), Position.initial(rules))}
    for _ in range(plies):
        found = {
            after.canonical()[0].key(): ((*moves, move), after)
            for moves, position in found.values()
            for move in position.legal_moves()
            if not isinstance(move, Pass)
            for after in [position.play_legal(move)]
        }
    listed = [moves for moves, position in found.values() if position.outcome() is None]
    if not listed:
        raise UsageError(f"openings of {plies} moves on {rules.size}x{rules.size}: there are none: choose fewer moves")
    random.Random(_SEED).shuffle(listed)
    if replace(rules, edition=_SOLVED.edition) == _SOLVED:
        settled = _settled()
        listed.sort(key=lambda moves: moves in settled)
    return tuple(listed)


def opening_of(openings: Sequence[Opening], game: int) -> Opening:
    """The first moves of a game, counted from 0: each opening twice, then the next, and after the last the first."""
    return openings[game // 2 % len(openings)] if openings else ()


@cache
def _settled() -> frozenset[Opening]:
    """From a file, so that the order of openings never changes: stored tournaments rely on it."""
    return frozenset(read_openings(Path(__file__).with_name("settled_openings.txt"), _SOLVED))


def read_openings(path: Path, rules: Rules) -> tuple[Opening, ...]:
    """The openings in a file: one per line, moves such as `2,2 1,2`; `#` begins a comment.

    Raises UsageError; a FormatError names the line of a move that cannot be read or played.
    """
    found = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        moves: list[Move] = []
        position = Position.initial(rules)
        for word in line.partition("#")[0].split():
            try:
                moves.append(parse_move(word, rules.size))
                position = position.play(moves[-1])
            except (FormatError, IllegalMove) as error:
                raise FormatError(f"{path}: line {number}: {word}: {error}") from error
        if position.outcome() is not None:
            raise FormatError(f"{path}: line {number}: the game is over after it")
        if moves:
            found.append(tuple(moves))
    if not found:
        raise FormatError(f"{path}: no opening in it: expected lines of moves such as 2,2 1,2")
    return tuple(found)
