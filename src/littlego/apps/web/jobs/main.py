"""The program that does one job. It reads its order from standard input and reports on standard output.

The order is one line of JSON. Its kind names the function in `kinds.py` that does it.
Each line of the output is JSON: progress (`done`, `total`, `message`), the result so far (`result`), or the end
(`state`). The end of the input means that the server is gone: the job ends, too, and the next server restarts it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TextIO

from littlego.apps.web.jobs.kinds import KINDS
from littlego.apps.web.services.store import NoRoom, is_full
from littlego.arena.processes import heed_interruptions, interrupt_ourselves, kill_ourselves
from littlego.core.errors import LittleGoError
from littlego.sandbox import SandboxError
from littlego.storage.locks import take_byte
from littlego.storage.scratch import command_scratch

_GRACE: Final = 3.0
"""Seconds that a job has to end its own processes once its server is gone."""
_PATIENCE: Final = 60.0
"""Seconds to wait for another process with the same job, left behind by a server that was killed."""
_PROGRESS_EVERY: Final = 0.2
_RESULT_EVERY: Final = 1.0
"""Seconds between two reports."""


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


def main() -> int:
    heed_interruptions()
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    reporter = Reporter(sys.stdout)
    sys.stdout = sys.stderr  # so that stray prints do not reach the server
    data = Path(order["data"])
    try:
        with _only_process(data, order["job"]):
            result = KINDS[order["kind"]](order["params"], data, reporter.progress)
            reporter.send(state="done", message="", result=result)
    except (LittleGoError, SandboxError) as error:
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
    """Wait until the server is gone, then end this process and all that it started."""
    while os.read(0, 4096):
        pass
    interrupt_ourselves()
    time.sleep(_GRACE)
    kill_ourselves()
    os._exit(130)


@contextlib.contextmanager
def _only_process(data: Path, job: str) -> Iterator[None]:
    """Lock a job, so that no other process does it: each job has its own byte of one file."""
    place = int.from_bytes(hashlib.sha256(job.encode()).digest()[:6], "big")
    with (data / "jobs.lock").open("wb") as file:
        ends = time.monotonic() + _PATIENCE
        while True:
            try:
                take_byte(file.fileno(), place)
                break
            except OSError:
                if time.monotonic() > ends:
                    raise TimeoutError("another process is doing this job") from None
                time.sleep(0.1)
        yield


if __name__ == "__main__":
    with command_scratch():
        sys.exit(main())
