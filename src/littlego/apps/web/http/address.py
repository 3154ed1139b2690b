"""The address of a server, as somebody on another machine types it."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final

_ELSEWHERE: Final = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses for documentation only: the route to them shows which of our own others can reach. Nothing is sent."""


def address_of(host: str, port: int) -> str:
    """The URL of a server that listens on `host`: of all addresses of this machine, one that others reach."""
    shown = host.strip("[]")
    if shown == "localhost" or _is(shown, "127.0.0.1"):
        shown = "localhost"
    elif _is(shown, "0.0.0.0") or _is(shown, "::"):
        shown = _seen_from_elsewhere(socket.AF_INET6 if ":" in shown else socket.AF_INET) or socket.gethostname()
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


def _is(host: str, address: str) -> bool:
    try:
        return ipaddress.ip_address(host) == ipaddress.ip_address(address)
    except ValueError:
        return False


def _seen_from_elsewhere(family: socket.AddressFamily) -> str | None:
    """Our own address on the way to other machines; None without a network."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            asked.connect((_ELSEWHERE[family], 9))
            found: str = asked.getsockname()[0]
    except OSError:
        return None
    return None if ipaddress.ip_address(found).is_unspecified else found
