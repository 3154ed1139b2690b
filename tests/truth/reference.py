"""Verdicts by trying everything on `core`, in words written out here: nothing of `review` or `solve` is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from littlego.core.board import BLACK
from littlego.core.game import GameRecord
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Rules
from tests.helpers import random_game
from tests.solve.twins import minimax, random_position

_MARGINS: dict[Position, int] = {}
_RANKS = {"black": {"black": 2, "tie": 1, "white": 0}, "white": {"black": 0, "tie": 1, "white": 2}}


@dataclass(frozen=True)
class Expected:
    """What must be shown of a move."""

    number: int
    colour: str
    move: str
    before: str
    after: str
    good: tuple[str, ...]
    """The moves that keep the best result; empty in a lost position."""
    words: str
    better: str
    is_mistake: bool


def value(position: Position) -> str:
    """`black`, `white` or `tie`, by trying everything."""
    mine = minimax(position, _MARGINS)
    margin = (mine if position.to_move is BLACK else -mine) - position.rules.komi
    return "black" if margin > 0 else "white" if margin < 0 else "tie"


def rank(position: Position, found: str) -> int:
    """What a value is worth to the side to move: 2 won, 1 a tie, 0 lost."""
    return _RANKS[position.to_move.name.lower()][found]


def values_of_moves(position: Position) -> dict[str, str]:
    """The value after every legal move, by its name."""
    return {position.move_name(move): value(position.play(move)) for move in position.legal_moves()}


def good_moves(position: Position) -> tuple[str, ...]:
    """The moves that keep the best result; none in a lost position."""
    best = rank(position, value(position))
    values = values_of_moves(position)
    return tuple(name for name, after in values.items() if best and rank(position, after) == best)


def expected_moves(record: GameRecord) -> list[Expected]:
    """Every move of a game as it must be shown once all is known."""
    steps = list(_steps(record))
    falls = [rank(position, value(position.play(move))) < rank(position, value(position)) for position, move in steps]
    last = max((k for k, fell in enumerate(falls) if fell), default=None)
    found = []
    for k, (position, move) in enumerate(steps):
        before, after, good = value(position), value(position.play(move)), good_moves(position)
        words = _words(position, before, after, good, fell=falls[k], last=k == last)
        found.append(
            Expected(
                position.moves_played + 1,
                position.to_move.name.lower(),
                position.move_name(move),
                before,
                after,
                good,
                words,
                _better(before, good) if falls[k] else "",
                falls[k],
            )
        )
    return found


def _steps(record: GameRecord) -> Iterator[tuple[Position, Move]]:
    position = record.start
    for move in record.moves:
        yield position, move
        position = position.play(move)


def _words(position: Position, before: str, after: str, good: tuple[str, ...], *, fell: bool, last: bool) -> str:
    if len(position.legal_moves()) == 1:
        return "had no choice"
    if fell and before == "tie":
        return "gave the tie away"
    if fell and after == "tie":
        return "let the win slip to a tie"
    if fell:
        return "the losing move" if last else "threw the win away"
    if not good:
        return "was lost anyway"
    if len(good) == 1:
        return "the only move that kept the tie" if before == "tie" else "the only move"
    return "kept the tie" if before == "tie" else "kept the win"


def _better(before: str, good: tuple[str, ...]) -> str:
    names = ["a pass" if name == "PASS" else name for name in good]
    if len(names) == 1:
        listed = names[0]
    elif len(names) <= 6:
        listed = ", ".join(names[:-1]) + " or " + names[-1]
    else:
        listed = ", ".join(names[:5]) + f" and {len(names) - 5} more"
    return listed + (" would have tied" if before == "tie" else " would have won")


def a_game(seed: int, rules: Rules) -> GameRecord:
    """A random game on a small board."""
    record = GameRecord("ann", "bob", Position.initial(rules), tuple(move for _, move in random_game(rules, seed)))
    return replace(record, outcome=record.final().outcome())


def an_ending(seed: int, size: int, left: int) -> GameRecord:
    """The last moves of a random game, short enough for plain minimax."""
    start = random_position(size, left, seed)
    position, moves = start, []
    for k in range(left):
        if position.outcome() is not None:
            break
        legal = position.legal_moves()
        moves.append(legal[(seed * 7 + k * 5) % len(legal)])
        position = position.play(moves[-1])
    return GameRecord("ann", "bob", start, tuple(moves), outcome=position.outcome())


def small_games() -> list[GameRecord]:
    """Games of 2x2, 3x3 and 4x4, many of them with ties."""
    games = [a_game(seed, Rules(size=2, komi=1.0, max_moves=4)) for seed in range(8)]
    games += [a_game(seed, Rules(size=3, komi=1.0, max_moves=6)) for seed in range(6)]
    games += [a_game(seed, Rules(size=3, komi=1.5, max_moves=7)) for seed in range(6)]
    return games + [an_ending(seed, 4, 5) for seed in range(8)]
