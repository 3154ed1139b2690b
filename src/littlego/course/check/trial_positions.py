"""The positions in which agents are tried: the same for everyone, on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator

from littlego.core.colour import Colour
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.formats.diagram import parse_board

_EACH_COLOUR = 6
_KOS_EACH_COLOUR = 3

_NO_MOVE_FOR_WHITE = ". X . X .\nX X X X X\n. X X X X\nX X X X X\n. X . X ."


def first_positions() -> list[Position]:
    """The empty board, and two boards with Black's first stone."""
    start = Position.initial()
    return [start, start.play(12), start.play(0)]


def middle_positions() -> list[Position]:
    """Positions from the middle and the end of random games, equally many for each colour."""
    late_enough = (
        position for position in _random_positions(seed=1) if position.moves_played in (7, 10, 15, 18, 21, 22)
    )
    return _some_of_each_colour(late_enough, _EACH_COLOUR)


def ko_positions() -> list[Position]:
    """Positions in which the side to move may not retake a ko, equally many for each colour."""
    return _some_of_each_colour((p for p in _random_positions(seed=2) if p.ko is not None), _KOS_EACH_COLOUR)


def _some_of_each_colour(positions: Iterator[Position], number: int) -> list[Position]:
    chosen: dict[Colour, list[Position]] = {colour: [] for colour in Colour}
    while min(map(len, chosen.values())) < number:
        position = next(positions)
        if len(chosen[position.to_move]) < number:
            chosen[position.to_move].append(position)
    return [position for pair in zip(*chosen.values(), strict=True) for position in pair]


def must_pass_positions() -> list[Position]:
    """Positions in which a pass is the only legal move, one for each colour."""
    board = parse_board(_NO_MOVE_FOR_WHITE)
    swapped = board._replace(black=board.white, white=board.black)
    return [
        Position(edition_rules(), board, Colour.WHITE, moves_played=19),
        Position(edition_rules(), swapped, Colour.BLACK, moves_played=20),
    ]


def _random_positions(seed: int) -> Iterator[Position]:
    """Positions of random games without passes, without end."""
    rng = random.Random(seed)
    while True:
        position = Position.initial()
        while position.outcome() is None:
            yield position
            position = position.play(rng.choice(position.legal_moves()[:-1] or position.legal_moves()))
