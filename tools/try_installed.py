"""Tries an installed Little-Go as a newcomer would, in an empty directory, on any system.

    python tools/try_installed.py [--python PYTHON] [--base] [--json FILE]

Each line is a command with the seconds that it took, compilation included, or what was wrong with it; exits with 1 if
anything was. Needs the standard library alone, and nothing of this source: the package is the one that PYTHON has.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import date
from pathlib import Path

FIRST_GAME = "Black wins by 1.5 (12-10.5)"
"""How the game of seed 1 ends, on every system."""

QUESTION = '{"id":"a","moves":[["B","C3"]],"rules":"little-go","komi":2.5,"boardXSize":5,"boardYSize":5}\n'
TRIED = [
    # what is typed, what is sent to it, what it must print
    ("--version", "", "littlego"),
    ("players", "", "champion"),
    ("play greedy random --seed 1", "", FIRST_GAME),
    ("play manual random --seed 1", "2,2\nresign\n", "resigned"),
    ("play smart random --seed 1 --sgf game.sgf", "", "wins"),
    ("review game.sgf --seconds 60", "", "random"),
    ("sgf validate game.sgf", "", ""),
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
    ("analyze", QUESTION, "winrate"),
    ("sandbox", "", "L0"),
    ("doctor", "", "Python"),
]  # fmt: skip

EXTRAS = {"train": "figures"}
"""What some of these commands need beside the base."""


def tried(python: str, words: str, typed: str, expected: str, folder: Path, *, status: int = 0) -> tuple[float, str]:
    """The seconds that a command took, and what was wrong with it."""
    began = time.monotonic()
    done = subprocess.run(
        [python, "-X", "utf8", "-m", "littlego", *words.split()],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        check=False,
        timeout=600,
    )
    seconds = time.monotonic() - began
    if done.returncode != status:
        return seconds, f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"
    return (
        seconds,
        "" if expected in done.stdout + done.stderr else f"no {expected!r} in {done.stdout.strip()[-300:]!r}",
    )


def tried_server(python: str, folder: Path) -> tuple[float, str]:
    """The seconds until the server answered, and what was wrong with it."""
    began = time.monotonic()
    command = [python, "-X", "utf8", "-m", "littlego", "web", "--port", "0", "--no-warm", "--data", "arena"]
    server = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, encoding="utf-8")
    try:
        assert server.stderr is not None
        said = ""
        for line in server.stderr:
            said += line
            if "http://" in line:
                address = line.partition("http://")[2].split()[0].rstrip("/")
                break
        else:
            return time.monotonic() - began, said[-300:]
        with urllib.request.urlopen(f"http://{address}/api/players", timeout=60) as answer:
            names = {player["name"] for player in json.load(answer)}
        return time.monotonic() - began, "" if "champion" in names else f"no champion among {names}"
    finally:
        server.terminate()
        server.wait(timeout=60)


def version_of(python: str) -> str:
    code = "import platform; print(platform.python_version())"
    return subprocess.run([python, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout.strip()


def processor_seconds() -> float:
    """What the commands have used so far; 0 on Windows, which does not count it."""
    used = os.times()
    return used.children_user + used.children_system


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has Little-Go")
    parser.add_argument("--base", action="store_true", help="without extras: what lacks one must name the line for it")
    parser.add_argument("--what", default="an installed package", help="what is tried, for the file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found")
    options = parser.parse_args()
    python = str(Path(options.python).absolute())  # not resolved: a link is what makes it a virtual environment
    rows: list[tuple[str, float, str]] = []
    spent: list[float] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for words, typed, expected in TRIED:
            lacking = EXTRAS.get(words.split()[0]) if options.base else None
            wanted, status = (f"pip install 'littlego[{lacking}]'", 2) if lacking else (expected, 0)
            rows.append((words, *tried(python, words, typed, wanted, Path(folder), status=status)))
            spent.append(processor_seconds())
            print(f"{rows[-1][1]:7.1f} s  littlego {words}  {rows[-1][2]}", flush=True)
        if not options.base:
            rows.append(("web", *tried_server(python, Path(folder))))
            print(f"{rows[-1][1]:7.1f} s  littlego web  {rows[-1][2]}", flush=True)
    reviewed = 1 + [words.split()[0] for words, _, _ in rows].index("review")
    to_review = sum(seconds for _, seconds, _ in rows[:reviewed])
    wrong = [words for words, _, problem in rows if problem]
    found = {
        "what": options.what,
        "date": date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, CPython {version_of(python)}",
        "commands": len(rows),
        "wrong": wrong,
        "seconds": round(sum(seconds for _, seconds, _ in rows), 1),
        "seconds_to_first_review": round(to_review, 1),
        "processor_seconds_to_first_review": round(spent[reviewed - 1], 1),
    }
    print(f"{len(rows) - len(wrong)} of {len(rows)} work; the first reviewed game after {to_review:.0f} s.")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
