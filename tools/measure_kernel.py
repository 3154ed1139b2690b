"""What WebAssembly costs: `python tools/measure_kernel.py` asks `kernel.wasm` and the same functions by numba in turns.

Seconds are CPU time of this process; a line of the table is the median of the rounds' ratios, so that a busy machine
does not matter. The searches visit the same nodes, and the games teach the same, or an assertion fails.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from compiling import use_machine_code
from littlego.core.rules import edition_rules
from littlego.kernel.frame import spot_of
from littlego.kernel.xorshift import seeded_state
from littlego.learn import games_kernel
from littlego.learn.games_kernel import Rates
from littlego.learn.trainer import LONGEST_STRETCH
from littlego.learn.values import Learned
from littlego.solve import search
from littlego.solve.engine import Engine
from littlego.solve.oracle import least_win
from littlego_bench.solve import odd_sets

TABLE = 1 << 28


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
            games_kernel.play_games(
                values.arrays, LONGEST_STRETCH, LONGEST_STRETCH * number, rates, record.games, state
            )
            games_kernel.learn_games(values.arrays, LONGEST_STRETCH, rates, record.games)
        else:
            values.play(record, LONGEST_STRETCH, LONGEST_STRETCH * number, rates, state)
            values.learn(record, rates)
    return time.process_time() - began, values.weights.copy()


def compared(ask: Callable[[bool], tuple[float, Any]], rounds: int, same: Callable[[Any, Any], bool]) -> list[float]:
    """WebAssembly's seconds for each of numba's."""
    ratios = []
    for _ in range(rounds):
        ours, found = ask(False)
        native, expected = ask(True)
        assert same(found, expected), "numba's answers differ"
        ratios.append(ours / native)
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare kernel.wasm with numba.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--left", type=int, default=16, help="plies left of the positions that are searched")
    parser.add_argument("--stretches", type=int, default=8, help="of 256 practice games each")
    asked = parser.parse_args()
    use_machine_code()
    searched(NativeEngine, 14)
    trained(True, 1, 6)
    print("| CPU seconds, kernel.wasm / numba native | median | of rounds |\n| --- | --- | --- |", flush=True)
    nodes = searched(Engine, asked.left)[1]
    rows = {
        f"search, {nodes:,} nodes": compared(
            lambda native: searched(NativeEngine if native else Engine, asked.left), asked.rounds, int.__eq__
        ),
        f"training, {LONGEST_STRETCH * asked.stretches:,} games, endings played out": compared(
            lambda native: trained(native, asked.stretches, 6), asked.rounds, np.array_equal
        ),
        f"training, {LONGEST_STRETCH * asked.stretches:,} games, without": compared(
            lambda native: trained(native, asked.stretches, 0), asked.rounds, np.array_equal
        ),
    }
    for what, ratios in rows.items():
        print(f"| {what} | {median(ratios):.2f} | {', '.join(f'{ratio:.2f}' for ratio in ratios)} |", flush=True)


if __name__ == "__main__":
    main()
