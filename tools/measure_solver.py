"""What the solver takes: `python tools/measure_solver.py`, for `docs/measured.py solver`. Prints JSON.

Games of 10 to 24 moves from the empty board, and the odd positions of `bench.py solve --odd 20`: on one thread,
with a fresh table for each, without the atlas, in processor seconds.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from littlego_bench.solve import bench_solve

LENGTHS = (10, 12, 14, 16, 18, 20, 22, 24)
ODD_LEFT = 20


def main() -> None:
    games = bench_solve(lengths=LENGTHS, late=())
    odd = bench_solve(odd_left=ODD_LEFT)
    rate = odd.nodes_per_million_steps
    found = {"games": list(map(asdict, games.lines)), "odd": list(map(asdict, odd.lines)), "per_million_steps": rate}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
