"""What is line of a run of games agrees with its games, whenever one looks."""

from __future__ import annotations

import math
import time

import pytest

from littlego.apps.cli import output
from littlego.arena.progress import GamesProgress, duration
from littlego.arena.store import GameResult
from littlego.core.errors import PlayerFault
from littlego.core.rules import Verdict
from tests.helpers import series

RESULTS = [GameResult(record) for record in series("random", "greedy", games=12, swap=True)]


def wins(name: str, results: list[GameResult]) -> int:
    outcomes = [(result.record, result.record.outcome) for result in results]
    return sum(
        outcome.winner is not None and record.player(outcome.winner) == name for record, outcome in outcomes if outcome
    )


def test_rate_and_time_left_count_this_run_only() -> None:
    now = 100.0
    progress = GamesProgress(12, workers=2, known=RESULTS[:4], about="random", clock=lambda: now)
    assert (progress.done, progress.rate, progress.seconds_left, progress.in_play) == (4, None, None, 2)
    for result in RESULTS[4:10]:
        now += 0.5
        progress.add(result)
    assert (progress.done, progress.rate, progress.seconds_left) == (10, 2, 1)
    won = wins("random", RESULTS[:10])
    assert progress.line().startswith(
        "10 of 12 games: 2.0 a second, about 1 s left, 2 in play, no forfeits, random wins "
    )
    assert f"random wins {10 * won}% (" in progress.line()
    progress.add(RESULTS[10])
    assert progress.in_play == 1
    progress.add(RESULTS[11])
    assert progress.in_play == 0
    assert "left" not in progress.line()


def test_the_interval_is_wilsons() -> None:
    """Its ends are the rates from which the result is 1.96 standard deviations away, found by bisection."""
    progress = GamesProgress(12, known=RESULTS, about="random")
    rate = wins("random", RESULTS) / 12

    def end(inside: float, outside: float) -> float:
        for _ in range(60):
            middle = (inside + outside) / 2
            far = abs(rate - middle) > 1.959964 * math.sqrt(middle * (1 - middle) / 12)
            inside, outside = (inside, middle) if far else (middle, outside)
        return 100 * inside

    assert 0 < rate < 1
    assert f"random wins {100 * rate:.0f}% ({end(rate, 0):.0f}-{end(rate, 1):.0f}%)" in progress.line()


def test_a_tournament_is_about_its_leader() -> None:
    progress = GamesProgress(12, known=RESULTS)
    leader = max(("random", "greedy"), key=lambda name: wins(name, RESULTS))
    assert progress.score is not None
    assert (progress.score[0], progress.score[1].wins) == (leader, wins(leader, RESULTS))


def test_forfeits_are_counted() -> None:
    record = RESULTS[0].record
    fault = PlayerFault(Verdict.CRASH, "it fell")
    forfeited = GameResult(record.forfeited(record.start.to_move, fault, record.start))
    progress = GamesProgress(3, known=[forfeited])
    assert progress.forfeits == 1
    assert "1 forfeit," in progress.line()


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "about 0 s"), (89, "about 89 s"), (600, "about 10 min"), (9000, "about 2.5 h")]
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_pipe_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with output.live(lambda: f"at {now:.0f}\nand more") as step:
        for second in range(150):
            now = float(second)
            step()
    assert capsys.readouterr().err.splitlines() == ["at 10", "at 70", "at 130"]
