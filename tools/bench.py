"""Measures speed, as ratios within one run: `python tools/bench.py engine`, `make bench`, or `--help`."""

from __future__ import annotations

from littlego_bench.commands import app

if __name__ == "__main__":
    app(prog_name="bench.py")
