"""Messages between the referee and its supervisor: four bytes of length, then JSON."""

from __future__ import annotations

import json
import os
import struct

TYPE_CHECKING = False  # that of `typing`, which is slow to import
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]


def send(descriptor: int, message: Message) -> None:
    """Raises OSError if the other end is gone."""
    data = json.dumps(message).encode()
    data = struct.pack("=I", len(data)) + data
    while data:
        data = data[os.write(descriptor, data) :]


def receive(descriptor: int) -> Message | None:
    """The next message; None if the other end is gone."""
    head = _exactly(descriptor, 4)
    if head is None:
        return None
    body = _exactly(descriptor, struct.unpack("=I", head)[0])
    return None if body is None else json.loads(body)


def _exactly(descriptor: int, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        try:
            chunk = os.read(descriptor, size - len(data))
        except ConnectionResetError:
            return None
        if not chunk:
            return None
        data += chunk
    return data
