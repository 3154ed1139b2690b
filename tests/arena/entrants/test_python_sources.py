"""Reading agents' sources in the threads of a class grading."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.agent import my_player3
from littlego.arena.entrants.python_sources import parse_text


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Threads take turns in the middle of building a syntax tree: whenever the collector runs, which is often."""

    def take_turns(_phase: str, _info: dict[str, int]) -> None:
        sum(range(200))

    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(20)
    gc.callbacks.append(take_turns)
    yield
    gc.callbacks.remove(take_turns)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("many_switches")
def test_threads_parse_at_the_same_time() -> None:
    source = Path(my_player3.__file__).read_text()[:12_000].rpartition("\n\n\n")[0]
    errors: list[BaseException] = []

    def parse() -> None:
        try:
            for _ in range(10):
                parse_text(source)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=parse) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
