"""The job that reviews a game: exact values from its end to its beginning, told as they are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from littlego.apps.web.jobs.main import Tell
from littlego.formats.records import record_from_dict
from littlego.review.verdicts import MARGINS_LEFT, GameReview
from littlego.solve.oracle import Oracle


def work(params: dict[str, Any], data: Path, tell: Tell) -> dict[str, Any]:
    """Review the game in `params`; what the oracle works out is kept in the arena's store."""
    oracle = Oracle(store=data / "oracle.sqlite", memory=1 << 30)
    record = record_from_dict(params["record"], source="game")
    review = GameReview(record, oracle, margins_left=MARGINS_LEFT)
    review.work(watch=lambda done, total: tell(done, total, "working backwards", lambda: review.to_dict()))
    found = review.to_dict()
    oracle.close()
    return found
