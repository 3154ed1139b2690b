"""How a job reports to its server: lines of JSON on standard output."""

from __future__ import annotations

import json
import time
from typing import Any, Final, Protocol, TextIO

_PROGRESS_EVERY: Final = 0.2
_RESULT_EVERY: Final = 1.0
"""Seconds between two reports."""


class Progress(Protocol):
    """Called with how much is done, of how much, what is being done, and the result so far.

    `result` may be a function, which is called only if the result is sent. Calls soon after the last are not sent.
    """

    def __call__(self, done: int, total: int, message: str = "", result: Any = None) -> None: ...


class Reporter:
    """Sends reports to the server."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next_progress = self._next_result = 0.0

    def send(self, **fields: Any) -> None:
        self._out.write(json.dumps(fields) + "\n")
        self._out.flush()

    def progress(self, done: int, total: int, message: str = "", result: Any = None) -> None:
        """A `Progress` that always sends the last step."""
        now, is_last = time.monotonic(), done >= total
        fields: dict[str, Any] = {}
        if is_last or now >= self._next_progress:
            self._next_progress = now + _PROGRESS_EVERY
            fields = {"done": done, "total": total, "message": message}
        if result is not None and (is_last or now >= self._next_result):
            self._next_result = now + _RESULT_EVERY
            fields["result"] = result() if callable(result) else result
        if fields:
            self.send(**fields)
