"""The game at the terminal: kept while it is played, resumed, reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.apps.cli import play as kept_game
from littlego.core.points import PASS
from littlego.players.manual import StandardTerminal
from tests.command import in_this_process


def test_a_stopped_game_is_resumed_and_reviewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    typed = iter(["1,1", "undo", "0,0", None])

    def ask(_self: StandardTerminal, _prompt: str) -> str:
        line = next(typed)
        if line is None:
            raise KeyboardInterrupt
        return line

    with monkeypatch.context() as patch:
        patch.setattr(StandardTerminal, "ask", ask)
        stopped = in_this_process("play", "manual", "greedy", "--size", "3", "--seed", "1", environment=cache)
    assert stopped.returncode == 130
    assert "littlego play --resume" in stopped.stderr
    kept = kept_game.read_unfinished()
    assert (kept.black, kept.white, kept.size, kept.moves[0], len(kept.moves)) == ("manual", "greedy", 3, 0, 2)
    resumed = in_this_process("play", "--resume", typed="pass\nresign\n", environment=cache)
    assert "Move 3 of 8." in resumed.stderr
    assert "littlego review last" in resumed.stderr
    games = in_this_process("review", "last", "--json", environment=cache)
    assert games.returncode == 0, games.stderr
    assert '"0,0"' in games.stdout
    again = in_this_process("play", "--resume", environment=cache)
    assert (again.returncode, "no game at the terminal was stopped" in again.stderr) == (2, True)
    assert PASS not in kept.moves
