"""What the browser's pages show, against a solver of another make: `python tools/check_pages.py DIR`.

The static site in Chromium, served as plain files. In 360 positions, held-back odd openings and random games, every
stone, mark and count in words of the hints is compared with `outside_solver.cpp`; in ten whole games the verdict of
every move that it can judge, and what would have been better, as the review says it: 150 positions more. What was
compared is kept in DIR: run it again to go on. Prints a row for each kind and number of plies left, and every
difference; exits with 1 if there was one. It needs g++, and the browser of the tests.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import http.server
import json
import re
import shutil
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, expect, sync_playwright

from check_values import Game, OutsideSolver, built, odd_games, random_games, refereed, report
from littlego.apps.web.site import service_worker
from littlego.course.contests import play_game
from static_site import write

ODD: Final = {13: 40, 14: 40, 15: 20}
RANDOM: Final = {6: 20, 7: 20, 8: 30, 9: 30, 10: 40, 11: 40, 12: 40, 13: 20, 14: 20}
"""By plies left, how many positions."""
GAMES: Final = (
    ("greedy", "aggressive"),
    ("aggressive", "smart"),
    ("aggressive", "alphabeta"),
    ("smart", "qlearning"),
    ("alphabeta", "qlearning"),
    ("alphabeta", "greedy"),
    ("qlearning", "greedy"),
    ("qlearning", "aggressive"),
    ("greedy", "random"),
    ("learner", "smart"),
)
"""Black and White of ten whole games."""
JUDGED: Final = 15
"""Moves with at most so many plies left are judged; before that the page names one good move, not all."""
PATIENCE: Final = 300_000.0
"""Milliseconds."""

SEEN: Final = """() => {
    const at = (element) => {
        const [, x, y] = element.getAttribute("transform").match(/translate\\((\\S+) (\\S+)\\)/);
        return `${(y - 88) / 100},${(x - 88) / 100}`;
    };
    const all = (selector) => [...document.querySelectorAll(`.board ${selector}`)];
    const signs = {};
    for (const sign of all(".marks circle.sign"))
        signs[at(sign.parentElement)] = sign.getAttribute("class").split(" ")[1];
    const pass = [...document.querySelectorAll("button")].find((button) => /^Pass/.test(button.textContent));
    return {
        signs,
        stones: Object.fromEntries(all(".stone:not(.taken)").map((stone) => [at(stone), stone.dataset.colour])),
        pass: pass?.textContent ?? "",
        words: document.querySelector(".says").textContent,
    };
}"""
"""What a person sees, by where it is drawn: nothing of how the page came by it."""
PASS_SIGNS: Final = {"Pass ✓": "won", "Pass ✗": "lost", "Pass =": "tie", "Pass …": "open"}


@dataclass(frozen=True, slots=True)
class Compared:
    """One position's hints, or one game's review: how much of it was compared, and what is wrong."""

    values: int
    wrong: list[str]
    positions: int = 1


class Pages:
    """The pages in a browser, at their address."""

    def __init__(self, page: Page, address: str) -> None:
        self._page, self._address = page, address
        page.set_default_timeout(PATIENCE)

    def hints(self, game: Game) -> dict[str, Any]:
        """What is seen of a position with hints, once every move is known."""
        self._open(f"/play/{_letters(game.moves)}")
        self._page.get_by_role("button", name="Hints").click()
        expect(self._page.locator(".hint")).to_have_text(re.compile("the win[.]|Every move loses"), timeout=PATIENCE)
        found: dict[str, Any] = self._page.evaluate(SEEN)
        if found["pass"] in PASS_SIGNS:
            found["signs"]["PASS"] = PASS_SIGNS[found["pass"]]
        return found

    def review(self, game: Game) -> list[str]:
        """What a finished review says of every move, a mistake's better moves included."""
        self._open(f"/review/{_letters(game.moves)}")
        page = self._page
        expect(page.locator("progress")).to_be_hidden(timeout=PATIENCE)
        said = []
        for k in range(len(game.moves)):
            page.locator(".verdicts button").nth(k).click()
            if page.get_by_role("button", name="Show me").count():
                page.get_by_role("button", name="Show me").click()
            said.append(page.locator(".says").first.locator("p").inner_text())
        return said

    def _open(self, path: str) -> None:
        self._page.goto(f"{self._address}/icon.svg")  # from one page to another nothing would be loaded
        self._page.goto(f"{self._address}/#{path}")
        self._page.wait_for_selector("main[class] h1")


def _letters(moves: Iterable[str]) -> str:
    """Moves in an address: column and row."""
    return "".join(
        "--" if move == "PASS" else "".join("abcde"[int(k)] for k in move.split(",")[::-1]) for move in moves
    )


def compare_hints(pages: Pages, outside: OutsideSolver, game: Game) -> Compared:
    """The hints of a position: stones, a mark for each legal move, and the count in words."""
    winners = outside.ask(game, "moves")["moves"]
    return Compared(len(winners) + 1, hint_faults(pages.hints(game), game, winners))


def hint_faults(seen: dict[str, Any], game: Game, winners: dict[str, str]) -> list[str]:
    """In what a page with hints differs from the game and who wins after each move."""
    marks = {move: "won" if winner == game.to_move else "lost" for move, winner in winners.items()}
    cells = enumerate(refereed(game).cells)
    stones = {f"{i},{j}": ("black", "white")[cell - 1] for i, row in cells for j, cell in enumerate(row) if cell}
    wins = list(marks.values()).count("won")
    count = rf"\b{wins} of {len(marks)} moves? keeps? the win[.]" if wins else "Every move loses against best play[.]"
    wrong = _different("mark", seen["signs"], marks) + _different("stone", seen["stones"], stones)
    if not re.search(count, seen["words"]) or f"{game.left} move" not in seen["words"]:
        wrong.append(f"words: {seen['words']}, outside {wins} of {len(marks)}")
    return wrong


def _different(what: str, seen: dict[str, str], expected: dict[str, str]) -> list[str]:
    places = sorted(seen.keys() | expected.keys())
    return [
        f"{what} {at}: {seen.get(at)}, expected {expected.get(at)}" for at in places if seen.get(at) != expected.get(at)
    ]


def compare_review(pages: Pages, outside: OutsideSolver, game: Game) -> Compared:
    """The sentences of a review about the moves that are judged here."""
    said = pages.review(game)
    first = max(0, game.length - JUDGED)
    answers = [outside.ask(Game(game.moves[:k]), "moves") for k in range(first, len(game.moves))]
    expected = verdicts(game.moves, first, answers)
    wrong = [
        f"move {first + k + 1}: {said[first + k]}, expected {words}"
        for k, words in enumerate(expected)
        if not _says(said[first + k], f"Move {first + k + 1}, ", words)
    ]
    return Compared(len(expected), wrong, len(expected))


def _says(sentence: str, begin: str, words: str) -> bool:
    return (
        sentence.startswith(begin)
        and re.search(rf": {re.escape(words)}(; \d+ stones? given away)?[.]", sentence) is not None
    )


def verdicts(moves: Sequence[str], first: int, answers: list[dict[str, Any]]) -> list[str]:
    """What must be said of each move from `first` on: the rules of the words, written once more."""
    fell = []
    for k, answer in enumerate(answers):
        mover = ("Black", "White")[(first + k) % 2]
        fell.append(answer["winner"] == mover != answer["moves"][moves[first + k]])
    words = []
    for k, answer in enumerate(answers):
        mover = ("Black", "White")[(first + k) % 2]
        good = [move for move, winner in answer["moves"].items() if winner == mover]
        if len(answer["moves"]) == 1:
            words.append("had no choice")
        elif fell[k]:
            name = "threw the win away" if any(fell[k + 1 :]) else "the losing move"
            words.append(f"{name}: {_named(good)} would have won")
        elif answer["winner"] != mover:
            words.append("was lost anyway")
        else:
            words.append("the only move" if len(good) == 1 else "kept the win")
    return words


def _named(good: list[str]) -> str:
    names = sorted((move for move in good if move != "PASS"), key=lambda move: tuple(map(int, move.split(","))))
    names += ["a pass"] * ("PASS" in good)
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


COMPARE: Final = {"odd": compare_hints, "random": compare_hints, "game": compare_review}


def cases(seed: int) -> Iterator[tuple[str, Game]]:
    """What is compared, of which kind: the quick ones first."""
    for left, number in RANDOM.items():
        yield from (("random", game) for game in islice(random_games(left, seed), number))
    yield from (("game", game) for game in whole_games(seed))
    for left, number in ODD.items():
        yield from (("odd", game) for game in islice(odd_games(left, seed), number))


def whole_games(seed: int) -> Iterator[Game]:
    """Games of built-in players from the empty board to the end."""
    for black, white in GAMES:
        record = play_game(black, white, seed=seed)
        yield Game(tuple(record.start.move_name(move) for move in record.moves))


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the site, written to a folder and served as files."""
    write(folder)

    class Files(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def kept(path: Path) -> dict[str, Compared]:
    """What was compared before, by its kind and moves; a last line that was cut off is not there."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        with contextlib.suppress(ValueError):
            fields = json.loads(line)
            case = fields.pop("case")
            found[case] = Compared(**fields)
    return found


def rows_of(found: dict[str, Compared]) -> list[dict[str, Any]]:
    """By kind and plies left: positions, values compared, and what is wrong."""
    rows: dict[tuple[str, int], Counter[str]] = {}
    wrong: dict[tuple[str, int], list[str]] = {}
    for case, compared in found.items():
        kind, *moves = case.split()
        key = (kind, 0 if kind == "game" else Game(tuple(moves)).left)
        counts = {"cases": 1, "positions": compared.positions, "values": compared.values}
        rows.setdefault(key, Counter()).update(counts)
        wrong.setdefault(key, []).extend(f"{case}: {line}" for line in compared.wrong)
    return [{"kind": kind, "left": left, **rows[kind, left], "wrong": wrong[kind, left]} for kind, left in sorted(rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare what the pages show with a solver that shares no code.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="for the site, and what was compared")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON, for docs/measured.py")
    options = parser.parse_args()
    browser = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)
    if shutil.which("g++") is None or browser is None:
        sys.exit("this needs g++ and Chromium")
    options.folder.mkdir(parents=True, exist_ok=True)
    version = hashlib.sha256(service_worker().encode()).hexdigest()[:12]  # of every file of the pages
    done = options.folder / f"compared-{options.seed}-{version}.jsonl"
    found = kept(done)
    with (
        served(options.folder / "site") as address,
        OutsideSolver(built(options.folder), mebibytes=256) as outside,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser, args=["--disable-gpu"]) as opened,
        done.open("a", encoding="utf-8") as file,
    ):
        pages = Pages(opened.new_page(reduced_motion="reduce"), address)
        for kind, game in cases(options.seed):
            case = " ".join([kind, *game.moves])
            if case not in found:
                found[case] = compared = COMPARE[kind](pages, outside, game)
                fields = {
                    "case": case,
                    "values": compared.values,
                    "wrong": compared.wrong,
                    "positions": compared.positions,
                }
                print(f"\n{json.dumps(fields)}", file=file, flush=True)
            report(f"{len(found)}: {kind}, {game.left} plies left, {len(found[case].wrong)} differ")
    rows = rows_of(found)
    if options.json:
        print(json.dumps({"rows": rows}))
    else:
        for row in rows:
            print(*row["wrong"], sep="\n", end="\n" if row["wrong"] else "")
            print(f"{row['kind']}, {row['left']} plies left: {row['positions']} positions, {row['values']} values")
    sys.exit(1 if any(row["wrong"] for row in rows) else 0)


if __name__ == "__main__":
    main()
