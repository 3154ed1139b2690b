"""What every format keeps: the reader undoes the writer, and nothing but FormatError comes out of junk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlego.core.board import Colour, draw_board, parse_board
from littlego.core.errors import FormatError, IllegalMove, PlayerFault
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, Outcome, Verdict, edition_rules
from littlego.formats.course import CourseInput, parse_input, parse_output, write_input
from littlego.formats.records import parse_record, write_record
from littlego.formats.sgf import parse_sgf, write_sgf
from tests.helpers import random_game


@dataclass(frozen=True)
class Format:
    name: str
    write: Callable[[GameRecord], str]
    read: Callable[[str], object]
    expected: Callable[[GameRecord], object]
    """What the reader gives for a record: what of it the format carries."""


FORMATS = [
    Format("record", write_record, parse_record, lambda record: record),
    Format("sgf", write_sgf, parse_sgf, lambda record: replace(record, seconds=(), seed=None)),
    Format(
        "diagram",
        lambda record: draw_board(record.final().board),
        parse_board,
        lambda record: record.final().board,
    ),
    Format(
        "bare diagram",
        lambda record: draw_board(record.final().board, coordinates=False),
        parse_board,
        lambda record: record.final().board,
    ),
    Format(
        "input.txt",
        lambda record: write_input(CourseInput(Colour.WHITE, record.start.board, record.final().board)),
        parse_input,
        lambda record: CourseInput(Colour.WHITE, record.start.board, record.final().board),
    ),
]

formats = pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)


def recorded(edition: str, size: int, seed: int, length: int, verdict: Verdict) -> GameRecord:
    """A random game, cut after `length` moves and given an outcome."""
    steps = list(random_game(edition_rules(edition, size), seed))
    moves = tuple(move for _, move in steps)[:length]
    record = GameRecord("someone [odd] \\ name", "Ö", steps[0][0], moves, tuple(0.25 for _ in moves), seed=seed)
    final = record.final()
    if verdict is Verdict.SCORE:
        return replace(record, outcome=final.outcome())
    winner = None if verdict is Verdict.VOID else Colour.BLACK
    return replace(record, outcome=Outcome(winner, verdict, final.score(), "2,2: because"))


@formats
@given(st.sampled_from(EDITIONS), st.integers(2, 7), st.integers(0, 1000), st.integers(0, 60), st.sampled_from(Verdict))
def test_the_reader_undoes_the_writer(
    fmt: Format, edition: str, size: int, seed: int, length: int, verdict: Verdict
) -> None:
    record = recorded(edition, size, seed, length, verdict)
    assert fmt.read(fmt.write(record)) == fmt.expected(record)


@formats
def test_games_that_start_in_the_middle_survive(fmt: Format) -> None:
    whole = recorded("2025", 5, 3, 24, Verdict.SCORE)
    middle = next(p for k, p in enumerate(whole.positions()) if k >= 9 and p.ko is None and p.passes == 0)
    record = replace(whole, start=middle, moves=whole.moves[middle.moves_played :], seconds=())
    assert fmt.read(fmt.write(record)) == fmt.expected(record)


@formats
@given(st.data())
def test_junk_is_refused_by_the_right_error(fmt: Format, data: st.DataObject) -> None:
    good = fmt.write(recorded("2025", 5, 1, 10, Verdict.SCORE))
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 20)))
    junk = data.draw(st.text(max_size=20))
    try:
        fmt.read(good[:start] + junk + good[end:])
    except FormatError as error:
        assert str(error)


@given(st.text(max_size=40))
def test_any_text_is_a_move_or_refused(text: str) -> None:
    try:
        move = parse_output(text, size=5).move
    except (FormatError, IllegalMove) as error:
        assert not isinstance(error, PlayerFault)
    else:
        assert Position.initial().is_legal(move)
