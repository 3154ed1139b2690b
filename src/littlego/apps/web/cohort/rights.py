"""What a student may ask a server for, and how much a student may have and start on it.

Rights are a table, which says whose a thing must be; what it does not name is the teacher's. Without limits one who
filled the disk or the queue would stop the others; what the teacher starts for a student is not counted against the
student.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

# A named group is the id of a thing of that kind, which must be the student's own.
_TABLE: Final = (
    ("GET PUT", r"/api/agents"),
    ("GET POST DELETE", r"/api/agents/(?P<agent>[^/]+)(?:/.*)?"),
    ("GET", r"/api/jobs|/api/jobs/queue"),
    ("GET POST", r"/api/jobs/(?P<job>[^/]+)(?:/cancel|/resume|/games/[^/]+/open)?"),
    ("GET POST", r"/api/games"),
    ("GET", r"/api/results|/api/weeks"),
    ("GET", r"/api/games/(?P<game>[^/]+)/values"),
    ("POST PUT", r"/api/games/import"),
    ("POST", r"/api/games/(?P<game>[^/]+)/(?:moves|undo|resign|retry|review)"),
    ("POST", r"/api/games/[^/]+/branch"),  # a new game: whoever has the link may read the old one
    ("POST", r"/api/positions|/api/values|/api/learn/values|/api/learn/tictactoe"),
    ("GET POST DELETE", r"/api/decks(?:/.*)?"),  # in a directory of the student's own
    # Of the games of a tournament, those of the student's own agents: the service shows no others.
    ("GET", r"/api/tournaments/[^/]+/games(?:/[^/]+(?:/values|/capsule\.json)?)?"),
    ("POST", r"/api/tournaments/[^/]+/games/[^/]+/open"),
    ("SOCKET", r"/api/live"),
)
_TOPICS: Final = re.compile(r"jobs|game:.*|values:.*|job:(?P<job>.*)", re.S)

OTHERS_JOB: Final = "another student's job"


class Own(NamedTuple):
    """Something that must be the student's own."""

    kind: str
    name: str


def students_right(method: str, path: str) -> Own | bool:
    """Whether any student may, none may, or only the one who owns something. The method of a WebSocket is SOCKET."""
    method = "GET" if method == "HEAD" else method
    for methods, pattern in _TABLE:
        if method in methods.split() and (found := re.fullmatch(pattern, path)):
            return _needs(found)
    return False


def students_topic(topic: str) -> Own | bool:
    """The same for the news of a topic."""
    found = _TOPICS.fullmatch(topic)
    return _needs(found) if found else False


def _needs(found: re.Match[str]) -> Own | bool:
    named = [Own(kind, name) for kind, name in found.groupdict().items() if name is not None]
    return named[0] if named else True


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
