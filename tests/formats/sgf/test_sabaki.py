"""Sabaki's own package for SGF (`@sabaki/sgf`) reads what we write, and we read what it writes."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import littlego as lg

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "node_modules" / "@sabaki" / "sgf"
NODE = shutil.which("node")
LETTERS = "abcdefghijklmnopqrs"


@pytest.mark.process
@pytest.mark.skipif(
    NODE is None or not PACKAGE.exists(),
    reason="no node, or no node_modules (make node_modules, which needs npm)",
)
def test_sabaki_reads_our_games_and_we_read_its(tmp_path: Path) -> None:
    assert NODE is not None
    games = [
        replace(lg.play_game("random", "random", seed=seed, rules=lg.edition_rules(edition, size)), black=name)
        for seed, (edition, size, name) in enumerate(
            [("2025", 5, "Zoë [a] \\ b"), ("2019", 7, "黑棋"), ("2024", 2, "a:b;c(d)"), ("2025", 13, "plain")]
        )
    ]
    files = [tmp_path / f"{number}.sgf" for number in range(len(games))]
    for file, game in zip(files, games, strict=True):
        file.write_text(lg.write_sgf(game), encoding="utf-8")
    script = str(Path(__file__).parent / "sabaki.mjs")
    done = subprocess.run(
        [NODE, script, *map(str, files)], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    for game, found in zip(games, json.loads(done.stdout), strict=True):
        ((root, *nodes),) = found["nodes"]
        size = game.start.size
        assert (root["SZ"], root["PB"], float(root["KM"][0])) == ([str(size)], [game.black], game.start.rules.komi)
        played = [node["BW"[number % 2]][0] for number, node in enumerate(nodes)]
        assert played == [sgf_point(move, size) for move in game.moves]
        again = lg.parse_sgf(found["text"])
        assert (again.start, again.moves, again.black, again.outcome) == (
            game.start,
            game.moves,
            game.black,
            game.outcome,
        )


def sgf_point(move: lg.Move, size: int) -> str:
    """Written anew: column, then row, as letters; a pass is `tt`."""
    return LETTERS[move % size] + LETTERS[move // size] if isinstance(move, int) else "tt"
