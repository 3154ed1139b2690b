"""How much a student may have on a server, and start: one who filled the disk or the queue would stop the others.

What the teacher starts for a student is not counted against the student.
"""

from __future__ import annotations

from typing import Final

AGENTS: Final = 20
GRADING_BYTES: Final = 512 << 20
"""Of all gradings: each keeps a copy of the agent's files."""
DECKS: Final = 30
JOBS: Final = 3
"""That run or wait: one who grades everything at once would keep the others waiting."""
JOBS_A_DAY: Final = 300
GAMES_A_DAY: Final = 500
GAMES_AT_ONCE: Final = 50
"""In which a player thinks: twice what the page Watch shows."""
DAY: Final = 24 * 3600.0
"""Seconds."""
