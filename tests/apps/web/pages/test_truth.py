"""What the pages show is true: every mark, every count in words and every accepted answer, all on one server."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import expect

from check_pages import PASS_SIGNS, SEEN
from littlego.core.game import GameRecord
from littlego.core.points import PASS, parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules
from tests.apps.web.pages.browser import MARKS, Visit, game_text
from tests.apps.web.truth import is_settled, random_line, winner, winners

pytestmark = MARKS

FROM = 18
"""The ply from which games are played: their values are worked out in a moment."""
SMALL = Rules(size=4, komi=2.0, max_moves=6)
"""A game with a komi and a length of its own, which can be tied."""


def played(moves: list[str], rules: Rules | None = None) -> Position:
    position = Position.initial(rules)
    for move in moves:
        position = position.play(parse_move(move, position.size))
    return position


def sign(position: Position, value: str) -> str:
    """How a move is marked after which `value` is true."""
    return "tie" if value == "tie" else "won" if value == position.to_move.name.lower() else "lost"


def seen(visit: Visit) -> tuple[dict[str, str], str]:
    """The sign of each move, the pass included, and the words beside the board. No sign may stand on a stone."""
    found: dict[str, Any] = visit.page.evaluate(SEEN)
    assert not set(found["signs"]) & set(found["stones"])
    signs = dict(found["signs"])
    if found["pass"] in PASS_SIGNS:
        signs["PASS"] = PASS_SIGNS[found["pass"]]
    return signs, found["words"]


def check_settled(visit: Visit, position: Position) -> None:
    """Wait for every value; then each mark and each number in words is true."""
    expect(visit.page.locator(".hint")).to_have_text(re.compile("the win[.]|the tie[.]|Every move loses"))
    true = {move: sign(position, value) for move, value in winners(position).items()}
    signs, words = seen(visit)
    assert signs == true, position
    wins, ties = list(true.values()).count("won"), list(true.values()).count("tie")
    if wins:
        assert re.search(rf"\b{wins} of {len(true)} moves? keeps? the win[.]", words), words
    elif ties:
        assert re.search(rf"No move wins[.] {ties} of {len(true)} moves? keeps? the tie[.]", words), words
    else:
        assert "Every move loses against best play." in words


def test_hints_in_three_games_on_one_server(visit: Visit) -> None:
    """In turn, so that positions of the same ply follow each other."""
    rng = random.Random(3)
    starts = [(None, random_line(21, FROM)), (None, random_line(22, FROM)), (SMALL, list[str]())]
    games = [(game_text(line, rules), played(line, rules)) for rules, line in starts]
    while any(position.outcome() is None for _, position in games):
        for number, (game, position) in enumerate(games):
            if position.outcome() is None:
                visit.open(f"/play/{game}")
                visit.page.get_by_role("button", name="Hints").click()
                for _ in range(2):
                    if position.outcome() is None:
                        position = hinted_move(visit, position, rng)
                games[number] = (visit.page.url.partition("/play/")[2], position)


def hinted_move(visit: Visit, position: Position, rng: random.Random) -> Position:
    """The position after a move on the page, where hints are on."""
    check_settled(visit, position)
    count = visit.page.locator(".moves li").count()
    points = position.legal_moves()[:-1]
    move = rng.choice(points) if points and rng.random() < 0.9 else PASS
    if isinstance(move, int):
        visit.point(move // position.size, move % position.size, position.size)
    else:
        visit.page.get_by_role("button", name=re.compile("^Pass")).click()
        if winner(position) == position.to_move.name.lower() != winner(position.play(move)):
            visit.page.get_by_role("dialog").get_by_role("button", name="Pass").click()
    expect(visit.page.locator(".moves li")).to_have_count(count + 1)
    return position.play(move)


def test_the_first_two_plies_of_the_solution(visit: Visit) -> None:
    """Every first move but for symmetry, and all replies.

    A value may be open if what ships does not settle it; none may be wrong.
    """
    start = Position.initial()
    visit.open("/solution")
    check_solution(visit, start)
    for move in (0, 1, 2, 6, 7, 12, 23, PASS):
        if isinstance(move, int):
            visit.point(move // 5, move % 5)
        else:
            visit.page.get_by_role("button", name=re.compile("^Pass")).click()
        expect(visit.page.locator(".path a")).to_have_count(2)
        check_solution(visit, start.play(move))
        visit.page.get_by_role("button", name="Back").click()
        expect(visit.page.locator(".path a")).to_have_count(1)


def check_solution(visit: Visit, position: Position) -> None:
    mover = position.to_move.name
    expect(visit.page.locator(".says")).to_have_text(
        re.compile(rf"{mover} to move, {position.plies_left} moves left[.] .*\d of \d|Every move loses", re.I)
    )
    signs, words = seen(visit)
    assert set(signs) == {position.move_name(move) for move in position.legal_moves()}
    for name, shown in signs.items():
        after = position.play(parse_move(name, 5))
        if shown == "open":
            assert not is_settled(after), (name, position)
        else:
            assert shown == sign(position, winner(after)), (name, position)
    wins, known = list(signs.values()).count("won"), sum(shown != "open" for shown in signs.values())
    if known < len(signs):
        among = f"{wins} of them keep" if wins else "no win among them"
        assert f"{known} of {len(signs)} moves known, {among}" in words
    else:
        assert re.search(rf"\b{wins} of {len(signs)} moves keeps? the win[.]", words) or (
            not wins and "Every move loses against best play." in words
        )
    if wins:
        assert f"With best play {mover.capitalize()} wins." in words


def random_game(seed: int) -> GameRecord:
    """A short game of moves at random, which throws away what was won."""
    rng = random.Random(seed)
    position = Position.initial(Rules(size=4, komi=0.5, max_moves=9))
    record = GameRecord("Ann", "Ben", position)
    while position.outcome() is None:
        move = rng.choice(position.legal_moves()[:-1])
        record, position = record.then(move, 0.0), position.play(move)
    return record


def test_answers_in_four_reviews_on_one_server(visit: Visit) -> None:
    """Before a mistake is shown a person may find the better move: what is right and what is wrong is the oracle's."""
    reviewed = 0
    for seed in range(30):
        record = random_game(seed)
        positions = list(record.positions())
        thrown = [
            ply
            for ply, (before, after) in enumerate(pairwise(positions))
            if winner(before) == before.to_move.name.lower() != winner(after)
        ]
        if thrown:
            try_out(visit, record, thrown[-1], positions[thrown[-1]])
            reviewed += 1
        if reviewed == 4:
            return
    pytest.fail("too few games throw a win away")


def try_out(visit: Visit, record: GameRecord, ply: int, position: Position) -> None:
    """Try moves that do not win, then one that does, where a win was thrown away last."""
    values = {
        move: value == position.to_move.name.lower()
        for move, value in winners(position).items()
        if move not in ("PASS", position.move_name(record.moves[ply]))
    }
    wrong = [move for move, wins in values.items() if not wins][:2]
    right = [move for move, wins in values.items() if wins][-1:]
    visit.bring(record)
    asked = visit.page.locator(".says", has_text="Try it yourself")
    expect(asked).to_be_visible()
    visit.page.get_by_role("button", name="First position").click()
    for _ in range(ply):
        visit.page.get_by_role("button", name="One move forward").click()
    for move in wrong:
        row, column = map(int, move.split(","))
        visit.point(row, column, position.size)
        visit.says(f"{move} is a mistake, too.")
        assert seen(visit)[0][move] == "wrong"
    for move in right:
        row, column = map(int, move.split(","))
        visit.point(row, column, position.size)
        visit.says(f"{move} keeps the win.")
        signs, _ = seen(visit)
        shown = {name for name, kind in signs.items() if kind == "won"}
        assert shown == {name for name, wins in values.items() if wins}, json.dumps(signs)
