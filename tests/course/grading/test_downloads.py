"""A class of twelve, as each of three course systems hands it out, goes in; the list to import comes back out."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.building import MAX_AGENT_FILES
from littlego.course.edition import find_edition
from littlego.course.grading.cohort.roster import Papers, counting, read_class, read_roster
from littlego.course.grading.cohort.rows import FILE, pseudonyms
from littlego.course.grading.cohort.submissions import find_submissions, open_submission, read_gradescope
from tests.command import in_this_process
from tests.course.grading import downloads

COURSE = """
name = "tiny"
[rules]
size = 3
[late]
days = 5
percent_per_day = 20
[[stages]]
key = "1"
games = 2
budget_seconds = 100
[[stages.opponents]]
player = "random"
lines = [ { from = 0, points = 15 } ]
"""


def graded(tmp_path: Path, download: Path, roster: Path, *more: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    (tmp_path / "tiny.toml").write_text(COURSE)
    words = [
        "grade-class",
        download,
        "--edition",
        tmp_path / "tiny.toml",
        "--roster",
        roster,
        "--out",
        tmp_path / "out",
    ]
    done = in_this_process(*map(str, words), "--jobs", "2", *more)
    return done, tmp_path / "out"


def rows_of(out: Path) -> dict[str, dict[str, Any]]:
    return {row["student"]: row for row in json.loads((out / "class.json").read_text())["rows"]}


def table(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.reader(file))


@pytest.mark.process
def test_canvas_in_and_out(tmp_path: Path) -> None:
    download, roster = downloads.canvas(tmp_path)
    (tmp_path / "late.csv").write_text('"Easton, Eve",1\n')
    (tmp_path / "adjust.csv").write_text('student,points,note\n"Fox, Flo",-2,no comments\n111,3.5,by agreement\n')
    more = ("--late", str(tmp_path / "late.csv"), "--adjust", str(tmp_path / "adjust.csv"))
    done, out = graded(tmp_path, download, roster, *more)
    assert done.returncode == 0, done.stderr
    rows = rows_of(out)
    assert list(rows) == [f"{last}, {first}" for last, first in downloads._STUDENTS[:11]]
    assert {name: row["status"] for name, row in rows.items() if row["status"] != "graded"} == {"Kent, Kim": "no agent"}
    lines = table(out / "canvas.csv")
    assert lines[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "HW2 (998877)"], "its own column"
    assert lines[1] == ["    Points Possible", "", "", "", "", "15"]
    assert {line[0]: line[-1] for line in lines[2:]} == {
        **{f"{last}, {first}": "15" for last, first in downloads._STUDENTS},
        "Easton, Eve": "12", "Fox, Flo": "13", "Kent, Kim": "3.5", "Lee, Lou": "",
    }  # fmt: skip
    assert "Student, Test" not in (out / "canvas.csv").read_text()
    assert done.stderr.splitlines()[-3:] == [
        "Do not run, or forfeit half their games: Absent, Zoë; Bit, Ben; Crane, Cy; Day, Dan; Easton, Eve and 6 more.",
        "Identical: Bit, Ben = Crane, Cy = Day, Dan = Easton, Eve = Fox, Flo and 3 more.",
        "Without a submission: Lee, Lou.",
    ]
    page = (out / "class.html").read_text()
    assert "Fox, Flo = Gale, Gus = Horn, Hal = Iverson, Ivy." in page, "nobody is left out"
    assert "Kent, Kim: 3.5 of 15, no agent: no agent here" in done.stderr
    for file in [*out.glob("*.html"), *out.glob("students/*/report.html")]:
        text = re.sub(r"littlego replay [^<]*", "", file.read_text())
        assert not re.search(r"_555\d\d|LATE", text), f"{file}: people have names"
    flo = (out / "students" / rows["Fox, Flo"]["slug"] / "report.html").read_text()
    assert "Grade of Fox, Flo" in flo and "by hand -2: no comments" in flo
    results = json.loads((out / "students" / rows["Fox, Flo"]["slug"] / "results.json").read_text())
    assert results["score"] == 13
    alone, _ = graded(tmp_path, download, roster, *more, "--only", "Easton, Eve", "--json")
    assert alone.returncode == 0, alone.stderr
    assert {name: row["status"] for name, row in rows_of(out).items()} == {
        name: row["status"] for name, row in rows.items()
    }


@pytest.mark.process
def test_moodle_in_and_out(tmp_path: Path) -> None:
    download, roster = downloads.moodle(tmp_path)
    done, out = graded(tmp_path, download, roster)
    assert done.returncode == 0, done.stderr
    assert "Late: Eve Easton (2 days); Flo Fox (1 day)." in done.stderr
    assert "Resubmitted" not in done.stderr, "what is typed beside a file is no other submission"
    head, *lines = table(out / "moodle.csv")
    grade, feedback = head.index("Grade"), head.index("Feedback comments")
    assert {line[1]: line[grade] for line in lines} == {
        **{f"{first} {last}": "15" for last, first in downloads._STUDENTS},
        "Eve Easton": "9", "Flo Fox": "12", "Lou Lee": "",
    }  # fmt: skip
    assert lines[0][feedback].startswith("random 0 of 2, 15 points - 2 of 2 games were forfeited")
    assert [line[:4] for line in lines] == [line[:4] for line in table(roster)[1:]], "nothing else has changed"


@pytest.mark.process
def test_gradescope_in_and_out(tmp_path: Path) -> None:
    download, roster = downloads.gradescope(tmp_path)
    done, out = graded(tmp_path, download, roster, "--due", "2025-11-01 12:00+00:00")
    assert done.returncode == 0, done.stderr
    rows = rows_of(out)
    assert "Hal Horn and Ivy Iverson" in rows and "Tea Cher" not in rows
    assert rows["Eve Easton"]["late_days"] == 1
    head, *lines = table(out / "gradescope.csv")
    assert head[-2:] == ["Little-Go tiny stage 1", "Little-Go tiny stage 1 - Max Points"]
    assert {f"{line[0]} {line[1]}": line[-2] for line in lines} == {
        **{f"{first} {last}": "15" for last, first in downloads._STUDENTS},
        "Eve Easton": "12", "Kim Kent": "", "Lou Lee": "",
    }  # fmt: skip
    assert "Without a submission: Kim Kent; Lou Lee." in done.stderr


def test_single_files_have_the_names_that_their_authors_gave(tmp_path: Path) -> None:
    download, roster = downloads.canvas(tmp_path)
    handed_in = read_class(download, tmp_path / "place", Papers(roster))
    zoe = handed_in.counted.named("Absent, Zoë", "--only")
    opened = open_submission(zoe, tmp_path / "opened", python=None, edition=find_edition())
    assert sorted(path.name for path in opened.only().path.iterdir()) == ["book.txt", "my_player3.py"]
    (tmp_path / "flat").mkdir()
    for name in ("ada_my_player3.py", "ada_my_player3-2.py", "bob-my_player11.cpp", "readme.txt"):
        (tmp_path / "flat" / name).write_text("")
    found, ignored = find_submissions(tmp_path / "flat")
    assert [(each.student, [own for own, _ in each.files]) for each in found] == [
        ("ada", ["my_player3.py"]),
        ("bob", ["my_player11.cpp"]),
    ]
    assert found[0].files[0][1].name == "ada_my_player3-2.py", "the later one"
    assert ignored == ["readme.txt"]


def test_a_helper_that_the_program_names_as_it_is_keeps_its_name(tmp_path: Path) -> None:
    for name, text in (
        ("my_player3-1.py", "open('model-1.txt')"),
        ("model-1.txt", ""),
        ("book-1.txt", ""),
        ("v-7.txt", ""),
    ):
        (tmp_path / f"ada_1_{len(name)}_{name}").write_text(text)
    (ada,) = find_submissions(tmp_path)[0]
    assert sorted(own for own, _ in ada.files) == ["book.txt", "model-1.txt", "my_player3.py", "v-7.txt"]


@pytest.mark.parametrize("made", [downloads.canvas, downloads.moodle, downloads.gradescope])
def test_the_folder_and_the_zip_are_the_same_class(tmp_path: Path, made: Callable[[Path], tuple[Path, Path]]) -> None:
    download, roster = made(tmp_path)
    zipped = read_class(download, tmp_path / "place", Papers(roster))
    (unpacked,) = (tmp_path / "place").iterdir()
    inside = list(unpacked.iterdir())
    folder = inside[0] if len(inside) == 1 else unpacked
    again = read_class(folder, tmp_path / "other", Papers(roster))
    assert [(each.student, each.slug) for each in again.submissions] == [
        (each.student, each.slug) for each in zipped.submissions
    ]
    assert again.counted.missing == zipped.counted.missing and not zipped.counted.unknown


def test_without_a_roster_people_have_the_names_that_the_system_gave(tmp_path: Path) -> None:
    download, _ = downloads.canvas(tmp_path)
    names = [each.student for each in read_class(download, tmp_path / "place", Papers()).submissions]
    assert names[:5] == ["absentzoë", "bitben", "cranecy", "daydan", "eastoneve"]
    (tmp_path / "two").mkdir()
    for name in ("leeh_1_5_hw.zip", "leeh_2_6_hw.zip", "group-1.zip", "group-2.zip"):
        (tmp_path / "two" / name).write_bytes(b"")
    counted = counting(find_submissions(tmp_path / "two")[0], None)
    assert [each.student for each in counted.submissions] == ["group-1", "group-2", "leeh (1)", "leeh (2)"]


def test_a_resubmission_has_the_directory_of_its_student(tmp_path: Path) -> None:
    roster = tmp_path / "r.csv"
    roster.write_text('Student,ID\n"Day, Dan",104\n')
    slugs = []
    for name in ("daydan_104_1_hw.zip", "daydan_LATE_104_9_other.zip"):
        (tmp_path / name[:12]).mkdir()
        (tmp_path / name[:12] / name).write_bytes(b"")
        slugs += [
            each.slug for each in counting(find_submissions(tmp_path / name[:12])[0], read_roster(roster)).submissions
        ]
    assert slugs[0] == slugs[1]


def test_the_metadata_of_gradescope(tmp_path: Path) -> None:
    (tmp_path / "m.yml").write_text(
        '---\nsubmission_1:\n  :submitters:\n  - :name: "O\'Hara, Zoë"\n    :sid: \n    :email: zo@x.edu\n'
        "  :created_at: !ruby/object:ActiveSupport::TimeWithZone\n    utc: 2025-11-01 10:00:00.5 Z\n    zone: x\n"
    )
    (one,) = read_gradescope(tmp_path / "m.yml").values()
    assert (one.student, one.people) == ("O'Hara, Zoë", (("zo@x.edu",),))
    assert one.handed_in is not None and one.handed_in.isoformat() == "2025-11-01T10:00:00+00:00"
    (tmp_path / "m.yml").write_text("nothing: here\n")
    with pytest.raises(Exception, match="as Gradescope writes it"):
        read_gradescope(tmp_path / "m.yml")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ada,1\n", "line 1: expected student,points,note"),
        ("ada,1,\n", "line 1: expected student,points,note"),
        ("student,points,note\nada,many,x\n", "line 2: expected student,points,note with points from -9999 to 9999"),
        ("ada,1,x\nada,2,y\n", "line 2: 'ada' is there twice"),
        ("eve,1,x\n", "a.csv: line 1: no submission is called 'eve': there are Love, Ada"),
        ("adda,1,x\n", "a.csv: line 1: no submission is called 'adda': did you mean 'Love, Ada'?"),
        ('ada,1,x\n"Day, Dan",2,y\n', "a.csv: line 2: 'Day, Dan' is on the roster and has no submission: students"),
    ],
)
def test_adjustments_that_are_wrong(tmp_path: Path, text: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "r.csv").write_text('Student,ID,SIS Login ID\n"Love, Ada",101,ada\n"Day, Dan",102,dan\n')
    words = ("grade-class", "class", "--roster", "r.csv", "--adjust", "a.csv")
    monkeypatch.chdir(tmp_path)
    done = in_this_process(*words, "--dry-run")
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr


def test_a_time_that_counts_no_days_is_said_to(tmp_path: Path) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    words = ("grade-class", str(tmp_path / "class"), "--due", "2025-11-01 23:59", "--dry-run")
    assert "No submission says when it was handed in, so --due counts no days.\n" in in_this_process(*words).stderr


def test_the_column_that_is_filled(tmp_path: Path) -> None:
    download, roster = downloads.canvas(tmp_path)
    handed_in = read_class(download, tmp_path / "place", Papers(roster, column="HW1 (998876)"))
    done = handed_in.filled([], "Little-Go")
    assert done is not None and done.text.splitlines()[0].endswith(",HW1 (998876)")
    with pytest.raises(Exception, match="--column 'HW9': the roster has Student, ID"):
        read_class(download, tmp_path / "place", Papers(roster, column="HW9"))
    roster.write_text(roster.read_text().replace("HW1 (998876)", "HW1 (1)").replace(",90,,90", ",,,90"))
    done = read_class(download, tmp_path / "place", Papers(roster)).filled([], "Little-Go")
    assert done is not None and done.text.splitlines()[0].endswith(",Little-Go"), "two are empty: a new one"


def test_one_source_of_pseudonyms(tmp_path: Path) -> None:
    """The leaderboard, the tournament and the server's students must not be recognised by differing names."""
    from littlego.apps.web.cohort import enrol

    download, roster = downloads.canvas(tmp_path)
    handed_in = read_class(download, tmp_path / "place", Papers(roster))
    handed_in.share_pseudonyms(tmp_path / "out")
    given = pseudonyms([each.student for each in handed_in.submissions], tmp_path / "out")
    (tmp_path / "data").mkdir()
    students = {student.name: student.pseudonym for student in enrol(roster, tmp_path / "data").students}
    assert {name: students[name] for name in given} == given
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("command", ["check", "grade", "match"])
def test_a_class_is_not_taken_for_one_of_its_agents(tmp_path: Path, command: str) -> None:
    """One of twelve was graded for minutes, as `src`: it was the only one that was not packed."""
    (tmp_path / "sub" / "bitben" / "src").mkdir(parents=True)
    (tmp_path / "sub" / "bitben" / "src" / "my_player3.py").write_text(downloads.FORFEITS)
    for name in ("ada.zip", "cy.zip"):
        downloads._packed(tmp_path / "sub" / name, {"my_player3.py": downloads.FORFEITS})
    done = in_this_process(command, str(tmp_path / "sub"), *(["random"] if command == "match" else []))
    assert done.returncode == 2, done.stdout
    assert "more than one submission: bitben, ada.zip, cy.zip" in done.stderr
    assert "littlego grade-class" in done.stderr


@pytest.mark.parametrize("command", ["check", "grade", "match"])
@pytest.mark.parametrize("system", [downloads.canvas, downloads.moodle, downloads.gradescope])
def test_a_class_in_one_archive_leads_to_the_command_for_a_class(
    tmp_path: Path, command: str, system: Callable[[Path], tuple[Path, Path]]
) -> None:
    download, _ = system(tmp_path)
    done = in_this_process(command, str(download), *(["random"] if command == "match" else []))
    assert done.returncode == 2, done.stdout
    assert f"{download.name}: more than one " in done.stderr
    assert f"littlego grade-class {download}" in done.stderr


def test_a_large_class_in_one_archive_is_seen_before_it_is_unpacked(tmp_path: Path) -> None:
    files = {
        f"export/submission_{number}/{name}": "" for number in range(30) for name in ("my_player3.py", *"abcdefgh")
    }
    files |= {f"export/submission_1/{number}.txt": "" for number in range(MAX_AGENT_FILES)}
    download = downloads._packed(tmp_path / "class.zip", files)
    done = in_this_process("check", str(download))
    assert "class.zip: more than one submission: submission_0, " in done.stderr
    assert f"all of them: littlego grade-class {download} --dry-run" in done.stderr


@pytest.mark.process
def test_a_zip_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(COURSE)
    packed = downloads._packed(tmp_path / "bitben_102_55502_hw2.zip", {"src/my_player3.py": downloads.FORFEITS})
    words = ("grade", packed, "--edition", tmp_path / "tiny.toml", "--out", tmp_path / "out")
    done = in_this_process(*map(str, words), "--gradescope", str(tmp_path / "r.json"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("bitben_102_55502_hw2: 15 of 15 points")
    assert "unpacked-" not in done.stdout + done.stderr + (tmp_path / "r.json").read_text()
    assert json.loads((tmp_path / "r.json").read_text())["output"].startswith("bitben_102_55502_hw2: 15 of 15 points")
    empty = downloads._packed(tmp_path / "empty.zip", {"notes.md": ""})
    done = in_this_process("tournament", "new", str(tmp_path / "cup"), str(empty), "random")
    assert f"{empty}: no agent here" in done.stderr and "unpacked" not in done.stderr


@pytest.mark.process
def test_standings_show_no_more_than_a_login(tmp_path: Path) -> None:
    names = ("hornhal_LATE_108_55508_hw2", "joplinjo_110_55510_hw2")
    for name in names:
        downloads._packed(tmp_path / f"{name}.zip", {"my_player3.py": f"{downloads.FORFEITS}# {name}"})
    words = ["tournament", "new", tmp_path / "cup", *(tmp_path / f"{name}.zip" for name in names)]
    done = in_this_process(*map(str, words))
    assert "2 players: hornhal, joplinjo\n" in done.stdout, done.stderr


@pytest.mark.process
def test_known_work_is_named(tmp_path: Path) -> None:
    """Last year's solution, with other names, and what comes with Little-Go."""
    from littlego.arena.tournament import pairings
    from littlego.course.starter import export_agent, write_kit
    from tests.arena.agents import GOOD

    (tmp_path / "tiny.toml").write_text(COURSE)
    export_agent(tmp_path / "class" / "cleo")
    write_kit(tmp_path / "class" / "kim")
    own = Path(pairings.__file__).read_text()  # any program of some length
    for place, text in (("known/hans", own), ("class/dan", re.sub(r"\bgames\b", "spiele", own))):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "my_player3.py").write_text(f"{downloads.FORFEITS}{text}")
    (tmp_path / "class" / "eve").mkdir()
    (tmp_path / "class" / "eve" / "my_player3.py").write_text(GOOD)
    (tmp_path / "class" / "flo").mkdir()
    (tmp_path / "class" / "flo" / "my_player3.py").write_text(downloads.FORFEITS)  # too short to be like anything
    words = ["grade-class", tmp_path / "class", "--edition", tmp_path / "tiny.toml", "--out", tmp_path / "out"]
    done = in_this_process(*map(str, words), "--known", str(tmp_path / "known"))
    assert done.returncode == 0, done.stderr
    known = {pair["first"]: pair["second"] for pair in json.loads((tmp_path / "out/class.json").read_text())["known"]}
    assert known == {
        "cleo": "Little-Go's own agent", "dan": f"hans in {tmp_path / 'known'}", "kim": "a starter kit, unchanged"
    }  # fmt: skip
    assert done.stderr.splitlines()[-1].startswith("Like ")
    assert "Like Little-Go&#x27;s own agent: cleo (100%)." in (tmp_path / "out/class.html").read_text()
