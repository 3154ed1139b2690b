"""The program that does one job: its order on standard input, progress and result on standard output."""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from littlego.core.errors import LittleGoError

Json = Any


class Tell(Protocol):
    """Told how much is done, of how much, what is being done, and what has been found so far."""

    def __call__(self, done: int, total: int, message: str = "", result: Json = None) -> None:
        """Pass it on to whoever watches."""
        ...


WORK: Final = {
    "review": "reviews:work",
    "check": "agents:check",
    "grade": "agents:grade",
    "tournament": "contests:work",
    "deck": "decks:work",
    "train": "lessons:train",
    "tictactoe": "lessons:tictactoe",
}
"""By kind, `module:function` below `littlego.apps.web`; called with the params, the data directory and Tell."""

_OFTEN: Final = 0.2
"""Seconds between two reports of progress."""


def main() -> int:
    """Do the job that is told on standard input."""
    order = json.load(sys.stdin)
    out = sys.stdout
    sys.stdout = sys.stderr  # whatever prints, the line to the server stays clean
    last = 0.0

    def say(**news: Any) -> None:
        out.write(json.dumps(news) + "\n")
        out.flush()

    def tell(done: int, total: int, message: str = "", result: Json = None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _OFTEN or done >= total:
            last = now
            partly = {} if result is None else {"result": result() if callable(result) else result}
            say(done=done, total=total, message=message, **partly)

    module, _, name = WORK[order["kind"]].partition(":")
    run = getattr(import_module(f"littlego.apps.web.{module}"), name)
    try:
        say(state="done", result=run(order["params"], Path(order["data"]), tell))
    except LittleGoError as error:
        say(state="failed", message=str(error))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
