"""The positions in which agents are tried: the same for everyone, on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from littlego.core.colour import Colour
from littlego.core.points import points_of
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.formats.diagram import parse_board

_EACH_COLOUR = 6
_KOS_EACH_COLOUR = 3

_NO_MOVE_FOR_WHITE = ". X . X .\nX X X X X\n. X X X X\nX X X X X\n. X . X ."


_USUAL: Final = edition_rules()


def first_positions(rules: Rules = _USUAL) -> list[Position]:
    """The empty board, and two boards with Black's first stone: in the centre, and in a corner."""
    start = Position.initial(rules)
    return [start, start.play(rules.size * rules.size // 2), start.play(0)]


def middle_positions(rules: Rules = _USUAL) -> list[Position]:
    """Positions from the middle and the end of random games, equally many for each colour."""
    shares = ((rules.max_moves * part // 24, part) for part in (7, 10, 15, 18, 21, 22))
    # Odd ones stay odd, so that both colours have theirs.
    moments = {moment - (moment - part) % 2 for moment, part in shares}
    late_enough = (position for position in _random_positions(rules, seed=1) if position.moves_played in moments)
    return _some_of_each_colour(late_enough, _EACH_COLOUR)


def ko_positions(rules: Rules = _USUAL) -> list[Position]:
    """Positions in which the side to move may not retake a ko, equally many for each colour: for the simple ko."""
    return _some_of_each_colour((p for p in _random_positions(rules, seed=2) if p.ko is not None), _KOS_EACH_COLOUR)


def _some_of_each_colour(positions: Iterator[Position], number: int) -> list[Position]:
    chosen: dict[Colour, list[Position]] = {colour: [] for colour in Colour}
    while min(map(len, chosen.values())) < number:
        position = next(positions)
        if len(chosen[position.to_move]) < number:
            chosen[position.to_move].append(position)
    return [position for pair in zip(*chosen.values(), strict=True) for position in pair]


def must_pass_positions(rules: Rules = _USUAL) -> list[Position]:
    """Positions in which a pass is the only legal move, one for each colour: on 5x5, where passing is allowed."""
    board = parse_board(_NO_MOVE_FOR_WHITE)
    swapped = board._replace(black=board.white, white=board.black)
    return [
        Position(rules, board, Colour.WHITE, moves_played=min(19, rules.max_moves - 3)),
        Position(rules, swapped, Colour.BLACK, moves_played=min(20, rules.max_moves - 2)),
    ]


def _random_positions(rules: Rules, *, seed: int) -> Iterator[Position]:
    """Positions of random games without passes, without end."""
    rng = random.Random(seed)
    while True:
        position = Position.initial(rules)
        while position.outcome() is None:
            yield position
            position = position.play(rng.choice(points_of(position.legal_points()) or position.legal_moves()))
