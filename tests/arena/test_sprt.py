"""The sequential test: its arithmetic, its error rates, and matches that stop by it."""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.match import MatchPlan
from littlego.arena.sprt import LOWER, UPPER, Answer, Hypotheses, SequentialTest, parse_bounds, win_rate
from littlego.arena.store import GameResult, KeptGame
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import Outcome, Score, Verdict, edition_rules
from littlego.sandbox.limits import Limits
from tests.command import in_this_process

RULES = edition_rules()
PLAN = MatchPlan("a", "b", RULES, 10_000, 1, Limits())
NO_SCORE = Score(0, 2.5)
START = Position.initial(RULES)


def game(number: int, first_wins: bool, moves: tuple[int, ...] | None = None) -> KeptGame[int]:
    """A game that the first player wins or loses; unlike all others unless moves are given."""
    colour = PLAN.first_colour(number)
    outcome = Outcome(colour if first_wins else colour.opponent, Verdict.SCORE, NO_SCORE)
    record = GameRecord("a", "b", START, (number,) if moves is None else moves, (), outcome)
    return KeptGame(number, GameResult(record))


def test_a_test_waits_for_its_least_number_of_pairs() -> None:
    """Seven won pairs would be beyond the bound."""
    hypotheses = Hypotheses(0.3, 0.7)
    assert hypotheses.answer(hypotheses.llr([0, 0, 0, 0, 7])) is Answer.H1
    test = SequentialTest(hypotheses, PLAN)
    for number in range(14):
        test.add(game(number, True))
    assert (sum(test.pairs), test.answer) == (7, None)
    for number in (14, 15):
        test.add(game(number, True))
    assert test.answer is Answer.H1


def test_the_bounds_are_walds() -> None:
    assert pytest.approx(math.log(19)) == UPPER
    assert pytest.approx(-math.log(19)) == LOWER


def best_by_search(counts: list[int], mean: float) -> float:
    """The greatest likelihood of three scores with that mean, by trying every distribution with it."""
    lost, even, won = counts[0], counts[2], counts[4]
    found = -math.inf
    for step in range(1, 4000):
        p_won = step / 4000
        p_even = 2 * (mean - p_won)
        p_lost = 1 - p_won - p_even
        if p_even > 0 and p_lost > 0:
            found = max(found, lost * math.log(p_lost) + even * math.log(p_even) + won * math.log(p_won))
    return found


@pytest.mark.parametrize("counts", [[10, 0, 20, 0, 10], [5, 0, 20, 0, 15], [30, 0, 5, 0, 40], [2, 0, 90, 0, 8]])
def test_the_ratio_is_that_of_the_likeliest_distributions(counts: list[int]) -> None:
    expected = best_by_search(counts, 0.6) - best_by_search(counts, 0.5)
    assert Hypotheses(0.5, 0.6).llr(counts) == pytest.approx(expected, abs=0.1)


def test_bounds_are_elo_or_win_rates() -> None:
    assert parse_bounds("0,100") == pytest.approx((0.5, 0.640065))
    assert parse_bounds("50%, 60%") == (0.5, 0.6)
    assert win_rate(-191) == pytest.approx(0.2498, abs=1e-3)
    for text in ("100,0", "5", "a,b", "0%,50%", "50%,100%", "1,2,3", "50%,70", "nan,nan"):
        with pytest.raises(UsageError, match="bounds"):
            parse_bounds(text)


def run(as_black: float, as_white: float, seed: int) -> tuple[Answer | None, int]:
    rng = random.Random(seed)
    test = SequentialTest(Hypotheses(0.5, win_rate(100)), PLAN)
    for number in itertools.count():
        test.add(game(number, rng.random() < (as_white if number % 2 else as_black)))
        if test.answer:
            return test.answer, test.games
    raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize(
    ("as_black", "as_white", "wrong"),
    [(0.5, 0.5, Answer.H1), (0.64, 0.64, Answer.H0), (0.9, 0.1, Answer.H1), (0.94, 0.34, Answer.H0)],
    ids=["equal", "stronger", "equal, Black wins", "stronger, Black wins"],
)
def test_error_rates(as_black: float, as_white: float, wrong: Answer) -> None:
    """Of 300 matches at most 5% are expected to end wrongly: 27 is more than three deviations above that."""
    ends = [run(as_black, as_white, seed) for seed in range(300)]
    assert sum(answer is wrong for answer, _ in ends) <= 27


@pytest.mark.slow
@pytest.mark.parametrize("lines", [5, 20, 100])
def test_players_that_repeat_winning_lines_are_never_called_weak(lines: int) -> None:
    """The first player wins 70%, in few lines of play, and every loss is another game. To leave repeated games out made
    "50% or less" of that."""
    answers = []
    for seed in range(60):
        rng = random.Random(seed)
        test = SequentialTest(Hypotheses(0.5, 0.6), PLAN)
        for number in range(600):
            won = rng.random() < 0.7
            test.add(game(number, won, (rng.randrange(lines), number % 2) if won else None))
        answers.append(test.answer)
    assert answers.count(Answer.H0) <= 3
    assert lines > 5 or answers.count(Answer.H1) == 0 or answers.count(Answer.REPEATS) > 0


def test_the_answer_does_not_depend_on_the_order_in_which_games_end() -> None:
    rng = random.Random(2)
    games = [game(number, rng.random() < 0.7) for number in range(400)]
    told = SequentialTest(Hypotheses(0.5, 0.6), PLAN, games)
    assert told.answer is Answer.H1
    assert told.games < 400
    for seed in range(5):
        shuffled = random.Random(seed).sample(games, len(games))
        assert SequentialTest(Hypotheses(0.5, 0.6), PLAN, shuffled).as_dict() == told.as_dict()


def test_games_are_counted_in_twos() -> None:
    test = SequentialTest(Hypotheses(0.5, 0.6), PLAN, [game(0, True), game(2, True)])
    assert test.games == 0
    assert (test.estimate, test.interval) == (0.5, (0.0, 1.0))
    test.add(game(1, False))
    assert (test.games, test.pairs) == (2, [0, 0, 1, 0, 0])


def test_repeated_pairs_end_the_match_without_an_answer() -> None:
    test = SequentialTest(Hypotheses(0.5, 0.6), PLAN, [game(number, True, (7,)) for number in range(100)])
    assert test.answer is Answer.REPEATS
    assert test.games < 20
    assert "repeat the same games" in test.verdict("a")


def test_a_tie_is_half_a_win() -> None:
    tie = GameResult(GameRecord("a", "b", START, (1,), (), Outcome(None, Verdict.SCORE, NO_SCORE)))
    test = SequentialTest(Hypotheses(0.5, 0.6), PLAN, [KeptGame(0, tie), game(1, True)])
    assert test.pairs == [0, 0, 0, 1, 0]
    assert test.estimate == 0.75


def match(folder: Path, *arguments: str) -> dict[str, Any]:
    done = in_this_process("match", *arguments, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.process
def test_a_match_stops_when_the_answer_is_known_and_continues_when_asked_more(tmp_path: Path) -> None:
    first = match(tmp_path, "aggressive", "random", "--sprt", "--out", "kept")
    assert first["sprt"]["answer"] == "H1"
    assert first["sprt"]["llr"] >= first["sprt"]["upper"]
    assert first["games"] == first["sprt"]["games"] < 60
    assert first["sprt"]["interval_95"][0] > 0.5
    assert match(tmp_path, "aggressive", "random", "--sprt", "--out", "kept") == first, "nothing is played again"
    sharper = match(tmp_path, "aggressive", "random", "--sprt", "--bounds", "0,50", "--jobs", "2", "--out", "kept")
    assert sharper["sprt"]["answer"] == "H1"
    assert sharper["games"] > first["games"]
    assert sharper["results"][: first["games"]] == first["results"]


@pytest.mark.process
def test_deterministic_players_get_an_answer_from_openings(tmp_path: Path) -> None:
    """Equal players exchange colours in every opening, so each pair is level, and none is the same game again."""
    result = match(tmp_path, "alphabeta", "alphabeta", "--sprt")
    assert result["sprt"]["answer"] == "H0"
    assert result["sprt"]["score"] == 0.5
    assert result["distinct_games"] == result["games"] // 2, "equal players: one game for each opening"
    openings = [tuple(row["record"]["moves"][:2]) for row in result["results"]]
    assert openings[0::2] == openings[1::2], "each twice, with colours exchanged"
    assert len(set(openings)) == len(openings) // 2


@pytest.mark.process
def test_without_openings_deterministic_players_do_not_play_for_ever(tmp_path: Path) -> None:
    result = match(tmp_path, "alphabeta", "alphabeta", "--sprt", "--openings", "0")
    assert result["sprt"]["answer"] == "repeats"
    assert result["games"] < 30
    assert result["distinct_games"] == 1
