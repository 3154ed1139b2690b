"""What keeps the results of two commands apart: each field of each plan is changed in turn."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import pytest

from littlego.arena.match import MatchPlan
from littlego.arena.participants import BuiltIn
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.core.rules import edition_rules
from littlego.course.edition import Band, Batch, Edition, Late, Rubric, Scheme
from littlego.course.grading.cohort.run import ClassTerms
from littlego.course.grading.plan import GradingPlan
from littlego.formats.toml import RulesTable
from littlego.sandbox.limits import Level, Limits

LEVEL = list(Level)[1]
LIMITS = Limits(strict=True)
FILES = Rubric("veteran", (Band(50, 10), Band(0, 1)), player="/agents/veteran", files="a digest")
ENGINE = Rubric("engine", (Band(0, 5),), player="gtp:engine")
SCHEME = Scheme(
    (
        Batch("1", "Stage 1", (FILES, ENGINE), 2, 100.0, folder="stage1"),
        Batch("2", "Stage 2", (ENGINE,), 2, 100.0, folder="stage2"),
    ),
    repeats=2,
)
EDITION = Edition("mine", RulesTable(), SCHEME, "Mine", LIMITS, python="3.9", late=Late(3, 25.0))
MATCH = MatchPlan("random", "greedy", edition_rules(), 4, 1, LIMITS, LEVEL, openings=((12,), (6,)))
STAGES = (("stage1", "/ada/stage1"), ("stage2", "/ada/stage2"))
GRADING = GradingPlan("/ada", "ada", EDITION, "all", 1, LIMITS, LEVEL, 2, STAGES, 1)
CLASS = ClassTerms(EDITION, "all", 2, 1, LEVEL, LIMITS, "3.9", {"ada": 1})
TOURNAMENT = TournamentPlan(
    Format.ROUND_ROBIN, 4, 1, "mine", 5, 3, LIMITS, LEVEL, "3.9", 2, RulesTable()
)  # fmt: skip
AGENTS = (BuiltIn("random"), BuiltIn("greedy"))

OF_NO_MATTER = {
    "edition.title", "edition.packages", "edition.scheme.batches.title",
    "edition.scheme.batches.rubrics.reserved",
    "edition.scheme.batches[0].rubrics[0].player",  # its files decide, wherever they are
}  # fmt: skip
"""Of an edition: words, and what decides whether something can be graded here, not what it gets."""
OF_POINTS = {
    "edition.languages", "edition.limits.*", "edition.late.*", "edition.scheme.repeats",
    *(f"edition.scheme.batches.{name}" for name in
      ("rubrics.bands*", "games_per_colour", "budget_seconds", "binding", "on_submit")),
}  # fmt: skip
"""Of an edition: how many of the same games are played, and what they count."""


@dataclass(frozen=True)
class Kind:
    """A plan, what identifies it, and the fields that may change without making it another."""

    plan: Any
    identity: Callable[[Any], object]
    continues: set[str]


KINDS = {
    "match": Kind(MATCH, lambda plan: plan.identity(*AGENTS), {"first", "second", "games"}),
    "grading": Kind(
        GRADING,
        lambda plan: plan.identity(*AGENTS),
        {"agent", "name", "stage", "repeats", "late_days", "by_hand", "note", *OF_NO_MATTER, *OF_POINTS},
    ),
    "report": Kind(GRADING, lambda plan: plan.question(*AGENTS), {"agent", *OF_NO_MATTER}),
    "class": Kind(CLASS, lambda terms: terms.identity("ada"), OF_NO_MATTER),
    "tournament": Kind(
        TOURNAMENT, lambda plan: plan.settled(), {"games", "rounds", "minimum_level", "board.size"}
    ),
    "swiss": Kind(
        replace(TOURNAMENT, format=Format.SWISS),
        lambda plan: plan.settled(),
        {"rounds", "minimum_level", "board.size"},
    ),
}  # fmt: skip

INSTEAD = {"stage": "1", "komi": 0.5, "length": 10, "stage_agents": ()}
"""Other values of fields that may not have just any, or have none."""


def variants(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every way to change one thing in a value, with the path of what is changed."""
    if name in INSTEAD:
        yield "", INSTEAD[name]
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.init:
                for path, changed in variants(getattr(value, field.name), field.name):
                    yield f".{field.name}{path}", replace(value, **{field.name: changed})
    elif isinstance(value, tuple):
        yield "", value[:-1]
        for number, each in enumerate(value):
            if is_dataclass(each):
                for path, changed in variants(each):
                    yield f"[{number}]{path}", (*value[:number], changed, *value[number + 1 :])
    elif isinstance(value, Mapping):
        yield "", {**value, "ada": 2}
    else:
        yield "", _other(value, name)


def _other(value: Any, name: str) -> Any:
    if isinstance(value, enum.Enum):
        members = list(type(value))
        return members[members.index(value) - 1]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    assert isinstance(value, str), f"{name}: set it, so that it can be changed"
    return f"{value}1"


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_a_plan_makes_another_run_or_is_known_to_continue_it(kind: str) -> None:
    plan, identity, continues = KINDS[kind].plan, KINDS[kind].identity, KINDS[kind].continues
    wrong, seen = [], set()
    for path, changed in variants(plan):
        names = {path[1:], re.sub(r"\[\d\]", "", path[1:])}
        allowed = {pattern for pattern in continues for name in names if _fits(name, pattern)}
        seen |= allowed
        if (identity(changed) == identity(plan)) != bool(allowed):
            wrong.append(path[1:])
    assert wrong == []
    assert seen == continues, "of these no field was changed"


def _fits(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def test_other_players_make_another_run() -> None:
    for plan in (MATCH, GRADING):
        assert plan.identity(*AGENTS) != plan.identity(AGENTS[0], BuiltIn("aggressive"))
        assert plan.identity(*AGENTS) != plan.identity(*reversed(AGENTS))
