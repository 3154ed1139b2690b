"""Every hostile case at every level that promises to contain it, and at L1 with less than this machine has."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.hostile.agents import agent
from littlego.arena.referee.hostile.case import Case
from littlego.arena.referee.hostile.cases import CASES
from littlego.arena.referee.hostile.suite import CaseOutcome, hostile_host, run_case, runnable, table
from littlego.arena.referee.levels import Level, probe
from littlego.core.verdict import Verdict

pytestmark = [pytest.mark.process, pytest.mark.slow]

NOTHING: frozenset[str] = frozenset()

# Level, and the mechanisms it must do without: a container that allows no namespaces, a kernel that allows no perf,
# an older kernel whose Landlock knows nothing of signals and sockets.
SETTINGS = [
    *((level, NOTHING) for level in Level),
    (Level.L1, frozenset({"namespaces"})),
    (Level.L1, frozenset({"perf", "namespaces"})),
    (Level.L1, frozenset({"scopes"})),
    (Level.L0, frozenset({"perf"})),
]
GROUPS = {"perf": {"honest", "time"}, "scopes": {"network", "processes and kernel", "the keeper"}}
# Without perf and without seccomp nothing sees a child that ends between two looks: docs/isolation.md says so.
UNSEEN = {("sigchld_ignored_short", Level.L0, frozenset({"perf"}))}


def _pairs() -> Iterator[tuple[str, Level, frozenset[str], Case]]:
    for level, without in SETTINGS:
        groups = set().union(*(GROUPS.get(word, set()) for word in without))
        chosen = [case for case in CASES if not groups or case.group in groups]
        name = "-".join([str(level), *(f"no-{word}" for word in sorted(without))])
        for case in chosen:
            if level in case.levels and (case.name, level, without) not in UNSEEN:
                yield f"{name}-{case.name}", level, without, case


PAIRS = list(_pairs())


@pytest.fixture(scope="module")
def supervisors() -> Iterator[dict[tuple[Level, frozenset[str]], Supervisor]]:
    with hostile_host():
        started: dict[tuple[Level, frozenset[str]], Supervisor] = {}
        yield started
        for supervisor in started.values():
            supervisor.close()


@pytest.mark.parametrize(("level", "without", "case"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_case(
    level: Level,
    without: frozenset[str],
    case: Case,
    supervisors: dict[tuple[Level, frozenset[str]], Supervisor],
) -> None:
    if level not in probe(without).levels:
        pytest.skip(f"this machine cannot give {level}: {probe().details}")
    if case not in runnable():
        pytest.skip("there is no compiler for it here")
    key = (level, without)
    if key not in supervisors:
        supervisors[key] = Supervisor(level=level, without=without)
    outcome = run_case(case, supervisors[key])
    assert outcome.ok, (outcome.verdict, outcome.message, outcome.breaches)


def test_there_are_enough_cases_and_each_has_one_name() -> None:
    assert len(CASES) >= 120
    assert len({case.name for case in CASES}) == len(CASES)


def test_every_declared_case_is_run() -> None:
    """Whatever module declares it."""
    for path in Path(agent.__file__).parent.glob("against_*.py"):
        importlib.import_module(f"littlego.arena.referee.hostile.agents.{path.stem}")
    assert set(agent.CASES) == {case.name for case in CASES if not case.build}


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root has just run them as an ordinary user")
def test_every_case_as_an_ordinary_user() -> None:
    """At the level that such a user gets, in a process that is no longer root."""
    as_user = [sys.executable, str(Path(__file__).parent.with_name("as_user.py"))]
    littlego = [sys.executable, "-P", "-m", "littlego", "sandbox", "--json"]
    (found,) = (row for row in outcomes_of([*as_user, *littlego]) if row["default"])
    rows = outcomes_of([*as_user, *littlego, "--test", "--level", found["level"]])
    assert len(rows) == len(runnable())
    assert [row for row in rows if row["promised"] and not row["contained"]] == []


def outcomes_of(words: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(words, capture_output=True, text=True, timeout=1200, check=False)
    assert done.stdout, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_l1_promises_everything() -> None:
    assert all(Level.L1 in case.levels for case in CASES)


def test_the_table_shows_a_broken_promise() -> None:
    good = CASES[0]
    outcomes = [
        CaseOutcome(good, Level.L0, None, "", (), 0.1),
        CaseOutcome(good, Level.L1, Verdict.CRASH, "", (), 0.1),
    ]
    assert [outcome.ok for outcome in outcomes] == [True, False]
    assert "| plays on | **not contained** (BROKEN PROMISE) |" in table(outcomes)
