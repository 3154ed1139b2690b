"""The time that a class will still take."""

from __future__ import annotations

import random

import pytest

from littlego.course.grading.run import Pace


def test_games_of_earlier_runs_took_no_time() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.note("ada", {"random": (50, 60)})
    assert pace.seconds_left(1) is None
    now[0] = 10.0
    pace.note("ada", {"random": (55, 60)})
    assert pace.seconds_left(1) == 65 * 2.0


def test_a_slow_program_is_not_taken_for_a_quick_one() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.note("quick", {"random": (0, 60)})
    now[0] = 60.0
    pace.note("quick", {"random": (60, 60)})
    pace.done("quick")
    pace.note("sleeper", {"random": (0, 60)})
    now[0] = 120.0
    assert pace.seconds_left(0) == 60 * 60.0, "its first game takes a minute, and goes on"
    pace.note("sleeper", {"random": (2, 60)})
    assert 58 * 15 < (pace.seconds_left(0) or 0) < 58 * 30


def test_a_quick_one_that_has_just_begun_is_not_taken_for_a_slow_one() -> None:
    """Sixty times the five seconds that its first game waited for a worker are not the time left."""
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.note("ada", {"random": (0, 60)})
    for game in range(1, 61):
        now[0] += 2.0
        pace.note("ada", {"random": (game, 60)})
    pace.note("ben", {"random": (0, 60)})
    now[0] += 5.0
    assert (pace.seconds_left(0) or 0) < 150
    pace.done("ada")


def test_an_opponent_that_nobody_has_met_is_taken_for_the_slowest_so_far() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    for seconds, quick, slow in ((0, 0, 0), (10, 10, 0), (90, 10, 10)):
        now[0] += seconds
        pace.note("ada", {"quick": (quick, 10), "slow": (slow, 10), "unmet": (0, 10)})
    assert pace.seconds_left(0) == 90
    assert pace.seconds_left(1) == 90 + 10 + 90 + 90


def test_slow_opponents_ahead_are_counted_as_slow() -> None:
    """Ada took 20 s for the quick opponent and 400 s for the slow one: so does Ben, who is at the quick one."""
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.note("ada", {"random": (0, 20), "veteran": (0, 20)})
    now[0] += 20.0
    pace.note("ada", {"random": (20, 20), "veteran": (0, 20)})
    now[0] += 400.0
    pace.note("ada", {"random": (20, 20), "veteran": (20, 20)})
    pace.done("ada")
    pace.note("ben", {"random": (0, 20), "veteran": (0, 20)})
    now[0] += 10.0
    pace.note("ben", {"random": (10, 20), "veteran": (0, 20)})
    assert pace.seconds_left(0) == pytest.approx(410, rel=0.02)
    assert pace.seconds_left(2) == pytest.approx(410 + 2 * 420, rel=0.02)
    now[0] += 10.0
    pace.note("ben", {"random": (20, 20), "veteran": (0, 20)})
    now[0] += 380.0
    pace.note("ben", {"random": (20, 20), "veteran": (19, 20)})
    assert pace.seconds_left(0) == pytest.approx(20, rel=0.1), "not a twentieth of all that came before"


OPPONENTS = {"random": 0.5, "greedy": 0.6, "alphabeta": 1.0, "veteran": 8.0}
"""What a game takes beside the program's own time."""


@pytest.mark.parametrize("seed", range(5))
def test_estimates_of_a_class_come_true(seed: int) -> None:
    """A class of programs of all speeds on two workers, interrupted and resumed in the middle of one."""
    rng = random.Random(seed)
    seconds = [rng.choice((0.5, 1.0, 2.0, 4.0)) for _ in range(15)]
    told: list[tuple[float, float, int]] = []
    now = [0.0]
    pace = Pace(lambda: now[0])
    waiting = list(range(15))
    under_way: dict[int, int] = {}
    workers: list[tuple[float, int]] = []  # when each is free, and for whom it plays
    before = 40  # games of the first submission that an earlier run has played

    def note(name: int) -> None:
        """Fifteen games against one opponent after the other."""
        against = {opponent: (min(max(under_way[name] - 15 * k, 0), 15), 15) for k, opponent in enumerate(OPPONENTS)}
        pace.note(str(name), against)

    def fill() -> None:
        while len(under_way) < 2 and waiting:
            name = waiting.pop(0)
            under_way[name] = before if name == 0 else 0
            note(name)
        while len(workers) < 2:
            playing = [name for _, name in workers]
            free = [name for name in under_way if under_way[name] + playing.count(name) < 60]
            if not free:
                return
            name = min(free, key=playing.count)
            opponent = list(OPPONENTS.values())[(under_way[name] + playing.count(name)) // 15]
            workers.append((now[0] + (seconds[name] + opponent) * rng.uniform(0.5, 1.5), name))

    fill()
    while workers:
        workers.sort()
        now[0], name = workers.pop(0)
        under_way[name] += 1
        note(name)
        if under_way[name] == 60:
            del under_way[name]
            pace.done(str(name))
        fill()
        if under_way and (left := pace.seconds_left(len(waiting))) is not None:
            told.append((now[0], left, len(waiting)))
    end = now[0]
    last = [(left, end - at) for at, left, waiting_then in told if not waiting_then]
    assert len(last) > 50
    for left, truly in last:
        assert truly / 1.5 - 10 < left < 1.5 * truly + 10, (left, truly)
    for at, left, _ in told[len(told) // 2 :]:
        assert (end - at) / 2 - 10 < left < 2 * (end - at) + 10, "nobody knows how slow those are that wait"
