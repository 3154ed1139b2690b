"""How a server was asked to run."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from littlego.apps.web.cohort.students import Student

STATIC: Final = Path(__file__).parent / "static"
"""The pages' files."""
DATA: Final = Path("littlego-arena")
HOST: Final = "127.0.0.1"
EVERYWHERE: Final = "0.0.0.0"
"""All addresses of this machine."""
PORT: Final = 8025


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where a server listens, where it keeps its data, and how much it may use."""

    data: Path
    """The directory of games, jobs, agents and tournaments."""
    host: str = HOST
    port: int = PORT
    token: str | None = None
    """Known to the owner alone. None, in tests, makes everyone the owner."""
    workers: int = 2
    """Processes for slow players, and the same number for programs. Quick players share another one."""
    warm: bool = False
    """Compile strong players when the server starts, not when somebody waits for their first move."""
    jobs_at_once: int = 1
    """How many long jobs run at a time, and how many short ones; with 0 they all wait."""
    analysis_seconds: float = 5.0
    """The most that analysis may take for one turn."""
    memory: int = 1 << 29
    """Bytes for the tables of exact values: half for the search, the rest for what is known and for analysis."""
    students: tuple[Student, ...] = ()
    """The class that this server is for."""
    show_names: bool = False
    """Call students by their names in tournaments, not by their pseudonyms."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server. One for a class is for others, if behind a proxy."""
        return is_loopback(self.host) and not self.students

    def student(self, key: str) -> Student | None:
        """The student of a key, unless it is the owner's or of somebody who has left the class."""
        return next((student for student in self.students if student.key == key), None)

    def called(self, student: Student) -> str:
        """The name of a student in tournaments."""
        return student.name if self.show_names else student.pseudonym


def is_loopback(host: str) -> bool:
    """Whether a name or address means this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
