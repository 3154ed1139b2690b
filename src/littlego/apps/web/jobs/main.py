"""The program that does one job: its order on the first line of its standard input, news on its standard output.

Each line of the output is JSON: progress (`done`, `total`, `message`), what was found so far (`result`), or the end
(`state`). When the input ends, the server is gone; then the job ends too, and the next server begins it again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, TextIO

from littlego.apps.web.services.store import NoRoom, is_full
from littlego.core.errors import LittleGoError
from littlego.storage.scratch import command_scratch

Json = Any


class Tell(Protocol):
    """Told how much is done, of how much, what is being done, and what has been found so far."""

    def __call__(self, done: int, total: int, message: str = "", result: Json = None) -> None:
        """Pass it on to whoever watches. `result` may be a function, which is called only when it is passed on."""
        ...


WORK: Final = {
    "review": "reviews:work",
    "check": "agents:check",
    "grade": "gradings:work",
    "tournament": "contests:work",
    "deck": "decks:work",
    "train": "lessons:train",
    "tictactoe": "lessons:tictactoe",
}
"""By kind, `module:function` below `littlego.apps.web`; called with the params, the data directory and Tell."""

_PROGRESS_EVERY: Final = 0.2
_RESULT_EVERY: Final = 1.0
"""Seconds between two reports."""
_GRACE: Final = 3.0
"""Seconds that a job has to end what it started, once its server is gone."""
_PATIENCE: Final = 60.0
"""Seconds to wait for the end of a process that does the same job, left behind by a server that was killed."""


class _Reporter:
    """Sends news to the server, not too often."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next_progress = self._next_result = 0.0

    def send(self, **news: Any) -> None:
        """Write a line."""
        self._out.write(json.dumps(news) + "\n")
        self._out.flush()

    def tell(self, done: int, total: int, message: str = "", result: Json = None) -> None:
        """See `Tell`."""
        now, is_last = time.monotonic(), done >= total
        news: dict[str, Any] = {}
        if is_last or now >= self._next_progress:
            self._next_progress = now + _PROGRESS_EVERY
            news = {"done": done, "total": total, "message": message}
        if result is not None and (is_last or now >= self._next_result):
            self._next_result = now + _RESULT_EVERY
            news["result"] = result() if callable(result) else result
        if news:
            self.send(**news)


def main() -> int:
    """Do the job that is told on standard input."""
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    reporter = _Reporter(sys.stdout)
    sys.stdout = sys.stderr  # whatever prints, the line to the server stays clean
    module, _, name = WORK[order["kind"]].partition(":")
    data = Path(order["data"])
    try:
        run = getattr(import_module(f"littlego.apps.web.{module}"), name)
        with _only_process(data, order["job"]):
            reporter.send(state="done", message="", result=run(order["params"], data, reporter.tell))
    except LittleGoError as error:
        reporter.send(state="failed", message=str(error))
    except (OSError, sqlite3.OperationalError) as error:
        if isinstance(error, BrokenPipeError):
            return 130
        if not is_full(error, data):
            raise
        reporter.send(state="failed", message=str(NoRoom()))
    except KeyboardInterrupt:
        return 130
    return 0


def _end_with_server() -> None:
    """Wait until the server is gone, and end this process with all that it has started."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_GRACE)
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(130)


@contextlib.contextmanager
def _only_process(data: Path, job: str) -> Iterator[None]:
    """While this lasts no other process does this job: each job has a byte of one file to lock."""
    place = int.from_bytes(hashlib.sha256(job.encode()).digest()[:6], "big")
    with (data / "jobs.lock").open("wb") as file:
        ends = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                break
            except OSError:
                if time.monotonic() > ends:
                    raise TimeoutError("another process does this job") from None
                time.sleep(0.1)
        yield


if __name__ == "__main__":
    with command_scratch():
        sys.exit(main())
