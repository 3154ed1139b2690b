"""A game as pages draw it: every board, so that they need no rules, and the moves that are legal now."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from littlego.core.board import Board
from littlego.core.game import GameRecord
from littlego.core.points import Move, Pass
from littlego.core.position import Position
from littlego.formats.course import board_rows
from littlego.solve.oracle import why_unsolvable

_STRIDE: Final = 50
"""A line is built up by this many moves at a time, so that a long one does not recurse too deep."""


def describe(record: GameRecord) -> dict[str, Any]:
    """The fields of `Line` in the API's responses."""
    positions = positions_of(record)
    position = positions[-1]
    outcome = record.outcome
    reasons = {point: position.why_illegal(point) for point in range(position.size**2)}
    illegal = {position.move_name(point): why.value for point, why in reasons.items() if why is not None}
    return {
        "black": record.black,
        "white": record.white,
        "rules": {
            "edition": position.rules.edition,
            "size": position.size,
            "komi": position.rules.komi,
            "max_moves": position.rules.max_moves,
            "passing": position.rules.passing,
            "ko": position.rules.ko.value,
        },
        "start_move": record.start.moves_played,
        "first": record.start.to_move.word,
        "moves": [position.move_name(move) for move in record.moves],
        "seconds": list(record.seconds),
        "boards": [_cells(each.board) for each in positions],
        "kos": [None if each.ko is None else each.move_name(each.ko) for each in positions],
        "captured": _captured(record, positions),
        "to_move": position.to_move.word,
        "legal": [position.move_name(move) for move in position.legal_moves()] if outcome is None else [],
        "illegal": illegal if outcome is None else {},
        "score": {"black": position.score().black, "white": position.score().white},
        "plies_left": position.plies_left,
        "unsolvable": why_unsolvable(position),
        "outcome": outcome
        and {
            "winner": outcome.winner and outcome.winner.word,
            "verdict": outcome.verdict.value,
            "text": str(outcome),
        },
    }


def positions_of(record: GameRecord) -> tuple[Position, ...]:
    """Every position of a game, the first included. Raises IllegalMove.

    Cheap if it was called one move earlier: the positions until then are cached.
    """
    for number in range(_STRIDE, len(record.moves), _STRIDE):
        _line(record.start, record.moves[:number])
    return _line(record.start, record.moves)


@lru_cache(maxsize=2048)
def _line(start: Position, moves: tuple[Move, ...]) -> tuple[Position, ...]:
    if not moves:
        return (start,)
    before = _line(start, moves[:-1])
    return (*before, before[-1].play(moves[-1]))


@lru_cache(maxsize=8192)
def _cells(board: Board) -> str:
    return "".join(board_rows(board))


def _captured(record: GameRecord, positions: tuple[Position, ...]) -> dict[str, int]:
    """The stones that each colour has captured."""
    taken = {"black": 0, "white": 0}
    for before, move in zip(positions, record.moves, strict=False):
        if not isinstance(move, Pass):
            taken[before.to_move.word] += before.captures(move)
    return taken
