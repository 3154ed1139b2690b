"""What is true of a position, from sources that share no code with the web's analyst."""

from __future__ import annotations

import random
from functools import cache
from typing import Final

from littlego.core.board import Colour
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.solve.oracle import Oracle

PLAIN_LEFT: Final = 3
"""With so few plies left every line is played out with the rules alone."""

QUICK_LEFT: Final = 15
"""With so few plies left the oracle answers in a moment."""


@cache
def _oracle(_size: int) -> Oracle:
    """One for each board size, so that none loses its table."""
    return Oracle(memory=1 << 26)


@cache
def winner(position: Position) -> str:
    """Who wins with best play, in the words of the API."""
    if position.plies_left <= PLAIN_LEFT:
        found = _plain(position)
    elif position.plies_left > QUICK_LEFT and _refuted(position):
        found = position.to_move
    else:
        found = _oracle(position.size).value(position)
    return "tie" if found is None else found.name.lower()


def winners(position: Position) -> dict[str, str]:
    """By legal move, who wins after it."""
    return {position.move_name(move): winner(position.play(move)) for move in position.legal_moves()}


def _refuted(position: Position) -> bool:
    """Whether some move leads to a position that what ships knows as lost: quicker than a search for it."""
    oracle = _oracle(position.size)
    return any(oracle.is_known_won(position.play(move)) is False for move in position.legal_moves())


def is_settled(position: Position) -> bool:
    """Whether what ships decides who wins: an opening that is not in it may take minutes."""
    return _shipped(position.size).is_known_won(position) is not None


@cache
def _shipped(_size: int) -> Oracle:
    """One that never searches, and so knows what ships alone."""
    return Oracle(memory=1 << 26)


@cache
def _plain(position: Position) -> Colour | None:
    if (outcome := position.outcome()) is not None:
        return outcome.winner
    found = {_plain(position.play(move)) for move in position.legal_moves()}
    if position.to_move in found:
        return position.to_move
    return None if None in found else position.to_move.opponent


def random_line(seed: int, plies: int, rules: Rules | None = None) -> list[str]:
    """Moves from the empty board to a position that has not ended; one in twenty is a pass."""
    rng = random.Random(seed)
    while True:
        position, names = Position.initial(rules), list[str]()
        while len(names) < plies and position.outcome() is None:
            points = position.legal_moves()[:-1]
            move = rng.choice(points) if points and rng.random() < 0.95 else PASS
            names.append(position.move_name(move))
            position = position.play(move)
        if position.outcome() is None:
            return names
