"""`littlego compare`: which games differ, and what is concluded from them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from littlego.arena.match import MatchPlan
from littlego.arena.sprt import HYPOTHESES, SequentialTest, against, head_to_head
from littlego.arena.store import GameResult, KeptGame
from littlego.core.board import Colour
from littlego.core.game import GameRecord
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Outcome, Verdict, edition_rules
from littlego.review.reading import read_numbered_games
from tests.command import in_this_process

PLAN = MatchPlan("new", "old", edition_rules(), 100, 1)


def game(number: int, won: bool) -> KeptGame[int]:
    """A game that the first player of the plan won or lost; every pair of games is another."""
    start = Position.initial(PLAN.rules)
    winner = PLAN.first_colour(number) if won else PLAN.first_colour(number).opponent
    moves: tuple[Move, ...] = (number // 2 % 25, (number // 2 + 1) % 25)
    record = GameRecord("a", "b", start, moves, outcome=Outcome(winner, Verdict.SCORE, start.score()))
    return KeptGame(number, GameResult(record))


def played(results: str) -> list[KeptGame[int]]:
    return [game(number, letter == "w") for number, letter in enumerate(results)]


@pytest.mark.parametrize(
    ("results", "answer"),
    [("ww" * 16, "Yes: new is better"), ("ll" * 16, "No: new is worse"), ("wl" * 8, "Undecided.*on both sides of")],
)
def test_the_answer_is_a_sentence(results: str, answer: str) -> None:
    test = SequentialTest(HYPOTHESES, PLAN, played(results))
    assert re.match(answer, head_to_head(test, "old", "new"))


def test_the_same_games_before_and_after() -> None:
    found = against("greedy", PLAN, played("wllll" * 4), played("wwlll" * 4))
    assert (found.games, found.before, found.after) == (20, 4, 8)
    assert (found.gained, found.lost) == ((2, 7, 12, 17), ())
    low, high = found.interval
    assert low < 0.2 < high
    assert "4 of 20 before, 8 after, +20 points" in found.sentence
    same = against("greedy", PLAN, played("wl" * 10), played("wl" * 10))
    assert same.interval[0] < 0 < same.interval[1], "equal games are no proof that nothing changed"
    assert same.sentence.endswith("no clear difference.")


@pytest.mark.parametrize(
    ("better", "worse", "verdict"),
    [(5, 0, "no clear difference"), (6, 0, "better"), (0, 6, "worse"), (8, 1, "better"), (8, 2, "no clear difference")],
)
def test_a_few_games_prove_nothing(better: int, worse: int, verdict: str) -> None:
    """The marks of the sign test at 5%: 6 of 6, and 8 of 9 but not of 10."""
    found = against("greedy", PLAN, played("l" * better + "w" * worse), played("w" * better + "l" * worse))
    assert found.sentence.endswith(f": {verdict}.")


def test_the_command_compares_and_reviews_by_the_same_numbers(tmp_path: Path) -> None:
    words = ("compare", "greedy", "random", "--games", "16", "--against", "smart", "--each", "4", "--seconds", "0")
    done = in_this_process(*words, "--out", "kept", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["against"][0]["games"] == 4
    again = in_this_process(*words[:-1], "0.001", "--out", "kept", cwd=tmp_path)
    assert again.stdout.startswith(found["answer"])
    assert "greedy against smart: 4 games, all played before." in again.stderr
    assert ("positions not solved" in again.stdout) == ("Only solved positions are counted" in again.stderr)
    games = read_numbered_games(tmp_path / found["directory"])
    assert len(games) == found["sprt"]["games"]
    assert {record.player(colour) for record in games.values() for colour in Colour} == {"greedy", "random"}


def test_a_change_that_was_not_saved_is_not_played_out(tmp_path: Path) -> None:
    done = in_this_process("compare", "greedy", "greedy", cwd=tmp_path)
    assert done.returncode == 2
    assert "greedy and greedy are the same program: was the change saved?" in done.stderr
    assert not list(tmp_path.iterdir())
