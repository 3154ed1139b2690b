"""Tries an installed Little-Go as a newcomer would, in an empty directory, on any system.

    python tools/try_installed.py [--python PYTHON] [--base] [--install WHEEL[all]] [--json FILE]

Each line is a command with the seconds that it took, compilation included, or what was wrong with it; exits with 1 if
anything was. With --install PYTHON gets a new virtual environment with that package, and nothing compiled before is
found: the whole way from `pip install` to a first reviewed game, as one run. Needs the standard library alone, and
nothing of this source: the package is the one that PYTHON has.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from datetime import date
from pathlib import Path
from typing import Any

FIRST_GAME = "Black wins by 4.5 (12-7.5)"
"""How the game of seed 1 ends, on every system."""

TRIED = [
    # what is typed, what is sent to it, what it must print
    ("--version", "", "littlego"),
    ("players", "", "champion"),
    ("play greedy random --seed 1", "", FIRST_GAME),
    ("play manual random --seed 1", "2,2\nresign\n", "resigned"),
    ("play smart random --seed 1 --sgf game.sgf", "", "wins"),
    ("review game.sgf --seconds 60", "", "random"),
    ("review game.sgf --sgf reviewed.sgf", "", ""),
    ("solve", "", "Black"),
    ("play greedy random --games 20 --swap --seed 1", "", "95%"),
    ("drill make game.sgf --player random --out deck.json", "", ""),
    ("new my-agent", "", ""),
    ("check my-agent", "", "Ready to submit"),
    ("match my-agent greedy --games 2", "", "greedy"),
    ("grade greedy --stage submit1 --repeats 1", "", "of 75 points"),
    ("tournament new cup random greedy my-agent --games 2", "", "3 players"),
    ("tournament run cup --jobs 2", "", "6 of 6 games"),
    ("train --games 100 --out model", "", ""),
    ("tictactoe --games 1000 --seed 1", "", "Task 2 Grade"),
    ("gtp greedy", "boardsize 5\ngenmove b\nquit\n", "="),
    ("sandbox", "", "portable"),
    ("doctor", "", "Python"),
]  # fmt: skip

EXTRAS: dict[str, str] = {}
"""What some of these commands need beside the base."""


def installed(python: str, package: str, folder: Path) -> str:
    """The interpreter of a new environment in `folder`, which has the package; from here on HOME is empty, too."""
    subprocess.run([python, "-m", "venv", str(folder / "environment")], check=True)
    scripts = "Scripts" if os.name == "nt" else "bin"
    own = str(folder / "environment" / scripts / "python")
    subprocess.run([own, "-m", "pip", "install", "--quiet", package], check=True)
    os.environ |= _home(folder / "home")
    return own


def run_at_terminal(command: list[str], typed: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command whose diagnostics go to a terminal; where there is no such thing, as on Windows, to a pipe."""
    options: dict[str, Any] = {"input": typed, "encoding": "utf-8", "cwd": folder, "check": False, "timeout": 600}
    if not hasattr(os, "openpty"):
        return subprocess.run(command, capture_output=True, **options)
    leader, follower = os.openpty()
    said = bytearray()

    def listen() -> None:
        with contextlib.suppress(OSError):  # the other end was closed
            while chunk := os.read(leader, 4096):
                said.extend(chunk)

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, **options)
    finally:
        os.close(follower)
        listener.join()
        os.close(leader)
    done.stderr = said.decode("utf-8", "replace")
    return done


def tried(
    python: str, words: str, typed: str, expected: list[str], folder: Path, *, status: int = 0
) -> tuple[float, str]:
    """The seconds that a command took, and what was wrong with it."""
    began = time.monotonic()
    done = run_at_terminal([python, "-X", "utf8", "-m", "littlego", *words.split()], typed, folder)
    seconds = time.monotonic() - began
    if done.returncode != status:
        return seconds, f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"
    said = " ".join((done.stdout + done.stderr).split())  # a terminal is narrow
    missing = [text for text in expected if text not in said]
    return seconds, f"no {missing[0]!r} in {said[-300:]!r}" if missing else ""


def tried_server(python: str, folder: Path) -> tuple[float, str]:
    """The seconds until the server answered, and what was wrong with it."""
    began = time.monotonic()
    command = [python, "-X", "utf8", "-m", "littlego", "web", "--port", "0", "--data", "arena"]
    server = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, encoding="utf-8")
    too_long = threading.Timer(300, server.kill)  # ends the loop below
    too_long.start()
    try:
        assert server.stderr is not None
        said = ""
        for line in server.stderr:
            said += line
            if "http://" in line:
                address = address_in(line)
                with urllib.request.urlopen(f"http://{address}/api/about", timeout=60) as answer:
                    names = {edition["name"] for edition in json.load(answer)["editions"]}
                missing = "" if "2025" in names else f"no edition 2025 among {names}"
                return time.monotonic() - began, missing
        return time.monotonic() - began, said[-300:]
    finally:
        too_long.cancel()
        server.terminate()
        server.wait(timeout=60)


def address_in(line: str) -> str:
    """Host and port of the first link of a line, which may have a token behind them."""
    return line.partition("http://")[2].split()[0].partition("/")[0]


def _home(folder: Path) -> dict[str, str]:
    """Variables for an empty home."""
    folder.mkdir(exist_ok=True)
    return {"HOME": str(folder), "LOCALAPPDATA": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}


def version_of(python: str) -> str:
    code = "import platform; print(platform.python_version())"
    return subprocess.run([python, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout.strip()


def processor_seconds() -> float:
    """What the commands have used so far; 0 on Windows, which does not count it."""
    used = os.times()
    return used.children_user + used.children_system


def load_now() -> float | None:
    """How many processes have been at work in the last minute; None on Windows, which does not say."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has Little-Go")
    parser.add_argument("--base", action="store_true", help="without extras: what lacks one must name the line for it")
    parser.add_argument("--install", metavar="PACKAGE", help="make an environment with this first, as pip names it")
    parser.add_argument("--what", default="an installed package", help="what is tried, for the file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found")
    options = parser.parse_args()
    python = str(Path(options.python).absolute())  # not resolved: a link is what makes it a virtual environment
    rows: list[tuple[str, float, str]] = []
    spent: list[float] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        began, version, load = time.monotonic(), version_of(python), load_now()
        if options.install:
            python = installed(python, options.install, Path(folder))
        install_seconds, install_used = time.monotonic() - began, processor_seconds()
        for words, typed, expected in TRIED:
            lacking = EXTRAS.get(words.split()[0]) if options.base else None
            wanted, status = ([f"pip install 'littlego[{lacking}]'"], 2) if lacking else ([expected], 0)
            rows.append((words, *tried(python, words, typed, wanted, Path(folder), status=status)))
            spent.append(processor_seconds())
            print(f"{rows[-1][1]:7.1f} s  littlego {words}  {rows[-1][2]}", flush=True)
        if not options.base:
            rows.append(("web", *tried_server(python, Path(folder))))
            print(f"{rows[-1][1]:7.1f} s  littlego web  {rows[-1][2]}", flush=True)
    reviewed = 1 + [words.split()[0] for words, _, _ in rows].index("review")
    to_review = install_seconds + sum(seconds for _, seconds, _ in rows[:reviewed])
    wrong = [words for words, _, problem in rows if problem]
    found = {
        "what": options.what,
        "date": date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, CPython {version}",
        "load": load,
        "commands": len(rows),
        "wrong": wrong,
        "installed": bool(options.install),
        "seconds": round(install_seconds + sum(seconds for _, seconds, _ in rows), 1),
        "seconds_to_install": round(install_seconds, 1),
        "processor_seconds_to_install": round(install_used, 1),
        "seconds_to_first_review": round(to_review, 1),
        "processor_seconds_to_first_review": round(spent[reviewed - 1], 1),
    }
    print(f"{len(rows) - len(wrong)} of {len(rows)} work; the first reviewed game after {to_review:.0f} s.")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
