"""`littlego sgf` as a user meets it; in this process, because starting one takes longer than the work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.apps.cli import test_commands
from tests.command import in_this_process as littlego

GAME = "(;SZ[3]KM[1.5]PB[a]PW[b];B[bb]C[é];W[aa](;B[];W[])(;B[cc]))\n"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    file = tmp_path / "game.sgf"
    file.write_text(GAME)
    return file


@pytest.mark.process
@pytest.mark.parametrize("arguments", ["sgf --help", "sgf review --help"])
def test_help(arguments: str, golden: Callable[[str, str], None]) -> None:
    done = test_commands.littlego(*arguments.split())
    golden(f"cli/{arguments.replace(' --', '-').replace(' ', '-')}.txt", test_commands.transcript(done))


def test_there_and_back(game: Path, tmp_path: Path) -> None:
    record, back = tmp_path / "game.json", tmp_path / "back.sgf"
    assert littlego("sgf", "convert", str(game), "--to", "json", "--out", str(record)).returncode == 0
    assert json.loads(record.read_text())["moves"] == ["1,1", "0,0", "PASS", "PASS"]
    assert littlego("sgf", "convert", str(record), "--out", str(back)).returncode == 0
    assert ";B[bb];W[aa]" in back.read_text()
    whole = littlego("sgf", "convert", str(game)).stdout
    assert "(;B[cc]" in whole
    assert "CA[UTF-8]" in whole
    drawn = littlego("sgf", "convert", str(game), "--to", "diagram", "--move", "1").stdout
    assert drawn == "a (X) against b (O), after 1 moves\n   0 1 2\n 0 . . .\n 1 . X .\n 2 . . .\n"
    diagram = tmp_path / "board.txt"
    diagram.write_text(drawn.partition("\n")[2])
    assert "AB[bb]" in littlego("sgf", "convert", str(diagram)).stdout


def test_validate(game: Path, tmp_path: Path) -> None:
    good = littlego("sgf", "validate", str(game))
    assert (good.returncode, good.stdout) == (0, f"{game}: 1 game, 2 variations: no problems.\n")
    bad = tmp_path / "bad.sgf"
    bad.write_text("(;SZ[5];B[cc]\n;W[cc])")
    text = littlego("sgf", "validate", str(bad))
    assert text.returncode == 1
    assert text.stdout == f"{bad}: line 2, column 1: game 1: White C3: the point is occupied\n"
    result = json.loads(littlego("sgf", "validate", str(bad), "--json").stdout)
    assert result["problems"] == [{"game": 1, "line": 2, "column": 1, "message": "White C3: the point is occupied"}]
    bad.write_text("(;SZ[5")
    broken = littlego("sgf", "validate", str(bad))
    assert broken.returncode == 1
    assert "line 1, column 5" in broken.stdout


def test_review_in_place(game: Path, tmp_path: Path) -> None:
    done = littlego("sgf", "review", str(game), "--in-place", "--store", str(tmp_path / "store"))
    assert done.returncode == 0, done.stderr
    assert "Little-Go: kept the win" in game.read_text() or "Little-Go: was lost" in game.read_text()
    assert "(;B[cc]" in game.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("convert", "none.sgf"), "there is no such file"),
        (("convert", "GAME", "--to", "pdf"), "format 'pdf': expected one of sgf, json, diagram"),
        (("convert", "GAME", "--game", "7"), "there is no game 7: it has 1"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], words: str, game: Path) -> None:
    done = littlego("sgf", *(str(game) if word == "GAME" else word for word in arguments))
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
