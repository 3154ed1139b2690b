"""The kit's programs as build.sh and agents use them: files in, files and an exit status out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from littlego.core.errors import FormatError, IllegalMove
from littlego.core.points import Pass
from littlego.course.starter import KIT, write_kit
from littlego.formats.course import parse_output
from tests.course.starter_kits import importing, run

EMPTY = "00000\n" * 5
ONE = "00000\n00000\n00100\n00000\n00000\n"
# White has just taken the ko at 2,2; Black may not retake it there.
BEFORE_KO = "00000\n00210\n02101\n00210\n00000\n"
AFTER_KO = "00000\n00210\n02021\n00210\n00000\n"
BLACK_AHEAD = "11111\n11111\n11110\n00000\n22020\n"

# name, input.txt, output.txt (None: none), number of the move
CASES: list[tuple[str, str, str | bytes | None, int]] = [
    ("the first move", f"1\n{EMPTY}{EMPTY}", "2,2", 1),
    ("a newline after it", f"1\n{EMPTY}{EMPTY}", "2,2\n", 1),
    ("a space", f"2\n{EMPTY}{ONE}", "2, 3", 2),
    ("more after it", f"2\n{EMPTY}{ONE}", "2,3,4", 2),
    ("more lines after it", f"2\n{EMPTY}{ONE}", "2,3\ndebug\n", 2),
    ("a pass", f"2\n{EMPTY}{ONE}", "PASS", 2),
    ("a pass and more", f"2\n{EMPTY}{ONE}", "PASS,x", 2),
    ("Black passes on the empty board", f"1\n{EMPTY}{EMPTY}", "PASS", 1),
    ("White passes after it", f"2\n{EMPTY}{EMPTY}", "PASS", 2),
    ("a second pass", f"1\n{BLACK_AHEAD}{BLACK_AHEAD}", "PASS", 17),
    ("a move elsewhere", f"1\n{BEFORE_KO}{AFTER_KO}", "0,2", 9),
    ("retaking the ko", f"1\n{BEFORE_KO}{AFTER_KO}", "2,2", 11),
    ("retaking it after a pass", f"1\n{AFTER_KO}{AFTER_KO}", "2,2", 13),
    ("taking the ko", f"2\n{BEFORE_KO}{BEFORE_KO}", "2,3", 10),
    ("suicide", "2\n" + "01000\n10000\n00000\n00000\n00000\n" * 2, "0,0", 4),
    ("an occupied point", f"2\n{EMPTY}{ONE}", "2,2", 2),
    ("off the board", f"2\n{EMPTY}{ONE}", "5,0", 2),
    ("below zero", f"2\n{EMPTY}{ONE}", "-1,0", 2),
    ("small letters", f"2\n{EMPTY}{ONE}", "pass", 2),
    ("no comma", f"2\n{EMPTY}{ONE}", "2 3", 2),
    ("not whole", f"2\n{EMPTY}{ONE}", "2.0,3", 2),
    ("empty", f"2\n{EMPTY}{ONE}", "", 2),
    ("an empty line first", f"2\n{EMPTY}{ONE}", "\n2,3", 2),
    ("missing", f"2\n{EMPTY}{ONE}", None, 2),
    ("not text", f"2\n{EMPTY}{ONE}", b"\xff\xfe2,3", 2),
    ("the last move", f"2\n{BLACK_AHEAD}{BLACK_AHEAD}", "3,0", 24),
    ("an illegal last move", f"1\n{BLACK_AHEAD}{BLACK_AHEAD}", "0,0", 24),
    ("a pass as the last move", f"2\n{EMPTY}{ONE}", "PASS", 24),
    ("a broken input.txt", f"3\n{EMPTY}{EMPTY}", "2,2", 1),
    ("a short input.txt", f"1\n{EMPTY}", "2,2", 1),
]


@pytest.fixture(name="kit", scope="module")
def fixture_kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("kit")
    write_kit(directory)
    return directory


def judged(kit: Path, given: str, answer: str | bytes | None, move: int) -> str:
    """What the host makes of a move, as a text to compare."""
    (kit / "input.txt").write_text(given.removesuffix("\n"))
    (kit / "output.txt").unlink(missing_ok=True)
    if answer is not None:
        (kit / "output.txt").write_bytes(answer if isinstance(answer, bytes) else answer.encode())
    done = run(kit, "host.py", "-m", str(move))
    after = (kit / "input.txt").read_text()
    assert not after.endswith("\n")
    unchanged = after == given.removesuffix("\n")
    return f"exit {done.returncode}\n{done.stdout}{done.stderr}" + ("" if unchanged else f"{after}\n")


def test_what_the_host_makes_of_a_move(kit: Path, golden: Callable[[str, str], None]) -> None:
    lines = []
    for name, given, answer, move in CASES:
        rows = given.split()
        lines.append(f"# {name}: move {move}, colour {rows[0]}, {' '.join(rows[1:6])} / {' '.join(rows[6:])}\n")
        lines.append(f"output.txt {answer!r}\n{judged(kit, given, answer, move)}\n")
    golden("course/host.txt", "".join(lines))


def test_the_host_shows_the_board_when_asked(kit: Path) -> None:
    for option in (["-v"], ["--verbose"], ["-v", "True"]):
        (kit / "input.txt").write_text(f"1\n{EMPTY}{EMPTY}")
        (kit / "output.txt").write_text("2,2")
        shown = run(kit, "host.py", "--move", "1", *option).stdout.splitlines()
        assert [line.rstrip() for line in shown] == [
            "Move 1: Black (X) plays 2,2", "----------", "", "", "    X", "", "", "----------",
        ]  # fmt: skip


OUTPUTS = [answer for _, _, answer, _ in CASES if isinstance(answer, str)]
OUTPUTS += [
    " 2 ,\t3 ",
    "2,3\r\n",
    "02,03",
    "+2,3",
    "PASS \n",
    "2",
    "2,",
    ",3",
    "2,x",
    "٢,3",
    "1_0,2",
    "0_2,2",
    "2,3\f",
    "2,3\rx",
    "\r2,3",
    "2,3\n\x00é",
    "PASSx",
    "9" * 2000,
]


@pytest.mark.parametrize("text", sorted(set(OUTPUTS)))
def test_the_kit_and_the_referee_read_the_same_moves(text: str, tmp_path: Path) -> None:
    (tmp_path / "output.txt").write_bytes(text.encode())
    try:
        move = parse_output(text, size=5).move
        expected: Any = ("PASS", -1, -1) if isinstance(move, Pass) else ("MOVE", *divmod(move, 5))
    except IllegalMove as error:
        expected = ("MOVE", *map(int, error.move_text.split(",")))
    except FormatError:
        expected = None
    with importing(KIT) as load:
        try:
            assert load("read").readOutput(str(tmp_path / "output.txt")) == expected
        except ValueError:
            assert expected is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1\n00000", "expected 1 or 2 and two boards of 5 rows"),
        (f"1\n{EMPTY}{EMPTY}".replace("00000", "0000x", 1), "line 2: expected 5 digits 0, 1 or 2, got '0000x'"),
    ],
)
def test_a_bad_input_is_explained(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text(text)
    with importing(KIT) as load, pytest.raises(ValueError, match=re.escape(says)):
        load("read").readInput(5, str(tmp_path / "input.txt"))


def test_files_survive_writing_and_reading(tmp_path: Path) -> None:
    with importing(KIT) as load:
        read, write = load("read"), load("write")
        boards = [[[0, 1], [2, 0]], [[1, 1], [0, 0]]]
        write.writeNextInput(2, *boards, path=str(tmp_path / "input.txt"))
        assert (tmp_path / "input.txt").read_bytes() == b"2\n01\n20\n11\n00"
        assert read.readInput(2, str(tmp_path / "input.txt")) == (2, *boards)
        output = tmp_path / "output.txt"
        for result, text in [((2, 3), "2,3"), ("PASS", "PASS")]:
            write.writeOutput(result, str(output))
            assert output.read_text() == text
        write.writePass(str(output))
        assert read.readOutput(str(output)) == ("PASS", -1, -1)
