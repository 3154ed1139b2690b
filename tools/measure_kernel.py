"""What the kernel costs: `python tools/measure_kernel.py` measures each row of the table in docs/solution.md.

An installation, a review on it and `littlego solve` take seconds of the clock: measure on a quiet machine. The search
and training are asked of `kernel.wasm` and of the same functions by numba in turns; these rows are medians of the
rounds' ratios of CPU seconds, so that a busy machine hardly matters. The searches visit the same nodes, and the games
teach the same, or an assertion fails. `--rows search training` measures these alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from compiling import use_machine_code
from littlego.apps.web.settings import STATIC
from littlego.apps.web.site import elsewhere
from littlego.core.rules import edition_rules
from littlego.kernel.words import spot_of
from littlego.kernel.xorshift import seeded_state
from littlego.learn import games as practice
from littlego.learn.games import Rates
from littlego.learn.learned import Learned
from littlego.learn.trainer import LONGEST_STRETCH
from littlego.solve import search
from littlego.solve.engine import Engine
from littlego.solve.oracle import least_win
from littlego_bench.solve import odd_sets

ROOT: Final = Path(__file__).resolve().parents[1]
TABLE: Final = 1 << 28
HEAVY: Final = {"numpy", "wasmtime", "fastapi", "matplotlib", "sqlite3", "asyncio"}
ROWS: Final = ("install", "solve", "search", "whole", "training", "help")


class NativeEngine(Engine):
    """The engine with the search as numba compiles it."""

    def search_slice(self, number: int, budget: int) -> int:
        return int(search.search(self.lines[number], self.shared, budget))


def searched(kind: type[Engine], most_left: int) -> tuple[float, int]:
    """CPU seconds and nodes of the positions of odd openings with at most so many plies left."""
    seconds, nodes = 0.0, 0
    for _, positions in odd_sets(most_left):
        for position in positions:
            engine = kind(position.size, memory=TABLE)
            target = least_win(position.rules, position.to_move)
            began = time.process_time()
            engine.reaches(spot_of(position), target)
            seconds += time.process_time() - began
            nodes += engine.nodes
    return seconds, nodes


def trained(native: bool, stretches: int, endings: int) -> tuple[float, np.ndarray]:
    """CPU seconds of practice games and of learning from them, and what was learned."""
    myself, state = np.array([-1]), seeded_state(1)
    values = Learned(edition_rules())
    record = values.new_record(LONGEST_STRETCH)
    rates = Rates(1.0, 1.0, 0.7, 0.1, 0.0, 0, endings, myself, myself)
    began = time.process_time()
    for number in range(stretches):
        if native:
            practice.play_games(values.arrays, LONGEST_STRETCH, LONGEST_STRETCH * number, rates, record.games, state)
            practice.learn_games(values.arrays, LONGEST_STRETCH, rates, record.games)
        else:
            values.play(record, LONGEST_STRETCH, LONGEST_STRETCH * number, rates, state)
            values.learn(record, rates)
    return time.process_time() - began, values.weights.copy()


def searched_in_node(most_left: int) -> tuple[float, int]:
    """The same positions by the page's kernel."""
    asked = [
        {"spot": asdict(spot_of(position)), "target": least_win(position.rules, position.to_move)}
        for _, positions in odd_sets(most_left)
        for position in positions
    ]
    files = {path.name: str(path) for path in elsewhere().values()}
    script = str(ROOT / "tools" / "search_in_node.mjs")
    command = ["node", script, str(STATIC / "js"), files["kernel.wasm"], files["guess.bin"]]
    done = subprocess.run(command, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=True)
    seconds, nodes = json.loads(done.stdout)
    return float(seconds), int(nodes)


def compared(
    rounds: int, ours: Callable[[], tuple[float, Any]], native: Callable[[], tuple[float, Any]]
) -> list[float]:
    """WebAssembly's seconds for each of numba's."""
    ratios = []
    for _ in range(rounds):
        (seconds, found), (expected_seconds, expected) = ours(), native()
        assert np.array_equal(found, expected), "numba's answers differ"
        ratios.append(seconds / expected_seconds)
    return ratios


def timed(*command: str | Path, **more: str) -> float:
    """Seconds of the clock that a command takes."""
    began = time.perf_counter()
    subprocess.run(command, env=os.environ | more, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def installed() -> dict[str, Any]:
    """What `pip install .` adds to an empty environment, and the first two reviews there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        before = size_of(folder / "env")
        timed(programs / "python", "-m", "pip", "install", ROOT)
        added = size_of(folder / "env") - before
        game, here = folder / "game.sgf", {"HOME": name, "XDG_CACHE_HOME": str(folder / "cache")}
        timed(sys.executable, "-m", "littlego", "play", "alphabeta", "greedy", "--seed", "5", "--sgf", game)
        return {
            "mebibytes": added / 2**20,
            "reviews": [timed(programs / "littlego", "review", game, **here) for _ in "12"],
        }


def size_of(folder: Path) -> int:
    """Bytes of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def solved(*options: str) -> float:
    """Seconds that `littlego solve` takes, with nothing solved before."""
    with tempfile.TemporaryDirectory() as cache:
        return timed(sys.executable, "-m", "littlego", "solve", *options, HOME=cache, XDG_CACHE_HOME=cache)


def heavy_modules() -> list[str]:
    """Those of HEAVY that `littlego --help` loads."""
    command = [sys.executable, "-X", "importtime", "-m", "littlego", "--help"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return sorted(HEAVY & {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()})


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what the kernel costs.")
    parser.add_argument("--rows", choices=ROWS, nargs="+", default=ROWS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--left", type=int, default=16, help="plies left of the positions that are searched")
    parser.add_argument("--stretches", type=int, default=8, help="of 256 practice games each")
    parser.add_argument("--json", action="store_true", help="print JSON, for docs/measured.py")
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    if "install" in asked.rows:
        found |= installed()
    if "solve" in asked.rows:
        found["solve"] = [min(solved() for _ in range(asked.rounds))]
    if "whole" in asked.rows:
        found["whole"] = [solved("--no-atlas", "--memory", "2", "--threads", threads) for threads in "12"]
    if "help" in asked.rows:
        found["help"] = heavy_modules()
    use_machine_code()
    if "search" in asked.rows:
        searched(NativeEngine, 14)
        native = partial(searched, NativeEngine, asked.left)
        found["search"] = compared(asked.rounds, partial(searched, Engine, asked.left), native)
        found["search_in_node"] = compared(asked.rounds, partial(searched_in_node, asked.left), native)
        found["nodes"] = native()[1]
    if "training" in asked.rows:
        trained(True, 1, 6)
        for name, endings in (("training", 6), ("training_without_endings", 0)):
            ours, numbas = (partial(trained, kind, asked.stretches, endings) for kind in (False, True))
            found[name] = compared(asked.rounds, ours, numbas)
    if asked.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        ratios = f" (median {median(value):.2f} times numba)" if name.startswith(("search", "training")) else ""
        print(f"{name}: {value}{ratios}")


if __name__ == "__main__":
    main()
