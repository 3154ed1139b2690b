"""The time that a class will still take."""

from __future__ import annotations

from littlego.apps.cli.course.pace import Pace


def test_games_of_earlier_runs_took_no_time() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.note("ada", 50, 60)
    assert pace.seconds_left(1) is None
    now[0] = 10.0
    pace.note("ada", 55, 60)
    assert pace.seconds_left(1) == 65 * 2.0


def test_a_slow_program_is_not_taken_for_a_quick_one() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.note("quick", 0, 60)
    now[0] = 60.0
    pace.note("quick", 60, 60)
    pace.done("quick")
    pace.note("sleeper", 0, 60)
    now[0] = 120.0
    assert pace.seconds_left(0) == 60 * 60.0, "its first game takes a minute, and goes on"
    pace.note("sleeper", 2, 60)
    assert pace.seconds_left(0) == 58 * 30.0
