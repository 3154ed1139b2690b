"""The game at the terminal: kept for a review."""

from __future__ import annotations

from pathlib import Path

from tests.command import in_this_process


def test_the_last_game_is_kept_for_a_review(tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    none = in_this_process("review", "last", environment=cache)
    assert (none.returncode, "there is no last game" in none.stderr) == (2, True)
    game = ["play", "manual", "greedy", "--size", "3", "--seed", "1"]
    played = in_this_process(*game, typed="1,1\nundo\n0,0\nresign\n", environment=cache)
    assert "littlego review last" in played.stderr
    assert in_this_process("play", environment=cache).returncode == 0, "the end of input resigns, and replaces no game"
    reviewed = in_this_process("review", "last", "--json", environment=cache)
    assert reviewed.returncode == 0, reviewed.stderr
    assert '"0,0"' in reviewed.stdout
