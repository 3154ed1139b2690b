"""A submission with an agent for each stage, late submissions, and the way from grades to the competition."""

from __future__ import annotations

import csv
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from littlego.apps.cli.main import assembled
from littlego.arena.tournament.folder import Tournament, read_plan
from littlego.core.errors import UsageError
from littlego.course.contests import competition
from littlego.course.edition import find_edition, shipped_edition
from littlego.course.grading.cohort.roster import Papers
from littlego.course.grading.cohort.rows import REPORT, pseudonyms
from littlego.course.grading.cohort.submissions import Submission, open_submission
from littlego.course.grading.plan import StagedAgent
from tests.arena.agents import PASSES, python_agent
from tests.command import in_this_process

COURSE = """
name = "two-stages"
[late]
days = 2
percent_per_day = 25
[[stages]]
key = "1"
title = "Midterm"
games = 2
budget_seconds = 100
[[stages.opponents]]
player = "random"
lines = [ { from = 0, points = 80 } ]
[[stages]]
key = "2"
games = 2
budget_seconds = 100
[[stages.opponents]]
player = "greedy"
lines = [ { from = 0, points = 20 } ]
"""
QUICK = "raise ValueError"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    path = tmp_path / "course.toml"
    path.write_text(COURSE)
    return path


@pytest.mark.parametrize(
    ("days", "share"), [(0, 1), (1, 0.8), (2, 0.6), (3, 0.4), (4, 0.2), (5, 0), (6, 0)], ids=lambda value: str(value)
)
def test_section_6_takes_a_fifth_of_the_points_a_day(days: int, share: float) -> None:
    for name in ("2022", "2024", "2025"):
        assert float(shipped_edition(name).late.share(days)) == share


def found(path: Path, place: Path, course: Path) -> object:
    submission = Submission("ada", "ada", path)
    return open_submission(submission, place, python=None, edition=find_edition(str(course))).entrant


def test_where_the_agents_of_the_stages_are(tmp_path: Path, course: Path) -> None:
    def folders(*names: str) -> Path:
        root = tmp_path / "-".join(names).replace("/", "_")
        for name in names:
            python_agent(root / name, PASSES)
        return root

    plain = folders("stage1", "stage2")
    for root in (plain, folders("hw/Stage 1", "hw/Stage_2"), folders("stage1/deeper", "stage2")):
        agent = found(root, tmp_path / "place", course)
        assert isinstance(agent, StagedAgent)
        assert list(agent.agents) == ["stage1", "stage2"]
        assert all(Path(each.spelling).is_dir() for each in agent.agents.values())
    packed = tmp_path / "packed"
    packed.mkdir()
    for stage in ("stage1", "stage2"):
        with zipfile.ZipFile(packed / f"{stage}.zip", "w") as archive:
            archive.write(plain / stage / "my_player3.py", "my_player3.py")
    assert isinstance(found(packed, tmp_path / "place", course), StagedAgent)
    assert not isinstance(found(folders("stage1"), tmp_path / "place", course), StagedAgent), "one agent plays all"
    with pytest.raises(UsageError, match="more than one agent: in a, b"):
        found(folders("a", "b"), tmp_path / "place", course)


def test_two_of_one_stage(tmp_path: Path, course: Path) -> None:
    root = tmp_path / "ada"
    for name in ("stage1", "stage2", "old/stage1"):
        python_agent(root / name, PASSES)
    agent = found(root, tmp_path / "place", course)
    assert isinstance(agent, StagedAgent)
    assert Path(agent.agents["stage1"].spelling) == root / "stage1", "not the one further down"
    python_agent(root / "Stage 1", PASSES)
    with pytest.raises(UsageError, match="Stage 1 and stage1 are both stage1"):
        found(root, tmp_path / "place", course)
    packed = tmp_path / "bob"
    packed.mkdir()
    for name in ("stage1", "stage-1", "stage_1", "stage2"):
        with zipfile.ZipFile(packed / f"{name}.zip", "w") as archive:
            archive.writestr("large.txt", name)
    with pytest.raises(UsageError, match=r"stage-1\.zip and stage1\.zip are both stage1"):
        found(packed, tmp_path / "few", course)
    assert len(list((tmp_path / "few").iterdir())) == 1, "archives without agents do not fill the disk"


def test_competitors_are_in_the_order_of_their_pseudonyms(tmp_path: Path) -> None:
    """The order of names would tell who is who."""
    given = {"ada": "Red owl 300", "bob": "Blue fox 200", "cleo": "Amber jay 400"}
    rows = [{"student": name, "slug": name, "status": "graded", "points": 90} for name in given]
    (tmp_path / "class.json").write_text(json.dumps({"stage": "1", "edition": "2024", "python": None, "rows": rows}))
    (tmp_path / "pseudonyms.json").write_text(json.dumps({"salt": "", "pseudonyms": given}))
    for name in given:
        folder = tmp_path / "students" / name
        folder.mkdir(parents=True)
        (folder / REPORT).write_text(json.dumps({"agent": {"spelling": name, "stages": {}}}))
    found = competition(tmp_path).players
    assert [each.name for each in found] == ["Amber-jay-400", "Blue-fox-200", "Red-owl-300"]
    assert [each.spelling for each in found] == ["cleo", "bob", "ada"]


def test_what_keeps_a_class_from_a_tournament_is_named(tmp_path: Path) -> None:
    (tmp_path / "pseudonyms.json").write_text(json.dumps({"salt": "", "pseudonyms": {"ada": "Red owl 300"}}))
    ada = {"student": "ada", "slug": "ada", "status": "failed", "problem": "it imports numpy: --python names another"}
    (tmp_path / "class.json").write_text(json.dumps({"stage": "1", "edition": "2024", "python": None, "rows": [ada]}))
    with pytest.raises(UsageError, match=r"ada is not graded yet \(it imports numpy: --python names another\): run"):
        competition(tmp_path)


@pytest.mark.parametrize("text", ["{}", '{"rows": [{}]}', '{"rows": 3}', '{"rows": [{"status": "odd"}]}'])
def test_what_is_not_a_graded_class(tmp_path: Path, text: str) -> None:
    (tmp_path / "class.json").write_text(text)
    with pytest.raises(UsageError, match="not what this version of 'littlego grade-class' writes"):
        competition(tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ada,1\nbob,soon\n", "line 2: expected student,days with days from 0 to 9999, got 'bob,soon'"),
        ("ada\n", "line 1: expected student,days"),
        ("ada,-1\n", "line 1: expected student,days with days from 0 to 9999, got 'ada,-1'"),
        ("ada,0.5\n", "line 1: expected student,days with days from 0 to 9999, got 'ada,0.5'"),
        ("Day, Dan,1\n", "got 'Day, Dan,1'; quote what has a comma"),
        ("ada,1\nbob,²\n", "line 2: expected student,days"),
        (f"ada,{'9' * 5000}\n", "line 1: expected student,days"),
        ("ada,1\nada,2\n", "line 2: 'ada' is there twice"),
    ],
)
def test_a_file_of_late_days_that_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "late.csv").write_text(text)
    with pytest.raises(UsageError, match=says):
        Papers(late=tmp_path / "late.csv").days_late()


@pytest.mark.parametrize("heading", ["student,days", "SIS Login ID,days late", "Name,late", "netid,Days", "student,2"])
def test_a_heading_may_come_first(heading: str, tmp_path: Path) -> None:
    """What has a number is none, whatever the student is called."""
    (tmp_path / "late.csv").write_text(f"{heading}\nada,1\n")
    days = Papers(late=tmp_path / "late.csv").days_late()
    assert days == {"ada": 1} | ({"student": 2} if "2" in heading else {})


@pytest.mark.process
@pytest.mark.parametrize("stage", [(), ("--stage", "submit")])
def test_an_edition_may_have_nothing_but_what_is_played_on_submission(tmp_path: Path, stage: tuple[str, ...]) -> None:
    course = tmp_path / "trial.toml"
    course.write_text(COURSE.replace("games = 2", "games = 2\non_submit = true"))
    python_agent(tmp_path / "class" / "ada", QUICK)
    grade = ("grade", "--edition", str(course), "--out", str(tmp_path / "out"), *stage)
    alone = in_this_process(*grade, "greedy")
    assert alone.returncode == 0, alone.stderr
    assert "points, edition two-stages" in alone.stdout
    together = in_this_process("grade-class", str(tmp_path / "class"), *grade[1:], "--json")
    assert together.returncode == 0, together.stderr
    assert [row["status"] for row in json.loads(together.stdout)["rows"]] == ["graded"]


@pytest.mark.process
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (("--python", "3.99"), "no working Python called '3.99' was found"),
        (("--stage", "9"), "stage '9': expected one of"),
        (("--late", "late.csv"), "edition 2019 says nothing about late submissions"),
    ],
)
def test_what_nobody_can_be_graded_with_is_refused_before_anything_is_touched(
    tmp_path: Path, wrong: tuple[str, str], says: str
) -> None:
    python_agent(tmp_path / "class" / "ada", QUICK)
    (tmp_path / "roster.csv").write_text('Student,ID\n"Lovelace, Ada",101\n')
    (tmp_path / "late.csv").write_text("ada,1\n")
    course = tmp_path / "course.toml"
    course.write_text(COURSE)
    edition = "2019" if "--late" in wrong else str(course)
    grade = ("grade-class", "class", "--roster", "roster.csv", "--out", "out", "--edition")
    assert in_this_process(*grade, str(course), cwd=tmp_path).returncode == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    for more in ((), ("--dry-run",), ("--only", "ada")):
        refused = in_this_process(*grade, edition, *wrong, *more, cwd=tmp_path)
        assert (refused.returncode, says in refused.stderr) == (2, True), refused.stderr
        assert "1/1" not in refused.stderr
        assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before


@pytest.fixture
def littlego() -> Callable[..., str]:
    def run(*words: object) -> str:
        result = CliRunner().invoke(assembled(), [str(word) for word in words])
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    return run


@pytest.mark.process
def test_one_total_for_two_agents(tmp_path: Path, course: Path, littlego: Callable[..., str]) -> None:
    python_agent(tmp_path / "ada" / "stage1", QUICK)
    python_agent(tmp_path / "ada" / "stage2", "def choose(:\n")
    grade = ("grade", tmp_path / "ada", "--edition", course, "--out", tmp_path / "out", "--stage", "all", "--json")
    report = json.loads(littlego(*grade))
    first, second = report["repeats"][0]["batches"]
    assert (first["points"], first["opponents"][0]["forfeits"]) == (80, 2)
    assert "SyntaxError" in second["problem"], "a broken agent costs its own stage only"
    assert (second["points"], report["points"], report["complete"], report["problem"]) == (0, 80, True, "")
    assert "Its agent cannot be run" in littlego(*grade[:-1])


@pytest.mark.process
def test_from_a_class_to_the_competition(tmp_path: Path, course: Path, littlego: Callable[..., str]) -> None:
    python_agent(tmp_path / "class" / "ada" / "stage1", QUICK)
    python_agent(tmp_path / "class" / "ada" / "stage2", PASSES)
    python_agent(tmp_path / "class" / "bob", QUICK)
    (tmp_path / "class" / "cleo").mkdir()
    (tmp_path / "late.csv").write_text("student,days\nbob,2\n")
    grade = (
        "grade-class",
        tmp_path / "class",
        "--edition",
        course,
        "--out",
        tmp_path / "grades",
        "--json",
        "--python",
        sys.executable,
    )
    both = json.loads(littlego(*grade, "--stage", "all", "--late", tmp_path / "late.csv"))
    table = {
        line["student"]: line for line in csv.DictReader((tmp_path / "grades/class.csv").open(encoding="utf-8-sig"))
    }
    assert [(table[name]["late_days"], table[name]["earned"], table[name]["points"]) for name in table] == [
        ("0", "100.0", "100.0"), ("2", "100.0", "50.0"), ("0", "0.0", "0.0")
    ]  # fmt: skip
    assert "2 (100)" in (tmp_path / "grades/class.html").read_text()
    rows = {row["student"]: (row["points"], row["status"]) for row in both["rows"]}
    assert rows == {"ada": (100, "graded"), "bob": (50, "graded"), "cleo": (0, "no agent")}
    cup = tmp_path / "cup"
    littlego("tournament", "new", cup, "--format", "course2019", "--grades", tmp_path / "grades", "--games", 1)
    plan = read_plan(cup)
    assert (plan.python, plan.edition) == (sys.executable, "two-stages"), "as the class was graded"
    given = pseudonyms(["ada", "bob"], tmp_path / "grades")
    names = {student: name.replace(" ", "-") for student, name in given.items()}
    with Tournament(cup) as made:
        points = {player.name: player.stage1 for player in made.participants}
        spelling = {player.name: player.player for player in made.participants}
    assert points == {names["ada"]: 80, names["bob"]: 40}, "standings are public"
    assert list(points) == sorted(points), "not in the order of names"
    assert Path(spelling[names["ada"]]).name == "stage2", "the competition is the second stage"
    first = json.loads(littlego(*grade, "--stage", "1", "--late", tmp_path / "late.csv"))
    assert [row["points"] for row in first["rows"]] == [80, 40, 0]
