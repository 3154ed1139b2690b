"""The rules as a table of boards: every example of the course's text, and the corners of each rule."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from littlego.core.board import BLACK, WHITE, Colour, draw_board, parse_board
from littlego.core.errors import IllegalMove
from littlego.core.points import parse_move, point_name
from littlego.core.rules import Why
from tests.helpers import at, played


class Case(NamedTuple):
    name: str
    before: str
    to_move: Colour
    moves: str
    after: str
    ko: str | None = None


CASES = [
    Case(
        "one stone in the open is captured",
        """
        . . . . .
        . . X . .
        . X O X .
        . . . . .
        . . . . .
        """,
        BLACK,
        "3,2",
        """
        . . . . .
        . . X . .
        . X . X .
        . . X . .
        . . . . .
        """,
    ),
    Case(
        "a group of three is captured whole",
        """
        . . . . .
        . X X . .
        X O O X .
        . X O . .
        . . X . .
        """,
        BLACK,
        "3,3",
        """
        . . . . .
        . X X . .
        X . . X .
        . X . X .
        . . X . .
        """,
    ),
    Case(
        "two groups are captured by one stone",
        """
        . X . X .
        X O . O X
        . X . X .
        . . . . .
        . . . . .
        """,
        BLACK,
        "1,2",
        """
        . X . X .
        X . X . X
        . X . X .
        . . . . .
        . . . . .
        """,
    ),
    Case(
        "a capturing stone needs no liberty before the capture",
        """
        . O X . .
        O X X . .
        X . . . .
        . . . . .
        . . . . .
        """,
        BLACK,
        "0,0",
        """
        X . X . .
        . X X . .
        X . . . .
        . . . . .
        . . . . .
        """,
    ),
    Case(
        "White captures too, on the side",
        """
        X O . . .
        X O . . .
        . . . . .
        . . . . .
        . . . . .
        """,
        WHITE,
        "2,0",
        """
        . O . . .
        . O . . .
        O . . . .
        . . . . .
        . . . . .
        """,
    ),
    Case(
        "a ko in the centre",
        """
        . . . . .
        . . O X .
        . O X . X
        . . O X .
        . . . . .
        """,
        WHITE,
        "2,3",
        """
        . . . . .
        . . O X .
        . O . O X
        . . O X .
        . . . . .
        """,
        "2,2",
    ),
    Case(
        "a ko on the side",
        """
        . O X . .
        O X . X .
        . O X . .
        . . . . .
        . . . . .
        """,
        WHITE,
        "1,2",
        """
        . O X . .
        O . O X .
        . O X . .
        . . . . .
        . . . . .
        """,
        "1,1",
    ),
    Case(
        "a ko on the edge",
        """
        O X . X .
        . O X . .
        . . . . .
        . . . . .
        . . . . .
        """,
        WHITE,
        "0,2",
        """
        O . O X .
        . O X . .
        . . . . .
        . . . . .
        . . . . .
        """,
        "0,1",
    ),
    Case(
        "a ko in the corner",
        """
        . X O . .
        X O . . .
        X . . . .
        . . . . .
        . . . . .
        """,
        WHITE,
        "0,0",
        """
        O . O . .
        X O . . .
        X . . . .
        . . . . .
        . . . . .
        """,
        "0,1",
    ),
    Case(
        "taking one stone with a stone that has a friend is no ko",
        """
        . . . . .
        . . O X .
        . O X . O
        . . O X O
        . . . . .
        """,
        WHITE,
        "2,3",
        """
        . . . . .
        . . O X .
        . O . O O
        . . O X O
        . . . . .
        """,
    ),
    Case(
        "taking one stone with a stone that has another liberty is no ko",
        """
        . . . . .
        . . O . .
        . O X . X
        . . O X .
        . . . . .
        """,
        WHITE,
        "2,3",
        """
        . . . . .
        . . O . .
        . O . O X
        . . O X .
        . . . . .
        """,
    ),
    Case(
        "taking two stones is no ko",
        """
        . O O . .
        O X X . X
        . O O X .
        . . . . .
        . . . . .
        """,
        WHITE,
        "1,3",
        """
        . O O . .
        O . . O X
        . O O X .
        . . . . .
        . . . . .
        """,
    ),
    Case(
        "a pass lifts the ko",
        """
        . . . . .
        . . O X .
        . O X . X
        . . O X .
        . . . . .
        """,
        WHITE,
        "2,3 PASS PASS 2,2",
        """
        . . . . .
        . . O X .
        . O X . X
        . . O X .
        . . . . .
        """,
        "2,3",
    ),
    Case(
        "the ko may be retaken a turn later",
        """
        . . . . .
        . . O X .
        . O X . X
        . . O X .
        . . . . .
        """,
        WHITE,
        "2,3 4,4 0,0 2,2",
        """
        O . . . .
        . . O X .
        . O X . X
        . . O X .
        . . . . X
        """,
        "2,3",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_moves_lead_to(case: Case) -> None:
    position = played(at(case.before, case.to_move), case.moves)
    assert draw_board(position.board) == draw_board(parse_board(case.after))
    assert (None if position.ko is None else point_name(position.ko, position.size)) == case.ko
    if case.ko is not None:
        assert position.why_illegal(parse_move(case.ko, 5)) is Why.KO


REFUSED = [
    ("occupied by the opponent", ". X\n. .", WHITE, "0,1", Why.OCCUPIED),
    ("occupied by a friend", ". X\n. .", BLACK, "0,1", Why.OCCUPIED),
    ("suicide of one stone in the corner", ". X .\nX . .\n. . .", WHITE, "0,0", Why.SUICIDE),
    ("suicide of one stone in the centre", ". X .\nX . X\n. X .", WHITE, "1,1", Why.SUICIDE),
    ("suicide of a group", "O . X\nX X .\n. . .", WHITE, "0,1", Why.SUICIDE),
    ("beyond the last point", ". .\n. .", BLACK, "off", Why.OFF_BOARD),
]


@pytest.mark.parametrize(("name", "diagram", "to_move", "move", "why"), REFUSED, ids=[row[0] for row in REFUSED])
def test_moves_are_refused(name: str, diagram: str, to_move: Colour, move: str, why: Why) -> None:
    position = at(diagram, to_move)
    refused = 99 if move == "off" else parse_move(move, position.size)
    assert position.why_illegal(refused) is why, name
    assert not position.is_legal(refused)
    with pytest.raises(IllegalMove) as caught:
        position.play(refused)
    assert caught.value.why is why
    assert why.value in str(caught.value)


def test_the_same_places_are_fine_for_the_other_side() -> None:
    assert at(". X .\nX . .\n. . .", BLACK).is_legal(0)
    assert at(". X .\nX . X\n. X .", BLACK).is_legal(4)
