"""`littlego analyze`: exact analysis for programs, a line of JSON in, lines of JSON out."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from littlego.apps.cli import oracles

_LONGEST_LINE = 1_000_000


def analyze(
    *,
    seconds: Annotated[float, typer.Option(metavar="S", min=0, help="Time limit for each turn; 0: none.")] = 10.0,
    store: oracles.StoreFile = None,
    memory: oracles.Memory = oracles.MEMORY,
    threads: oracles.Threads = oracles.THREADS,
) -> None:
    """Answer queries on stdin in the protocol of KataGo's analysis engine, with exact values.

    Reads one JSON object a line and prints one for every turn to analyse, with a winrate of 1 or 0.
    Win rates and leads are Black's. The fields are KataGo's, and `exact`.

      echo '{"id": "a", "moves": [["B", "C3"]], "boardXSize": 5, "boardYSize": 5}' | littlego analyze
    """
    from littlego.review.analysis.call import AnalysisEngine

    with oracles.opened(store, memory=memory, threads=threads) as oracle:
        analyst = AnalysisEngine(oracle, seconds=oracles.limit(seconds))
        for line in iter(lambda: sys.stdin.readline(_LONGEST_LINE), ""):
            if line.strip():
                for answer in analyst.answer_line(line):
                    print(json.dumps(answer), flush=True)
