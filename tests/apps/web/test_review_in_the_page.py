"""The page's own review, SGF and data, compared with the package's: the same words, values and lines."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from littlego.apps.web import site
from littlego.core.board import BLACK
from littlego.core.game import GameRecord
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.core.rules import Outcome, Rules, Verdict
from littlego.formats.records import write_record
from littlego.formats.sgf import parse_sgf, write_sgf
from littlego.review.values import Value
from littlego.review.verdicts import MARGINS_LEFT, GameReview, MoveReview, _defence, review_game
from littlego.solve.oracle import Oracle
from tests.truth.reference import a_game, an_ending

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node (apt-get install nodejs)")
SMALL = (
    Rules(size=2, komi=1.0, max_moves=4),
    Rules(size=3, komi=1.0, max_moves=6),
    Rules(size=3, komi=1.5, max_moves=8),
    Rules(size=4, komi=2.0, max_moves=9),
)


def given_up(record: GameRecord) -> GameRecord:
    """The game, ended three moves earlier because the side to move resigned."""
    shorter = replace(record, moves=record.moves[:-3], seconds=(), outcome=None)
    position = shorter.final()
    return replace(shorter, outcome=Outcome(position.to_move.opponent, Verdict.RESIGNED, position.score()))


def games() -> list[GameRecord]:
    found = [a_game(seed, rules) for rules in SMALL for seed in range(4)]
    found += [an_ending(seed, 5, 9) for seed in range(4)]
    return [*found, *(given_up(game) for game in found[4:8])]


def in_the_page(texts: list[str]) -> list[dict[str, Any]]:
    assert NODE is not None, "node is missing (apt-get install nodejs)"
    script = Path(__file__).parent / "js" / "reviews.mjs"
    paths = [str(path) for name, path in site.elsewhere().items() if name.startswith("kernel/")]
    done = subprocess.run(
        [NODE, str(script), *paths], input=json.dumps(texts), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


@pytest.mark.process
@needs_node
def test_reviews_in_the_page_say_what_the_package_says() -> None:
    records = games()
    texts = [write_record(game) if k % 2 else write_sgf(game) for k, game in enumerate(records)]
    lines = 0
    for record, answer in zip(records, in_the_page(texts), strict=True):
        oracle = Oracle()
        review = GameReview(record, oracle, margins_left=MARGINS_LEFT)
        review.work()
        line, sgf = answer.pop("line"), answer.pop("sgf")
        for shown, move in zip(answer["moves"], review.moves, strict=True):
            check_exercise(shown, move)
        assert answer == json.loads(json.dumps(review.to_dict())), write_sgf(record)
        again = parse_sgf(sgf)
        assert (again.moves, again.start, again.black) == (record.moves, record.start, record.black)
        if line:
            lines += 1
            check_line(review, line, oracle)
    assert lines > 5


def check_exercise(shown: dict[str, Any], move: MoveReview) -> None:
    """What the page says of a mistake as an exercise, and where a stone would be illegal; it leaves the verdict."""
    position, is_mistake = move.position, move.judgement.is_mistake
    goal = "tie" if move.before is Value.TIE else "win"
    can = "hold a tie" if goal == "tie" else "win"
    assert shown.pop("challenge") == (f"{move.colour} can {can} here." if is_mistake else "")
    assert shown.pop("keeps") == (f"keeps the {goal}" if is_mistake else "")
    assert len(shown.pop("sign")) == 1
    whys = {position.move_name(point): position.why_illegal(point) for point in range(position.size**2)}
    illegal = {name: why.value for name, why in whys.items() if why is not None}
    assert shown.pop("illegal") == (illegal if is_mistake else {})


def check_line(review: GameReview, line: list[str], oracle: Oracle) -> None:
    """The winner keeps the win with every move, the loser tries what it would in the package, and the line ends with a
    capture or with the game."""
    losing = review.losing_move
    assert losing is not None
    position = losing.position.play(losing.move)
    winner = position.to_move
    before = position
    for name in line:
        assert oracle.value(position) is winner
        assert position.to_move is winner or name == position.move_name(_defence(position))
        before, position = position, position.play(parse_move(name, position.size))
    assert oracle.value(position) is winner
    loser = winner.opponent
    stones = [each.board.stones(loser).bit_count() for each in (before, position)]
    assert position.outcome() is not None or stones[1] < stones[0]


def test_a_game_of_the_whole_board_is_reviewed_alike() -> None:
    """From the opening on, where the atlas decides."""
    if NODE is None:
        pytest.skip("no node (apt-get install nodejs)")
    moves = "2,2 1,1 1,2 2,1 3,1 3,2 0,1 1,0 2,0 3,0 4,1 4,0 3,3 0,0 2,3 4,2"
    position, record = Position.initial(), GameRecord("Ann", "Ben", Position.initial())
    for name in moves.split():
        move = parse_move(name, 5)
        record, position = record.then(move, 0.0), position.play(move)
    (answer,) = in_the_page([write_sgf(record)])
    expected = review_game(record)
    assert answer["summary"] == expected.to_dict()["summary"]
    verdicts = [move["verdict"] for move in answer["moves"]]
    assert verdicts == [move.judgement.value for move in expected.moves]
    assert position.to_move is BLACK


def test_the_pages_data_is_what_its_tool_makes() -> None:
    tool = Path(__file__).parents[3] / "tools" / "page_data.py"
    spec = importlib.util.spec_from_file_location("page_data", tool)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.FILE.read_text(encoding="utf-8") == module.text(), "run: python tools/page_data.py"
