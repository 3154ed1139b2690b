"""Reading agents' sources in the threads of a class grading."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.agent import my_player3
from littlego.arena.building import LARGEST, Interpreter, parse_source, read_sources


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
                parse_source(source.encode())
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
    assert read_sources(tmp_path / "my_player3.py").needed == needed


SLOW = {
    "an f-string": b"f'" + b"{a}" * 87_000 + b"'",
    "marks on one letter": b"a" + "\u0345\u0323".encode() * 30_000,
    "marks in another encoding": b"# coding: utf-7\na" + ("\u0345\u0323" * 20_000).encode("utf-7"),
    "international domain names": b"# coding: idna\nx = 1\n",
}


@pytest.mark.parametrize("source", SLOW.values(), ids=SLOW)
def test_what_takes_the_square_of_its_length_is_not_parsed(source: bytes) -> None:
    """256 KiB of the first three took 4, 53 and 24 seconds; a domain name of 60 kB takes 35 to decode."""
    with pytest.raises(SyntaxError, match=r"too large|slow"):
        parse_source(source)


def test_all_files_of_a_program_are_bounded_together(tmp_path: Path) -> None:
    """A folder was read whole, and again for every file that the program imports."""
    (tmp_path / "my_player3.py").write_text("import " + ", ".join(f"part{k}" for k in range(300)))
    for number in range(300):
        (tmp_path / f"part{number}.py").write_text(f"import other{number}\n" + "#" * (LARGEST // 20))
    sources = read_sources(tmp_path / "my_player3.py")
    assert sum(map(len, sources.files.values())) <= LARGEST
    assert 15 < len(sources.files) <= 20


@pytest.mark.parametrize(
    ("source", "packages"),
    [
        ("import numpy", ("numpy 1.21.6",)),
        ("import os", ()),
        ("import numpy\nprint 1", ("lxml 4.9.1", "numpy 1.21.6")),
        ("import numpy\n" + "#" * LARGEST, ("lxml 4.9.1", "numpy 1.21.6")),
    ],
    ids=["numpy", "none", "not parsed", "too large"],
)
def test_packages_are_named_that_a_program_may_use(tmp_path: Path, source: str, packages: tuple[str, ...]) -> None:
    """All of them where nobody can tell: a result must not say that no packages were used."""
    (tmp_path / "my_player3.py").write_text(source)
    here = Interpreter(
        Path("python3.7"),
        "3.7.16",
        (),
        packages=("lxml 4.9.1", "numpy 1.21.6"),
        modules=frozenset({"lxml", "numpy"}),
    )
    assert read_sources(tmp_path / "my_player3.py").packages(here) == packages
