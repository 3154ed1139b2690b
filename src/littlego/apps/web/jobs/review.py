"""The job that reviews a game: exact values from its end back to its beginning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from littlego.apps.web.jobs.progress import Progress
from littlego.formats.records import record_from_dict
from littlego.review.verdicts import MARGINS_LEFT, GameReview
from littlego.solve.oracle import Oracle


def run(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Review the game in `params`. The values are kept in the server's oracle."""
    record = record_from_dict(params["record"], source="game")
    oracle = Oracle(store=data / "oracle.sqlite", memory=1 << 30)
    try:
        review = GameReview(record, oracle, margins_left=MARGINS_LEFT)
        review.work(watch=lambda done, total: progress(done, total, "working backwards", review.to_dict))
        return review.to_dict()
    finally:
        oracle.close()
