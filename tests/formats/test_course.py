from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlego.core.board import BLACK, WHITE, draw_board, parse_board
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.points import PASS, move_name, parse_move
from littlego.core.position import Position
from littlego.core.rules import Why, edition_rules
from littlego.formats.course import CourseInput, parse_input, parse_output, write_input, write_output
from tests.helpers import at, played, random_game

# The example of the course's text.
EXAMPLE = "2\n00110\n00210\n00200\n02000\n00000\n00110\n00210\n00200\n02010\n00000"


def test_the_courses_example_is_read() -> None:
    given = parse_input(EXAMPLE)
    assert given.to_move is WHITE
    assert draw_board(given.current, coordinates=False) == ". . X X .\n. . O X .\n. . O . .\n. O . X .\n. . . . ."
    assert given.current.black & ~given.previous.black == 1 << 18
    assert write_input(given) == EXAMPLE, "like the course's host, without a newline at the end"
    assert parse_input(EXAMPLE + "\n") == given
    position = given.position()
    assert (position.moves_played, position.to_move, position.ko) == (7, WHITE, None)


def test_every_position_of_a_game_survives_the_file() -> None:
    for seed in range(20):
        boards = [Position.initial().board] * 2
        for position, _ in random_game(edition_rules(), seed):
            boards.append(position.board)
            given = CourseInput(position.to_move, boards[-2], boards[-1])
            again = parse_input(write_input(given)).position(moves_played=position.moves_played)
            assert again == position._replace(passes=0)


def test_the_ko_is_worked_out_from_the_two_boards() -> None:
    before = at(". . . . .\n. . O X .\n. O X . X\n. . O X .\n. . . . .", WHITE)
    after = played(before, "2,3")
    given = CourseInput(BLACK, before.board, after.board)
    assert given.position().why_illegal(parse_move("2,2", 5)) is Why.KO
    assert given.position(edition_rules("2019")).why_illegal(parse_move("2,2", 5)) is Why.REPEATS
    assert CourseInput(BLACK, after.board, after.board).position().ko is None, "White passed"


@pytest.mark.parametrize("size", [2, 3, 7, 19])
def test_other_sizes_are_read_by_their_rows(size: int) -> None:
    position = Position.initial(edition_rules(size=size)).play(1)
    given = CourseInput(WHITE, Position.initial(position.rules).board, position.board)
    assert parse_input(write_input(given)) == given


def rows(text: str, number: int, row: str) -> str:
    lines = text.split("\n")
    lines[number - 1] = row
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "input.txt: line 1: expected '1' (Black) or '2' (White), got ''"),
        (rows(EXAMPLE, 1, "3"), "input.txt: line 1: expected '1' (Black) or '2' (White), got '3'"),
        (rows(EXAMPLE, 1, "2 "), "input.txt: line 1: expected '1' (Black) or '2' (White), got '2 '"),
        (rows(EXAMPLE, 4, "00x00"), "input.txt: line 4: column 3: expected 0, 1 or 2, got 'x'"),
        (rows(EXAMPLE, 9, "0020"), "input.txt: line 9: expected 5 digits, got 4"),
        (rows(EXAMPLE, 9, "002000"), "input.txt: line 9: expected 5 digits, got 6"),
        (EXAMPLE + "\n00000", "input.txt: expected 11 lines (the colour and two boards of 5 rows), got 12"),
        (EXAMPLE[:-6], "input.txt: expected 11 lines (the colour and two boards of 5 rows), got 10"),
        ("1", "input.txt: expected the colour and two boards, got the colour alone"),
        (
            EXAMPLE.replace("\n", "\r\n").replace("2\r", "2", 1),
            "input.txt: line 2: column 6: expected 0, 1 or 2, got a carriage return (lines end with LF alone)",
        ),
        (
            "1\n12\n20\n12\n20",
            "input.txt: previous board: the group at 0,0 has no liberty: no game can have left it there",
        ),
    ],
)
def test_bad_input_is_named_by_line_and_column(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_input(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("2,3", "2,3"),
        ("2,3\n", "2,3"),
        ("PASS", "PASS"),
        ("PASS\n", "PASS"),
        ("0,0", "0,0"),
        ("4,4", "4,4"),
    ],
)
def test_output_as_the_course_asks_for_it(text: str, move: str) -> None:
    found = parse_output(text, size=5, strict=True)
    assert move_name(found.move, 5) == move
    assert found.remark == ""


LINE_ENDS, WHITESPACE, EXACT = '5.2: "The end-of-line', '5.3: "separated by a comma', '5.2: "must exactly match"'


@pytest.mark.parametrize(
    ("text", "move", "rule"),
    [
        ("2, 3", "2,3", WHITESPACE),
        ("2,3,4", "2,3", EXACT),
        ("PASS,x", "PASS", EXACT),
        (" 2 ,\t3 ", "2,3", WHITESPACE),
        ("2,3\r\n", "2,3", LINE_ENDS),
        ("2,3\rthinking", "2,3", LINE_ENDS),
        ("2,3\f\n", "2,3", WHITESPACE),
        ("2,3\nthinking took 3 s\n", "2,3", EXACT),
        ("2,3\n\x00\xff\u202e", "2,3", EXACT),
        ("2,3\n\n", "2,3", EXACT),
        ("02,03", "2,3", EXACT),
        ("0_2,3", "2,3", EXACT),
        ("+2,-0", "2,0", EXACT),
        ("PASS \n", "PASS", WHITESPACE),
    ],
)
def test_output_that_the_courses_host_lets_pass_and_its_text_does_not(text: str, move: str, rule: str) -> None:
    found = parse_output(text, size=5)
    assert move_name(found.move, 5) == move
    assert repr(move) in found.remark
    assert repr(text) in found.remark
    assert f"({rule}" in found.remark
    with pytest.raises(FormatError) as caught:
        parse_output(text, size=5, strict=True)
    assert str(caught.value) == f"output.txt: {found.remark}"


def host_of_the_course(line: str) -> tuple[int, int] | None:
    """How the circulated `readOutput` takes a first line, None for a pass. Raises ValueError and IndexError."""
    position = line.strip().split(",")
    return None if position[0] == "PASS" else (int(position[0]), int(position[1]))


@given(st.text("0123456789 _+-,\t\f\vPAS.x", max_size=9))
def test_the_first_line_is_read_as_the_courses_host_reads_it(line: str) -> None:
    try:
        expected = host_of_the_course(line)
    except (ValueError, IndexError):
        with pytest.raises(FormatError):
            parse_output(line, size=5)
        return
    try:
        found: object = parse_output(line, size=5).move
    except IllegalMove:
        found = "off the board"
    if expected is None:
        assert found is PASS
    else:
        row, column = expected
        assert found == (row * 5 + column if {row, column} <= set(range(5)) else "off the board")


@pytest.mark.parametrize(
    "text", ["", "\n2,3", "\r2,3", "pass", "2 3", "2.0,3", "2", "2,", ",3", "2,x", "٢,3", "0x1,2", "1__0,2", "PASSx"]
)
@pytest.mark.parametrize("strict", [False, True])
def test_output_that_it_does_not(text: str, strict: bool) -> None:
    with pytest.raises(FormatError, match=r"output.txt: line 1: expected 'PASS' or 'row,column' such as 2,3, got "):
        parse_output(text, size=5, strict=strict)


def test_small_letters_get_a_hint_and_long_lines_are_cut() -> None:
    with pytest.raises(FormatError, match="PASS is written in capitals"):
        parse_output("Pass", size=5)
    with pytest.raises(FormatError) as caught:
        parse_output("9" * 10_000, size=5)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["5,0", "0,5", "-1,2", "123456789,0"])
def test_output_off_the_board(text: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        parse_output(text, size=5)
    assert caught.value.why is Why.OFF_BOARD
    assert str(caught.value).startswith(text)


def test_output_is_written_as_it_is_read() -> None:
    for move in (*range(25), PASS):
        assert parse_output(write_output(move, 5), size=5).move == move


def test_moves_before_are_at_least_those_that_the_stones_need() -> None:
    board = parse_board("X X X\n. . .\n. . .")
    assert CourseInput(WHITE, board, board).position().moves_played == 5, "White passed twice"
    assert CourseInput(BLACK, board, board).position().moves_played == 6


def test_a_position_does_not_say_what_the_board_was_before() -> None:
    with pytest.raises(UsageError, match=r"expected CourseInput\(to_move, previous, current\).* got Position"):
        write_input(Position.initial())  # type: ignore[arg-type]
