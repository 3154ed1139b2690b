"""The submission for 2019: legal by its rules, exact near the end, and quick enough for 400 games in 20 minutes."""

from __future__ import annotations

import ast
import pickle
import random
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from littlego.agent import my_player3 as agent
from littlego.core.board import BLACK, Colour
from littlego.core.points import Mask, points_of
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.starter import CLASS, KIT_2019, export_class
from tests.course.starter_kits import importing, pythons_3_7
from tests.course.starter_kits import run as run_in_kit
from tests.helpers import random_game

SIZES = (3, 4, 5, 7)


@pytest.fixture
def submission(tmp_path: Path) -> Iterator[Any]:
    """The exported class beside the course's go.py: its module, with go.py's `GO` added."""
    export_class(tmp_path)
    shutil.copy(KIT_2019 / "go.py", tmp_path)
    with importing(tmp_path) as load:
        module = load("my_player")
        module.GO = load("go").GO
        yield module


@cache
def game_of(size: int) -> Any:
    return agent.for_size(size)


def bits(game: Any, mask: Mask) -> int:
    return sum(1 << game.POINTS[point] for point in points_of(mask))


def spot(game: Any, position: Position) -> tuple[int, int]:
    """The stones of the side to move and of the other, in the layout of `game`."""
    mover, board = position.to_move, position.board
    return bits(game, board.stones(mover)), bits(game, board.stones(mover.opponent))


def games(size: int, seeds: range) -> Iterator[tuple[Position, set[tuple[int, int]]]]:
    """The positions of random games with every board so far."""
    game = game_of(size)
    for seed in seeds:
        earlier = set()
        for position, _ in random_game(edition_rules("2019", size), seed):
            earlier.add((bits(game, position.board.black), bits(game, position.board.white)))
            yield position, set(earlier)


def minimax(position: Position) -> Colour | None:
    """Who wins by the rules of 2019, by trying everything."""
    if (outcome := position.outcome()) is not None:
        return outcome.winner
    values = {minimax(position.play_legal(move)) for move in position.legal_moves()}
    return position.to_move if position.to_move in values else position.to_move.opponent


def test_it_is_python_3_7_and_needs_only_what_is_exported(tmp_path: Path) -> None:
    tree = ast.parse(CLASS.read_text(), feature_version=(3, 7))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= set(sys.stdlib_module_names) | {"little_go"}
    names = {path.name for path in export_class(tmp_path)}
    assert names == {"my_player.py", "little_go.py", "book.txt", "corridor.txt", "model.json", "model-7x7.json"}


@pytest.mark.parametrize("size", SIZES)
def test_its_moves_are_those_of_2019_on_every_size(size: int) -> None:
    game = game_of(size)
    for position, earlier in games(size, range(12)):
        look = game.Lookahead(game.Clock(1 << 30, float("inf")), None, earlier)
        target = game.TARGETS[position.to_move.value]
        moves = look.moves(*spot(game, position), 0, False, position.plies_left, target)
        legal = {move[1] for move in moves if look.is_new(move)}
        assert legal == {1 << game.POINTS[point] for point in points_of(position.legal_points())}


@pytest.mark.parametrize(("size", "left", "seeds"), [(3, 4, 120), (5, 3, 60), (5, 4, 30), (7, 2, 20)])
def test_near_the_end_it_plays_exactly_as_well_as_trying_everything(size: int, left: int, seeds: int) -> None:
    game = game_of(size)
    won = lost = 0
    for position, earlier in games(size, range(100, 100 + seeds)):
        if position.plies_left != left:
            continue
        mover = position.to_move
        look = game.Lookahead(game.Clock(1 << 30, float("inf")), None, earlier)
        bit = look.choose(*spot(game, position), 0, left, game.TARGETS[mover.value])
        after = position.play(game.POINTS.index(bit.bit_length() - 1))
        if minimax(position) is mover:
            won += 1
            assert minimax(after) is mover, position
        else:
            lost += 1
    assert won > 3
    assert lost > 3


@pytest.mark.parametrize(("size", "most_left", "seeds"), [(3, 7, 150), (4, 4, 150), (5, 4, 100)])
def test_what_the_bounds_prove_holds_without_passing(size: int, most_left: int, seeds: int) -> None:
    game = game_of(size)
    look = game.Lookahead(game.Clock(1 << 30, float("inf")), None, ())
    proven = 0
    for position, _ in games(size, range(seeds)):
        left, own = position.plies_left, position.to_move.opponent
        if not 0 < left <= most_left:
            continue
        to_move, moved = spot(game, position)
        lead = game.count(moved) - game.count(to_move) - game.TARGETS[own.value]
        proof = look.proven(moved, to_move, left, lead)
        if proof is not None:
            proven += 1
            # On an even board a tie is no win: what is proven is that the other side does not win.
            assert minimax(position) is not (own.opponent if proof else own), position
    assert proven > 20


def test_a_whole_game_by_the_host_and_what_is_kept_between_moves(submission: Any) -> None:
    """Against random moves, and pickled after every move as the referee does."""
    rng = random.Random(4)

    class Pickled:
        def __init__(self) -> None:
            self.kept = pickle.dumps(submission.MyPlayer())

        def get_input(self, go: Any, piece_type: int) -> tuple[int, int]:
            player = pickle.loads(self.kept)
            move: tuple[int, int] = player.get_input(go, piece_type)
            self.kept = pickle.dumps(player)
            assert len(self.kept) < 10_000
            return move

    class Random:
        def get_input(self, go: Any, piece_type: int) -> Any:
            points = [divmod(point, go.size) for point in range(go.size**2)]
            return rng.choice([point for point in points if go.valid_place_check(*point, piece_type, True)])

    submission.MOVE_SECONDS = 0.04
    for size in (5, 7):
        for colour in (1, 2):
            players = (Pickled(), Random()) if colour == 1 else (Random(), Pickled())
            assert submission.GO(size).play(*players) == colour


def test_it_knows_every_board_of_the_game_and_its_time(submission: Any) -> None:
    submission.MOVE_SECONDS = 0.04
    player = submission.MyPlayer()
    boards = set()
    go = submission.GO(5)
    position = Position.initial(edition_rules("2019", 5))
    rng = random.Random(9)
    while position.outcome() is None and position.moves_played < 20:
        boards.add((bits(agent, position.board.black), bits(agent, position.board.white)))
        if position.to_move is BLACK:
            move = player.get_input(go.copy_board(), 1)
            assert boards <= player.earlier
            assert len(player.earlier) <= len(boards) + 1
        else:
            move = divmod(rng.choice(points_of(position.legal_points())), 5)
        piece_type = position.to_move.value
        assert go.place_chess(*move, piece_type)
        go.remove_died_pieces(3 - piece_type)
        go.n_move += 1
        position = position.play(5 * move[0] + move[1])
    assert 0 < player.seconds < 12 * submission.MOVE_SECONDS
    player.get_input(submission.GO(5), 1)
    assert len(player.earlier) == 2, "a new game"


@pytest.mark.parametrize("size", [5, 9])
def test_without_time_it_still_has_a_move(size: int, submission: Any) -> None:
    """9x9 has more points than the clock lets pass unseen; the host's own rules may have used up the time."""
    player = submission.MyPlayer()
    go = submission.GO(size)
    go.board[0][0], go.n_move = 1, 1
    player.new_game(go)
    player.by_book, player.seconds, go.n_move = False, -1.0, 3
    move = player.get_input(go, 2)
    assert go.valid_place_check(*move, 2, test_check=True)


def test_it_follows_the_book_where_that_does_not_pass(submission: Any) -> None:
    player = submission.MyPlayer()
    assert player.get_input(submission.GO(5), 1) == (2, 2)
    assert player.by_book
    mine = theirs = 0
    assert submission.MyPlayer().book_move(mine, theirs, 0, 24) == agent.CENTRE
    player.by_book = False
    strange = bits(agent, 0b11000 << 10), bits(agent, 0b00011 << 10)
    assert player.book_move(*strange, 0, 20) is None


def test_who_has_no_move_says_so(submission: Any) -> None:
    go = submission.GO(5)
    go.board = [[0, 2, 2, 2, 2]] + [[2] * 5] * 3 + [[2, 2, 2, 2, 0]]
    go.n_move = 20
    assert submission.MyPlayer().get_input(go, 1) == "PASS"


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("python", pythons_3_7())
def test_it_plays_under_the_courses_python_and_commands(python: str, tmp_path: Path) -> None:
    shutil.copytree(KIT_2019, tmp_path / "kit")
    export_class(tmp_path / "kit", force=True)
    done = run_in_kit(tmp_path / "kit", "go_play.py", "-n=5", "-p1=my", "-p2=smart", "-t=2", python=python)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Black player (X) | Wins:100.0%")
