"""What keeps the results of two commands apart: every field that decides games or grades is in an identity."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from littlego.arena.match import MatchPlan
from littlego.arena.participants import BuiltIn
from littlego.core.rules import edition_rules
from littlego.course.edition import find_edition
from littlego.course.grading.cohort.run import ClassTerms
from littlego.course.grading.plan import GradingPlan
from littlego.sandbox.limits import Level, Limits

MATCH = MatchPlan("greedy", "random", edition_rules(), 4, 1)
GRADING = GradingPlan("./agent", "ada", find_edition("2025"), "1")
CLASS = ClassTerms(find_edition("2025"), "1")
SHORT = Limits(cpu_seconds=1.0)

IN_A_MATCH: dict[str, Any] = {
    "rules": edition_rules(size=4),
    "seed": 2,
    "limits": SHORT,
    "level": Level.PORTABLE,
    "swap": False,
    "openings": ((12,),),
}
OF_PLAYERS = {"first", "second", "agent", "stage_agents"}
"""Their files are in the identity, not their spelling."""
IN_GAMES: dict[str, Any] = {"edition": find_edition("2022"), "seed": 2, "limits": SHORT, "level": Level.PORTABLE}
IN_A_GRADE: dict[str, Any] = IN_GAMES | {
    "stage": "2",
    "name": "ben",
    "repeats": 2,
    "late_days": 1,
    "by_hand": 1.0,
    "note": "a bonus",
}
IN_A_CLASS: dict[str, Any] = IN_GAMES | {
    "stage": "2",
    "repeats": 2,
    "python": "3.12",
    "late": {"ada": 1},
    "by_hand": {"ada": (1.0, "a bonus")},
}


def test_the_tables_have_every_field() -> None:
    def names(value: Any) -> set[str]:
        return {field.name for field in dataclasses.fields(value)}

    assert names(MATCH) == IN_A_MATCH.keys() | {"games"} | names(MATCH) & OF_PLAYERS
    assert names(GRADING) == IN_A_GRADE.keys() | names(GRADING) & OF_PLAYERS
    assert names(CLASS) == IN_A_CLASS.keys()


@pytest.mark.parametrize("name", IN_A_MATCH)
def test_another_match_has_another_identity(name: str) -> None:
    players = (BuiltIn("greedy"), BuiltIn("random"))
    other = dataclasses.replace(MATCH, **{name: IN_A_MATCH[name]})
    assert other.identity(*players) != MATCH.identity(*players)
    assert dataclasses.replace(MATCH, games=8).identity(*players) == MATCH.identity(*players)


@pytest.mark.parametrize("name", IN_A_GRADE)
def test_another_grading_has_another_identity_and_another_question(name: str) -> None:
    """Other points, stages and repeats of the same games continue them, for another grade."""
    other = dataclasses.replace(GRADING, **{name: IN_A_GRADE[name]})
    assert (other.identity(BuiltIn("greedy")) != GRADING.identity(BuiltIn("greedy"))) == (name in IN_GAMES)
    assert other.question(BuiltIn("greedy")) != GRADING.question(BuiltIn("greedy"))


@pytest.mark.parametrize("name", IN_A_CLASS)
def test_other_terms_of_a_class_grade_again(name: str) -> None:
    other = dataclasses.replace(CLASS, **{name: IN_A_CLASS[name]})
    assert other.identity("ada") != CLASS.identity("ada")
