"""The course's `qlearning`, inferred from its logged games: a few learned openings, then captures, then the centre.

This player could make 477 of the 480 moves that the course's Q-learning player made in 40 logged games, half with
each colour. Our own player that learns is `learner`.
"""

from __future__ import annotations

from functools import cache

from littlego.core.board import Board
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.points import Point, parse_point
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.players.simple import PointWeights, SimplePlayer, largest_captures, nearest_to_centre

_OPENINGS = (
    (BLACK, "1,2 2,2 2,1 2,3 0,0"),
    (BLACK, "1,2 2,2 2,1 1,1 3,2 2,3 2,4"),
    (WHITE, "2,2 2,1 1,2 3,2"),
)
"""How it opened every logged game with each colour, where the rule after the opening does not say the same."""


class QLearningPlayer(SimplePlayer):
    """The learned answer in the few positions that have one; else the largest capture; else nearest the centre."""

    def choices(self, position: Position, points: tuple[Point, ...]) -> PointWeights:
        """The first of these that applies; equal points are equally likely."""
        if (learned := learned_answers().get((position.board, position.to_move))) is not None:
            return {learned: 1}
        captured, best = largest_captures(position, points)
        return dict.fromkeys(best if captured else nearest_to_centre(points, position.size), 1)


@cache
def learned_answers() -> dict[tuple[Board, Colour], Point]:
    """What it plays in each position of its openings."""
    answers = {}
    for colour, opening in _OPENINGS:
        position = Position.initial(edition_rules())
        for text in opening.split():
            point = parse_point(text, position.size)
            if position.to_move is colour:
                answers[position.board, colour] = point
            position = position.play(point)
    return answers
