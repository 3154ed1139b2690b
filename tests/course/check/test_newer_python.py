"""What is newer than the course's Python: our table against the interpreters themselves."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from littlego.arena.entrants.toolchain import Interpreter, find_python
from littlego.core.errors import UsageError
from littlego.course.check import newer_python
from littlego.course.check.finding import Status
from littlego.course.check.newer_python import newer_uses
from littlego.course.check.sources import newest_python

NEWER = [
    ("3.8", "import math\nmath.prod([1])"),
    ("3.8", "import math as m\nm.isqrt(4)"),
    ("3.8", "from typing import Final"),
    ("3.8", "from functools import lru_cache\n@lru_cache\ndef f(x): pass"),
    ("3.8", "import functools\n@functools.lru_cache\ndef f(x): pass"),
    ("3.8", "sum([1], start=2)"),
    ("3.8", "import itertools\nlist(itertools.accumulate([1], initial=0))"),
    ("3.8", "def f(x):\n    return 1, *x"),
    ("3.8", "for n in [1]:\n    try:\n        pass\n    finally:\n        continue"),
    ("3.8", "import pathlib\npathlib.Path('no-such-file').unlink(missing_ok=True)"),
    ("3.9", "def f(board: list[int]): pass"),
    ("3.9", "def f() -> dict[str, int]: pass"),
    ("3.9", "Board = list[list[int]]"),
    ("3.9", "from __future__ import annotations\nBoard = list[int]"),
    ("3.9", "class A:\n    board: tuple[int, ...] = ()"),
    ("3.9", "from collections import deque\nqueue: deque[int] = deque()"),
    ("3.9", "from collections.abc import Callable\nF = Callable[[int], int]"),
    ("3.9", "{} | {1: 2}"),
    ("3.9", "d = {}\nd |= {1: 2}"),
    ("3.9", "from functools import cache"),
    ("3.9", "'ab'.removeprefix('a')"),
    ("3.9", "import math\nmath.gcd(2, 4, 6)"),
    ("3.9", "import zoneinfo"),
    ("3.9", "import random\nrandom.sample([1], 1, counts=[3])"),
    ("3.9", "fs = [lambda f: f]\n@fs[0]\ndef g(): pass"),
    ("3.10", "def f(x: int | None = None): pass"),
    ("3.10", "def f() -> int | str: pass"),
    ("3.10", "class A:\n    x: int | None = None"),
    ("3.10", "isinstance(3, int | str)"),
    ("3.10", "Move = tuple[int, int] | None"),
    ("3.10", "list(zip([1], [2], strict=True))"),
    ("3.10", "(5).bit_count()"),
    ("3.10", "from itertools import pairwise"),
    ("3.10", "import dataclasses\n@dataclasses.dataclass(slots=True)\nclass A: pass"),
    ("3.10", "from bisect import insort\ninsort([1], 2, key=abs)"),
    ("3.11", "from typing import Self"),
    ("3.11", "import enum\nenum.StrEnum"),
    ("3.11", "ExceptionGroup"),
    ("3.12", "import itertools\nitertools.batched([1], 1)"),
]
OLD = [
    "def f(dict):\n    return dict[1]\nf({1: 2})",
    "list = [1]\nlist[0]",
    "from __future__ import annotations\ndef f(x: list[int], y: int | None) -> dict[str, int]: pass",
    "def f():\n    board: list[int] = []\n    best: int | None = None\nf()",
    "def f(x: 'int | None'): pass",
    "try:\n    from math import prod\nexcept ImportError:\n    def prod(xs): pass\nprod([1])",
    "import sys\nif sys.version_info >= (3, 9):\n    from functools import cache",
    "import math\nroot = math.isqrt(9) if hasattr(math, 'isqrt') else 3",
    "class Bits:\n    def bit_count(self): pass\nBits().bit_count()",
    "class A: pass\na = A()\na.bit_count = 0\na.bit_count += 1",
    "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef f(x): pass",
    "{1} | {2}\n5 | 3\nset() | {1}",
    "zip([1], [2])\nsum([1], 2)",
    "def f(x):\n    return (1, *x)",
    "from typing import List, Optional\ndef f(x: Optional[List[int]]): pass",
    "d = {}\nd[3] = d.get(1)",
]
VERSIONS = [f"3.{minor}" for minor in range(7, 14)]


@cache
def interpreters() -> dict[str, Interpreter]:
    found = {}
    for version in VERSIONS:
        try:
            found[version] = find_python(version)
        except UsageError:
            continue
    return found


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


SINCE = {
    f"from {module} import {inner}" if module else name: (name, since)
    for name, since in newer_python._SINCE.items()
    for module, _, inner in [name.rpartition(".")]
}
TRY = """
import json, sys
ran = []
for text in json.load(sys.stdin):
    try:
        exec(text, {"__name__": "__main__"})
        ran.append(text)
    except Exception:
        pass
print(json.dumps(ran))
"""


@cache
def running(version: str) -> set[str]:
    """Which of all texts run there, tried in one process: to start one for each takes longer than the tests."""
    texts = [*(text for _, text in NEWER), *OLD, *SINCE]
    command = [str(interpreters()[version].path), "-E", "-s", "-c", TRY]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=600)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(("since", "text"), NEWER)
def test_what_is_newer_is_seen_and_is_newer(since: str, text: str) -> None:
    found = newer_uses(ast.parse(text), text.encode())
    assert since in [use.since for use in found], found
    assert max(numbers(use.since) for use in found) == numbers(since)
    for version in interpreters():
        assert (text in running(version)) == (numbers(version) >= numbers(since)), version


@pytest.mark.parametrize("text", OLD)
def test_what_every_python_runs_is_left_alone(text: str) -> None:
    assert newer_uses(ast.parse(text), text.encode()) == []
    for version in interpreters():
        assert text in running(version), version


def test_names_are_as_new_as_the_table_says() -> None:
    for text, (name, since) in SINCE.items():
        for version in {since, VERSIONS[VERSIONS.index(since) - 1]} & interpreters().keys():
            assert (text in running(version)) == (version == since), (name, version)


@pytest.mark.parametrize(
    ("text", "says"), [("if (n := 3): pass\n", r".*3\.8.*\(6: .*"), ("if True print(1)\n", r"[^(]*")]
)
def test_a_plain_mistake_is_not_blamed_on_the_version(text: str, says: str, tmp_path: Path) -> None:
    source = tmp_path / "my_player3.py"
    source.write_text(text)
    status, detail, _ = newest_python([source], Interpreter(Path("python3.7"), "3.7.16", ()))
    assert status is Status.FAILED
    assert re.fullmatch(rf"my_player3\.py, line 1: {says}", detail), detail


@pytest.mark.parametrize("text", ['d = {"a": 1}\nprint(f"{d["a"]}")\n', 'x = 3\nprint(f"{x=}")\n'])
def test_newer_f_strings_are_seen_by_the_parser_or_by_us(text: str, tmp_path: Path) -> None:
    source = tmp_path / "my_player3.py"
    source.write_text(text)
    status, detail, _ = newest_python([source], Interpreter(Path("python3.12"), "3.12.1", ()))
    assert status is Status.FAILED
    assert f"line {len(text.splitlines())}: " in detail
