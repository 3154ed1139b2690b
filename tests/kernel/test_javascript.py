"""The kernel's host for browsers, run by node: the same answers, from the same nodes, as in Python."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import littlego.kernel
from littlego.kernel.frame import Spot
from littlego.kernel.packing import NO_KO
from littlego.solve.engine import Engine
from tests.solve.twins import minimax, random_position, spot, typical_position

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

KERNEL = Path(littlego.kernel.__file__).parent
HOST = KERNEL.parent / "apps" / "web" / "static" / "js" / "kernel.js"
ASK = Path(__file__).with_name("ask_kernel.mjs")


def ask(size: int, questions: list[tuple[Spot, int | None]]) -> dict[str, Any]:
    """What node answers; a question without a target is for the margin."""
    rows = [
        {"spot": asdict(view) | {"ko": None if view.ko == NO_KO else view.ko}, "target": target}
        for view, target in questions
    ]
    command = ["node", *map(str, (ASK, HOST, KERNEL / "kernel.wasm", size))]
    done = subprocess.run(command, input=json.dumps(rows), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_two_thousand_positions_have_the_answers_and_the_nodes_of_python() -> None:
    questions: list[tuple[Spot, int | None]] = [
        (spot(typical_position(left, seed)), target)
        for seed in range(170)
        for left in (6, 8, 9, 10)
        for target in (-2, 0, 3)
    ]
    assert len(questions) > 2000
    engine = Engine(5, memory=1 << 28)
    expected = [engine.reaches(view, target) for view, target in questions if target is not None]
    found = ask(5, questions)
    assert found["answers"] == expected
    assert found["nodes"] == engine.nodes
    assert 500 < sum(expected) < 1500


def test_margins_on_small_boards_are_those_of_plain_minimax() -> None:
    positions = [random_position(3, 5, seed) for seed in range(40)]
    found = ask(3, [(spot(position), None) for position in positions])
    assert found["answers"] == [minimax(position) for position in positions]
