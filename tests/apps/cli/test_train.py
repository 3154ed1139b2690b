"""`littlego train` and `littlego bench learn` as a user meets them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.apps.cli.test_commands import ENVIRONMENT, littlego, transcript


@pytest.mark.parametrize("arguments", ["train --help", "bench learn --help"])
def test_help(arguments: str, golden: Callable[[str, str], None]) -> None:
    golden(f"cli/{arguments.replace('--', '').replace(' ', '-')}.txt", transcript(littlego(*arguments.split())))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("train --opponents self,castle", "opponent 'castle': expected self, random, greedy, aggressive, alphabeta"),
        ("train --representation net", "representation 'net': expected patterns or table"),
        ("train --games 0", "--games"),
        ("train --labels nowhere.tsv", "nowhere.tsv: cannot be read"),
        ("train --games 40 --out /dev/null/x", "/dev/null/x: cannot be written"),
        ("play learner:nowhere random", "nowhere: cannot be read"),
    ],
)
def test_wrong_use_is_explained_and_exits_with_2(arguments: str, says: str) -> None:
    done = littlego(*arguments.split())
    assert done.returncode == 2
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_model_is_trained_seen_to_improve_and_played(tmp_path: Path) -> None:
    out = tmp_path / "mine"
    done = littlego("train", "--games", "2000", "--opponents", "self", "--out", str(out), "--json")
    result = json.loads(done.stdout)
    first, last = result["curve"][0], result["curve"][-1]
    assert sum(last["wins"]["greedy"]) > sum(first["wins"]["greedy"])
    assert {path.name for path in out.iterdir()} >= {"model.json", "win-rates.png", "win-rates.svg", "curve.csv"}
    played = json.loads(littlego("play", f"learner:{out}", "random", "--games", "10", "--json").stdout)
    assert played["standings"][0]["player"] == f"learner:{out}"


@pytest.mark.slow
@pytest.mark.siege
def test_killed_and_started_again_it_ends_at_the_same_model(tmp_path: Path) -> None:
    def asked(out: str) -> list[str]:
        return ["train", "--games", "1000", "--opponents", "self", "--seed", "5", "--out", str(tmp_path / out)]

    command = [sys.executable, "-m", "littlego", *asked("killed")]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as running:
        deadline = time.monotonic() + 600  # it may have to compile
        while not (tmp_path / "killed" / "checkpoint.npz").exists() and time.monotonic() < deadline:
            try:
                running.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            break
        running.send_signal(signal.SIGKILL)
    assert not (tmp_path / "killed" / "model.json").exists()
    assert "Continuing after" in littlego(*asked("killed")).stderr
    assert littlego(*asked("whole")).returncode == 0
    models = [(tmp_path / out / "model.json").read_bytes() for out in ("killed", "whole")]
    assert models[0] == models[1]


def test_bench_reports_a_ratio() -> None:
    result = json.loads(littlego("bench", "learn", "--seconds", "1", "--json").stdout)
    assert result["ratio"] > 0
    assert result["patterns_games_per_second"] > 0
