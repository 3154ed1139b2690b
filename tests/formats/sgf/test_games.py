from __future__ import annotations

import pytest

from littlego.core.board import BLACK, WHITE, draw_board, parse_board
from littlego.core.errors import FormatError, PlayerFault
from littlego.core.game import GameRecord
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import Verdict, edition_rules
from littlego.formats.sgf import parse_sgf, write_sgf
from tests.helpers import played


def test_what_other_programs_see() -> None:
    text = write_sgf(GameRecord("me", "you", Position.initial(edition_rules("2022")), (0, PASS, 9)))
    for written in ("GM[1]", "SZ[5]", "KM[2.5]", "PB[me]", "PW[you]", "RU[Little-Go 2022]", ";B[aa];W[tt];B[eb]"):
        assert written in text
    assert "RE[" not in text, "a game that goes on has no result"


def test_a_game_from_elsewhere_replays_here() -> None:
    """Nineteen lines, handicap stones, Japanese rules, a result by territory, comments and variations."""
    text = """(;GM[1]FF[4]CA[UTF-8]AP[Elsewhere:1]SZ[19]KM[0.5]HA[2]PB[Kuro]PW[Shiro]RU[Japanese]RE[B+12.5]
        AB[pd][dp];W[dd]C[hello];B[pq](;W[qo];B[];W[tt])(;W[oc]))"""
    record = parse_sgf(text)
    assert (record.black, record.white) == ("Kuro", "Shiro")
    assert record.start.to_move is WHITE
    assert record.start.board.black.bit_count() == 2
    assert record.start.rules.komi == 0.5
    assert len(record.moves) == 5
    assert record.moves[-2:] == (PASS, PASS)
    assert record.outcome is not None
    assert record.outcome.winner is BLACK


def test_a_longer_game_stretches_the_limit() -> None:
    moves = "".join(f";{'BW'[k % 2]}[]" for k in range(40))
    record = parse_sgf(f"(;SZ[5]{moves})")
    assert record.start.rules.max_moves == 40
    assert record.outcome is not None


def test_the_result_of_the_file_stands_and_a_different_count_is_reported() -> None:
    record = parse_sgf("(;SZ[5]KM[0]RE[W+3];B[cc];W[];B[])")
    assert record.outcome is not None
    assert record.outcome.winner is WHITE
    assert record.outcome.reason == "recorded as W+3"


@pytest.mark.parametrize(
    ("result", "verdict", "winner"),
    [
        ("B+R", Verdict.RESIGNED, BLACK),
        ("W+T", Verdict.WALL_TIME, WHITE),
        ("W+F", Verdict.FORFEIT, WHITE),
        ("B+Resign", Verdict.RESIGNED, BLACK),
        ("Void", Verdict.VOID, None),
        ("0", Verdict.SCORE, None),
    ],
)
def test_results_of_other_programs(result: str, verdict: Verdict, winner: object) -> None:
    outcome = parse_sgf(f"(;SZ[9]RE[{result}];B[cc])").outcome
    assert outcome is not None
    assert (outcome.verdict, outcome.winner) == (verdict, winner)


def test_an_unfinished_game_has_no_outcome() -> None:
    assert parse_sgf("(;SZ[5];B[cc])").outcome is None
    assert parse_sgf("(;SZ[5]RE[?];B[cc])").outcome is None


def test_setup_turns_the_board_the_right_way_up() -> None:
    record = parse_sgf("(;SZ[5]AB[ba]AW[ab])")
    assert draw_board(record.start.board, coordinates=False).splitlines()[:2] == [". X . . .", "O . . . ."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "game.sgf: not an SGF game that can be read"),
        ("(;SZ[5]", "game.sgf: not an SGF game that can be read"),
        ("(;SZ[25];B[aa])", "expected 2 to 19"),
        ("(;SZ[x])", "not an SGF game"),
        ("(;SZ[5];B[cc];W[cc])", "game.sgf: move 2: White 2,2: the point is occupied"),
        ("(;SZ[5];B[cc];B[bb])", "game.sgf: move 2: expected White to move, got Black"),
        ("(;SZ[5];B[cc];AW[aa];W[bb])", "game.sgf: stones are set up after move 1"),
        ("(;SZ[2]AB[aa]AW[ab][ba])", "the stones set up at the start: the group at 0,0 has no liberty"),
        ("(;SZ[5];B[zz])", "not an SGF game"),
    ],
)
def test_files_that_cannot_be_replayed_say_why(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_sgf(text, source="game.sgf")
    assert message in str(caught.value)


def test_a_verdict_is_told_to_people_and_read_back() -> None:
    position = played(Position.initial(), "2,2")
    record = GameRecord("a", "b", Position.initial(), (12,)).forfeited(WHITE, _fault(), position)
    text = write_sgf(record)
    assert "RE[B+T]" in text
    assert "Verdict: cpu_time" in text
    assert parse_sgf(text) == record


def _fault() -> PlayerFault:
    return PlayerFault(Verdict.CPU_TIME, "used 10.2 s of 10 s")


def test_stones_of_one_colour_alone_are_set_up() -> None:
    start = Position(edition_rules(), parse_board("X . . . .\n" + ". . . . .\n" * 4), WHITE, moves_played=1)
    text = write_sgf(GameRecord("me", "you", start))
    assert "AB[aa]" in text
    assert "AW" not in text
    assert parse_sgf(text).start == start


@pytest.mark.parametrize(
    ("verdict", "result"),
    [(Verdict.WALL_TIME, "W+T"), (Verdict.CPU_TIME, "W+T"), (Verdict.CRASH, "W+F")],
)
def test_a_game_lost_on_time_says_so_to_other_programs(verdict: Verdict, result: str) -> None:
    record = GameRecord("me", "you", Position.initial())
    lost = record.forfeited(BLACK, PlayerFault(verdict, "too late"), record.start)
    assert f"RE[{result}]" in write_sgf(lost)
