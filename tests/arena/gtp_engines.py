"""GTP engines for the tests: one script with switches, and Debian's GNU Go."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest

GNUGO: Final = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")

needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed: apt-get install gnugo")
"""In CI (`.ci/run` says so) its absence is a failure, not a skip."""

ENGINE: Final = r"""
import os, sys, time

how = sys.argv[1] if len(sys.argv) > 1 else "first_empty"
log = open(sys.argv[2], "a") if len(sys.argv) > 2 else None
size, stones = 5, []

def free():
    taken = {vertex for _, vertex in stones}
    for row in range(1, size + 1):
        for column in "ABCDEFGHJ"[:size]:
            if column + str(row) not in taken:
                return column + str(row)
    return "pass"

if how == "chatty":
    print("Welcome to the engine!", flush=True)
for line in sys.stdin:
    words = line.split()
    if log:
        log.write(line)
        log.flush()
    answer = ""
    if words[0] == "quit":
        print("=\n", flush=True)
        break
    if words[0] == "known_command":
        answer = "false"
    elif words[0] == "boardsize":
        size = int(words[1])
        if how == "one_size":
            print("? unacceptable size\n", flush=True)
            continue
    elif words[0] == "clear_board":
        stones = []
    elif words[0] == "play":
        stones.append((words[1], words[2]))
    elif words[0] == "genmove":
        if how == "crash":
            sys.exit("out of\x1b ideas")
        if how == "hang":
            import subprocess
            subprocess.Popen(["sleep", "600"])
            time.sleep(600)
        if how == "loud":
            sys.stderr.write("x" * 1_000_000)
            sys.stderr.flush()
        answer = {"resign": "resign", "off_board": "T19", "nonsense": "my move", "empty": "", "occupied": "C3",
                  "passes": "PASS"}.get(how)
        if how == "refuse":
            print("? I would rather not\n", flush=True)
            continue
        if how == "endless":
            while True:
                print("= " + "x" * 100000, flush=True)
        if answer is None:
            answer = free()
        stones.append((words[1], answer))
    print("= " + answer + "\n", flush=True)
"""


def fake_engine(folder: Path, how: str, log: Path | None = None) -> str:
    """The command of an engine that behaves in a certain way, and starts at once on a busy machine too."""
    script = folder / "engine.py"
    script.write_text(ENGINE)
    return shlex.join([sys.executable, "-I", "-S", str(script), how, *([str(log)] if log else [])])
