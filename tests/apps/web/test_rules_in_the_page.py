"""The page's own rules against the package's: the same games, every field that is drawn."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from littlego.apps.web.requests import outcome_shown
from littlego.core.game import GameRecord
from littlego.core.points import PASS, Pass
from littlego.core.position import Position
from littlego.core.rules import Ko, Rules, edition_rules
from littlego.formats.course import board_rows
from littlego.solve.oracle import why_unsolvable

SCRIPT = Path(__file__).parent / "js" / "lines.mjs"
KINDS = [
    *(edition_rules("2025", size) for size in (2, 3, 4, 5, 6, 7)),
    *(edition_rules("2019", size) for size in (2, 3, 5)),
    edition_rules().but(komi=3.0, max_moves=60),
    edition_rules(size=3).but(max_moves=40),
    edition_rules(size=2).but(komi=0.0, max_moves=30),
    edition_rules("2019", 2).but(max_moves=30),
]


def random_line(rules: Rules, chance: random.Random) -> GameRecord:
    """A game of random moves, mostly stones, cut off anywhere."""
    record = GameRecord("Ann", "Bob", Position.initial(rules))
    for _ in range(chance.randrange(rules.max_moves + 1)):
        position = record.final()
        if position.outcome() is not None:
            break
        moves = position.legal_moves()
        stones = [move for move in moves if move is not PASS]
        record = record.then(chance.choice(stones if stones and chance.random() < 0.95 else moves), 1.5)
    return replace(record, outcome=record.final().outcome())


def rules_of(rules: Rules) -> dict[str, Any]:
    """Rules as the page has them."""
    ko = "simple" if rules.ko is Ko.SIMPLE else "positional"
    fields = {"edition": rules.edition, "size": rules.size, "komi": rules.komi, "max_moves": rules.max_moves}
    return {**fields, "passing": rules.passing, "ko": ko}


def describe(record: GameRecord) -> dict[str, Any]:
    """A game with everything that the page draws of it, as `core` has it."""
    positions = list(record.positions())
    position, outcome = positions[-1], record.outcome
    reasons = {point: position.why_illegal(point) for point in range(position.size**2)}
    illegal = {position.move_name(point): why.value for point, why in reasons.items() if why is not None}
    captured = {"black": 0, "white": 0}
    for before, move in zip(positions, record.moves, strict=False):
        if not isinstance(move, Pass):
            captured[before.to_move.word] += before.captures(move)
    return {
        "black": record.black,
        "white": record.white,
        "rules": rules_of(record.start.rules),
        "start_move": 0,
        "first": "black",
        "moves": [position.move_name(move) for move in record.moves],
        "outcome": outcome_shown(outcome),
        "boards": ["".join(board_rows(each.board)) for each in positions],
        "kos": [None if each.ko is None else each.move_name(each.ko) for each in positions],
        "captured": captured,
        "to_move": position.to_move.word,
        "legal": [position.move_name(move) for move in position.legal_moves()] if outcome is None else [],
        "illegal": illegal if outcome is None else {},
        "score": {"black": position.score().black, "white": position.score().white},
        "plies_left": position.plies_left,
        "unsolvable": why_unsolvable(position),
    }


@pytest.mark.process
def test_the_page_describes_a_line_as_the_package_does() -> None:
    chance = random.Random(7)
    lines = [describe(random_line(rules, chance)) for rules in KINDS for _ in range(60)]
    asked = [{key: line[key] for key in ("rules", "moves", "black", "white")} for line in lines]
    answers = in_the_page(asked)
    whys = {why for line in lines for why in line["illegal"].values()}
    assert len(whys) == 4, "occupied, suicide, ko, repeats"
    assert sum(line["outcome"] is not None for line in lines) > 50
    for line, answer in zip(lines, answers, strict=True):
        assert answer == line


def in_the_page(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    node = shutil.which("node")
    assert node is not None, "node is missing (apt-get install nodejs)"
    done = subprocess.run([node, str(SCRIPT)], input=json.dumps(lines), capture_output=True, text=True, check=True)
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers
