"""Diagrams, terminal and SVG: what people look at."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from littlego.core.board import WHITE, draw_board, parse_board
from littlego.core.errors import FormatError
from littlego.core.points import PASS, parse_move
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.core.svg import draw_svg
from littlego.formats.text import draw_terminal
from tests.helpers import at, played

KO = played(at(". . . . .\n. . O X .\n. O X . X\n. . O X .\n. . . . .", WHITE), "2,3")
LAST = parse_move("2,3", 5)


def test_a_diagram_is_drawn_with_coordinates() -> None:
    assert draw_board(KO.board) == (
        "   0 1 2 3 4\n 0 . . . . .\n 1 . . O X .\n 2 . O . O X\n 3 . . O X .\n 4 . . . . ."
    )
    assert len(draw_board(Position.initial(edition_rules(size=19)).board).splitlines()) == 20


@pytest.mark.parametrize(
    "text",
    ["..X\n.O.\n...", ". . X\n. O .\n. . .\n", "   0 1 2\n 0 . . X\n 1 . O .\n 2 . . .", "\n  ..X\n\n  .O.\n  ...\n"],
)
def test_diagrams_are_read_as_people_write_them(text: str) -> None:
    board = parse_board(text)
    assert (board.size, board.black, board.white) == (3, 1 << 2, 1 << 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got 0 rows of 0"),
        (". .\n. . .", "line 2: expected 2 cells, got 3"),
        (". .\n", "got 1 rows of 2"),
        (". .\n. #", "line 2: column 3: expected one of '.XO', got '#'"),
        (".", "expected a board of 2 to 19 rows, got 1"),
        ("XO\nO.", "the group at 0,0 has no liberty"),
    ],
)
def test_bad_diagrams_say_where(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_board(text, source="board.txt")
    assert str(caught.value).startswith("board.txt: ")
    assert message in str(caught.value)


def test_the_terminal_marks_the_last_move_and_the_ko() -> None:
    plain = draw_terminal(KO, last_move=LAST, colour=False)
    assert plain.splitlines()[3] == " 2  .  O  k [O] X "
    coloured = draw_terminal(KO, last_move=LAST, colour=True)
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain
    ended = KO._replace(moves_played=KO.rules.max_moves)
    assert draw_terminal(ended, last_move=LAST, colour=False).splitlines()[3] == " 2  .  O  . [O] X ", "no move is left"


def test_svg_shows_stones_marks_and_coordinates(golden: Callable[[str, str], None]) -> None:
    text = draw_svg(KO, last_move=LAST)
    root = ET.fromstring(text)
    kinds = [element.get("class") for element in root.iter()]
    assert kinds.count("stone") == 7
    assert kinds.count("last") == 1
    assert kinds.count("ko") == 1
    labels = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert sorted(set(labels), key=str) == ["0", "1", "2", "3", "4"]
    assert "prefers-color-scheme:dark" in text
    assert root.get("aria-label") == "5 by 5 board, 3 black and 4 white stones, Black to move"
    golden("ko.svg", text)


@pytest.mark.parametrize("size", [2, 3, 9, 13, 19])
def test_svg_of_every_size_is_well_formed_and_fetches_nothing(size: int) -> None:
    text = draw_svg(Position.initial(edition_rules(size=size)), last_move=PASS)
    ET.fromstring(text)
    assert "href" not in text
    assert text.count("http") == 1, "the namespace alone"
