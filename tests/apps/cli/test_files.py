"""A command that refuses leaves no file behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from littlego.apps.cli import output
from littlego.apps.cli.main import run
from littlego.core.errors import UsageError
from littlego.formats.sgf import write_sgf
from tests.command import in_this_process
from tests.review.games import short_game


@pytest.mark.parametrize(
    "arguments",
    [
        ["review", "GAMES", "--html", "OUT"],
        ["review", "GAMES", "--game", "1", "--player", "eve", "--html", "OUT"],
        ["play", "no-such-player", "random", "--sgf", "OUT"],
        ["grade", "no-such-agent", "--html", "OUT"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_no_empty_file_is_left(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games, out = tmp_path / "games.sgf", tmp_path / "out"
    games.write_text("".join(write_sgf(short_game(seed)) for seed in range(2)))
    given = [str(games) if word == "GAMES" else str(out) if word == "OUT" else word for word in arguments]
    monkeypatch.setattr(sys, "argv", ["littlego", *given])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    assert not out.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["review", "GAMES", "--game", "1", "--html"],
        ["solve", "--moves", "2", "--certificate"],
        ["play", "random", "random", "--sgf"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_file_for_which_there_is_no_space_is_named(arguments: list[str], tmp_path: Path) -> None:
    games = tmp_path / "games.sgf"
    games.write_text(write_sgf(short_game(1)))
    given = [str(games) if word == "GAMES" else word for word in arguments]
    done = in_this_process(*given, "/dev/full", environment={"XDG_CACHE_HOME": str(tmp_path)})
    assert (done.returncode, "/dev/full: cannot be written: No space left on device" in done.stderr) == (2, True)


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("mine")
    output.check_writable(file)
    assert file.read_text() == "mine"
    with pytest.raises(UsageError, match="cannot be written"):
        output.check_writable(tmp_path / "none" / "page.html")
