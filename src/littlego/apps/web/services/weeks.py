"""How people's play changes from week to week, by the reviews of their games.

The measure is that of `review/regret.py`: of the positions that a person could win, the share that the move gave away.
"""

from __future__ import annotations

import datetime
from typing import Final

from littlego.apps.web.jobs.queue import Jobs
from littlego.apps.web.services.games import finished_games
from littlego.apps.web.services.store import ServerStore
from littlego.formats.records import Json

REVIEW: Final = "review"
"""The kind under which the job that reviewed a game is stored."""


def weeks(store: ServerStore, jobs: Jobs, person: str, player: str) -> Json:
    """The fields of `Weeks` in the API, of a player or, for an empty name, of everyone in a person's games."""
    found: dict[str, Json] = {}
    not_reviewed = []
    for line in finished_games(store, person, player):
        reviewed = store.get(REVIEW, line["id"])
        review = jobs.find(reviewed["job"])["result"] if reviewed else None
        if not review or not review["complete"]:
            not_reviewed.append(line["id"])
            continue
        name = week_of(line["updated"])
        row = found.setdefault(name, {"week": name, "games": 0, "won_positions": 0, "thrown_away": 0})
        won = [move for move in review["moves"] if move["colour"] == line["you"] == move["before"]]
        row["games"] += 1
        row["won_positions"] += len(won)
        row["thrown_away"] += sum(move["is_mistake"] for move in won)
    return {"weeks": [found[name] for name in sorted(found)], "not_reviewed": not_reviewed}


def week_of(seconds: float) -> str:
    """The ISO week of a time, in UTC: `2026-W47`."""
    year, week, _ = datetime.datetime.fromtimestamp(seconds, datetime.UTC).isocalendar()
    return f"{year}-W{week:02}"
