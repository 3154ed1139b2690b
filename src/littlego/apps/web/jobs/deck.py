"""The job that makes a deck of drills from wins that were thrown away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from littlego.apps.web.jobs.progress import Progress
from littlego.apps.web.jobs.review import server_oracle
from littlego.apps.web.services.decks import persons_folder, write_deck
from littlego.core.errors import UsageError
from littlego.formats.records import record_from_dict
from littlego.review.drills.deck import make_deck
from littlego.review.regret import regret_of


def run(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Make a deck of the wins that a player threw away in its games. Raises UsageError if there are none."""
    records = [record_from_dict(record, source="game") for record in params["records"]]
    with server_oracle(data) as oracle:
        regret = regret_of(
            records,
            params["player"],
            oracle,
            watch=lambda done, total: progress(done, 2 * total, "looking for lost wins"),
        )
        deck, left_out = make_deck(
            records,
            regret,
            oracle,
            name=params["name"],
            watch=lambda done, total: progress(total + done, 2 * total, "finding every right answer"),
        )
    if not deck.drills:
        raise UsageError(f"{params['player']} threw away no win in {len(records)} games: there is nothing to drill")
    folder = persons_folder(data, params.get("person", ""))
    return {"deck": write_deck(folder, deck), "drills": len(deck), "left_out": left_out}
