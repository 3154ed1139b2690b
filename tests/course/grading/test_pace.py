"""The time that a class will still take."""

from __future__ import annotations

from littlego.course.grading.run import Pace


def test_games_of_earlier_runs_took_no_time() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.note("ada", 50, 60)
    assert pace.seconds_left(60) is None
    now[0] = 10.0
    pace.note("ada", 55, 60)
    assert pace.seconds_left(60) == 65 * 2.0


def test_two_at_once_and_one_that_ends_early() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    for name in ("ada", "ben"):
        pace.note(name, 0, 60)
    now[0] = 30.0
    pace.note("ada", 20, 60)
    pace.note("ben", 10, 60)
    assert pace.seconds_left() == 90.0
    pace.done("ben")
    assert pace.seconds_left() == 40.0, "it was over its budget"
