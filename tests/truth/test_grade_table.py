"""The table of a grading in the terminal, in JSON and on its page, against the rubric of the course counted by hand."""

from __future__ import annotations

import random
import re

import pytest

from littlego.apps.cli import grade as grade_command
from littlego.arena.store import GameResult, KeptGame
from littlego.core.board import BLACK, WHITE
from littlego.core.game import GameRecord
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import Outcome, Verdict
from littlego.course.edition import shipped_edition
from littlego.course.grading.plan import Round, Slot
from littlego.course.grading.report import BatchGrade, OpponentGrade

# Opponent: points from 90% on, then times the rate from 70% on, then times the rate below.
STAGE_1 = {"random": (25, 15, 0), "greedy": (25, 15, 0), "aggressive": (25, 20, 10), "alphabeta": (15, 10, 5)}
STAGE_2 = {"qlearning": (5, 5, 0), "champion": (5, 5, 2)}
STAGE_2019 = {"random": (30, 20, 0), "greedy": (30, 20, 0), "aggressive": (20, 15, 10), "smart": (20, 15, 10)}


def points_by_hand(table: dict[str, tuple[int, int, int]], opponent: str, wins: int, games: int) -> float:
    full, middle, low = table[opponent]
    if 10 * wins >= 9 * games:
        return full
    return (middle if 10 * wins >= 7 * games else low) * wins / games


def a_game(slot: Slot, agent_wins: bool | None, *, forfeit: bool = False) -> KeptGame[Slot]:
    colour = slot.agent_colour
    winner = None if agent_wins is None else colour if agent_wins else colour.opponent
    start = Position.initial()
    names = ("agent", "other") if colour is BLACK else ("other", "agent")
    verdict = Verdict.CRASH if forfeit else Verdict.SCORE
    record = GameRecord(*names, start, (PASS,) * (slot.game % 2), outcome=Outcome(winner, verdict, start.score()))
    return KeptGame(slot, GameResult(record))


def test_a_tie_is_among_the_games_that_were_not_won() -> None:
    batch = shipped_edition("2024").scheme.batches[0]
    games = tuple(a_game(Slot(0, 0, 0, game), won) for game, won in enumerate([True, None, False]))
    assert [game.key.game for game in OpponentGrade(batch.rubrics[0], 3, games).lost] == [1, 2]


def a_batch(edition: str, number: int, wins: list[int], seed: int) -> BatchGrade:
    rng = random.Random(seed)
    batch = shipped_edition(edition).scheme.batches[number]
    grades = []
    for k, (rubric, won) in enumerate(zip(batch.rubrics, wins, strict=True)):
        outcomes: list[tuple[bool | None, bool]] = [(True, False)] * won
        lost = batch.games_each - won
        outcomes += [(rng.choice([False, False, None]), False) for _ in range(lost // 2)]
        outcomes += [(False, rng.random() < 0.5) for _ in range(lost - lost // 2)]
        rng.shuffle(outcomes)
        games = tuple(
            a_game(Slot(0, number, k, game), won_it, forfeit=forfeit) for game, (won_it, forfeit) in enumerate(outcomes)
        )
        grades.append(OpponentGrade(rubric, batch.games_each, games))
    return BatchGrade(Round(0, number, batch), tuple(grades))


CASES = [
    ("2024", 0, STAGE_1, [18, 16, 14, 11], 53.75),
    ("2019", 0, STAGE_2019, [95, 85, 80, 65], 65.5),
    ("2025", 0, STAGE_1, [20, 14, 13, 0], None),
    ("2022", 0, STAGE_1, [17, 13, 18, 14], None),
    ("2025", 1, STAGE_2, [18, 13], None),
    ("2025", 1, STAGE_2, [14, 17], None),
]


@pytest.mark.parametrize(("edition", "stage", "table", "wins", "total"), CASES)
def test_the_terminal_shows_the_points_of_the_rubric(
    edition: str,
    stage: int,
    table: dict[str, tuple[int, int, int]],
    wins: list[int],
    total: float | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    batch = a_batch(edition, stage, wins, seed=len(wins))
    grade_command._show_batch(batch)
    shown = capsys.readouterr().out
    by_hand = {
        row.opponent: points_by_hand(table, row.opponent, won, row.planned)
        for row, won in zip(batch.opponents, wins, strict=True)
    }
    best = sum(full for full, _, _ in (table[name] for name in by_hand))
    assert f": {round(sum(by_hand.values()), 4):g} of {best} points" in shown
    if total is not None:
        assert sum(by_hand.values()) == total
    for row, won in zip(batch.opponents, wins, strict=True):
        points = re.search(rf"^ *{row.opponent} +([\d.]+) of (\d+) +(.*)$", shown, re.M)
        assert points is not None, shown
        assert float(points[1]) == pytest.approx(by_hand[row.opponent])
        assert int(points[2]) == table[row.opponent][0]
        results = [game.result for game in row.games]
        black = [r for r in results if r.record.black == "agent"]
        black_wins = sum(r.record.outcome.winner is BLACK for r in black if r.record.outcome)
        white_wins = sum(r.record.outcome.winner is WHITE for r in results if r.record.outcome and r not in black)
        games = re.search(rf"^ *{row.opponent} +(\d+)/(\d+) +(\d+)/(\d+) +(\d+)/(\d+) .* (\d+) *$", shown, re.M)
        assert games is not None, shown
        assert [int(games[k]) for k in range(1, 7)] == [
            won, len(results), black_wins, len(black), white_wins, len(results) - len(black)
        ]  # fmt: skip
        forfeits = sum(r.record.outcome.verdict is Verdict.CRASH for r in results if r.record.outcome)
        assert int(games[7]) == forfeits
        sent = row.to_dict()
        assert sent["points"] == pytest.approx(by_hand[row.opponent])
        assert (sent["wins"], sent["wins"] + sent["losses"] + sent["ties"]) == (won, len(results))
        assert len(sent["lost"]) == len(results) - won
