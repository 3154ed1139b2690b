"""What `littlego solve` prints with 9 to 13 plies left, and the page, against a solver in C++ that shares nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from check_values import SIDES, Game, OutsideSolver, PageSolver, built, differences, is_ko, random_games, shown

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")

# Length, question and moves of random games in which some moves win and others lose, or all lose.
GAMES = [
    (24, "margins", "3,3 3,4 2,1 1,4 0,1 4,4 1,0 4,3 1,1 3,2 4,1 PASS 3,0 0,2 4,0"),
    (24, "margins", "1,2 2,4 3,1 1,0 0,2 0,1 2,2 1,1 4,1 3,0 2,1 3,4 4,4 0,4 PASS"),
    (24, "margins", "3,0 1,4 3,3 4,3 4,0 0,3 3,2 2,3 0,1 3,4 1,0 2,2 4,2 PASS 4,4"),
    (23, "margins", "4,4 0,4 3,0 0,3 0,0 4,1 1,0 2,4 3,3 1,4 2,0 4,3 3,4 PASS"),
    (23, "margins", "4,1 1,4 2,4 4,3 0,0 0,4 1,3 1,0 0,3 PASS 3,3 2,3 4,4 3,4"),
    (24, "margins", "1,1 3,4 0,1 0,4 4,3 1,3 4,2 1,4 2,4 4,0 0,0 0,3 3,3 4,1"),
    (24, "moves", "4,3 2,4 3,2 0,1 3,0 PASS 2,1 2,3 4,2 4,4 PASS 1,0 1,3 PASS"),
    (24, "moves", "1,0 4,4 0,0 3,4 2,2 1,4 2,4 PASS 3,3 3,2 1,3 PASS 3,1 2,3"),
    (25, "moves", "2,2 4,4 4,2 1,4 2,4 0,2 2,3 3,0 3,1 4,3 2,1 0,3 4,1 1,3 PASS"),
    (24, "moves", "1,1 3,0 1,2 4,2 0,3 3,2 1,0 4,4 1,4 4,0 0,0 3,4 2,4"),
    (24, "moves", "1,1 2,0 0,2 0,1 3,4 1,3 1,2 2,4 4,2 1,4 4,1 3,1 PASS"),
    (24, "moves", "4,0 3,1 2,1 2,2 3,0 4,2 1,4 4,3 4,1 1,1 1,2 3,3 3,2"),
    (23, "moves", "3,4 3,0 0,2 1,0 1,3 4,3 0,1 0,0 1,2 2,4 0,4 PASS"),
    (24, "moves", "2,1 4,4 1,2 3,4 2,2 4,1 2,0 3,3 1,0 0,0 0,1 2,3"),
    (24, "moves", "3,4 3,0 0,2 1,0 1,3 4,3 0,1 0,0 1,2 2,4 0,4 PASS"),
    (23, "moves", "1,4 4,3 1,0 3,0 3,3 2,3 4,2 3,4 1,2 0,1 4,4"),
    (24, "moves", "2,0 1,4 3,1 0,3 3,4 3,0 1,3 2,2 2,3 4,1 4,0"),
    (24, "moves", "2,2 2,0 4,1 1,3 0,2 3,4 1,2 0,1 3,0 4,2 PASS"),
    (25, "moves", "0,3 3,2 2,0 3,1 1,4 3,0 2,4 0,1 1,1 1,3 2,1 4,1"),
]
ODD = [(Game(tuple(moves.split()), length=length), question) for length, question, moves in GAMES]
IDS = [f"{game.left} left, {game.to_move}" for game, _ in ODD]

SMALL = [(2, 1.0, 3), (2, 0.0, 8), (3, 1.5, 8), (3, 1.0, 9), (3, -2.0, 11), (4, 2.0, 9), (4, 3.5, 10)]
"""Size, komi and length of games on other boards; with whole komis there are ties."""


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OutsideSolver]:
    with OutsideSolver(built(tmp_path_factory.mktemp("outside")), mebibytes=32) as solver:
        yield solver


@pytest.mark.parametrize(("game", "question"), ODD, ids=IDS)
def test_odd_openings(game: Game, question: str, outside: OutsideSolver, tmp_path: Path) -> None:
    assert differences(game, shown(game, tmp_path, question), outside.ask(game, question)) == []


def test_the_odd_openings_are_of_every_kind() -> None:
    games = [game for game, _ in ODD]
    assert {(game.left, game.to_move) for game in games} == {(left, side) for left in range(9, 14) for side in SIDES}
    assert sum(game.moves[-1] == "PASS" for game in games) >= 5
    assert sum(map(is_ko, games)) >= 5


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_page_has_the_same_values(outside: OutsideSolver) -> None:
    games = [*ODD, *((replace(game, komi=2.0), question) for game, question in ODD[::4])]
    games += [
        (game, "margins") for rules in SMALL for game in islice(random_games(5, 3, Game((), *rules)), 3) if game.left
    ]
    with PageSolver() as page:
        for game, question in games:
            assert differences(game, page.shown(game, question), outside.ask(game, question)) == [], game


@pytest.mark.parametrize("komi", [2.0, -1.0, 5.0, 0.5])
def test_another_komi(komi: float, outside: OutsideSolver, tmp_path: Path) -> None:
    """The atlas and the store are of margins, and serve every komi; with a whole one there are ties."""
    for game, _ in ODD[:8:3]:
        other = replace(game, komi=komi)
        assert differences(other, shown(other, tmp_path, "moves"), outside.ask(other, "moves")) == []


@pytest.mark.parametrize(("size", "komi", "length"), SMALL)
def test_other_boards(size: int, komi: float, length: int, outside: OutsideSolver, tmp_path: Path) -> None:
    for left in {length, *range(1, length, 3)}:
        for game in islice(random_games(left, 5, Game((), size, komi, length)), 2):
            assert differences(game, shown(game, tmp_path, "margins"), outside.ask(game, "margins")) == []
