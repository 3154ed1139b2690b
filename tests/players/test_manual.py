from __future__ import annotations

import pytest

from littlego.core.board import BLACK, WHITE
from littlego.core.errors import Resigned, TakeBack
from littlego.core.game import play
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import Verdict, edition_rules
from littlego.players.catalogue import make_player
from littlego.players.course import RandomPlayer
from littlego.players.manual import ManualPlayer, fitted
from tests.helpers import at, played


class Typist:
    """A terminal at which someone types these lines and then hangs up."""

    colour = False

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []

    def show(self, text: str) -> None:
        self.shown.append(text)

    def ask(self, prompt: str) -> str:
        self.shown.append(prompt)
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    def saw(self, text: str) -> bool:
        return any(text in shown for shown in self.shown)


def answer(typist: Typist, position: Position) -> Move:
    return ManualPlayer(typist, adviser=make_player("smart")).choose(position)


@pytest.mark.parametrize(
    ("typed", "move"),
    [("2,3", 13), (" 2, 3 ", 13), ("2 3", 13), ("pass", PASS), ("PASS", PASS), ("0,0", 0), ("23", 13), ("d3", 13)],
)
def test_moves_as_people_type_them(typed: str, move: Move) -> None:
    assert answer(Typist(typed), Position.initial()) == move


@pytest.mark.parametrize(
    ("typed", "explained"),
    [
        ("9,9", "9,9 is not on a 5x5 board: rows and columns run from 0 to 4"),
        ("castle", "expected 'row,column' such as 2,3, got 'castle'"),
        ("quti", "Did you mean 'quit'?"),
        ("c9", "c9 is not on a 5x5 board"),
        ("2,2", "2,2 is not possible: the point is occupied"),
        ("undo", "There is nothing to take back yet"),
        ("help", "give up the game"),
        ("hint", "Try "),
        ("hint", "Thinking ..."),
        ("moves", "Legal: 0,0 0,1"),
        ("", "White (O) to move: "),
    ],
)
def test_anything_else_is_explained_and_asked_again(typed: str, explained: str) -> None:
    typist = Typist(typed, "0,0")
    assert answer(typist, Position.initial().play(12)) == 0
    assert typist.saw(explained)


def test_illegal_moves_say_why() -> None:
    ko = played(at(". . . . .\n. . O X .\n. O X . X\n. . O X .\n. . . . .", WHITE), "2,3")
    typist = Typist("2,2", "4,4")
    assert answer(typist, ko) == 24
    assert typist.saw("2,2 is not possible: the move would retake the ko at once")
    typist = Typist("pass", "0,0")
    assert answer(typist, Position.initial(edition_rules("2019"))) == 0
    assert typist.saw("passing is not allowed in this edition")


@pytest.mark.parametrize("lines", [("resign",), ("quit",), ()])
def test_resigning_and_hanging_up(lines: tuple[str, ...]) -> None:
    with pytest.raises(Resigned):
        answer(Typist(*lines), Position.initial())


def test_undo_asks_the_loop_to_go_back() -> None:
    with pytest.raises(TakeBack):
        answer(Typist("undo"), played(Position.initial(), "2,2 1,1"))


def test_lines_fit_narrow_terminals() -> None:
    moves = "Legal: " + " ".join(f"{row},{column}" for row in range(5) for column in range(5))
    for width in (40, 80):
        lines = fitted(moves, width).splitlines()
        assert max(map(len, lines)) <= width
        assert " ".join(lines).split() == moves.split(), "no point is broken"
    assert fitted(moves, 200) == moves


def test_after_undo_the_move_before_is_marked() -> None:
    typist = Typist("2,2", "1,1", "undo", "resign")
    person = ManualPlayer(typist, adviser=make_player("greedy"))
    record = play({BLACK: person, WHITE: RandomPlayer(seed=4)}, observer=person.observe)
    answer = record.start.move_name(record.moves[1])
    row, column = map(int, answer.split(","))
    board = [text for text in typist.shown if "[O]" in text][-1].splitlines()
    assert len(record.moves) == 2
    assert "[O]" in board[1 + row][3 * column :], (board, answer)


def test_the_stones_that_a_person_captures_are_announced_at_once() -> None:
    typist = Typist("0,0", "resign")
    person = ManualPlayer(typist, adviser=make_player("greedy"))
    start = at(". O X . .\n. X . . .\n. . . . .\n. . . . .\n. . . . .", BLACK)
    play({BLACK: person, WHITE: RandomPlayer(seed=4)}, start=start, observer=person.observe)
    assert "Black (X) captures 1." in typist.shown
    assert typist.shown.index("Black (X) captures 1.") < [*map(str.strip, typist.shown)].index(
        next(text.strip() for text in typist.shown if "White (O) plays" in text)
    )


def test_a_whole_game_against_a_program() -> None:
    typist = Typist("2,2", "undo", "1,1", "pass", "hint", "resign")
    person = ManualPlayer(typist, adviser=make_player("greedy"))
    record = play({BLACK: person, WHITE: RandomPlayer(seed=4)}, observer=person.observe)
    assert record.moves[0] == 6
    assert record.moves[2] is PASS
    assert record.outcome is not None
    assert record.outcome.verdict is Verdict.RESIGNED
    assert typist.saw("You play Black (X)")
    assert typist.saw("White (O) plays ")
    assert typist.saw("Move 5 of 24.")
