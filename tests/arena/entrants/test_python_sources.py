"""Reading agents' sources in the threads of a class grading."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.agent import my_player3
from littlego.arena.building import needed_modules, parse_text


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


@pytest.mark.parametrize(
    ("source", "needed"),
    [
        ("import numpy as np, os, helper", {"numpy", "scipy"}),
        ("from numpy.random import choice", {"numpy"}),
        ("def f():\n    import numpy", {"numpy"}),
        ("try:\n    import a\nexcept ImportError:\n    pass\nelse:\n    import numpy", {"numpy"}),
        ("x = 0\nif x:\n    import numpy\n" + "elif x:\n    pass\n" * 900, {"numpy"}),
        ("x = 1" + "+1" * 2000 + "\nimport numpy", {"numpy"}),
        ("try:\n    import numpy\nexcept ImportError:\n    numpy = None", set()),
        ("try:\n    import numpy\nexcept:\n    import torch", {"torch"}),
        ("try:\n    import numpy\nexcept (ValueError, OSError):\n    pass", {"numpy"}),
        ("if True:\n    import own", set()),
        ("from . import numpy", set()),
        ("import (", set()),
    ],
)
def test_modules_that_a_program_cannot_do_without(tmp_path: Path, source: str, needed: set[str]) -> None:
    (tmp_path / "my_player3.py").write_text(source)
    (tmp_path / "helper.py").write_text("import scipy, helper, my_player3")
    (tmp_path / "train.py").write_text("import torch  # which the player never imports")
    (tmp_path / "own").mkdir()
    assert needed_modules(tmp_path / "my_player3.py") == needed
