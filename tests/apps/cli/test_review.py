"""`littlego review`, and `drill` as a user meets them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from littlego.formats.records import write_record
from littlego.formats.sgf import write_sgf
from littlego.review.reading import read_games
from tests.apps.cli.test_commands import PLAIN, transcript
from tests.command import in_this_process
from tests.review.games import short_game

pytestmark = pytest.mark.process


@pytest.fixture
def littlego(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    environment = {**PLAIN, "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return in_this_process(*arguments, cwd=tmp_path, typed=typed, environment=environment)

    (tmp_path / "game.sgf").write_text(write_sgf(short_game(2)))
    (tmp_path / "games.sgf").write_text("".join(write_sgf(short_game(seed)) for seed in range(8)))
    return run


Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_game_is_reviewed(littlego: Run, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    done = littlego("review", "game.sgf", "--margin", "--html", "page.html")
    golden("cli/review-game.txt", transcript(done))
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "wins        XX" in page or "wins        OO" in page or "wins        XO" in page
    assert (tmp_path / "cache" / "littlego" / "solved.sqlite").exists()
    data = json.loads(littlego("review", "game.sgf", "--player", "ann", "--json").stdout)
    assert data["complete"] is True
    assert data["losing_move"] == 5
    assert {move["colour"] for move in data["moves"]} == {"black"}


def test_verdicts_are_written_into_the_games_own_file(littlego: Run, tmp_path: Path) -> None:
    file = tmp_path / "own.sgf"
    file.write_text("(;SZ[3]KM[1.5]PB[a]PW[b];B[bb]C[é];W[aa](;B[];W[])(;B[cc]))\n", encoding="utf-8")
    assert littlego("review", "own.sgf", "--sgf", "own.sgf").returncode == 0
    text = file.read_text(encoding="utf-8")
    assert "Little-Go: kept the win" in text or "Little-Go: was lost" in text
    assert "(;B[cc]" in text, "variations stay"
    assert "CA[UTF-8]" in text
    assert littlego("review", "games.sgf", "--game", "3", "--sgf", "third.sgf").returncode == 0
    assert len(read_games(tmp_path / "third.sgf")) == 1
    record = tmp_path / "record.json"
    record.write_text(write_record(short_game(2)))
    assert littlego("review", "record.json", "--sgf", "of-record.sgf").returncode == 0
    assert "Little-Go: the losing move" in (tmp_path / "of-record.sgf").read_text()


def test_many_games_show_what_was_thrown_away(littlego: Run) -> None:
    done = littlego("review", "games.sgf")
    assert done.returncode == 0
    assert "ann: 8 games, 8 distinct" in done.stdout
    assert "To see a game: littlego review games.sgf --game" in done.stdout
    data = json.loads(littlego("review", "games.sgf", "--player", "bob", "--json").stdout)
    assert [regret["player"] for regret in data] == ["bob"]
    assert littlego("review", "games.sgf", "--game", "3").stdout.startswith("ann (X) against bob (O)")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("review nothing.sgf", "there is no such file or folder"),
        ("review game.sgf --game 2", "there is no game 2: it has 1"),
        ("review game.sgf --player eve", "no player is called 'eve' in this game; the players are ann and bob"),
        ("review game.sgf --html /nowhere/at/all.html", "cannot be written"),
        ("review games.sgf --html page.html", "choose one with --game N"),
        ("review game.sgf --sgf /nowhere/at/all.sgf", "cannot be written"),
        ("review game.sgf --store game.sgf", "expected a store of solved positions"),
        ("drill play game.sgf", "not JSON"),
        ("replay game.sgf", "; expected a capsule, which a match"),
        ("drill make game.sgf --player eve --out d.json", "no player is called 'eve' in these games"),
        ("check . --deck game.sgf", "not JSON"),
    ],
)
def test_wrong_use_is_explained(arguments: str, says: str, littlego: Run) -> None:
    done = littlego(*arguments.split())
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_drills_are_made_and_practised(littlego: Run, tmp_path: Path) -> None:
    data = json.loads(littlego("drill", "make", "games.sgf", "--player", "ann", "--out", "d.json", "--json").stdout)
    assert data["new"] == data["drills"] > 3
    again = littlego("drill", "make", "games.sgf", "--player", "ann", "--out", "d.json")
    assert "0 new" in again.stdout
    played = littlego("drill", "play", "d.json", typed="9,9\n?\nq\n")
    assert "not on a 3x3 board" in played.stdout
    assert "Winning: " in played.stdout
    assert "Solved 0 of 1." in played.stdout
    few = littlego("drill", "play", "d.json", "--rounds", str(data["drills"] + 1), typed="?\n" * (data["drills"] + 1))
    assert f"Solved 0 of {data['drills'] + 1}." in few.stdout, "what was missed comes back"
    deck = json.loads((tmp_path / "d.json").read_text())
    (tmp_path / "one.json").write_text(json.dumps({**deck, "drills": deck["drills"][:1]}))
    right = deck["drills"][0]["accepted"][0]
    assert "Solved 1 of 1." in littlego("drill", "play", "one.json", typed=f"{right}\n").stdout
