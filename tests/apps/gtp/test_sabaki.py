"""Sabaki's own package for engines (`@sabaki/gtp`) drives ours: games, going back, analysis."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from littlego.core.position import Position

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "node_modules" / "@sabaki" / "gtp"
NODE = shutil.which("node")


@pytest.mark.process
@pytest.mark.skipif(
    NODE is None or not PACKAGE.exists(),
    reason="no node, or no node_modules (make node_modules, which needs npm)",
)
def test_sabaki_plays_and_analyses_with_our_engine() -> None:
    assert NODE is not None
    engine = [sys.executable, "-m", "littlego", "gtp", "greedy"]
    script = str(Path(__file__).parent / "sabaki.mjs")
    done = subprocess.run([NODE, script, *engine], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["name"], found["errors"]) == ("Little-Go greedy", 0)
    position = Position.initial().play("C3").play("D3").play("C4")
    assert position.is_legal(found["move"])
    assert found["history"][-1] == {"name": "play", "args": ["W", found["move"]]}
    assert [played["args"] for played in found["other"]] == [["B", "C3"], ["W", "C2"]]
    assert "lz-analyze" in found["analysers"]
    position = Position.initial().play("C3").play("C2")
    moves = re.findall(r"info move (\S+) visits \d+ winrate \d+ ", found["lines"])
    assert moves
    assert all(position.is_legal(move) for move in moves)
