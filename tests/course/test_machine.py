"""`littlego doctor`: what is there is found, what is missing comes with advice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from littlego.arena import building
from littlego.course.machine import Ability, examine_machine
from littlego.sandbox.limits import probe
from tests.command import in_this_process


def by_subject() -> dict[str, Ability]:
    return {finding.subject: finding for finding in examine_machine()}


@pytest.mark.process
def test_what_is_there_is_found() -> None:
    found = by_subject()
    assert found["Isolation of agents"].found.startswith(f"{probe().default}: ")
    assert str(shutil.which("g++") and "g++") in found["C++ agents"].found or found["C++ agents"].advice
    assert ("3.7" in found["Pythons for agents"].found) is not bool(found["Pythons for agents"].advice)


@pytest.mark.process
def test_what_is_missing_comes_with_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without compilers and other Pythons."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    for cached in (building.find_python, building.find_tool):
        cached.cache_clear()
    try:
        found = by_subject()
    finally:
        for cached in (building.find_python, building.find_tool):
            cached.cache_clear()
    assert found["C++ agents"] == Ability("C++ agents", "no", "install g++")
    assert "Java development kit" in found["Java agents"].advice
    assert "3.7" in found["Pythons for agents"].advice


@pytest.mark.process
def test_as_json_it_says_the_same() -> None:
    rows = json.loads(in_this_process("doctor", "--json").stdout)
    subjects = [row["subject"] for row in rows]
    assert {finding.subject for finding in examine_machine()} < set(subjects)
    assert {"Extra: web", "Extra: cluster", "Extra: env"} < set(subjects)
