"""`littlego solve` and `verify` as a user meets them: what they print, refuse, and say when stopped."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
import typer

from littlego.apps.cli import exact as commands
from littlego.core.board import BLACK, WHITE, Colour, parse_board
from littlego.core.errors import FormatError, UsageError
from littlego.core.game import play
from littlego.core.position import Position
from littlego.formats.sgf import write_sgf
from littlego.formats.text import draw_terminal
from littlego.players.catalogue import make_player
from littlego.review.reading import read_position
from littlego.solve.proof import certificate
from littlego.solve.proof.check import CheckFailed

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "littlego" / "solved.sqlite"


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A complete certificate of a short game."""
    path = tmp_path / "game.xz"
    commands.solve(certificate=path, moves=6, memory=0.02, threads=1)
    return path


def test_a_size_too_large_is_refused_before_anything_else(capsys: Output) -> None:
    with pytest.raises(UsageError, match="6x6 board is too large"):
        commands.solve(size=6)
    assert capsys.readouterr().err == ""


def test_a_game_may_be_looked_at_after_any_move(tmp_path: Path, capsys: Output) -> None:
    game = play({BLACK: make_player("greedy", seed=1), WHITE: make_player("random", seed=1)})
    path = tmp_path / "game.sgf"
    path.write_text(write_sgf(game))
    commands.solve(path, after=18, memory=0.02, threads=1, json=True)
    assert json.loads(capsys.readouterr().out)["plies_left"] == 6
    commands.solve(path, memory=0.02, threads=1)
    assert capsys.readouterr().out.endswith("wins: the game is over\n")
    with pytest.raises(UsageError, match="has 24 moves"):
        commands.solve(path, after=25)
    with pytest.raises(UsageError, match="needs an SGF game"):
        commands.solve(after=3)


def test_an_option_that_does_not_apply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("X.\n..\n")
    with pytest.raises(UsageError, match=r"--size 3 is for the empty board: .*board\.txt has a board of its own"):
        commands.solve(path, size=3)
    with pytest.raises(UsageError, match="--to-move white needs a file with a position"):
        commands.solve(size=2, to_move="white")
    with pytest.raises(UsageError, match="--to-move 'red': expected black or white"):
        commands.solve(path, to_move="red")


def test_answers_are_kept_in_the_users_cache_and_not_used_for_a_start_from_nothing(cache: Path, capsys: Output) -> None:
    def nodes(**options: Any) -> int:
        commands.solve(moves=10, threads=1, json=True, **options)
        return int(json.loads(capsys.readouterr().out)["nodes"])

    from_nothing = nodes(no_atlas=True)
    assert not cache.exists()
    assert nodes() == from_nothing > 100
    assert nodes() < 10
    assert nodes(no_atlas=True) == from_nothing
    assert nodes(no_atlas=True, store=cache) < 10, "a store that is asked for is used"


def test_a_winning_move_is_shown(capsys: Output) -> None:
    commands.solve(memory=0.1, threads=1)
    assert "A winning move: 2,2" in capsys.readouterr().out


def rewritten(path: Path, **changed: object) -> Path:
    """The certificate without entries and with other words in its header."""
    head = json.loads(lzma.decompress(path.read_bytes()).partition(b"\n")[0])
    other = path.with_name("other.xz")
    other.write_bytes(lzma.compress(json.dumps({**head, "entries": 0, **changed}).encode() + b"\n"))
    return other


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"moves_played": 6}, "end of a game"),
        ({"passes": 2}, "end of a game"),
        ({"frontier": 7}, "ends at 7 plies left, but its first position has 6"),
        ({"frontier": None}, "frontier: expected a whole number, got None"),
        ({"moves_played": -1}, "moves_played: expected a whole number, got -1"),
        ({"size": 6}, "size 6: expected 2 to 5"),
        ({"ko": 25}, "ko: expected a point"),
        ({"moves": 32}, "32 plies left"),
    ],
)
def test_a_certificate_of_nothing_is_refused(short: Path, changed: dict[str, object], says: str) -> None:
    with pytest.raises(FormatError, match=says):
        commands.verify(rewritten(short, **changed))


def test_what_was_proven_is_shown_unless_it_is_the_empty_board(tmp_path: Path, short: Path, capsys: Output) -> None:
    capsys.readouterr()
    commands.verify(short)
    assert capsys.readouterr().out == f"{short}: proven: White wins 5x5, 6 moves, komi 2.5\n"
    diagram = tmp_path / "board.txt"
    diagram.write_text("X X . .\nX . . .\n. . O .\n. . . .\n")
    certificate = tmp_path / "middle.xz"
    commands.solve(diagram, moves=4, komi=1.5, memory=0.02, threads=1, certificate=certificate)
    capsys.readouterr()
    commands.verify(certificate)
    shown = capsys.readouterr().out
    assert "from this position:\n   0 1 2 3\n 0 X X . .\n 1 X . . .\n 2 . . O .\n 3 . . . .\nmove " in shown
    commands.verify(certificate, json=True)
    position = json.loads(capsys.readouterr().out)["position"]
    assert (position["board"], position["plies_left"]) == (["XX..", "X...", "..O.", "...."], 4)


def test_no_certificate_ends_before_it_begins(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has only 6"):
        commands.solve(certificate=tmp_path / "c.xz", moves=6, down_to=7, memory=0.02, threads=1)


def test_a_check_that_is_stopped_says_how_far_it_came(
    short: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: Any, progress: Any, **__: Any) -> int:
        progress()
        raise KeyboardInterrupt

    monkeypatch.setattr(certificate, "verify_in_parts", stopped)
    with pytest.raises(KeyboardInterrupt):
        commands.verify(short, jobs=2)
    assert "stopped after 2,000 positions, no error so far" in capsys.readouterr().err


def test_a_failed_check_is_json_too(short: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> int:
        raise CheckFailed("no move for a position")

    capsys.readouterr()
    monkeypatch.setattr(certificate, "verify_in_parts", fails)
    with pytest.raises(typer.Exit) as exit_:
        commands.verify(short, json=True)
    assert exit_.value.exit_code == 1
    assert json.loads(capsys.readouterr().out)["failure"] == "no move for a position"


def test_a_certificate_that_is_stopped_says_how_to_go_on(
    tmp_path: Path, cache: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(certificate, "certify", stopped)
    with pytest.raises(KeyboardInterrupt):
        commands.solve(certificate=tmp_path / "game.xz", moves=6, memory=0.02)
    assert f"nodes; proven values are in {cache}" in capsys.readouterr().err


def test_a_board_that_we_print_can_be_solved(tmp_path: Path) -> None:
    """With coordinates, the last move in brackets, and `k` on the ko."""
    position = Position.from_diagram(". X O . .\nX . X O .\n. X O . .\n. . . . .\n. . . . .", to_move=BLACK)
    with_ko = position._replace(to_move=WHITE)._replace(ko=6)
    for drawn, ko in (
        (draw_terminal(with_ko, colour=False), 6),
        (draw_terminal(position, last_move=7, colour=False), None),
    ):
        (tmp_path / "board.txt").write_text(drawn)
        read = read_position(tmp_path / "board.txt", moves=4, to_move="white")
        assert (read.board, read.ko) == (position.board, ko), drawn


@pytest.mark.parametrize(
    ("drawn", "to_move", "left"),
    [
        (str(Position.initial().play("2,2").play("PASS").play("1,2")), WHITE, 21),
        ("   0 1 2\n 0 X O ?\n 1 * X .\n 2 . X 1\n\nMove 4, White (O) to move: ? was played.", WHITE, None),
        ("Black (X) to move, 5 moves left:\n    0  1  2 \n 0  X  O  . \n 1  .  X  . \n 2 12  X [.]", BLACK, 5),
        ("    0  1  2 \n 0  X  O  . \n 1  .  X  . \n 2  .  X  . \nMove 5 of 8. Black 3, White 1.", BLACK, 4),
    ],
)
def test_a_board_with_words_and_moves_to_come_is_read(
    drawn: str, to_move: Colour, left: int | None, tmp_path: Path
) -> None:
    (tmp_path / "board.txt").write_text(drawn)
    read = read_position(tmp_path / "board.txt")
    board = ". . . . .\n. . X . .\n. . X . .\n. . . . .\n. . . . ." if read.size == 5 else "X O .\n. X .\n. X ."
    assert read.board == parse_board(board)
    assert read.to_move is to_move
    assert left is None or read.plies_left == left
