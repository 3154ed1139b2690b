"""The board, and the three opponents at the rates that the course's own were seen to have."""

from __future__ import annotations

import math

import numpy
import pytest

from littlego.tictactoe.board import DRAW, ONGOING, Board, O, X
from littlego.tictactoe.match import battle
from littlego.tictactoe.perfect_player import PerfectPlayer, best_cell
from littlego.tictactoe.random_player import RandomPlayer
from littlego.tictactoe.smart_player import SmartPlayer


def test_a_game_on_the_board() -> None:
    board = Board()
    assert board.encode_state() == "000000000"
    for row, col, side in ((0, 0, X), (1, 1, O), (0, 1, X), (2, 2, O)):
        state, result = board.move(row, col, side)
        assert result == ONGOING
        assert state[row][col] == side
    assert board.encode_state() == "110020002"
    assert not board.is_valid_move(0, 0)
    assert not board.is_valid_move(3, 0)
    assert not board.is_valid_move(0, -1)
    assert board.valid_moves() == [(0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert not board.game_over()
    assert board.move(0, 2, X)[1] == X
    assert board.game_over()
    with pytest.raises(ValueError, match="the game is over"):
        board.move(2, 0, O)
    board.reset()
    assert board.encode_state() == "0" * 9


def test_a_taken_cell_is_refused() -> None:
    board = Board(state=[[1, 0, 0], [0, 2, 0], [0, 0, 0]])
    with pytest.raises(ValueError, match="1,1 is not an empty cell"):
        board.move(1, 1, X)
    assert Board(state=board.state).encode_state() == board.encode_state()


def test_a_full_board_without_a_line_is_a_draw(capsys: pytest.CaptureFixture[str]) -> None:
    board = Board(state=[[1, 2, 1], [1, 2, 2], [2, 1, 0]], show_board=True, show_result=True)
    board.move(2, 2, X)
    assert board.game_result == DRAW
    assert capsys.readouterr().out == " X | O | X\n---+---+---\n X | O | O\n---+---+---\n O | X | X\nDraw\n"


def test_the_state_is_an_array() -> None:
    assert isinstance(Board().state, numpy.ndarray)


def test_the_perfect_player_opens_and_answers_as_was_seen() -> None:
    assert best_cell((0,) * 9, X) == 0
    assert best_cell((1, 0, 0, 0, 0, 0, 0, 0, 0), O) == 4


# First wins, second wins, draws, in per cent, seen over 2,000 games of the course's own players.
SEEN = {
    "random-random": (58, 29, 13),
    "random-smart": (13, 67, 20),
    "random-perfect": (0, 81, 19),
    "smart-random": (93, 4, 3),
    "smart-smart": (34, 19, 48),
    "smart-perfect": (0, 25, 75),
    "perfect-random": (99.4, 0, 0.6),
    "perfect-smart": (43, 0, 57),
    "perfect-perfect": (0, 0, 100),
}


@pytest.mark.parametrize("pair", SEEN)
def test_rates_are_those_seen(pair: str) -> None:
    games = 2000
    players = {"random": RandomPlayer(seed=1), "smart": SmartPlayer(seed=2), "perfect": PerfectPlayer()}
    again = {"random": RandomPlayer(seed=3), "smart": SmartPlayer(seed=4), "perfect": PerfectPlayer()}
    name, _, other = pair.partition("-")
    first, second = players[name], again[other]
    draws, x_wins, o_wins = battle(first, second, games)
    for got, percent in zip((x_wins, o_wins, draws), SEEN[pair], strict=True):
        rate = percent / 100
        # Both samples have 2,000 games, and what was seen is rounded to a whole per cent.
        spread = 3.5 * math.sqrt(2 * rate * (1 - rate) / games) + 0.005
        assert abs(got / games - rate) <= (spread if 0 < rate < 1 else 0), f"{pair}: {got} of {games}, seen {percent}%"
