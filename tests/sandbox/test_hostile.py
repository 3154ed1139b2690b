"""Every hostile case at the default levels, and at the others what their own mechanisms contain.

With `-m exhaustive`, as in `make soak`, every case at every level that promises to contain it.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

import pytest
from _pytest.mark import ParameterSet

from littlego.core.rules import Verdict
from littlego.sandbox.limits import Level, probe
from tests.sandbox.hostile.agents import agent
from tests.sandbox.hostile.case import Case
from tests.sandbox.hostile.cases import CASES
from tests.sandbox.hostile.suite import CaseOutcome, run_suite, runnable, table

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.siege]

NOTHING: frozenset[str] = frozenset()
EVERYTHING = frozenset(case.group for case in CASES)
NAMESPACES = {"ways out", "outside", "network", "processes and kernel", "the keeper", "what it leaves behind", "time"}


class Setting(NamedTuple):
    level: Level
    without: frozenset[str]
    """The mechanisms that it must do without."""
    groups: frozenset[str]
    """What can be run here, and proves something."""
    always: AbstractSet[str]
    """The groups that the mechanisms of this setting contain and no other setting's do; `make soak` runs the rest."""

    def __str__(self) -> str:
        return "-".join([str(self.level), *(f"no-{word}" for word in sorted(self.without))])


# Root's own level always runs every case, and so does that of an ordinary user (`test_every_case_as_an_ordinary_user`).
SETTINGS = [
    Setting(Level.ROOT, NOTHING, EVERYTHING, EVERYTHING),
    # The watch over the tree, and killing it without namespaces. The Linux level has the same watch.
    Setting(Level.PORTABLE, NOTHING, EVERYTHING, {"honest", "what it leaves behind"}),
    Setting(Level.LINUX, NOTHING, EVERYTHING, set()),
    # A container that allows no namespaces: Landlock and seccomp alone hold what namespaces would.
    Setting(Level.LINUX, frozenset({"namespaces"}), EVERYTHING, NAMESPACES),
    # An older kernel, whose Landlock knows nothing of signals and sockets.
    Setting(
        Level.LINUX,
        frozenset({"scopes"}),
        frozenset({"network", "processes and kernel", "the keeper"}),
        {"network", "processes and kernel"},
    ),
]
# Without seccomp nothing sees a child that ends between two looks and that nobody waits for. Only a work directory in
# memory, which needs namespaces, counts files without a name: docs/referee.md says so.
NAMELESS = (
    *("memory_deleted_files", "memory_deleted_mapped", "memory_deleted_without_a_leader"),
    *("memory_deleted_of_an_unreadable_program", "mapped_files_with_odd_names"),
)
UNSEEN = {
    ("sigchld_ignored_short", Level.PORTABLE, NOTHING),
    *((name, Level.LINUX, frozenset({"namespaces"})) for name in NAMELESS),
}


def _cases(setting: Setting, group: str) -> list[Case]:
    """Those of the group that the setting promises to contain."""
    return [
        case
        for case in CASES
        if case.group == group
        and setting.level in case.levels
        and (case.name, setting.level, setting.without) not in UNSEEN
    ]


def _parameters() -> Iterator[ParameterSet]:
    for setting in SETTINGS:
        for group in sorted(setting.groups):
            if cases := _cases(setting, group):
                marks = () if group in setting.always else (pytest.mark.exhaustive,)
                yield pytest.param(setting, cases, id=f"{setting}-{group}", marks=marks)


@pytest.mark.parametrize(("setting", "cases"), list(_parameters()))
def test_cases(setting: Setting, cases: list[Case]) -> None:
    """Every case of a group at a level that promises to contain it."""
    found = probe(setting.without)
    if setting.level not in found.levels:
        pytest.skip(f"this machine cannot give {setting.level}: {found.refused[setting.level]}")
    cases = [case for case in cases if case in runnable()]
    if not cases:
        pytest.skip("there is no compiler for them here")
    outcomes = run_suite([setting.level], cases=cases, without=setting.without)
    assert len(outcomes) == len(cases)
    broken = [outcome for outcome in outcomes if not outcome.ok]
    assert not broken, "\n".join(f"{each.case.name}: {each.verdict} {each.message} {each.breaches}" for each in broken)


def test_there_are_enough_cases_and_each_has_one_name() -> None:
    assert len(CASES) >= 120
    assert len({case.name for case in CASES}) == len(CASES)


def test_every_declared_case_is_run() -> None:
    """Whatever module declares it."""
    for path in Path(agent.__file__).parent.glob("against_*.py"):
        importlib.import_module(f"tests.sandbox.hostile.agents.{path.stem}")
    assert set(agent.CASES) == {case.name for case in CASES if not case.build}


def test_every_case_as_an_ordinary_user() -> None:
    """At the level that such a user gets, in a process that is not, or no longer, root."""
    here = Path(__file__)
    as_user = [sys.executable, str(here.with_name("as_user.py"))] if os.geteuid() == 0 else []
    script = "import sys; sys.path.insert(0, sys.argv[1]); from tests.sandbox.hostile import suite; suite.main()"
    words = [*as_user, sys.executable, "-c", script, str(here.parents[2])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1200, check=False)
    assert done.stdout.splitlines()[-1:] == [f"{len(runnable())} cases"], done.stderr
    assert done.stdout.splitlines()[:-1] == []


def test_the_linux_level_promises_everything() -> None:
    assert all(Level.LINUX in case.levels for case in CASES)


def test_the_table_shows_a_broken_promise() -> None:
    good = CASES[0]
    outcomes = [
        CaseOutcome(good, Level.PORTABLE, None, "", (), 0.1),
        CaseOutcome(good, Level.LINUX, Verdict.CRASH, "", (), 0.1),
    ]
    assert [outcome.ok for outcome in outcomes] == [True, False]
    assert "| plays on | **not contained** (BROKEN PROMISE) |" in table(outcomes)
