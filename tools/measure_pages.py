"""Measures the pages of the browser with Lighthouse: every view, as a phone and as a desktop.

    npm install --prefix /tmp/lighthouse lighthouse@12        # once; needs node, and Chromium from the system
    python tools/measure_pages.py /tmp/lighthouse/node_modules/.bin/lighthouse --runs 3
    python tools/measure_pages.py .../lighthouse --only /review --form phone

It starts a server of its own with some games, an agent and a tournament, and looks at each view as the owner does. Of
several runs the one with the best performance counts: whatever else the machine does can only make it worse. Phones
are simulated with a slow line and a slow processor. Bytes and requests do not depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import APIRequestContext, sync_playwright

CATEGORIES: Final = ("performance", "accessibility", "best-practices", "seo")
FORMS: Final = {"phone": (), "desktop": ("--preset=desktop",)}
WAIT: Final = 120.0
"""Seconds for a server, a browser or a job."""
PLAYERS: Final = ("random", "greedy", "aggressive")


@dataclass(frozen=True, slots=True)
class Measured:
    """One look at a view."""

    scores: tuple[int, ...]
    numbers: dict[str, float]
    requests: int
    kilobytes: float
    worst: str
    """The audits that cost points outside performance."""

    @classmethod
    def of(cls, report: dict[str, Any]) -> Measured:
        audits = report["audits"]
        scores = tuple(round(100 * (report["categories"][name]["score"] or 0)) for name in CATEGORIES)
        names = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")
        items = audits["network-requests"]["details"]["items"]
        wrong = [
            ref["id"]
            for name in CATEGORIES[1:]
            for ref in report["categories"][name]["auditRefs"]
            if ref["weight"] and audits[ref["id"]]["score"] not in (None, 1)
        ]
        return cls(
            scores,
            {name: audits[name]["numericValue"] for name in names},
            len(items),
            sum(item.get("transferSize", 0) for item in items) / 1000,
            ", ".join(wrong),
        )


@contextmanager
def server(data: Path) -> Iterator[tuple[str, str]]:
    """`littlego web`: its address, and the owner's token."""
    log = data / "stderr"
    littlego = Path(sys.executable).with_name("littlego")
    command = [str(littlego), "web", "--port", "0", "--data", str(data)]
    with log.open("w") as stderr:
        process = subprocess.Popen(command, stderr=stderr)
    try:
        ends = time.monotonic() + WAIT
        while not (found := re.search(r"http://\S+?(?=/ )", log.read_text())):
            if time.monotonic() > ends or process.poll() is not None:
                raise SystemExit(log.read_text())
            time.sleep(0.1)
        yield found[0], (data / "token").read_text().strip()
    finally:
        process.terminate()
        process.wait()


@contextmanager
def browser(chromium: str, profile: Path) -> Iterator[int]:
    """A browser of its own, with the port that it listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    flags = ["--headless=new", "--no-sandbox", "--no-first-run", f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        [chromium, *flags, f"--remote-debugging-port={port}", "about:blank"], stderr=subprocess.DEVNULL
    )
    try:
        ends = time.monotonic() + WAIT
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/json/version").close()
                break
            except OSError:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


def views(api: APIRequestContext, address: str) -> list[str]:
    """The paths of all views, after making what they show."""

    def ask(path: str, body: object) -> Any:
        answer = api.post(address + path, data=body)
        assert answer.ok, (path, answer.text())
        return answer.json()

    def ended(path: str) -> Any:
        """A game once it is over, or a job once it is done."""
        ends = time.monotonic() + WAIT
        while True:
            found = api.get(address + path).json()
            if found.get("outcome") or found.get("state") in ("done", "failed"):
                return found
            if time.monotonic() > ends:
                raise SystemExit(f"{path}: not done in {WAIT:.0f} s")
            time.sleep(0.2)

    watched = [ask("/api/games", {"black": "smart", "white": "greedy", "seed": seed})["id"] for seed in range(4)]
    for game in watched:
        ended(f"/api/games/{game}")
    ended(f"/api/jobs/{ask(f'/api/games/{watched[0]}/review', {})['id']}")
    running = ask("/api/games", {"white": "human", "moves": ["2,2", "1,2"]})["id"]
    contest = ask("/api/tournaments", {"players": PLAYERS, "games": 2})["id"]
    ended(f"/api/jobs/{ask(f'/api/tournaments/{contest}/run', {})['id']}")
    sample = 'open("output.txt", "w").write("2,2")\n'
    agent = api.put(f"{address}/api/agents?name=sample&file=my_player3.py", data=sample).json()["id"]
    return [
        "/play", f"/play/{running}", f"/play/{watched[0]}", "/watch", f"/watch?games={','.join(watched)}",
        f"/watch?games={watched[1]}", "/review", f"/review/{watched[0]}", "/drills", "/drills/today", "/drills/fifty",
        "/arena", f"/arena/agent/{agent}", f"/arena/tournament/{contest}", "/arena/wall", "/learn", "/solution",
        "/solution/2,2_1,2", "/reference",
    ]  # fmt: skip


def look(lighthouse: str, port: int, url: str, form: str) -> Measured:
    """One run of Lighthouse."""
    command = [lighthouse, url, f"--port={port}", "--output=json", "--quiet", *FORMS[form]]
    done = subprocess.run(
        [*command, f"--only-categories={','.join(CATEGORIES)}"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{url}: {done.stderr}")
    return Measured.of(json.loads(done.stdout))


def line(path: str, form: str, best: Measured) -> str:
    shown = re.sub(r"(?<=[/=])[\w-]{12}(,[\w-]{12})*$", lambda ids: "ID" + ",…" * bool(ids[1]), path)
    values = best.numbers.values()
    first, largest, blocked, shift = values
    scores = " ".join(f"{score:>4}" for score in best.scores)
    times = f"{first / 1000:>6.2f} {largest / 1000:>6.2f} {blocked:>6.0f} {shift:>6.3f}"
    return f"{shown:<24} {form:<8} {scores} {times} {best.requests:>4} {best.kilobytes:>6.1f}  {best.worst}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lighthouse", help="the program")
    parser.add_argument("--runs", type=int, default=3, help="looks at each view, of which the best counts")
    parser.add_argument("--only", default="", help="views whose path begins with this")
    parser.add_argument("--form", choices=FORMS, help="this form alone")
    parser.add_argument("--chromium", default="chromium")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        data, profile = Path(place, "data"), Path(place, "profile")
        data.mkdir()
        with server(data) as (address, token), browser(given.chromium, profile) as port:
            api = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}").contexts[0].request
            api.post(f"{address}/api/enter", data={"token": token})  # the cookie stays in the profile
            paths = [path for path in views(api, address) if path.startswith(given.only)]
            print("best of", given.runs, "runs; seconds, milliseconds, shift; requests, kB")
            print(f"{'view':<24} {'form':<8} perf  acc best  seo    FCP    LCP    TBT    CLS  req     kB")
            for path in paths:
                for form in [given.form] if given.form else FORMS:
                    looks = [look(given.lighthouse, port, address + path, form) for _ in range(given.runs)]
                    print(line(path, form, max(looks, key=lambda one: one.scores)), flush=True)


if __name__ == "__main__":
    main()
