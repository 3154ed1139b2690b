"""What running an agent in the page takes: `python tools/measure_page_agents.py`.

The static site in Chromium, served with gzip: bytes and seconds from its address to the first move of a dropped agent,
the first time and again; then the same grading in the page and by the command, of an agent that captures most and of
one with alpha-beta of depth 2. Prints JSON. Measure on a quiet machine. It needs the browser of the tests, and Pyodide
(`make node_modules`).
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psutil
from playwright.sync_api import Browser, Page, expect, sync_playwright

from littlego.arena.processes import own_python
from littlego.course.starter import kit_files
from static_site import write

ROOT: Final = Path(__file__).parents[1]
GAMES: Final = 4
"""Against each of the three opponents of submit1: what the page plays by default."""
PATIENCE: Final = 600_000.0
PACKED: Final = (".js", ".mjs", ".css", ".html", ".json", ".svg", ".wasm")
KIT: Final = kit_files("2025")[Path("my_player3.py")].read_text(encoding="utf-8")
ALPHA_BETA: Final = '''def choose(colour, previous, board):
    """Alpha-beta of depth 2, captures first: my stones less the other side's."""
    best, alpha = None, -100
    for row, column, after, _ in sorted(legal_moves(colour, previous, board), key=lambda move: -move[3]):
        beta = 100
        for _, _, reply, _ in sorted(legal_moves(3 - colour, board, after), key=lambda move: -move[3]):
            beta = min(beta, sum(line.count(colour) - line.count(3 - colour) for line in reply))
            if beta <= alpha:
                break
        if beta > alpha:
            best, alpha = (row, column), beta
    return best
'''


def agents() -> dict[str, str]:
    """Programs by what they do."""
    before, _, rest = KIT.partition("def choose(")
    after = rest[rest.index("\n\nif __name__") :]
    return {"captures most": KIT, "alpha-beta of depth 2": before + ALPHA_BETA + after}


class _Files(http.server.SimpleHTTPRequestHandler):
    """Files, packed beforehand as hosts do, and how many bytes were sent."""

    sent = 0
    packed: Final[dict[Path, bytes]] = {}

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            return self.send_error(404)
        content = self.packed.get(path) or path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Cache-Control", "max-age=600")
        if path in self.packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        _Files.sent += len(content)
        return None

    def log_message(self, *_: object) -> None: ...


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    write(folder, ROOT / "node_modules" / "pyodide")
    _Files.packed.update(
        {path: gzip.compress(path.read_bytes()) for path in folder.rglob("*") if path.suffix in PACKED}
    )
    handler = functools.partial(_Files, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_address[1]}/#/drop"
        server.shutdown()


def drop(page: Page, text: str) -> None:
    file: Any = {"name": "my_player3.py", "mimeType": "", "buffer": text.encode()}
    page.locator("#choose-files").set_input_files(file)


def first_move(page: Page, address: str) -> dict[str, float]:
    """From the address to the first move of an agent that has Black."""
    before, used, began = _Files.sent, browser_seconds(), time.perf_counter()
    page.goto(address)
    drop(page, KIT)
    page.get_by_role("button", name="Build").click()
    expect(page.locator(".replay [type=range]")).not_to_have_attribute("max", "0", timeout=PATIENCE)
    seconds = {"seconds": time.perf_counter() - began, "cpu_seconds": browser_seconds() - used}
    found = {"bytes": _Files.sent - before, **{key: round(value, 1) for key, value in seconds.items()}}
    expect(page.get_by_role("button", name="Stop")).to_be_hidden(timeout=PATIENCE)
    return found


def browser_seconds() -> float:
    """CPU seconds of the browser's processes that run."""
    found = 0.0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "chrom" in process.name():
                times = process.cpu_times()
                found += times.user + times.system
    return found


def graded_in_page(page: Page, text: str) -> dict[str, float]:
    drop(page, text)
    before, began = browser_seconds(), time.perf_counter()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden(timeout=PATIENCE)
    assert page.locator("#says").inner_text() == "Done."
    return {"seconds": time.perf_counter() - began, "cpu_seconds": browser_seconds() - before}


def graded_by_command(text: str, folder: Path) -> tuple[dict[str, float], int]:
    """What the same games take, and how many they are."""
    edition = (ROOT / "src/littlego/course/editions/2025.toml").read_text(encoding="utf-8")
    edition = re.sub(r"\bgames = \d+", f"games = {GAMES}", edition.replace('name = "2025"', 'name = "few"', 1))
    (folder / "few.toml").write_text(edition, encoding="utf-8")
    (folder / "agent").mkdir()
    (folder / "agent" / "my_player3.py").write_text(text, encoding="utf-8")
    options = ["--edition", "few.toml", "--stage", "submit1", "--repeats", "1", "--jobs", "1", "--json"]
    before, began = children_seconds(), time.perf_counter()
    done = subprocess.run(
        own_python("littlego", "grade", "./agent", *options), cwd=folder, stdout=subprocess.PIPE, check=True
    )
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "cpu_seconds": children_seconds() - before}, json.loads(done.stdout)["games"]


def children_seconds() -> float:
    times = psutil.Process().cpu_times()
    return float(times.children_user + times.children_system)


def compared(page: Page, text: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        command, games = graded_by_command(text, Path(folder))
    here = graded_in_page(page, text)
    sides = {"page": here, "command": command}
    return {
        "games": games,
        **{side: {key: round(60 * games / value, 1) for key, value in found.items()} for side, found in sides.items()},
    }


def measured(browser: Browser, address: str) -> dict[str, Any]:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    cold = first_move(context.new_page(), address)
    context.pages[0].evaluate("() => navigator.serviceWorker.ready")  # everything is kept for the next visit
    page = context.new_page()
    found = {"first": cold, "again": first_move(page, address)}
    return {**found, "games_a_minute": {name: compared(page, text) for name, text in agents().items()}}


def main() -> None:
    chromium = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)
    if chromium is None:
        sys.exit("this needs Chromium")
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--disable-gpu"])
        print(json.dumps(measured(browser, address)))
        browser.close()


if __name__ == "__main__":
    main()
