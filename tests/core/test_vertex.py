"""GTP's names of points: no letter I, rows from the bottom."""

from __future__ import annotations

import pytest

from littlego.core.errors import FormatError
from littlego.core.points import PASS, parse_vertex, vertex_name


@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_every_vertex_is_read_back(size: int) -> None:
    for move in (*range(size * size), PASS):
        assert parse_vertex(vertex_name(move, size), size) == move


def test_known_names() -> None:
    assert vertex_name(12, 5) == "C3"
    assert vertex_name(0, 5) == "A5"
    assert vertex_name(8, 19) == "J19"
    assert parse_vertex("e1", 5) == 24
    assert parse_vertex("PASS", 5) is PASS


@pytest.mark.parametrize("text", ["", "I3", "F1", "A6", "A0", "3C", "A1 ", "A１"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_vertex(text, 5)
