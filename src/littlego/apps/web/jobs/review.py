"""The job that reviews a game: its exact values, from the last position to the first."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from littlego.apps.web.jobs.progress import Progress
from littlego.formats.records import record_from_dict
from littlego.review.verdicts import MARGINS_LEFT, GameReview
from littlego.solve.oracle import Oracle


def run(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    record = record_from_dict(params["record"], source="game")
    with server_oracle(data) as oracle:
        review = GameReview(record, oracle, margins_left=MARGINS_LEFT)
        review.work(watch=lambda done, total: progress(done, total, "working backwards", review.to_dict))
        return review.to_dict()


def server_oracle(data: Path) -> closing[Oracle]:
    """The exact values that all jobs of a server share, to be closed."""
    return closing(Oracle(store=data / "oracle.sqlite", memory=1 << 30))
