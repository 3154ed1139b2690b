"""Measures the pages of the browser with Lighthouse: every view, as a phone and as a desktop.

    npm install --prefix /tmp/lighthouse lighthouse@12        # once; needs node, and Chromium from the system
    python tools/measure_pages.py /tmp/lighthouse/node_modules/.bin/lighthouse --runs 3
    python tools/measure_pages.py .../lighthouse --only /review --form phone

It starts a server of its own with some games, an agent and a tournament, and looks at each view as the owner does. Of
several runs the one with the best performance counts: whatever else the machine does can only make it worse; one that
reaches 95 in everything is enough. Phones are simulated with a slow line and a processor that is four times as slow.
Bytes, requests and processor time (of the page's main thread, before it is slowed down) hardly depend on what else
the machine does; the rest does.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import APIRequestContext, sync_playwright

CATEGORIES: Final = ("performance", "accessibility", "best-practices", "seo")
FORMS: Final = {"phone": (), "desktop": ("--preset=desktop",)}
WAIT: Final = 120.0
"""Seconds for a server, a browser or a job."""
ENOUGH: Final = 95
PLAYERS: Final = ("random", "greedy", "aggressive")


@dataclass(frozen=True, slots=True)
class Measured:
    """One look at a view."""

    scores: tuple[int, ...]
    numbers: dict[str, float]
    requests: int
    kilobytes: float
    cpu: float
    """Milliseconds of processor time that the main thread of the page took."""
    longest: float
    """Of its longest task."""
    load: float
    """Processes at work on the machine."""
    worst: str
    """The audits that cost points outside performance."""

    @classmethod
    def of(cls, report: dict[str, Any], tasks: list[float]) -> Measured:
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
            sum(tasks),
            max(tasks),
            os.getloadavg()[0],
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


def views(api: APIRequestContext, address: str) -> dict[str, str]:
    """The paths of all views by what they are called, after making what they show."""

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
    single = {
        "/play/ID": f"/play/{running}",
        "/play/ID, ended": f"/play/{watched[0]}",
        "/watch?games=ID": f"/watch?games={watched[1]}",
        "/watch?games=ID,…": f"/watch?games={','.join(watched)}",
        "/review/ID": f"/review/{watched[0]}",
        "/arena/agent/ID": f"/arena/agent/{agent}",
        "/arena/tournament/ID": f"/arena/tournament/{contest}",
    }
    others = "/play /watch /review /drills /drills/today /drills/fifty /arena /arena/wall /learn /solution"
    return dict(
        sorted({**single, **{path: path for path in [*others.split(), "/solution/2,2_1,2", "/reference"]}}.items())
    )


def look(lighthouse: str, port: int, url: str, form: str) -> Measured:
    """One run of Lighthouse."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place, "report.json")
        command = [lighthouse, url, f"--port={port}", "--output=json", f"--output-path={report}", "--save-assets"]
        command += ["--quiet", *FORMS[form], f"--only-categories={','.join(CATEGORIES)}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{url}: {done.stderr}")
        trace = json.loads(Path(place, "report-0.trace.json").read_text(encoding="utf-8"))["traceEvents"]
        return Measured.of(json.loads(report.read_text(encoding="utf-8")), main_tasks(trace, url))


def best_look(lighthouse: str, port: int, url: str, form: str, runs: int) -> Measured:
    """The best of several runs, or the first that is good enough."""
    best = look(lighthouse, port, url, form)
    for _ in range(runs - 1):
        if min(best.scores) < ENOUGH:
            best = max(best, look(lighthouse, port, url, form), key=lambda one: one.scores)
    return best


def main_tasks(trace: list[dict[str, Any]], url: str) -> list[float]:
    """Milliseconds of processor time of each task of a page's main thread, from its first byte on."""
    begun = next(
        event
        for event in reversed(trace)
        if event["name"] == "navigationStart" and event["args"]["data"].get("documentLoaderURL") == url
    )
    thread = (begun["pid"], begun["tid"])
    return [
        event.get("tdur", 0) / 1000
        for event in trace
        if event["name"].endswith("RunTask") and (event["pid"], event["tid"]) == thread and event["ts"] >= begun["ts"]
    ]


def line(view: str, form: str, best: Measured) -> str:
    values = best.numbers.values()
    first, largest, blocked, shift = values
    scores = " ".join(f"{score:>4}" for score in best.scores)
    times = f"{first / 1000:>6.2f} {largest / 1000:>6.2f} {blocked:>6.0f} {shift:>6.3f}"
    sizes = f"{best.requests:>4} {best.kilobytes:>6.1f} {best.cpu:>6.0f} {best.load:>5.1f}"
    return f"{view:<24} {form:<8} {scores} {times} {sizes}  {best.worst}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lighthouse", help="the program")
    parser.add_argument("--runs", type=int, default=3, help="looks at each view, of which the best counts")
    parser.add_argument("--only", nargs="+", default=[""], help="views whose path begins with one of these")
    parser.add_argument("--form", choices=FORMS, help="this form alone")
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--json", action="store_true", help="print JSON, and the table on stderr")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        data, profile = Path(place, "data"), Path(place, "profile")
        data.mkdir()
        with server(data) as (address, token), browser(given.chromium, profile) as port:
            api = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}").contexts[0].request
            api.post(f"{address}/api/enter", data={"token": token})  # the cookie stays in the profile
            paths = {view: path for view, path in views(api, address).items() if view.startswith(tuple(given.only))}
            out = sys.stderr if given.json else sys.stdout
            print("best of", given.runs, "runs; seconds, ms, shift; requests, kB; ms of processor time; load", file=out)
            print(
                f"{'view':<24} {'form':<8} perf  acc best  seo    FCP    LCP    TBT    CLS  req     kB    cpu  load",
                file=out,
            )
            rows = []
            try:
                for view, path in paths.items():
                    for form in [given.form] if given.form else FORMS:
                        best = best_look(given.lighthouse, port, address + path, form, given.runs)
                        print(line(view, form, best), file=out, flush=True)
                        rows.append({"view": view, "form": form, **asdict(best)})
            finally:  # what there is, if somebody ends it
                if given.json:
                    print(json.dumps(rows))


if __name__ == "__main__":
    main()
