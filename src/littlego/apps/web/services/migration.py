"""Upgrades the data directories of older servers when a server starts.

They stored the absolute paths of uploaded agents, in agents and in the seats of games, and one grading for each agent.
Games that were opened in a tournament had ids that could be guessed, though whoever has the link to a game may see it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from littlego.apps.web.services import agents, games, gradings
from littlego.apps.web.services.store import ServerStore, new_id

_VERSION: Final = 2
_GUESSABLE: Final = re.compile(r"[A-Za-z0-9_-]{12}-[0-9]+")
"""A tournament's id and a game's number."""
_UPLOADED: Final = re.compile(r"^(class:)?(?:.*/)?agents/([A-Za-z0-9_-]{12})(/.*)$")


def upgrade(store: ServerStore, data: Path) -> None:
    """Upgrade a store in one transaction. Raises NoRoom."""
    version = store.execute("PRAGMA user_version")[0][0]
    if version >= _VERSION:
        return
    with store.transaction():
        _rename_guessable(store)
        if version < 1:
            _upgrade_paths(store, data)
        store.execute(f"PRAGMA user_version = {_VERSION}")


def _rename_guessable(store: ServerStore) -> None:
    for (game,) in store.execute("SELECT id FROM things WHERE kind = ?", (games.KIND,)):
        if _GUESSABLE.fullmatch(game):
            store.execute(
                "UPDATE things SET id = ? WHERE kind IN (?, 'review') AND id = ?", (new_id(), games.KIND, game)
            )


def _upgrade_paths(store: ServerStore, data: Path) -> None:
    for agent in store.newest(agents.KIND, 1_000_000):
        _upgrade_agent(store, data, agent["id"])
    for name, text in store.execute("SELECT id, data FROM things WHERE kind = ?", (games.KIND,)):
        _upgrade_seats(store, data, name, text)
    store.execute(
        "UPDATE job_results SET result = json_remove(result, '$.directory', '$.agent.spelling')"
        " WHERE id IN (SELECT id FROM jobs WHERE kind = 'grade')"
    )


def _upgrade_agent(store: ServerStore, data: Path, agent: str) -> None:
    kept = store.find(agents.KIND, agent)
    found = _UPLOADED.match(kept["spelling"])
    if found and found[2] == agent and (data / agents.FOLDER / agent).is_dir():
        kept["spelling"] = f"{found[1] or ''}@data/{agents.FOLDER}/{agent}{found[3]}"
    _rewrite(store, agents.KIND, agent, json.dumps(kept))
    job = kept["jobs"].get("grade")
    rows = store.execute("SELECT params, created FROM job_params JOIN jobs USING (id) WHERE id = ?", (job,))
    if rows and "folder" in (params := json.loads(rows[0][0])):
        line = {"agent": agent, "digest": "", "job": job}
        line |= {key: params[key] for key in ("edition", "stage", "repeats")}
        store.execute(
            "INSERT OR REPLACE INTO things (kind, id, created, updated, data) VALUES (?, ?, ?, ?, ?)",
            (gradings.KIND, params["folder"], rows[0][1], rows[0][1], json.dumps(line)),
        )


def _upgrade_seats(store: ServerStore, data: Path, game: str, text: str) -> None:
    kept = json.loads(text)
    seats = kept.get("seats", {})
    for colour, seat in seats.items():
        found = _UPLOADED.match(seat)
        if found and (data / agents.FOLDER / found[2]).is_dir() and store.get(agents.KIND, found[2]):
            seats[colour] = f"agent:{found[2]}"
    if (changed := json.dumps(kept)) != text:
        _rewrite(store, games.KIND, game, changed)


def _rewrite(store: ServerStore, kind: str, name: str, text: str) -> None:
    """Change a thing without touching its `updated`, by which lists are sorted."""
    store.execute("UPDATE things SET data = ? WHERE kind = ? AND id = ?", (text, kind, name))
