"""Reading an agent's Python without running it, and without waiting for it."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

from littlego.arena.entrants.python_sources import (
    foreign_modules,
    missing_modules,
    parse_source,
    parse_text,
    parsed_sources,
)
from littlego.arena.entrants.toolchain import Interpreter, find_python
from littlego.arena.entrants.trees import NotPlain

HOSTILE = {
    "signs": "-" * 200_000 + "1",
    "sums": "1+" * 100_000 + "1",
    "calls": "a" + "()" * 100_000,
    "lambdas": "lambda:" * 30_000 + "1",
    "choices": "1 if 1 else " * 20_000 + "1",
    "brackets": "(" * 100_000,
    "a zero byte": "\0",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_cannot_be_parsed_is_one_kind_of_error(text: str) -> None:
    """Whatever the parser raises: the next version of Python may parse some of them."""
    with contextlib.suppress(SyntaxError):
        parse_text(text)


def test_a_large_file_is_not_parsed(tmp_path: Path) -> None:
    """An f-string of a megabyte kept the parser busy for minutes, at the cost of whoever builds the agent."""
    (tmp_path / "large.py").write_text('f"' + "{a}" * 350_000 + '"')
    with pytest.raises(NotPlain):
        parse_source(tmp_path / "large.py")
    for number in range(20):
        (tmp_path / f"part{number}.py").write_text("x = 1\n" * 10_000)
    assert len(list(parsed_sources(tmp_path))) < 10, "nor many files that are large together"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("import secret")
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "link.py").symlink_to(tmp_path / "elsewhere")
    assert foreign_modules(tmp_path / "agent") == set()


def test_what_is_imported(tmp_path: Path) -> None:
    (tmp_path / "my_player3.py").write_text("import os, numpy.random\nfrom helper import f\nfrom . import x\n")
    (tmp_path / "helper.py").write_text("def f():\n    from torch import nn\n")
    assert foreign_modules(tmp_path) == {"numpy", "torch"}


def test_a_module_of_another_version_is_not_missing(tmp_path: Path) -> None:
    """Python 2 has `Queue`, and 3.11 has `imp`, whatever our own Python has."""
    (tmp_path / "my_player.py").write_text("import Queue, numpy, os\n")
    old = Interpreter(Path("python2"), "2.7.18", (), library=frozenset({"Queue", "os"}))
    assert missing_modules(tmp_path, old) == ["numpy"]
    assert find_python(sys.executable).library >= {"sys", "os", "json", "math", "_socket"}
