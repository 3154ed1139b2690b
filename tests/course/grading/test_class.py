"""A class graded for real, on a small scheme: a row for everyone, whatever they handed in."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import zipfile
from dataclasses import asdict, replace
from functools import partial
from html import escape
from pathlib import Path
from urllib.parse import unquote

import pytest

from littlego.apps.cli.grade import grade_class
from littlego.arena.pool import LocalPool
from littlego.arena.tournament.summary import Place
from littlego.core.errors import UsageError
from littlego.course.contests import extra_points
from littlego.course.edition import Band, Batch, Rubric, Scheme, shipped_edition
from littlego.course.grading.cohort import report as class_report
from littlego.course.grading.cohort import run as class_run
from littlego.course.grading.cohort.report import ClassReport, write_class_report
from littlego.course.grading.cohort.rows import Row, SubmissionStatus, pseudonyms
from littlego.course.grading.cohort.run import ClassTerms, SubmissionProgress, grade_submissions, try_submissions
from littlego.course.grading.cohort.submissions import find_submissions
from littlego.course.grading.run import open_grading
from littlego.course.starter import write_kit
from littlego.formats.toml import RulesTable
from littlego.sandbox.limits import Limits
from tests.arena.agents import CLASS_2019, CPP, GOOD, JAVA, PASSES, python_agent

pytestmark = pytest.mark.process

QUICK = "raise ValueError"
"""Forfeits at its first move, so that its games take a moment."""

HOSTILE = "zed <script>alert(1)[red]"
BANDS = (Band(90, 10, times_rate=False), Band(70, 8), Band(0, 5))


def small(games_per_colour: int = 1, opponents: tuple[str, ...] = ("random",)) -> ClassTerms:
    batch = Batch("1", "Stage 1", tuple(Rubric(name, BANDS) for name in opponents), games_per_colour, 1000)
    limits = Limits(cpu_seconds=2, wall_seconds=20)
    board = RulesTable(length=10)  # every move starts a program
    return ClassTerms(replace(shipped_edition("2024"), board=board, scheme=Scheme((batch,)), limits=limits))


def zipped(path: Path, files: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, textwrap.dedent(text))
    return path


def rows_of(folder: Path, out: Path, settings: ClassTerms, *, jobs: int = 1) -> dict[str, Row]:
    rows: dict[str, Row] = {}

    def keep(progress: SubmissionProgress) -> None:
        if progress.row:
            rows[progress.row.student] = progress.row

    with LocalPool(jobs) as pool:
        grade_submissions(find_submissions(folder)[0], out, settings, pool, on_progress=keep)
    return rows


@pytest.fixture
def varied(tmp_path: Path) -> Path:
    """Eight that can play, three that are broken, one that is hostile."""
    folder = tmp_path / "group 1"
    python_agent(folder / "python", GOOD)
    python_agent(folder / "class", CLASS_2019, "my_player.py")
    python_agent(folder / "cpp", CPP, "my_player.cpp")
    python_agent(folder / "java", JAVA, "my_player.java")
    write_kit(folder / "kit")
    python_agent(folder / "helper", "import json, helper\nhelper.play(json.load(open('weights.json')))\n")
    python_agent(folder / "helper", f"def play(weights):\n    {PASSES}\n", "helper.py")
    (folder / "helper" / "weights.json").write_text("{}")
    zipped(folder / "zipped.zip", {"homework/my_player3.py": GOOD, "__MACOSX/homework/._my_player3.py": "x"})
    zipped(folder / "in a folder" / "all.zip", {"my_player3.py": PASSES})
    (folder / "no file").mkdir()
    (folder / "no file" / "My_Player3.py").write_text("print()")
    python_agent(folder / "compile error", "int main( {", "my_player.cpp")
    python_agent(folder / "crash", "import sys\nsys.exit('</pre><script>alert(2)</script>\\x1b[2J')\n")
    python_agent(
        folder / HOSTILE,
        "import os\nfor _ in range(300):\n    os.fork()\nopen('output.txt', 'w').write('2,2')\nwhile True: pass\n",
    )
    (folder / "notes.txt").write_text("not a submission")
    return folder


def test_twelve_varied_submissions_in_one_command(
    varied: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    with LocalPool(2) as pool:
        grade_class(varied, small(), pool, out=out, json=False)
    captured = capfd.readouterr()
    assert "left out: notes.txt" in captured.err
    rows = {row["student"]: row for row in json.loads((out / "class.json").read_text())["rows"]}
    assert {name: row["status"] for name, row in rows.items()} == {
        **dict.fromkeys(
            ["class", "cpp", "crash", "helper", "in a folder", "java", "kit", "python", HOSTILE, "zipped"], "graded"
        ),
        "compile error": "not built",
        "no file": "no agent",
    }
    assert all(name in captured.out for name in rows)
    assert {name for name, row in rows.items() if row["forfeits"]} == {"crash", HOSTILE}
    assert "rename it" in rows["no file"]["problem"]
    assert "2 of 2 games were forfeited" in rows["crash"]["problem"]
    assert all(row["games"] == 2 for row in rows.values() if row["status"] == "graded")
    _check_files(out, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_run, "open_grading", None)
        again = rows_of(varied, out, small())
    assert len(again) == 12, "nothing is built or played again"
    for name, row in again.items():
        if not rows[name]["forfeits"]:  # those are looked at again
            kept = json.loads(json.dumps(asdict(row)))
            assert kept | {"report": rows[name]["report"]} == rows[name], "a row is read from its report"


def _check_files(out: Path, rows: dict[str, dict[str, str]]) -> None:
    with (out / "class.csv").open(newline="", encoding="utf-8-sig") as file:
        lines = {line["student"]: line for line in csv.DictReader(file)}
    assert lines.keys() == rows.keys()
    reports = [out / "students" / row["slug"] / "report.html" for row in rows.values()]
    pages = [out / "class.html", *reports]
    for page in pages:
        text = page.read_text()
        assert "<script>alert" not in text
        assert "\x1b" not in text
    assert "alice" not in (out / "class.html").read_text()
    links = re.findall(r'href="(students/[^"#]+)#(game-\d+)"', (out / "class.html").read_text())
    slugs = {rows[name]["slug"] for name, line in lines.items() if line["main_forfeit"]}
    assert {unquote(page_path).split("/")[1] for page_path, _ in links} == slugs, "every cause of forfeits has one"
    for page_path, anchor in links:
        assert f'id="{anchor}"' in (out / unquote(page_path)).read_text(), "which opens its board"
    for title in ("Forfeits", "Slowest move", ">Submissions<"):
        assert title in (out / "class.html").read_text()
    assert lines["crash"]["main_forfeit"].startswith("it crashed: </pre>")
    example = rows["crash"]["example"].splitlines()[0]
    assert example.startswith("Game") and escape(example) in (out / "class.html").read_text()
    for name in ("leaderboard.csv", "leaderboard.html"):
        text = (out / name).read_text()
        assert not any(student in text for student in rows if student not in ("class", "python", "kit", "cpp", "java"))
        assert all(line["pseudonym"] in text for line in lines.values())
        assert "students/" not in text
    assert (out / "pseudonyms.json").stat().st_mode & 0o777 == 0o600


KILLED = """
import sys
from pathlib import Path
from tests.course.grading.test_class import small
from littlego.arena.pool import LocalPool
from littlego.course.grading.cohort.run import grade_submissions
from littlego.course.grading.cohort.submissions import find_submissions
folder, out = map(Path, sys.argv[1:])
with LocalPool(1) as pool:
    submissions, _ = find_submissions(folder)
    grade_submissions(submissions, out, small(3), pool, on_progress=lambda p: print(p.played, p.row, flush=True))
"""


@pytest.mark.siege
def test_a_run_that_was_killed_continues(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    for name in ("a", "b"):
        python_agent(folder / name, f"{QUICK}  # {name}")
    command = [sys.executable, "-c", KILLED, str(folder), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if line.startswith("2 "):
                process.send_signal(signal.SIGKILL)
                break
    again = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout.splitlines()
    assert int(again[0].split()[0]) >= 2, "what was played is not played again"
    rows = rows_of(folder, out, small(3))
    assert {name: (row.status, row.games) for name, row in rows.items()} == dict.fromkeys(
        "ab", (SubmissionStatus.GRADED, 6)
    )


def test_a_failure_of_ours_is_reported_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    for name in ("a", "b"):
        python_agent(folder / name, QUICK)
    whole = open_grading

    def fails_for_a(entrant: object, plan: object, *, below: Path, title: str) -> object:
        if below.name == "a":
            raise RuntimeError("the disk is full")
        return whole(entrant, plan, below=below, title=title)  # type: ignore[arg-type]  # passed through

    monkeypatch.setattr(class_run, "open_grading", fails_for_a)
    rows = rows_of(folder, out, small(), jobs=2)
    assert rows["a"].status is SubmissionStatus.FAILED
    assert rows["a"].points is None
    assert "the disk is full" in rows["a"].problem
    assert rows["b"].status is SubmissionStatus.GRADED
    monkeypatch.undo()
    assert rows_of(folder, out, small())["a"].status is SubmissionStatus.GRADED


def test_games_that_fail_leave_a_row_that_is_not_final(tmp_path: Path) -> None:
    python_agent(tmp_path / "class" / "a", PASSES)
    row = rows_of(tmp_path / "class", tmp_path / "out", small(opponents=("nobody",)))["a"]
    assert row.status is SubmissionStatus.UNFINISHED
    assert "nobody" in row.problem


def test_games_that_fail_leave_the_report_of_before(tmp_path: Path) -> None:
    python_agent(tmp_path / "class" / "a", PASSES)
    graded = rows_of(tmp_path / "class", tmp_path / "out", small())["a"]
    before = (tmp_path / "out" / graded.page).read_text()
    row = rows_of(tmp_path / "class", tmp_path / "out", small(opponents=("nobody",)))["a"]
    assert (row.status, row.points) == (SubmissionStatus.UNFINISHED, None)
    assert (tmp_path / "out" / graded.page).read_text() == before
    assert [each.points for each in row.earlier] == [graded.points]


def test_games_that_are_played_again_are_told_of(tmp_path: Path) -> None:
    """A worker that is killed again and again must not look like a slow class."""
    python_agent(tmp_path / "class" / "ada", PASSES)
    submissions, _ = find_submissions(tmp_path / "class")
    remarks: list[str] = []
    with LocalPool(1) as pool:
        grade_submissions(
            submissions, tmp_path / "out", small(opponents=("nobody",)), pool,
            on_progress=lambda progress: remarks.append(progress.remark),
        )  # fmt: skip
    assert any(remark.startswith("A game of ada is void because of an error on our side") for remark in remarks)


def test_new_files_are_graded_anew(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    python_agent(folder / "a", QUICK)
    before = rows_of(folder, out, small())["a"]
    python_agent(folder / "a", "raise KeyError")
    after = rows_of(folder, out, small())["a"]
    assert "ValueError" in before.problem
    assert "KeyError" in after.problem
    shutil.rmtree(folder / "a")
    (folder / "a").mkdir()
    assert rows_of(folder, out, small())["a"].status is SubmissionStatus.NO_AGENT


def test_two_commands_do_not_grade_one_class_at_once(tmp_path: Path) -> None:
    python_agent(tmp_path / "class" / "a", QUICK)
    submissions, _ = find_submissions(tmp_path / "class")

    def second(_progress: SubmissionProgress) -> None:
        with pytest.raises(UsageError, match="another command is grading this class"):
            grade_submissions(submissions, tmp_path / "out", small(), pool)

    with LocalPool(1) as pool:
        grade_submissions(submissions, tmp_path / "out", small(), pool, on_progress=second)


def test_stopping_loses_nothing(tmp_path: Path) -> None:
    python_agent(tmp_path / "class" / "a", QUICK)
    submissions, _ = find_submissions(tmp_path / "class")

    def stop(progress: SubmissionProgress) -> None:
        if progress.played == 2:
            raise KeyboardInterrupt

    played: list[int] = []
    with LocalPool(1) as pool:
        with pytest.raises(KeyboardInterrupt):
            grade_submissions(submissions, tmp_path / "out", small(3), pool, on_progress=stop)
        grade_submissions(
            submissions, tmp_path / "out", small(3), pool, on_progress=lambda progress: played.append(progress.played)
        )
    assert played[0] >= 2


def test_rows_of_other_terms_are_not_shown_as_current(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ann", "bob"):
        python_agent(tmp_path / "class" / name, 'open("output.txt", "w").write("PASS\\nmore")')
    grade = partial(grade_class, tmp_path / "class", out=tmp_path / "out", json=True)
    strict = replace(small(), limits=replace(small().edition.limits, strict=True))
    with LocalPool(1) as pool:
        grade(small(), pool)
        capsys.readouterr()
        grade(strict, pool, only=["ann"])
    ann, bob = json.loads(capsys.readouterr().out)["rows"]
    assert (ann["status"], ann["forfeits"]) == ("graded", 2)
    assert (bob["status"], bob["points"]) == ("unfinished", None)


def test_the_files_of_a_class(tmp_path: Path) -> None:
    rows = (
        Row("=cmd()", "cmd", SubmissionStatus.GRADED, points=5.0, max_points=10.0, digest="d"),
        Row("bo", "bo", SubmissionStatus.GRADED, points=5.0, max_points=10.0, digest="d"),
        Row("cy", "cy", SubmissionStatus.GRADED, points=10.0, max_points=10.0),
        Row("di", "di", SubmissionStatus.UNFINISHED),
    )
    report = ClassReport("class", small(), rows)
    assert [(rank, row.student) for rank, row in report.ranked()] == [(1, "cy"), (2, "=cmd()"), (2, "bo"), (None, "di")]
    write_class_report(report, tmp_path)
    assert "\n'=cmd()," in (tmp_path / "class.csv").read_text().replace("\r", ""), "no formula in a spreadsheet"
    page = (tmp_path / "class.html").read_text()
    assert "Identical: =cmd() = bo." in page, "the same files"
    by_points = [int(count) for count in re.findall(r"\d to \d+</th><td[^>]*>(\d+)<", page)]
    assert by_points == [0, 0, 0, 0, 0, 2, 0, 0, 0, 1], "in tenths of the most that there is, which is in the last"
    board = list(csv.DictReader((tmp_path / "leaderboard.csv").open(newline="", encoding="utf-8-sig")))
    assert [line["rank"] for line in board] == ["1", "2", "2", ""]
    assert board[1]["name"] < board[2]["name"], "equals by pseudonym: the order of names would tell who is who"


def test_points_above_the_maximum_are_kept_and_remarked_on() -> None:
    rows = (
        Row("ada", "ada", SubmissionStatus.GRADED, points=75.0, max_points=75.0),
        Row("cleo", "cleo", SubmissionStatus.GRADED, points=1075.0, max_points=75.0, by_hand=1000.0),
    )
    assert ClassReport("class", small(), rows).attention() == ["More points than the maximum: cleo (1075 of 75)."]


def test_the_leaderboard_has_a_date_and_says_who_has_risen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From Monday to Monday: within a day nobody moves."""

    def board(day: str, **points: float) -> dict[str, str]:
        monkeypatch.setattr(class_report, "now", lambda: f"{day} 09:00+00:00")
        rows = tuple(
            Row(name, name, SubmissionStatus.GRADED, points=each, max_points=10.0) for name, each in points.items()
        )
        write_class_report(ClassReport("class", small(), rows), tmp_path)
        assert f"Leaderboard of {day}" in (tmp_path / "leaderboard.html").read_text()
        names = pseudonyms(points, tmp_path)
        lines = csv.DictReader((tmp_path / "leaderboard.csv").open(newline="", encoding="utf-8-sig"))
        changes = {line["name"]: line["change"] for line in lines}
        return {student: changes[names[student]] for student in points}

    assert board("2025-11-03", ann=3, bo=2, cy=1) == {"ann": "", "bo": "", "cy": ""}
    assert board("2025-11-03", ann=3, bo=2, cy=9) == {"ann": "", "bo": "", "cy": ""}
    assert board("2025-11-10", ann=3, bo=2, cy=1, di=5) == {"ann": "0", "bo": "0", "cy": "-3", "di": "new"}
    assert board("2025-11-10", ann=3, bo=9, cy=1, di=5) == {"ann": "-1", "bo": "2", "cy": "-3", "di": "new"}
    page = (tmp_path / "leaderboard.html").read_text()
    assert "▲2" in page
    assert "▼1" in page
    assert sorted(path.name for path in (tmp_path / "leaderboards").iterdir()) == ["2025-11-03.csv", "2025-11-10.csv"]


def test_ranks_of_a_competition_are_extra_points(tmp_path: Path) -> None:
    students = ["Day, Ann", "Bo"]
    called = pseudonyms(students, tmp_path)["Day, Ann"].replace(" ", "-")
    first = Place(1, called, 20, 2, 0, 0, 12)
    places = [first, Place(3, "Bo", 15, 0, 2, 0, 9), Place(0, "ta", 0, 1, 1, 0, 11)]
    assert extra_points(places, students, tmp_path) == {
        "Day, Ann": (20.0, "rank 1 in the competition"),
        "Bo": (15.0, "rank 3 in the competition"),
    }
    with pytest.raises(UsageError, match="undecided"):
        extra_points([replace(first, matches_open=1)], students, tmp_path)


def test_a_package_that_only_this_machine_lacks_costs_nobody_points(tmp_path: Path) -> None:
    """The course has it: a 0 would have been final, and nobody would have been told."""
    folder, out = tmp_path / "class", tmp_path / "out"
    python_agent(folder / "needs", f"import course_only\n{PASSES}")
    python_agent(folder / "would-like", f"try:\n    import course_only\nexcept ImportError:\n    pass\n{PASSES}")
    python_agent(folder / "own-fault", f"import nowhere_at_all\n{PASSES}")
    terms = small()
    terms = replace(terms, edition=replace(terms.edition, packages=("course_only",)))
    rows = rows_of(folder, out, terms)
    assert rows["needs"].status is SubmissionStatus.FAILED and rows["needs"].points is None
    assert "it imports course_only, which the course has but Python" in rows["needs"].problem
    assert "--python" in rows["needs"].problem
    assert rows["would-like"].status is SubmissionStatus.GRADED and not rows["would-like"].forfeits
    assert rows["own-fault"].status is SubmissionStatus.GRADED and rows["own-fault"].forfeits
    (trial, *_) = (each for each in try_submissions(find_submissions(folder)[0], terms) if each.student == "needs")
    assert not trial.runs and trial.problem.startswith("this machine cannot run it: it imports course_only")


def test_a_package_that_the_edition_names_later_ends_an_old_zero(tmp_path: Path) -> None:
    folder, out, terms = tmp_path / "class", tmp_path / "out", small()
    python_agent(folder / "needs", f"import course_only\n{PASSES}")
    assert rows_of(folder, out, terms)["needs"].points == 0
    again = replace(terms, edition=replace(terms.edition, packages=("course_only",)))
    failed = rows_of(folder, out, again)["needs"]
    assert failed.status is SubmissionStatus.FAILED
    assert re.search(r"\(its 0 points of [^ ]+ [^ ]+ were graded with Python 3[.\d]+\)$", failed.problem)
    assert [each.points for each in failed.earlier] == [0], "the table keeps what it got before"
    assert rows_of(folder, out, terms)["needs"].points == 0, "from the games of then"
