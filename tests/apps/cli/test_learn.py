"""`littlego train` as a user meets it."""

from __future__ import annotations

import inspect
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from littlego.apps.cli.learn import train
from littlego.learn.trainer import TrainingSettings
from tests.apps.cli.test_commands import ENVIRONMENT, littlego


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("train --opponents self,castle", "opponent 'castle': expected self, random, greedy, aggressive, alphabeta"),
        ("train --games 0", "--games"),
        ("train --games 40 --out /dev/null/x", "/dev/null/x: cannot be written"),
        ("play learner:nowhere random", "nowhere: cannot be read"),
    ],
)
def test_wrong_use_is_explained_and_exits_with_2(arguments: str, says: str) -> None:
    done = littlego(*arguments.split())
    assert done.returncode == 2
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_the_defaults_are_those_of_the_library() -> None:
    defaults = {name: parameter.default for name, parameter in inspect.signature(train).parameters.items()}
    names = {"games", "alpha", "gamma", "epsilon", "opponents", "seed"}
    for name in names:
        value = getattr(TrainingSettings(), name)
        assert defaults[name] == (",".join(value) if isinstance(value, tuple) else value), name


@pytest.mark.slow
def test_an_edition_of_ones_own_is_learned(tmp_path: Path) -> None:
    edition = tmp_path / "mine.toml"
    shown = littlego("edition", "show", "2025").stdout
    edition.write_text(shown.replace('name = "2025"', 'name = "mine"').replace('"n*n-1"', "30"))
    asked = ["train", "--edition", str(edition), "--games", "40", "--out", str(tmp_path / "out"), "--json"]
    settings = json.loads(littlego(*asked).stdout)["settings"]
    assert (settings["edition"], settings["size"], settings["length"]) == ("mine", 5, 30)


@pytest.mark.slow
def test_a_model_is_trained_seen_to_improve_and_played(tmp_path: Path) -> None:
    out = tmp_path / "mine"
    done = littlego("train", "--games", "2000", "--opponents", "self", "--out", str(out), "--json")
    result = json.loads(done.stdout)
    first, last = result["curve"][0], result["curve"][-1]
    assert sum(last["wins"]["greedy"]) > sum(first["wins"]["greedy"])
    assert {path.name for path in out.iterdir()} >= {"model.json", "win-rates.svg", "curve.csv"}
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
