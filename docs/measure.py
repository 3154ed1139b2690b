"""Takes the measurements that the documentation shows, and keeps each with its date and machine.

    python docs/measure.py                      lists them
    python docs/measure.py referee ratings      takes these two

What a command printed is kept in `docs/measured/NAME.json`; then the figures are written into the pages, as
`docs/fill_in.py` does. Rates depend on the machine and on what else runs there; ratios hardly do.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any, Final

import fill_in
from measured_text import file_of

from littlego import __version__

ROOT: Final = Path(__file__).parent.parent

COMMANDS: Final = {
    "agent-build": "littlego agent build --work DIR --out DIR/book.txt --jobs 1 --json",
    "agent-champion": "python tools/measure_agent.py champion",
    "agent-class": "python tools/measure_agent.py class --games 10",
    "agent-depths": "python tools/measure_agent.py depths --games 40",
    "agent-referee": "python tools/measure_agent.py referee --games 5",
    "agent-starts": "python tools/measure_agent.py starts",
    "agent-verify": "littlego agent verify --json",
    "agent-white": "python tools/measure_agent.py white --games 40",
    "curves": "littlego tictactoe curves --out DIR --json",
    "environments": "littlego bench env --json",
    "fidelity": "python -m tests.players.fidelity",
    "greedy": "littlego play greedy random --edition 2019 --games 1000 --seed 1 --json",
    "learning": "littlego bench learn --json",
    "outside": (
        "python tools/check_values.py --left 12 13 14 15 16 17 18 19 --source odd random atlas --seconds 150 "
        "--mebibytes 4096 --json"
    ),
    "pages": "python tools/measure_pages.py lighthouse --runs 3 --json",
    "ratings": "littlego bench ratings --trials 400 --json",
    "referee": "littlego bench referee --json",
    "solver": "python tools/measure_solver.py",
    "tictactoe": "python tools/measure_tictactoe.py",
    "tournaments": "littlego bench tournament --json",
    "tutorial": "python tools/measure_tutorial.py",
    "waits": "python tools/measure_waits.py",
    "web": "littlego bench web --json",
}
"""By name. Each prints JSON; DIR is a directory that is thrown away."""


def measure(name: str) -> dict[str, Any]:
    """What a command printed, with where and when."""
    program, *options = COMMANDS[name].split()
    own = ["-m", "littlego"] if program == "littlego" else []
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, *own, *(option.replace("DIR", scratch) for option in options)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    result = json.loads(done.stdout)
    if isinstance(result, dict):
        result.pop("records", None)  # the games themselves
    return {
        "command": COMMANDS[name],
        "date": date.today().isoformat(),
        "version": __version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "result": result,
    }


def main() -> None:
    unknown = [name for name in sys.argv[1:] if name not in COMMANDS]
    if unknown or len(sys.argv) == 1:
        for name, command in COMMANDS.items():
            print(f"{name:14}{command}")
        sys.exit(f"no such measurement: {', '.join(unknown)}" if unknown else 0)
    for name in sys.argv[1:]:
        found = measure(name)
        file_of(name).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    fill_in.main()


if __name__ == "__main__":
    main()
