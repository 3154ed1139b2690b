"""Games from every kind of file that holds games, and what is said of other files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from littlego.arena.store import GameResult, Store
from littlego.core.errors import UsageError
from littlego.course.grading.plan import Slot
from littlego.formats.records import record_to_dict, write_record
from littlego.formats.sgf import write_sgf
from littlego.review.reading import read_games, read_numbered_games, read_tree
from littlego.storage import files
from tests.command import in_this_process
from tests.review.games import forfeited, logged_game, short_game

GAMES = [logged_game(1), logged_game(2)]


def moves(path: Path) -> list[tuple[object, ...]]:
    return [record.moves for record in read_games(path)]


EXPECTED = [record.moves for record in GAMES]


def test_sgf_files_hold_one_game_or_several(tmp_path: Path) -> None:
    file = tmp_path / "games.sgf"
    file.write_text("".join(map(write_sgf, GAMES)))
    assert moves(file) == EXPECTED
    file.write_text(write_sgf(GAMES[0]))
    assert moves(file) == EXPECTED[:1]


def test_json_of_every_kind(tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    file.write_text(write_record(GAMES[0]))
    assert read_games(file) == GAMES[:1]
    file.write_text(json.dumps({"results": [{"record": record_to_dict(record)} for record in GAMES]}))
    assert read_games(file) == GAMES
    file.write_text(json.dumps({"games": len(GAMES), "records": [record_to_dict(record) for record in GAMES]}))
    assert read_games(file) == GAMES
    broken = forfeited(GAMES[0], 7)
    file.write_text(json.dumps({"kind": "littlego capsule", "record": record_to_dict(broken)}))
    assert read_games(file) == [broken]


def test_the_folder_of_a_match(tmp_path: Path) -> None:
    with Store[int](tmp_path / "match" / "results.sqlite") as store:
        for number, record in enumerate(GAMES):
            store.add(number, GameResult(record))
    assert read_games(tmp_path / "match") == GAMES
    assert read_games(tmp_path) == GAMES
    assert read_games(tmp_path / "match" / "results.sqlite") == GAMES


def test_a_store_has_no_tree_however_large_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a class are larger than any file of games may be."""
    with Store[int](tmp_path / "results.sqlite") as store:
        store.add(0, GameResult(GAMES[0]))
    monkeypatch.setattr(files, "_MOST_MIB", 0)
    assert read_tree(tmp_path, 1) is None
    assert read_tree(tmp_path / "results.sqlite", 1) is None


def test_games_have_the_numbers_that_were_printed(tmp_path: Path) -> None:
    with Store[int](tmp_path / "match" / "results.sqlite") as store:
        for number in (0, 4):
            store.add(number, GameResult(GAMES[0]))
    assert list(read_numbered_games(tmp_path / "match")) == [1, 5], "those between are still to be played"
    with Store[Slot](tmp_path / "grade" / "results.sqlite", key_of=Slot._make) as store:
        for slot in (Slot(0, 1, 0, 3), Slot(0, 0, 0, 0)):
            store.add(slot, GameResult(GAMES[0]))
        assert [(game.key.batch, game.number) for game in store.games()] == [(0, 2), (1, 1)]
    assert list(read_numbered_games(tmp_path / "grade")) == [1, 2], "in the order in which they ended"
    refused = in_this_process("review", str(tmp_path), "--game", "1")
    assert (refused.returncode, "2 runs, each with a game 1" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "neither SGF nor JSON"),
        (b"hello", "neither SGF nor JSON"),
        (b"(;GM[1]", "not an SGF game"),
        (b"(;SZ[5];B[aa];W[aa])", "move 2: White 0,0: the point is occupied"),
        (b"[]", "JSON of another kind"),
        (b"{}", "expected an SGF file, .* got JSON of another kind"),
        (b'{"results": [3]}', r"results\[0\]: expected a .*, got 3"),
        (b'{"results": []}', ": no game: expected"),
        (b'{"records": [{}]}', r"records\[0\]: schema: missing"),
        (b"\xff\xfe\x00", "neither SGF nor JSON"),
    ],
)
def test_other_files_are_refused_with_what_was_expected(tmp_path: Path, text: bytes, says: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(text)
    with pytest.raises(UsageError, match=says):
        read_games(file)


def test_missing_files_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        read_games(tmp_path / "nothing")
    with pytest.raises(UsageError, match="no finished game"):
        read_games(tmp_path)
    (tmp_path / "results.sqlite").write_text("not a database at all, but long enough to be looked at " * 20)
    with pytest.raises(UsageError, match="damaged: file is not a database"):
        read_games(tmp_path)


def test_small_boards_are_read_as_well(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(write_sgf(short_game(3)))
    assert read_games(file)[0].start.rules.max_moves == 7
