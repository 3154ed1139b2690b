"""A course of the owner's own: offered, played, ranked and graded like the editions that come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.apps.web.job import grade
from littlego.apps.web.store import GRADES, TOURNAMENTS, Editions
from littlego.arena.tournament.plan import parse_plan
from littlego.core.errors import UsageError
from tests.apps.web.serving import COURSE, serving
from tests.arena.agents import PASSES, python_agent


def test_a_course_of_the_owners(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(COURSE)
    data = tmp_path / "data"
    assert Editions(data).add(str(tmp_path / "tiny.toml")).name == "tiny"
    with serving(data) as client:
        *shipped, tiny = client.get("/api/about").json()["editions"]
        assert [edition["name"] for edition in shipped] == ["2025", "2024", "2022", "2019"]
        assert tiny == {"name": "tiny", "stages": ["exam", "all"]}
        big = {"edition": "tiny", "size": 5, "players": ["random", "greedy"]}
        refused = client.post("/api/tournaments", json=big)
        assert refused.status_code == 422
        assert "it cannot be played on 5x5" in refused.json()["detail"]
        cup = client.post("/api/tournaments", json={"edition": "tiny", "players": ["random", "greedy"]}).json()
        plan = parse_plan((data / TOURNAMENTS / cup["id"] / "tournament.toml").read_text())
        assert (plan.rules.edition, plan.rules.size, plan.rules.max_moves) == ("tiny", 3, 8)
    params = {"spelling": "greedy", "edition": "tiny", "stage": "exam"}
    params |= {"agent": "a", "name": "greedy", "grading": "g"}
    report = grade(params, data, lambda *_progress: None)
    assert (report["edition"], report["points"], report["games"]) == ("tiny", 5, 2)
    assert (data / GRADES / "g" / "report.html").is_file()


def test_an_opponent_that_has_moved_spoils_only_its_own_course(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "veteran", PASSES)
    (tmp_path / "tiny.toml").write_text(COURSE.replace('"random"', '"veteran"'))
    editions = Editions(tmp_path / "data")
    editions.add(str(tmp_path / "tiny.toml"))
    assert [edition["name"] for edition in editions.described()] == ["2025", "2024", "2022", "2019", "tiny"]
    agent.rename(tmp_path / "elsewhere")
    assert [edition["name"] for edition in editions.described()] == ["2025", "2024", "2022", "2019"]
    with pytest.raises(UsageError, match="expected a player"):
        editions.find("tiny")
