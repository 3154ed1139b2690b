"""The kit's agent in every language makes the same moves as the one in Python, which the other tests examine."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from littlego.core.board import BLACK, WHITE, Board
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.starter import AGENTS, KIT, kit_files, write_kit
from littlego.formats.course import CourseInput, write_input
from tests.course.starter_kits import importing

pytestmark = pytest.mark.process

BUILD = {
    # The oldest standard that a compiler of the course could take for its default.
    "c++": ["g++", "-std=c++98", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2", "my_player.cpp", "-o", "exe"],
    "java": ["javac", "-Xlint:all", "-Werror", "my_player.java"],
}
RUN = {"c++": ["./exe"], "java": ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "my_player"]}


def inputs(games: int, every: int) -> list[CourseInput]:
    """What agents read in games between random players, with a ko now and then."""
    rng, found = random.Random(7), []
    for _ in range(games):
        position, before = Position.initial(), Position.initial()
        while position.outcome() is None:
            if position.moves_played % every == 0 or position.ko is not None:
                found.append(CourseInput(position.to_move, before.board, position.board))
            moves = position.legal_moves()[:-1] or position.legal_moves()
            before, position = position, position.play(rng.choice(moves))
    return found


def python_choice(given: CourseInput) -> str:
    with importing(KIT) as module:
        boards = [[[int(digit) for digit in row] for row in half] for half in _rows(given)]
        move = module("my_player3").choose(1 if given.to_move is BLACK else 2, *boards)
    return "PASS" if move is None else f"{move[0]},{move[1]}"


def _rows(given: CourseInput) -> tuple[list[str], list[str]]:
    lines = write_input(given).split("\n")
    return lines[1:6], lines[6:]


@pytest.mark.parametrize(("language", "games", "every"), [("c++", 12, 2), ("java", 1, 8)])
def test_the_same_moves(
    language: str, games: int, every: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if shutil.which(BUILD[language][0]) is None:
        pytest.skip(f"there is no {BUILD[language][0]}")
    write_kit(tmp_path, language=language)
    subprocess.run(BUILD[language], cwd=tmp_path, check=True)
    asked = [
        *inputs(games, every),
        CourseInput(WHITE, Position.initial().board, Position.initial().play("2,2").board),
        *[given for given in inputs(40, 99) if given.previous != given.current][:3],
    ]
    record_property("positions", len(asked))
    for given in asked:
        (tmp_path / "input.txt").write_text(write_input(given))
        (tmp_path / "output.txt").unlink(missing_ok=True)
        subprocess.run(RUN[language], cwd=tmp_path, check=True)
        assert (tmp_path / "output.txt").read_text() == python_choice(given), given


@pytest.mark.parametrize("language", ["python", "c++"])
def test_an_agent_for_another_board(language: str, tmp_path: Path) -> None:
    if language == "c++" and shutil.which("g++") is None:
        pytest.skip("there is no g++")
    write_kit(tmp_path, language=language, size=12)
    rules = edition_rules(size=12)
    board = Position.initial(rules).board
    taken = Board(12, sum(1 << point for point in range(144) if point % 12 < 10), 0)
    given = CourseInput(WHITE, board, taken)
    (tmp_path / "input.txt").write_text(write_input(given))
    if language == "c++":
        subprocess.run(BUILD[language], cwd=tmp_path, check=True)
    subprocess.run(RUN.get(language, [sys.executable, "my_player3.py"]), cwd=tmp_path, check=True)
    row, column = map(int, (tmp_path / "output.txt").read_text().split(","))
    assert (row, column) == (6, 10), "the free point with liberties that is nearest the centre"


@pytest.mark.parametrize("language", AGENTS)
def test_a_kit_has_one_agent(language: str) -> None:
    agents = {path.name for path in AGENTS.values()}
    assert {str(name) for name in kit_files(language=language)} & agents == {AGENTS[language].name}


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match=r"expected one of python, c\+\+, java"):
        kit_files(language="rust")
    with pytest.raises(UsageError, match="Python class"):
        kit_files("2019", language="java")
