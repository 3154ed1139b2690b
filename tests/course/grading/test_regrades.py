"""Before and after the grade: a dry run, one submission alone, and the old grade beside the new one."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

from littlego.apps.cli.grade import grade_class, try_class
from littlego.arena.pool import InProcess
from littlego.core.errors import UsageError
from littlego.course.failures import essence
from littlego.course.grading.cohort.roster import Papers
from tests.arena.agents import OCCUPIED, PASSES, python_agent
from tests.course.grading.test_class import small

pytestmark = pytest.mark.process


def rows_of(out: Path) -> dict[str, Any]:
    return {row["student"]: row for row in json.loads((out / "class.json").read_text())["rows"]}


def test_a_dry_run_names_those_that_do_not_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "class"
    python_agent(folder / "ada", PASSES)
    python_agent(folder / "ben", "def f(:\n    pass\n")
    python_agent(folder / "cy", "import sys\nraise ValueError('too bad')\n")
    (folder / "dan").mkdir()
    with pytest.raises(BaseException) as ended:
        try_class(folder, small(), Papers(), jobs=1, json=True)
    assert getattr(ended.value, "exit_code", None) == 1
    trials = {trial["student"]: trial for trial in json.loads(capfd.readouterr().out)}
    assert {name: trial["runs"] for name, trial in trials.items()} == {
        "ada": True, "ben": False, "cy": False, "dan": False,
    }  # fmt: skip
    for name, words in (
        ("ben", r"(?s)it could not be built: .*SyntaxError"),
        ("cy", "it does not get through its first move: .*ValueError: too bad"),
        ("dan", "no agent here"),
    ):
        assert re.search(words, trials[name]["problem"])
    assert "Python" in trials["ada"]["runtime"]


def test_one_that_does_not_run_is_spoken_of_as_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class" / "dan").mkdir(parents=True)
    with pytest.raises(BaseException, match="1"):
        try_class(tmp_path / "class", small(), Papers(), jobs=1)
    assert "1 of 1 submission does not run as it is.\n" in capfd.readouterr().out


def test_the_old_grade_stays_beside_the_new_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    python_agent(folder / "ada", PASSES)
    python_agent(folder / "ben", OCCUPIED)
    grade_class(folder, small(), InProcess(), out=out, json=False)
    before = (out / "students" / "ben" / "report.html").read_text()
    python_agent(folder / "ada", PASSES + "  # new")
    python_agent(folder / "ben", PASSES + "  # mended")
    grade_class(folder, small(), InProcess(), out=out, only=["ben"], json=False)
    rows = rows_of(out)
    assert rows["ada"]["status"] == rows["ben"]["status"] == "graded"
    assert rows["ada"]["earlier"] == [], "only ben was graded again"
    (earlier,) = rows["ben"]["earlier"]
    assert rows["ben"]["forfeits"] == 0
    assert (out / earlier["page"]).read_text() == before
    with (out / "class.csv").open(newline="", encoding="utf-8-sig") as file:
        lines = {line["student"]: line for line in csv.DictReader(file)}
    assert lines["ben"]["earlier_points"].startswith("0 (")
    assert lines["ben"]["graded"]
    assert earlier["digest"] in (out / "students" / "ben" / "report.html").read_text()
    (tmp_path / "roster.csv").write_text('Student,ID\n"B, Ben",ben\n')
    grade_class(folder, small(), InProcess(), Papers(tmp_path / "roster.csv"), out=out, only=["ada"])
    ben = rows_of(out)["B, Ben"]
    (earlier,) = ben["earlier"]
    assert (out / ben["report"]).exists() and (out / ben["page"]).exists(), "read again, not written again"
    assert (out / earlier["page"]).read_text() == before, "the link follows the directory, which has a new name"
    capfd.readouterr()
    (folder / "ben").rename(folder / "benjamin")
    with pytest.raises(UsageError, match="no submission is called 'ben'"):
        grade_class(folder, small(), InProcess(), out=out, only=["ben"], json=False)
    grade_class(folder, small(), InProcess(), out=out, only=["ada"], json=False)
    assert "Reports of submissions that are gone" in capfd.readouterr().err


def test_grading_one_alone_keeps_why_another_could_not_be_graded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    python_agent(folder / "ada", f"import course_only\n{PASSES}")
    python_agent(folder / "ben", OCCUPIED)
    grade_class(folder, small(), InProcess(), out=out, json=False)
    terms = replace(small(), edition=replace(small().edition, packages=("course_only",)))
    with pytest.raises(typer.Exit):
        grade_class(folder, terms, InProcess(), out=out, json=False)
    python_agent(folder / "ben", PASSES)
    (tmp_path / "roster.csv").write_text("Student,ID\nada,1\nben,2\n")
    grade_class(folder, terms, InProcess(), Papers(tmp_path / "roster.csv"), out=out, only=["ben"])
    assert "Before you import it: 1 submission without points yet." in capfd.readouterr().err
    left_out = rows_of(out)["ada"]
    assert (left_out["status"], left_out["points"]) == ("failed", None)
    assert "it imports course_only, which the course has" in left_out["problem"]
    assert [each["points"] for each in left_out["earlier"]] == [0], "what it got before stays in the table"
    assert "it imports course_only" in (out / "class.html").read_text()
    python_agent(folder / "ada", PASSES)
    grade_class(folder, terms, InProcess(), out=out, only=["ada"], json=False)
    grade_class(folder, terms, InProcess(), out=out, only=["ben"], json=False)
    assert rows_of(out)["ada"]["status"] == "graded"


def test_the_exception_is_never_cut() -> None:
    trace = "it failed\n" + "  | some line\n  |  ^^^^^^^\n" * 60 + "  | AttributeError: no such thing"
    short = essence(trace, 160)
    assert len(short) <= 160
    assert short.endswith("AttributeError: no such thing")
    assert "^" not in short
    hinted = (
        'it builds\nTraceback\n  File "/x/my_player3.py", line 108\nSyntaxError: invalid syntax\n' + "compiled " * 30
    )
    assert essence(hinted, 160).endswith(" ... my_player3.py, line 108: SyntaxError: invalid syntax")
    joined = f'{"it ended " * 30}[File "a.py", line 1, in <module>] [ImportError: no numpy]'
    assert essence(joined, 160).endswith(" ... a.py, line 1: ImportError: no numpy")
    assert essence("begin " * 30 + "end", 40).endswith("begin end")
