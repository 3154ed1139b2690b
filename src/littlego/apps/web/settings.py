"""How a server was asked to run, and where it can be reached."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from littlego.apps.web.cohort import Student


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
    """The directory of agents, jobs and tournaments."""
    host: str = HOST
    port: int = PORT
    token: str | None = None
    """Known to the owner alone. None, in tests, makes everyone the owner."""
    workers: int = 2
    """Processes in which agents choose moves against people."""
    jobs_at_once: int = 1
    """How many long jobs run at a time, and how many short ones; with 0 they all wait."""
    students: tuple[Student, ...] = ()
    """The class that this server is for."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server. One for a class is for others, if behind a proxy."""
        return is_loopback(self.host) and not self.students

    def student(self, key: str) -> Student | None:
        """The student of a key, unless it is the owner's or of somebody who has left the class."""
        return next((student for student in self.students if student.key == key), None)


def is_loopback(host: str) -> bool:
    """Whether a name or address means this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


_ELSEWHERE: Final = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses for documentation only: the route to them shows which of our own others can reach. Nothing is sent."""


def address_of(host: str, port: int) -> str:
    """The URL of a server that listens on `host`: of all addresses of this machine, one that others reach."""
    shown = host.strip("[]")
    if shown == "127.0.0.1":
        shown = "localhost"
    elif shown in (EVERYWHERE, "::"):
        shown = _seen_from_elsewhere(socket.AF_INET6 if ":" in shown else socket.AF_INET) or socket.gethostname()
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


def _seen_from_elsewhere(family: socket.AddressFamily) -> str | None:
    """Our own address on the way to other machines; None without a network."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            asked.connect((_ELSEWHERE[family], 9))
            found: str = asked.getsockname()[0]
    except OSError:
        return None
    return None if ipaddress.ip_address(found).is_unspecified else found
