"""How far a command walks: `python tools/walk.py solve` counts the files and rooms of the package that it passes.

Runs `littlego` with these words in this process, threads included, other processes not. Fewer files a walk is what a
reader feels.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import littlego
from littlego.__main__ import run

ROOT = str(Path(littlego.__file__).parent)
files: set[str] = set()


def watch(frame: FrameType, event: str, _argument: Any) -> None:
    code = frame.f_code
    if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(ROOT):
        files.add(code.co_filename)


def main() -> None:
    sys.argv[0] = "littlego"
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        loaded = sum(name.split(".")[0] == "littlego" for name in sys.modules)
        rooms = {str(Path(file).parent) for file in files}
        print(f"{len(files)} files in {len(rooms)} rooms; {loaded} modules loaded", file=sys.stderr)


if __name__ == "__main__":
    main()
