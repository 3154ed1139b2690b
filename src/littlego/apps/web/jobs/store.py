"""The tables of jobs: a small row that changes often, with params and results beside it.

    jobs(id, kind, title, state, done, total, message, result_version, crashes, created, updated, person)
    job_params(id, params)      the order; read when a process starts, shown to nobody
    job_results(id, result)     the result so far; `result_version` counts its changes

Changes are visible at once and written together a little later, since progress comes often. If the server is killed in
between nothing is lost: a job that is run again continues from its own files.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, Final

from littlego.apps.web.services.store import NoRoom, NotFound, ServerStore, new_id
from littlego.formats.records import Json

UNFINISHED: Final = ("waiting", "running")

_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS jobs (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, done INTEGER NOT NULL,
        total INTEGER NOT NULL, message TEXT NOT NULL, result_version INTEGER NOT NULL, crashes INTEGER NOT NULL,
        created REAL NOT NULL, updated REAL NOT NULL, person TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS newest_jobs ON jobs (created DESC)",
    "CREATE TABLE IF NOT EXISTS job_params (id TEXT PRIMARY KEY, params TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS job_results (id TEXT PRIMARY KEY, result TEXT NOT NULL)",
)
_FIELDS: Final = (
    "id", "kind", "title", "state", "done", "total", "message", "result_version", "crashes", "created", "updated",
    "person",
)  # fmt: skip
_SELECT: Final = f"SELECT {', '.join(_FIELDS)} FROM jobs"
_NOTABLE: Final = ("state", "done", "total", "message", "result_version", "crashes", "updated")
_UPDATE: Final = f"UPDATE jobs SET {', '.join(f'{name} = ?' for name in _NOTABLE)} WHERE id = ?"

_FROM_THINGS: Final = (
    f"""INSERT OR IGNORE INTO jobs ({", ".join(_FIELDS[:-1])}) SELECT id,
        json_extract(data, '$.kind'), json_extract(data, '$.title'),
        json_extract(data, '$.state'), json_extract(data, '$.done'), json_extract(data, '$.total'),
        json_extract(data, '$.message'), json_extract(data, '$.result') IS NOT NULL, 0, created, updated
        FROM things WHERE kind = 'job'""",
    "INSERT OR IGNORE INTO job_params SELECT id, json_extract(data, '$.params') FROM things WHERE kind = 'job'",
    """INSERT OR IGNORE INTO job_results SELECT id, json_extract(data, '$.result') FROM things
        WHERE kind = 'job' AND json_extract(data, '$.result') IS NOT NULL""",
    "DELETE FROM things WHERE kind = 'job'",
)
"""Older servers kept jobs in the table of things."""


class JobStore:
    """The tables of jobs in a store, with the changes that are not written yet."""

    def __init__(self, store: ServerStore) -> None:
        self._store = store
        self._noted: dict[str, Json] = {}
        self._results: dict[str, Any] = {}
        for statement in _TABLES:
            store.execute(statement)
        store.add_column("jobs", "person", "TEXT NOT NULL DEFAULT ''")
        if store.execute("SELECT 1 FROM things WHERE kind = 'job' LIMIT 1"):
            with store.transaction():
                for statement in _FROM_THINGS:
                    store.execute(statement)

    def add(self, kind: str, title: str, params: Json, person: str = "") -> Json:
        """Store a new job of a person, and return its row. Raises NoRoom."""
        job, now = new_id(), time.time()
        with self._store.transaction():
            self._store.execute(
                f"INSERT INTO jobs ({', '.join(_FIELDS)}) VALUES (?, ?, ?, 'waiting', 0, 0, '', 0, 0, ?, ?, ?)",
                (job, kind, title, now, now, person),
            )
            self._store.execute("INSERT INTO job_params VALUES (?, ?)", (job, json.dumps(params)))
        return self.row(job)

    def row(self, job: str) -> Json:
        """A job without its params and its result. Raises NotFound."""
        if (noted := self._noted.get(job)) is not None:  # read once: another thread may be writing
            return dict(noted)
        rows = self._store.execute(f"{_SELECT} WHERE id = ?", (job,))
        if not rows:
            raise NotFound(job)
        return dict(zip(_FIELDS, rows[0], strict=True))

    def newest(self, most: int, *, person: str | None = None) -> list[Json]:
        """The last jobs, or those of a person."""
        rows = self._store.execute(
            f"{_SELECT} WHERE ?1 IS NULL OR person = ?1 ORDER BY created DESC, id LIMIT ?2", (person, most)
        )
        found = [dict(zip(_FIELDS, row, strict=True)) for row in rows]
        return [dict(self._noted.get(row["id"], row)) for row in found]

    def count_since(self, person: str, when: float) -> int:
        """How many jobs a person has begun since a time."""
        rows = self._store.execute("SELECT count(*) FROM jobs WHERE person = ? AND created > ?", (person, when))
        return int(rows[0][0])

    def unfinished(self) -> list[str]:
        """The ids of the jobs that wait or run, oldest first."""
        rows = self._store.execute("SELECT id FROM jobs WHERE state IN (?, ?) ORDER BY created, id", UNFINISHED)
        return [row[0] for row in rows]

    def params(self, job: str) -> Json:
        """The order that the job's process is given. Raises NotFound."""
        rows = self._store.execute("SELECT params FROM job_params WHERE id = ?", (job,))
        if not rows:
            raise NotFound(job)
        params: Json = json.loads(rows[0][0])
        return params

    def result(self, job: str) -> Any:
        if (noted := self._results.get(job)) is not None:
            return noted
        rows = self._store.execute("SELECT result FROM job_results WHERE id = ?", (job,))
        return json.loads(rows[0][0]) if rows else None

    def parts_of_result(self, job: str, names: Sequence[str]) -> Json:
        """Some fields of a job's result, None where one is missing. The others are not even parsed."""
        if (noted := self._results.get(job)) is not None:
            return {name: noted.get(name) for name in names}
        columns = ", ".join("json_extract(result, ?)" for _ in names)
        places = tuple(f"$.{name}" for name in names)
        rows = self._store.execute(f"SELECT {columns} FROM job_results WHERE id = ?", (*places, job))
        return dict(zip(names, rows[0] if rows else [None] * len(names), strict=True))

    def note(self, job: str, **changes: Any) -> Json:
        """Change a job, `result` included, and return its row. The next `write` stores it."""
        row = self.row(job)
        if "result" in changes:
            self._results[job] = changes.pop("result")
            row["result_version"] += 1
        assert changes.keys() <= set(_NOTABLE), changes
        self._noted[job] = {**row, **changes, "updated": time.time()}
        return dict(self._noted[job])

    def write(self) -> bool:
        """Store all changes. If the disk is full, returns False and keeps them for the next time."""
        if not self._noted:
            return True
        try:
            with self._store.transaction():
                for job, row in self._noted.items():
                    self._store.execute(_UPDATE, (*(row[name] for name in _NOTABLE), job))
                for job, result in self._results.items():
                    self._store.execute("INSERT OR REPLACE INTO job_results VALUES (?, ?)", (job, json.dumps(result)))
        except NoRoom:
            return False
        self._noted.clear()
        self._results.clear()
        return True
