"""One SGF file in many encodings, through every door that SGF comes in by."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from littlego.core.errors import FormatError
from littlego.formats.sgf import decoded, parse_sgf
from littlego.review.reading import read_games, read_position
from tests.command import in_this_process

ROOT = Path(__file__).parents[2]
NAME = "Jürgen"
GAME = "(;GM[1]CA[{charset}]SZ[3]KM[1.5]PB[{name}]PW[Ann];B[bb];W[aa];B[])"
FILES = {
    "ISO-8859-1": GAME.format(charset="ISO-8859-1", name=NAME).encode("latin-1"),
    "windows-1252": GAME.format(charset="windows-1252", name=NAME).encode("cp1252"),
    "UTF-8": GAME.format(charset="UTF-8", name=NAME).encode(),
    "UTF-8 with a mark": GAME.format(charset="UTF-8", name=NAME).encode("utf-8-sig"),
    "UTF-16": GAME.format(charset="UTF-16", name=NAME).encode("utf-16"),
    "none named, Latin-1": GAME.replace("CA[{charset}]", "").format(name=NAME).encode("latin-1"),
    "none named, UTF-8": GAME.replace("CA[{charset}]", "").format(name=NAME).encode(),
}
BYTES = pytest.mark.parametrize("data", FILES.values(), ids=FILES)


def littlego(*arguments: str) -> str:
    done = in_this_process(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@BYTES
def test_review_reads_the_name(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_bytes(data)
    (record,) = read_games(file)
    assert (record.black, record.white, len(record.moves)) == (NAME, "Ann", 3)
    shown = littlego("review", str(file), "--store", str(tmp_path / "store"))
    assert shown.startswith(f"{NAME} (X) against Ann (O), 3 moves.")


@BYTES
def test_solve_reads_the_position(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_bytes(data)
    position = read_position(file, after=2)
    assert (position.size, position.moves_played, position.board.black, position.board.white) == (3, 2, 1 << 4, 1)


@BYTES
def test_the_page_reads_the_name(data: bytes) -> None:
    game = json.loads(in_the_page(data).stdout)
    assert (game["black"], game["white"], game["moves"]) == (NAME, "Ann", ["1,1", "0,0", "PASS"])


PAGE = ROOT / "src" / "littlego" / "apps" / "web" / "static" / "js" / "go" / "game.js"
READ = """
import { readFileSync } from "node:fs";
const { decodedText, gameOfSgf } = await import(process.argv[1]);
const bytes = readFileSync(0);
const game = gameOfSgf(decodedText(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
console.log(JSON.stringify({ black: game.black, white: game.white, moves: game.moves }));
"""


def in_the_page(data: bytes) -> subprocess.CompletedProcess[bytes]:
    node = shutil.which("node")
    assert node is not None, "node is missing (apt-get install nodejs)"
    command = [node, "--input-type=module", "--eval", READ, PAGE.as_uri()]
    return subprocess.run(command, input=data, capture_output=True, check=False)


def test_characters_of_two_bytes_may_hold_a_bracket() -> None:
    """The second byte of this character is that of `]` in Shift-JIS: text must be decoded before it is parsed."""
    name = "―ソ"
    assert b"\\" in name.encode("shift_jis") or b"]" in name.encode("shift_jis")
    data = GAME.format(charset="Shift_JIS", name=name).encode("shift_jis")
    assert parse_sgf(data).black == name


@pytest.mark.parametrize("charset", ["no-such", "punycode", "undefined", "hex", "rot13", "unicode_escape"])
def test_what_is_not_an_encoding_is_refused_in_words(charset: str) -> None:
    data = GAME.format(charset=charset, name="x").encode()
    with pytest.raises(FormatError, match="unknown encoding"):
        decoded(data)
    assert b"unknown encoding" in in_the_page(data).stderr


def test_bytes_that_are_not_in_their_encoding() -> None:
    with pytest.raises(FormatError, match="not in the encoding it names, UTF-8"):
        decoded(b"(;CA[UTF-8]PB[\xff])")
