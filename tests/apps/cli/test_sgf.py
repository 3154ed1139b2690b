"""`littlego sgf` as a user meets it; in this process, because starting one takes longer than the work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import in_this_process as littlego

GAME = "(;SZ[3]KM[1.5]PB[a]PW[b];B[bb]C[é];W[aa](;B[];W[])(;B[cc]))\n"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    file = tmp_path / "game.sgf"
    file.write_text(GAME)
    return file


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
