"""The plan's file: what is written is read again, and what is wrong is said."""

from __future__ import annotations

import pytest

from littlego.arena.tournament.plan import Format, TournamentPlan, parse_plan, write_plan
from littlego.core.errors import UsageError
from littlego.sandbox.limits import MIB, Level, Limits

PLAN = TournamentPlan(
    Format.COURSE_2019,
    games=5,
    seed=-3,
    edition="2019",
    size=7,
    limits=Limits(cpu_seconds=2.5, wall_seconds=9, memory_bytes=64 * MIB),
    minimum_level=Level.LINUX,
    python='c:\\py "3.7"',
)


def test_a_plan_is_read_as_it_was_written() -> None:
    for plan in (PLAN, TournamentPlan(Format.SWISS, 2, rounds=3), TournamentPlan(Format.GAUNTLET, 1)):
        assert parse_plan(write_plan(plan)) == plan


def test_what_is_left_out_is_what_the_format_has() -> None:
    plan = parse_plan('format = "course2019"')
    assert (plan.games, plan.size, plan.edition) == (11, 5, "2019")
    plan = parse_plan('format = "round-robin"')
    assert (plan.games, plan.size) == (10, 5)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("format = ", "not TOML"),
        ("games = 3", "format: missing"),
        ('format = "cup"', "expected one of round-robin, gauntlet, swiss, course2019, got 'cup'"),
        ('format = "swiss"\ngames = "3"', "games: expected a whole number, got '3'"),
        ('format = "swiss"\ngames = true', "games: expected a whole number, got True"),
        ('format = "swiss"\ngames = 0', "games: expected 1 to"),
        ('format = "swiss"\nrounds = 0', "rounds: expected 1 to"),
        ('format = "swiss"\ngame = 3', "game: unknown key"),
        ('format = "swiss"\nminimum_level = "L7"', "level 'L7'"),
        ('format = "swiss"\nedition = "1999"', "edition '1999'"),
        ('format = "course2019"\ngames = 10', "can end in a draw"),
        ('format = "swiss"\nopenings = -1', "openings: expected 0 to 4 moves, got -1"),
        ('format = "swiss"\n[limits]\ncpu = 3', "limits: cpu: unknown key"),
        ('format = "swiss"\n[limits]\ncpu_seconds = 0', "limits: expected"),
    ],
)
def test_a_wrong_plan_is_explained(text: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_plan(text, source="a.toml")
    assert says in str(raised.value)
    assert str(raised.value).startswith(("a.toml", "edition"))
