"""Blocks of finished games as packed columns, so that standings of a million games are read in a moment.

    blocks(last, games, verdicts)    the games up to number `last` that no earlier block holds

A copy of what the table of games has, made every `SIZE` games in the transaction that stores the last of them. A store
of an older version has no blocks, and gets them when its next block is full; until then, and for the newest games,
rows are read one by one.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np

SIZE: Final = 4096

RunQuery: TypeAlias = Callable[[str], Iterator[tuple[Any, ...]]]
"""Runs a query and gives its rows one by one."""

_KINDS: Final = {"black": "<i4", "white": "<i4", "number": "<i4", "winner": "i1", "forfeit": "i1", "moves": "<i8"}
_FIELDS: Final = ", ".join(_KINDS)


def store_full(db: sqlite3.Connection) -> None:
    """Pack the games that are in no block yet, within the caller's transaction."""
    import numpy as np

    db.execute(
        "CREATE TABLE IF NOT EXISTS blocks (last INTEGER PRIMARY KEY, games BLOB NOT NULL, verdicts TEXT NOT NULL)"
    )
    (last,) = db.execute("SELECT coalesce(max(last), 0) FROM blocks").fetchone()
    newer = f"SELECT finished, verdict, {_FIELDS} FROM games WHERE finished > ? ORDER BY finished LIMIT {SIZE}"
    while len(rows := db.execute(newer, (last,)).fetchall()) == SIZE:
        last = rows[-1][0]
        games = np.array([row[2:] for row in rows], dtype=list(_KINDS.items()))
        verdicts = Counter(row[1] for row in rows)
        db.execute("INSERT INTO blocks VALUES (?, ?, ?)", (last, games.tobytes(), json.dumps(verdicts)))


def read_columns(query: RunQuery) -> np.ndarray[Any, Any]:
    """All games in the order in which they ended. Raises ValueError for damaged blocks."""
    import numpy as np

    kind = np.dtype(list(_KINDS.items()))
    last, blocks = _blocks(query, "games")
    newest = np.fromiter(query(f"SELECT {_FIELDS} FROM games WHERE finished > {last} ORDER BY finished"), dtype=kind)
    return np.concatenate([np.frombuffer(b"".join(blocks), dtype=kind), newest])


def count_verdicts(query: RunQuery) -> Counter[str]:
    last, blocks = _blocks(query, "verdicts")
    counts: Counter[str] = Counter(
        dict(query(f"SELECT verdict, count(*) FROM games WHERE finished > {last} GROUP BY verdict"))
    )
    for block in blocks:
        counts.update(json.loads(block))
    return counts


def _blocks(query: RunQuery, column: str) -> tuple[int, list[Any]]:
    """The last game that is in a block, and a column of all blocks."""
    if not list(query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'blocks'")):
        return 0, []
    rows = list(query(f"SELECT last, {column} FROM blocks ORDER BY last"))
    return (rows[-1][0] if rows else 0), [content for _, content in rows]
