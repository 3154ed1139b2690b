"""The pages' JavaScript: its pure functions tested where they run, its calls checked against the API, its format."""

from __future__ import annotations

import ast
import gzip
import inspect
import itertools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from littlego.apps.web.pages import STYLE
from littlego.apps.web.services.analysis.hints import Question, SearchState
from littlego.apps.web.settings import STATIC
from littlego.arena.progress import GamesProgress
from littlego.arena.results import GameResult
from littlego.core.colour import BLACK, Colour
from littlego.core.rules import Rules
from littlego.core.verdict import Outcome, Score, Verdict, Why
from littlego.course.editions.find import find_edition
from littlego.formats.html.page import THEME
from littlego.review.values import Value
from tests.apps.web import api_types
from tests.helpers import series
from tests.truth.reference import a_game, expected_moves, value

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / "node_modules" / ".bin"
TYPES = ["tsc", "--project", "tests/apps/web/js"]
FORMAT = [
    "prettier",
    "--check",
    "src/littlego/apps/web/static",
    "src/littlego/formats/html/*.{js,css}",
    "tests/apps/web/js/*.mjs",
]
NODE = shutil.which("node")
TESTS = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))


@pytest.mark.process
@pytest.mark.skipif(NODE is None and not os.environ.get("LITTLEGO_CI"), reason="no node (apt-get install nodejs)")
@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_functions_of_the_pages(path: Path) -> None:
    assert NODE is not None, "node is missing (apt-get install nodejs)"
    done = subprocess.run([NODE, "--test", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def server_sentences() -> set[str]:
    """What the server says about moves, positions and games, as pages show it."""
    found = {why.value for why in Why}
    score = Score(11, 10.5)
    found |= {str(Outcome(BLACK, verdict, score, "it crashed")) for verdict in Verdict}
    found.add(str(Outcome(None, Verdict.SCORE, score)))
    found |= grading_sentences() | tournament_sentences()
    found |= {f"{colour} can {what} here." for colour in Colour for what in ("win", "hold a tie")}
    for seed in range(40):
        game = a_game(seed, Rules(size=3, komi=1.0 + seed % 2 / 2, max_moves=5))
        for position, move in zip(game.positions(), expected_moves(game), strict=False):
            found |= {move.words, move.better} - {""}
            legal = position.legal_moves()
            values = {one: Value(value(position.play(one))) for one in legal}
            for known in (0, 1, len(legal) // 2, len(legal)):
                for state in SearchState:
                    found.add(Question(position, dict(list(values.items())[:known]), state=state).words())
    return found


def grading_sentences() -> set[str]:
    """The titles of a grade's parts, the lines of its rubric, and what an agent without its helper ran with."""
    batches = find_edition().scheme.batches
    rubrics = [rubric for batch in batches for rubric in batch.rubrics]
    imports = "it imports read, which this Python does not have: --python names one that does, "
    return {
        *(batch.title for batch in batches),
        *(rubric.award(wins, 20).line for rubric in rubrics for wins in (0, 3, 15, 20)),
        f"Python 3.7.16; no packages used; {imports}or add the file if it is the agent's own",
    }


def tournament_sentences() -> set[str]:
    """How far a tournament has come, in seconds, minutes and hours."""
    found = {"games of round 1 of 3"}
    for label, seconds in (("games", 0.1), ("games of round 1 of 3", 9), ("games", 3600)):
        games = GamesProgress(24, workers=2, clock=itertools.count(0, seconds / 2).__next__)
        for record in series("random", "greedy", games=4):
            games.add(GameResult(record, "in process"))
            games.forfeits += 1
            found.add(f"{label}: {games.status()}")
    return found


REFUSALS = ("HTTPException", "UsageError", "Busy")
FOR_PROGRAMS = {
    "edition '7': expected one of 7",
    "the game gives 7 attempts at a move: at most 7 are possible",
    "the game's seed: expected a whole number from 0 to 2^63 - 1",
    "the game's edition has a name of over 7 letters, or its start too many boards",
    "7: cannot be read: 7",
    "7: cannot be used: 7; give another --data",
    "the query holds half of a surrogate pair, which cannot be sent back",
}
"""What no page asks wrongly."""


def refusals() -> set[str]:
    """What the server raises when a page asks for what cannot be done, with 7 for whatever is filled in."""
    web = STATIC.parent
    found = set()
    for path in [*(web / "api").rglob("*.py"), *(web / "services").rglob("*.py"), *(web / "jobs").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                text = node.exc.args[-1]
                if ast.unparse(node.exc.func) in REFUSALS and isinstance(text, ast.Constant | ast.JoinedStr):
                    found.add(filled(text))
    return found - FOR_PROGRAMS


def filled(text: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(text, ast.Constant):
        return str(text.value)
    parts = text.values
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "'7'" if "!r" in ast.unparse(part) else "7"
        for part in parts
    )


def check_sentences() -> set[str]:
    """The titles of a check of an agent, and the findings that are the same for every agent."""
    from littlego.course.check import class_check, inspection

    found = {*inspection.Inspection(Path(), cast(Any, None)).titles(), *class_check.TITLES}
    for module in (inspection, class_check):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Tuple) and ast.unparse(node).startswith("(Status."):
                found |= {str(part.value) for part in node.elts[1:] if isinstance(part, ast.Constant) and part.value}
    return found


@pytest.mark.process
@pytest.mark.skipif(NODE is None and not os.environ.get("LITTLEGO_CI"), reason="no node (apt-get install nodejs)")
def test_what_the_server_says_is_translated() -> None:
    script = f"""
      globalThis.localStorage = {{ getItem: (name) => (name === "language" ? "de" : null) }};
      const {{ ts }} = await import("{(STATIC / "js/language/language.js").as_uri()}");
      const {{ readFileSync }} = await import("node:fs");
      const sentences = JSON.parse(readFileSync(0, "utf-8"));
      console.log(JSON.stringify(sentences.map((one) => [one, ts(one)])));
    """
    sentences = sorted(server_sentences() | refusals() | check_sentences())
    assert len(sentences) > 150
    command = [str(NODE), "--input-type=module", "--eval", script]
    done = subprocess.run(command, input=json.dumps(sentences), capture_output=True, text=True, check=True)
    translated = dict(json.loads(done.stdout))
    english = re.compile(r"\b(the|of|a|left|play|games|win|wins|move|moves|would|known|away|and|or|Black|White)\b")
    left = {one: text for one, text in translated.items() if text == one or english.search(text)}
    assert left == {}


def test_the_pages_are_light() -> None:
    """All of them together, as they are sent."""
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in [*files, THEME]) < 150_000


def test_the_worker_keeps_every_file() -> None:
    kept = set(re.findall(r'"/static/([^"]+)"', (STATIC / "worker.js").read_text(encoding="utf-8")))
    served = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.suffix in (".js", ".svg")}
    assert kept == served - {"worker.js"} | {STYLE.removeprefix("/static/"), "manifest.json"}


def test_types_are_those_of_the_api() -> None:
    assert api_types.TYPES.read_text(encoding="utf-8") == api_types.current(), (
        "the API has changed: run `python -m tests.apps.web.api_types`"
    )


@pytest.mark.process
@pytest.mark.skipif(
    not TOOLS.exists() and not os.environ.get("LITTLEGO_CI"),
    reason="no node_modules (make node_modules, which needs npm)",
)
@pytest.mark.parametrize("command", [TYPES, FORMAT], ids=lambda command: command[0])
def test_pages_call_the_api_as_it_is_and_are_formatted(command: list[str]) -> None:
    assert TOOLS.exists(), "node_modules is missing: run `make node_modules`"
    done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
