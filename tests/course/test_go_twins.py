"""The kits' GO classes against the rules engine, move by move through random games."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest

from littlego.core.points import PASS, Pass, parse_move
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.starter import KIT, KIT_2019
from tests.course.starter_kits import cells, importing
from tests.helpers import played, random_game


@pytest.fixture(name="host")
def fixture_host() -> Iterator[Any]:
    with importing(KIT) as load:
        yield load("host")


@pytest.fixture(name="go_2019")
def fixture_go_2019() -> Iterator[Any]:
    with importing(KIT_2019) as load:
        yield load("go")


def valid(go: Any, piece_type: int) -> list[int]:
    n = go.size
    return [i * n + j for i in range(n) for j in range(n) if go.valid_place_check(i, j, piece_type, test_check=True)]


def legal(position: Position) -> list[int]:
    return [move for move in position.legal_moves() if not isinstance(move, Pass)]


def winner(position: Position) -> int:
    side = position.score().winner
    return side.value if side else 0


@pytest.mark.parametrize(("size", "games"), [(3, 100), (5, 15), (7, 2)])
def test_the_hosts_rules_are_the_engines(host: Any, size: int, games: int) -> None:
    kos = passes = 0
    for seed in range(games):
        go = host.GO(size)
        assert (go.komi, go.max_move) == (size / 2, size * size - 1)
        for position, move in random_game(edition_rules(size=size), seed):
            piece_type = position.to_move.value
            assert go.board == cells(position)
            assert valid(go, piece_type) == legal(position), f"seed {seed}"
            # The same from what input.txt says, which is all that an agent has.
            fresh = host.GO(size)
            fresh.set_board(piece_type, go.previous_board, go.board)
            assert valid(fresh, piece_type) == legal(position), f"seed {seed}"
            after = position.play(move)
            go.n_move += 1
            if isinstance(move, Pass):
                passes += 1
                assert go.game_end(piece_type, "PASS") == (after.outcome() is not None)
                go.previous_board, go.died_pieces = [list(row) for row in go.board], []
                continue
            assert go.place_chess(*divmod(move, size), piece_type)
            go.died_pieces = go.remove_died_pieces(3 - piece_type)
            assert len(go.died_pieces) == position.captures(move)
            assert go.game_end(piece_type) == (after.outcome() is not None)
            kos += after.ko is not None
        assert go.judge_winner() == winner(after)
    assert (passes and kos) or size != 3


@pytest.mark.parametrize(("size", "games", "length"), [(2, 40, 60), (3, 30, 60), (5, 10, 24), (7, 2, 48)])
def test_the_rules_of_2019_are_the_engines(go_2019: Any, size: int, games: int, length: int) -> None:
    """Small boards get more moves than the edition has, so that boards come back."""
    repeats = 0
    rules = edition_rules("2019", size).but(max_moves=length)
    for seed in range(games):
        go = go_2019.GO(size)
        assert (go.komi, go.max_move) == (size / 2, size * size - 1)
        go.max_move = length
        position = Position.initial(rules)
        for position, move in random_game(rules, seed):
            piece_type = position.to_move.value
            assert not isinstance(move, Pass)
            assert go.board == cells(position)
            assert valid(go, piece_type) == legal(position), f"seed {seed}"
            assert not go.game_end(piece_type)
            repeats += position.board.playable(position.to_move) != position.legal_points()
            assert go.place_chess(*divmod(move, size), piece_type)
            go.died_pieces = go.remove_died_pieces(3 - piece_type)
            assert len(go.died_pieces) == position.captures(move)
            go.n_move += 1
            position = position.play(move)
        assert go.game_end(position.to_move.value)
        assert go.judge_winner() == winner(position)
    assert repeats or size > 3


def test_black_passing_first_is_an_ordinary_pass(host: Any) -> None:
    go = host.GO(5)
    assert not go.game_end(1, "PASS")
    assert go.game_end(2, "PASS"), "then White's pass is the second"


def test_a_ko_may_be_retaken_after_a_pass(host: Any) -> None:
    position = played(Position.initial(), "1,2 1,1 2,3 2,0 3,2 3,1 2,1 2,2")
    go = host.GO(5)
    go.set_board(1, cells(played(Position.initial(), "1,2 1,1 2,3 2,0 3,2 3,1 2,1")), cells(position))
    assert go.died_pieces == [(2, 1)]
    assert not go.valid_place_check(2, 1, 1, test_check=True)
    go.set_board(1, cells(position), cells(position))
    assert go.valid_place_check(2, 1, 1, test_check=True)
    assert position.play(PASS).play(PASS).is_legal(parse_move("2,1", 5))


@pytest.mark.parametrize(("i", "j"), [(-1, 0), (0, -1), (5, 0), (0, 5)])
def test_points_off_the_board_are_invalid(host: Any, i: int, j: int) -> None:
    assert not host.GO(5).valid_place_check(i, j, 1)


def test_reasons_are_reported_when_verbose_and_not_when_testing(host: Any, capsys: pytest.CaptureFixture[str]) -> None:
    go = host.GO(5)
    go.verbose = True
    assert go.place_chess(2, 2, 1)
    go.valid_place_check(2, 2, 2, test_check=True)
    assert capsys.readouterr().out == ""
    assert not go.place_chess(2, 2, 2)
    assert capsys.readouterr().out == "Invalid placement: 2,2 is occupied\n"


def test_a_copy_is_a_game_of_its_own(host: Any) -> None:
    go = host.GO(5)
    copy = go.copy_board()
    copy.place_chess(0, 0, 1)
    assert go.board[0][0] == 0
    assert copy.board[0][0] == 1
    assert go.compare_board(copy.previous_board, go.board)


def test_what_the_two_classes_share_is_the_same_text() -> None:
    """Each file stands alone, for students to take one; so what they share stands twice."""
    texts = []
    for path in (KIT / "host.py", KIT_2019 / "go.py"):
        source = path.read_text()
        (go,) = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == "GO"]
        texts.append(
            {node.name: ast.get_source_segment(source, node) for node in go.body if isinstance(node, ast.FunctionDef)}
        )
    meant_to_differ = {"init_board", "place_chess", "why_invalid", "game_end", "play", "_make"}
    shared = texts[0].keys() & texts[1].keys()
    assert len(shared) > 15
    assert {name for name in shared if texts[0][name] != texts[1][name]} == meant_to_differ


class Scripted:
    """A player that answers from a list, then for ever with its last answer."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked = 0

    def get_input(self, go: Any, piece_type: int) -> Any:
        go.board[4][4] = piece_type  # a copy: this must not change the game
        self.asked += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.mark.parametrize(
    ("black", "white", "winner", "moves"),
    [
        (["PASS"], ["PASS"], 2, 2),
        ([(2, 2), (1, 1), (3, 3), "PASS"], ["PASS", (0, 4), "PASS"], 2, 7),
        ([(2, 2), (1, 1), (3, 3), (0, 0), "PASS"], ["PASS"], 1, 9),
        ([(2, 2)], [(2, 2)], 1, 2),
        ([(5, 0)], [(2, 2)], 2, 1),
        (["pass"], [(2, 2)], 2, 1),
        ([None], [(2, 2)], 2, 1),
    ],
)
def test_games_in_one_process(host: Any, black: list[Any], white: list[Any], winner: int, moves: int) -> None:
    go = host.GO(5)
    assert go.play(Scripted(*black), Scripted(*white)) == winner
    assert go.n_move == moves


def test_in_2019_an_invalid_move_is_asked_for_again(go_2019: Any) -> None:
    go = go_2019.GO(5)
    stubborn = Scripted((2, 2))
    assert go.play(Scripted("PASS", (9, 9), None, (2, 2)), stubborn) == 1
    assert stubborn.asked == 100
    assert go.board[2][2] == 1
    assert go.n_move == 1
    assert go.board[4][4] == 0
