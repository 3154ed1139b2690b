"""What the submission reads may be odd, broken, missing or from another game: it still makes a legal move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from littlego.agent import my_player3 as agent
from littlego.course.starter import BOOK, CORRIDOR, MODEL
from littlego.players.exact import framed
from littlego_bench.naive import NaiveGame

Rows = list[str]
EMPTY: Rows = ["00000"] * 5
BEFORE: Rows = ["00110", "00210", "00200", "02000", "00000"]
NOW: Rows = ["00110", "00210", "00200", "02010", "00000"]
LATE_BEFORE: Rows = ["10200", "01020", "20100", "01200", "10020"]
LATE: Rows = ["10200", "01020", "22100", "01200", "10020"]
"""Five stones of Black and six of White: at least twelve moves, with Black to move."""
CORRIDOR_KEY = "780007042070400"
CORRIDOR_NOW: Rows = ["10000", "10000", "21110", "02220", "00000"]
"""A position of corridor.txt, White to move with 15 plies left, and its key."""
CORRIDOR_BEFORE: Rows = ["00000", *CORRIDOR_NOW[1:]]


def stones(rows: Rows) -> tuple[int, int]:
    """Black's and White's, as the agent keeps them."""
    cells = "".join(rows)
    black, white = (framed(sum(1 << p for p in range(25) if cells[p] == colour)) for colour in "12")
    return black, white


class Program:
    """The program in this process, in a directory with its files and with little time to think."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        monkeypatch.chdir(folder)
        for name, source in (("BOOK", BOOK), ("CORRIDOR", CORRIDOR), ("MODEL", MODEL)):
            (folder / source.name).symlink_to(source)
            monkeypatch.setattr(agent, name, str(folder / source.name))
        for limit in ("SURE_NODES", "EXACT_NODES", "LOST_NODES", "LOOK_NODES"):
            monkeypatch.setattr(agent, limit, 1000)

    def put(self, name: str, content: bytes) -> None:
        """Replace a file; the shipped one stays."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.write_bytes(content)

    def note(self, played: int, colour: int, before: Rows, *, by_book: bool) -> None:
        agent.note_moves(played, colour, *(stones(before) if colour == 1 else stones(before)[::-1]), by_book)

    def noted(self) -> tuple[int, bool]:
        """The moves played and whether by the book, as the program notes them."""
        words = (self.folder / "moves.txt").read_text().split()
        return int(words[0]), words[-1] == "1"

    def move(self, colour: int, before: Rows, now: Rows, text: str | None = None) -> str:
        """Its move, without a complaint, and legal: the naive referee says so."""
        move, complaint = self.run(text or "\n".join([str(colour), *before, *now]))
        assert complaint == ""
        assert_legal(move, colour, before, now)
        return move

    def run(self, text: str) -> tuple[str, str]:
        (self.folder / "input.txt").write_bytes(text.encode())
        assert agent.main() == 0
        return (self.folder / "output.txt").read_text(), self.capsys.readouterr().err


def assert_legal(move: str, colour: int, before: Rows, now: Rows) -> None:
    cells, last = ([[int(cell) for cell in row] for row in rows] for rows in (now, before))
    game = NaiveGame(cells=cells, history=[last], to_move=colour)
    assert move == "PASS" or game.why_not(*map(int, move.split(","))) is None


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("end", ["\r\n", "\r", " \n", "\t\n\t", "\n\n"])
@pytest.mark.parametrize("start", ["", "\n", "\ufeff"])
def test_blanks_empty_lines_and_other_line_ends_do_not_matter(start: str, end: str, program: Program) -> None:
    text = start + end.join(["2", *BEFORE, *NOW]) + end + "and more"
    assert program.move(2, BEFORE, NOW, text) == program.move(2, BEFORE, NOW)


@pytest.mark.parametrize("before", [EMPTY, LATE, ["22222"] * 5, ["12121"] * 5])
@pytest.mark.parametrize("colour", [1, 2])
def test_a_board_before_that_tells_nothing(colour: int, before: Rows, program: Program) -> None:
    program.move(colour, before, LATE)


@pytest.mark.parametrize(
    "now",
    [
        ["11111"] * 5,
        ["22222"] * 4 + ["22220"],
        ["02222", *["22222"] * 3, "22220"],
        ["12121", "21212", "12121", "21212", "12120"],
        ["11111", "11211", "12121", "11211", "11110"],
    ],
)
@pytest.mark.parametrize("colour", [1, 2])
def test_boards_that_are_full_or_nearly_or_never_come_up(colour: int, now: Rows, program: Program) -> None:
    program.move(colour, EMPTY, now)


def test_a_ko_is_seen_by_the_board_before(program: Program) -> None:
    before = ["01200", "10120", "01200", "00000", "00000"]
    now = ["01200", "12020", "01200", "00000", "00000"]
    assert agent.find_ko(1, stones(before), stones(now)) == framed(1 << 7)
    program.move(1, before, now)
    program.move(1, EMPTY, now)


def book_with(header: bytes) -> bytes:
    return header + b"\n" + BOOK.read_bytes().split(b"\n", 1)[1]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1 167675 12\n",
        BOOK.read_bytes()[:5000],
        bytes(range(256)) * 50,
        book_with(b"1 0 12"),
        book_with(b"1 -5 12"),
        book_with(b"1 99999999999999999999999 12"),
        book_with(b"1 167675"),
    ],
    ids=["empty", "header", "cut", "binary", "no words", "fewer than none", "too many", "short header"],
)
def test_a_broken_book(content: bytes, program: Program) -> None:
    program.put("book.txt", content)
    program.move(1, EMPTY, EMPTY)
    program.move(1, LATE_BEFORE, LATE)
    assert program.noted() == (13, False)


@pytest.mark.parametrize("letters", ["~", "A!", "", "a", "k"])
def test_broken_moves_in_the_corridor_are_not_played(letters: str, program: Program) -> None:
    program.put("corridor.txt", f"{CORRIDOR_KEY} {letters}\n".encode())
    program.note(8, 2, CORRIDOR_BEFORE, by_book=True)
    assert agent.corridor_moves(*stones(CORRIDOR_NOW)[::-1], 0, 15) == [
        framed(1 << ord(c) - 97) for c in letters if c in "ak"
    ]
    assert program.move(2, CORRIDOR_BEFORE, CORRIDOR_NOW) != "PASS"
    assert program.noted() == (10, False)


def model_with(**changes: Any) -> bytes:
    return json.dumps(json.loads(MODEL.read_text()) | changes).encode()


@pytest.mark.parametrize(
    "content",
    [b"", MODEL.read_bytes()[:9999], b"[" * 100_000, b"null", model_with(view=None), model_with(scale=None)],
    ids=["empty", "cut", "deep", "null", "no view", "no scale"],
)
def test_without_a_whole_model_it_plays_by_the_looks(content: bytes, program: Program) -> None:
    program.put("model.json", content)
    assert agent.read_patterns() is None
    program.move(1, EMPTY, NOW)


def test_whatever_goes_wrong_it_makes_a_move(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise MemoryError("for the test")

    monkeypatch.setattr(agent, "choose", fails)
    for now in (NOW, ["11111"] * 5):
        move, complaint = program.run("\n".join(["2", *EMPTY, *now]))
        assert_legal(move, 2, EMPTY, now)
        assert complaint == "my_player3: any move, because of: MemoryError('for the test')\n"
    assert move == "PASS", "there is no other"


def test_an_output_that_cannot_be_written_gets_a_line_and_a_status(program: Program) -> None:
    (program.folder / "output.txt").mkdir()
    (program.folder / "input.txt").write_text("\n".join(["1", *EMPTY, *EMPTY]))
    assert agent.main() == 1
    assert program.capsys.readouterr().err.startswith("my_player3: output.txt: ")


@pytest.mark.parametrize("content", [b"", b"junk", b"\xff\0", b"7", b"1 2 3 4 5 6", b"9" * 1_000_000, b"11 1.0 5 6 1"])
def test_a_note_that_is_none(content: bytes, program: Program) -> None:
    program.put("moves.txt", content)
    program.move(1, LATE_BEFORE, LATE)
    assert program.noted() == (13, False)


def test_a_note_may_be_a_directory(program: Program) -> None:
    (program.folder / "moves.txt").mkdir()
    program.move(1, LATE_BEFORE, LATE)


def test_of_a_large_file_only_the_beginning_is_read(program: Program) -> None:
    program.note(13, 1, LATE_BEFORE, by_book=False)
    with (program.folder / "moves.txt").open("a") as file:
        file.write(" " * 100 + "9 " * 1_000_000)
    assert agent.moves_played(1, stones(LATE_BEFORE), stones(LATE)) == (14, False)


@pytest.mark.parametrize(
    ("colour", "noted", "played"),
    [
        (1, 1, 12),  # fewer than the stones on the board
        (1, 12, 12),  # Black never moves after an odd number of moves
        (1, 13, 14),
        (1, 21, 22),
        (1, 23, 12),  # the game would be over
        (1, -3, 12),
        (1, 10**9, 12),
        (2, 12, 13),
        (2, 13, 13),
        (2, 22, 23),
        (2, 24, 13),
    ],
)
def test_a_note_that_does_not_fit_the_boards_is_not_believed(
    colour: int, noted: int, played: int, program: Program
) -> None:
    program.note(noted, colour, LATE_BEFORE, by_book=True)
    believed = played == noted + 1
    assert agent.moves_played(colour, stones(LATE_BEFORE), stones(LATE)) == (played, believed)


@pytest.mark.parametrize(
    ("colour", "before", "now", "fewest"),
    [
        (1, EMPTY, EMPTY, 2),  # not at the start: the opponent has moved
        (1, LATE_BEFORE, LATE, 12),
        (1, LATE, LATE, 14),  # White passed
        (2, LATE_BEFORE, LATE, 13),
        (1, ["11111", "11000", "22222", "00000", "00000"], ["00000", "11110", "22222", "20000", "00000"], 14),
        (2, ["11111", "00000", "22222", "22000", "00000"], ["11111", "10000", "22220", "00000", "00000"], 15),
        (1, ["22222"] * 5, ["22222"] * 5, 22),
        (2, ["22222"] * 5, ["22222"] * 5, 23),
    ],
)
def test_without_a_note_the_fewest_moves_count(colour: int, before: Rows, now: Rows, fewest: int) -> None:
    assert agent.fewest_moves(colour, stones(before), stones(now)) == fewest
