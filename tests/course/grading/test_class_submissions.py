"""What students hand in, opened with care; and the names under which they are ranked."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from littlego.arena.building import MAX_AGENT_FILES
from littlego.core.errors import UsageError
from littlego.course import seats
from littlego.course.classes import ClassAgent
from littlego.course.edition import find_edition
from littlego.course.grading.cohort.rows import FILE, pseudonyms
from littlego.course.grading.cohort.submissions import Opened, find_submissions, open_submission
from tests.arena.agents import CLASS_2019, PASSES, python_agent


def opened(folder: Path, place: Path, student: str) -> Opened:
    submission = next(each for each in find_submissions(folder)[0] if each.student == student)
    return open_submission(submission, place, python=None, edition=find_edition())


def test_who_handed_in(tmp_path: Path) -> None:
    for name in ("Ann", "ann", "b b", "b_b", ".git", "littlego-grades", "é"):
        (tmp_path / name).mkdir()
    for name in ("Ann.zip", "carl.ZIP", "dora.tar.gz", "list.csv", ".DS_Store"):
        (tmp_path / name).touch()
    submissions, ignored = find_submissions(tmp_path)
    assert ignored == ["list.csv"]
    students = [each.student for each in submissions]
    assert sorted(students) == sorted(["Ann", "ann", "Ann.zip", "b b", "b_b", "carl", "dora.tar", "é"])
    slugs = [each.slug.casefold() for each in submissions]
    assert len(set(slugs)) == len(slugs)
    assert "carl" in slugs
    assert slugs == [each.slug.casefold() for each in find_submissions(tmp_path)[0]], "the same every time"


def test_a_submission_with_a_dot_before_its_name_is_pointed_out(tmp_path: Path) -> None:
    for name in ("ann", ".carl"):
        python_agent(tmp_path / name, PASSES)
    for name in (".dora.zip", "._ann.zip"):
        (tmp_path / name).touch()
    submissions, ignored = find_submissions(tmp_path)
    assert [each.student for each in submissions] == ["ann"]
    assert ignored == [".carl (its name begins with a dot)", ".dora.zip (its name begins with a dot)"]


def test_a_class_of_2019_with_another_name(tmp_path: Path) -> None:
    """It was taken for a program, and lost all 400 games for want of an output."""
    python_agent(tmp_path / "in" / "eve", CLASS_2019.replace("MyPlayer", "Player"), "my_player.py")
    (submission,) = find_submissions(tmp_path / "in")[0]
    with pytest.raises(UsageError, match="expected a class MyPlayer: it has Player"):
        open_submission(submission, tmp_path / "place", python=None, edition=find_edition("2019"))


def test_an_empty_folder_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a directory or a \.zip for each student"):
        find_submissions(tmp_path)
    with pytest.raises(UsageError, match="not a folder of submissions"):
        find_submissions(tmp_path / "nowhere")


def test_results_are_not_taken_for_submissions(tmp_path: Path) -> None:
    (tmp_path / "students" / "ada").mkdir(parents=True)
    (tmp_path / "class.json").write_text("{}")
    with pytest.raises(UsageError, match="holds the results of 'littlego grade-class': expected the submissions"):
        find_submissions(tmp_path)


def test_the_agent_is_found_where_students_put_it(tmp_path: Path) -> None:
    python_agent(tmp_path / "in" / "deep" / "homework" / "final", PASSES)
    python_agent(tmp_path / "in" / "class", CLASS_2019, "my_player.py")
    deep = opened(tmp_path / "in", tmp_path / "out", "deep")
    assert deep.entrant.spelling.endswith("deep/homework/final")
    assert isinstance(opened(tmp_path / "in", tmp_path / "out", "class").entrant, ClassAgent)
    python_agent(tmp_path / "in" / "deep" / "homework" / "draft", PASSES)
    with pytest.raises(UsageError, match="more than one agent: in homework/draft, homework/final"):
        opened(tmp_path / "in", tmp_path / "out", "deep")


def test_links_are_not_followed(tmp_path: Path) -> None:
    python_agent(tmp_path / "in" / "a", PASSES)
    (tmp_path / "in" / "a" / "data.txt").symlink_to("/etc/passwd")
    (tmp_path / "in" / "b").symlink_to(tmp_path / "in" / "a")
    for student in "ab":
        with pytest.raises(UsageError, match="a symbolic link"):
            opened(tmp_path / "in", tmp_path / "out", student)


def member(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def bomb(archive: zipfile.ZipFile) -> None:
    info = zipfile.ZipInfo("my_player3.py")
    info.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(info, "w") as file:
        for _ in range(65):
            file.write(bytes(1 << 20))


def twice(archive: zipfile.ZipFile) -> None:
    archive.writestr("my_player3.py", "1")
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("my_player3.py", "2")


def many(archive: zipfile.ZipFile) -> None:
    for k in range(MAX_AGENT_FILES + 1):
        archive.writestr(f"{k}", "")


def file_as_folder(archive: zipfile.ZipFile) -> None:
    archive.writestr("a", "")
    archive.writestr("a/b", "")


HOSTILE: dict[str, tuple[Callable[[zipfile.ZipFile], None], str]] = {
    "up": (lambda archive: archive.writestr("../../evil.py", ""), "points outside the archive"),
    "absolute": (lambda archive: archive.writestr("/tmp/evil.py", ""), "points outside the archive"),
    "backslash": (lambda archive: archive.writestr(member("..\\evil.py"), ""), "points outside the archive"),
    "newline": (lambda archive: archive.writestr("a\nb", ""), "points outside the archive"),
    "link": (lambda archive: archive.writestr(member("x", stat.S_IFLNK | 0o777), "/etc/passwd"), "is a link"),
    "device": (lambda archive: archive.writestr(member("x", stat.S_IFIFO | 0o666), ""), "is a link or a device"),
    "deep": (lambda archive: archive.writestr("/".join("abcdefghij"), ""), "is nested too deep"),
    "long": (lambda archive: archive.writestr("x" * 300, ""), "too long a name"),
    "many": (many, f"more than {MAX_AGENT_FILES} files"),
    "bomb": (bomb, "MiB when unpacked"),
    "twice": (twice, "two of its files have the same name"),
    "file as folder": (file_as_folder, "have the same name|cannot be unpacked"),
    "empty": (lambda _archive: None, "no agent here"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_archives_are_refused_and_leave_nothing(kind: str, tmp_path: Path) -> None:
    fill, message = HOSTILE[kind]
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    with pytest.raises(UsageError, match=message):
        opened(tmp_path / "in", tmp_path / "out" / "a", "a")
    assert [path.name for path in tmp_path.iterdir() if path.name != "in"] in ([], ["out"])
    left = [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert left == []


def test_damaged_archives_say_so(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("my_player3.py", PASSES * 100)
    damaged = bytearray(whole.getvalue())
    damaged[60:80] = os.urandom(20)
    locked = bytearray(whole.getvalue())
    locked[6] |= 1
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("my_player3.py", PASSES * 100)
    other_kind = other.getvalue().replace(b"BZh9", b"BZh?")  # the library raises OSError, which is not our disk's
    broken = {
        "a": b"not a zip", "b": whole.getvalue()[:-30], "c": bytes(damaged), "d": bytes(locked), "f": other_kind
    }  # fmt: skip
    for name, data in broken.items():
        (tmp_path / "in" / f"{name}.zip").write_bytes(data)
        with pytest.raises(UsageError, match=f"{name}.zip: cannot be unpacked"):
            opened(tmp_path / "in", tmp_path / "out" / name, name)
    (tmp_path / "in" / "e.rar").write_bytes(b"Rar!")
    with pytest.raises(UsageError, match=r"only directories and \.zip files can be graded"):
        opened(tmp_path / "in", tmp_path / "out" / "e", "e")


def test_an_archive_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "a.zip", "w") as archive:
        archive.writestr(member("my_player3.py", stat.S_IFREG | 0o4777), PASSES)
    first = opened(tmp_path / "in", tmp_path / "out" / "a", "a")
    assert [path.name[:9] for path in (tmp_path / "out" / "a").iterdir()] == ["unpacked-"]
    unpacked = next((tmp_path / "out").rglob("my_player3.py"))
    assert unpacked.stat().st_mode & 0o7111 == 0, "no program, and nobody else's rights"
    monkeypatch.setattr(seats, "_unzip", None)
    assert opened(tmp_path / "in", tmp_path / "out" / "a", "a") == first


def test_pseudonyms_are_stable_different_and_secret(tmp_path: Path) -> None:
    students = [f"student {k}" for k in range(300)] + ["\udc80"]
    given = pseudonyms(students, tmp_path)
    assert len(set(given.values())) == 301
    assert not any("student" in name for name in given.values())
    later = pseudonyms(["a newcomer", *students], tmp_path)
    assert {student: later[student] for student in students} == given
    order = list(json.loads((tmp_path / FILE).read_text())["pseudonyms"])
    assert order[:301] != sorted(order[:301]), "nothing follows the order of names"
    assert not any(name.startswith("Late ") for name in given.values()), "it would be read as a fact"
    (tmp_path / "other").mkdir()
    assert pseudonyms(students, tmp_path / "other") != given, "another secret"
    assert len(json.loads((tmp_path / FILE).read_text())["salt"]) == 32
    (tmp_path / FILE).write_text("{}")
    with pytest.raises(UsageError, match="new pseudonyms would differ"):
        pseudonyms(students, tmp_path)


def test_two_commands_unpack_one_archive_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second removed the first files of the first, which then took the rest for the whole archive."""
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        for name in ("my_player3.py", "a/1.txt", "a/2.txt", "b/3.txt"):
            archive.writestr(name, PASSES)
    safe_name, seen = seats._safe_name, []

    def meanwhile(file: zipfile.ZipInfo, name: str) -> object:
        seen.append(file.filename)
        if len(seen) == 3:
            seats.unpacked(tmp_path / "ann.zip", place=tmp_path / "place", afresh=False)
        return safe_name(file, name)

    monkeypatch.setattr(seats, "_safe_name", meanwhile)
    found = seats.unpacked(tmp_path / "ann.zip", place=tmp_path / "place", afresh=False)
    assert len(seen) == 8, "both unpacked it"
    assert sorted(path.name for path in found.rglob("*.*")) == ["1.txt", "2.txt", "3.txt", "my_player3.py"]
    assert [path.name for path in (tmp_path / "place").iterdir()] == [found.name], "nothing is left over"


def test_what_a_killed_command_left_is_removed_in_the_end(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        archive.writestr("my_player3.py", PASSES)
    for name, age in (("unpacking-old", 2), ("unpacking-young", 0)):
        (tmp_path / "place" / name).mkdir(parents=True)
        begun = time.time() - age * 24 * 3600
        os.utime(tmp_path / "place" / name, (begun, begun))
    seats.unpacked(tmp_path / "ann.zip", place=tmp_path / "place", afresh=False)
    assert [path.name for path in (tmp_path / "place").glob("unpacking-*")] == ["unpacking-young"]


def test_a_full_disk_is_not_the_archive_s_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        archive.writestr("my_player3.py", PASSES)

    opening = Path.open

    def full(path: Path, mode: str = "r") -> object:
        if mode == "xb":
            raise OSError(errno.ENOSPC, "No space left on device")
        return opening(path, mode)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OSError, match="No space left"):
        seats.unpacked(tmp_path / "ann.zip", place=tmp_path / "place", afresh=False)
