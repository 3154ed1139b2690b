"""The kernel's host for browsers, run by node: the same answers, from the same nodes, as in Python."""

from __future__ import annotations

import hashlib
import random
import shutil
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from littlego.apps.web.site import elsewhere
from littlego.core.board import BLACK
from littlego.core.points import PASS, parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.kernel.words import NO_KO
from littlego.kernel.xorshift import seeded_state
from littlego.learn.games import Rates
from littlego.learn.learned import Learned
from littlego.learn.values import WHOLE_VIEW
from littlego.solve import atlas, guess
from littlego.solve.engine import Engine
from littlego.tictactoe.board import O, X
from littlego.tictactoe.codes import POWERS, RESULTS, cells_of
from littlego.tictactoe.perfect_player import value as perfect_value
from tests.node import in_node, in_the_page
from tests.solve.twins import minimax, spot, typical_position

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

FILES = {path.name: path for path in elsewhere().values()}
KERNEL = FILES["kernel.wasm"]
HERE = Path(__file__).parent


def run(script: str, *args: object, stdin: object = None) -> Any:
    return in_node(HERE / script, *args, stdin=stdin)


def short_position(size: int, left: int, seed: int) -> Position:
    """A position of a random game of any length and komi, maybe after a pass or with a ko."""
    rng = random.Random(seed)
    length = rng.randrange(left, left + 2 * size * size)
    rules = Rules(size=size, komi=rng.choice((-3.5, 0, 0.5, 1, size / 2, 6)), max_moves=length)
    while True:
        position = Position.initial(rules)
        while position.plies_left > left and position.outcome() is None:
            moves = position.legal_moves()
            position = position.play_legal(moves[-1] if rng.random() < 0.25 else rng.choice(moves))
        if position.outcome() is None:
            return position


def winner(position: Position, margin: int) -> str:
    """Who wins, by name, if the side to move ends so many stones ahead."""
    black = (margin if position.to_move is BLACK else -margin) - position.rules.komi
    return "tie" if black == 0 else "black" if black > 0 else "white"


def expected(position: Position) -> dict[str, Any]:
    """The values of all moves, by plain minimax."""
    memory: dict[Position, int] = {}
    values, leads = {}, {}
    for move in position.legal_moves():
        after = position.play_legal(move)
        margin = minimax(after, memory)
        name = position.move_name(move)
        values[name] = winner(after, margin)
        komi = position.rules.komi
        leads[name] = -margin - (komi if position.to_move is BLACK else -komi)
    return {"values": values, "leads": leads}


def test_two_thousand_positions_have_the_answers_and_the_nodes_of_python() -> None:
    questions = [
        (spot(typical_position(left, seed)), target)
        for seed in range(170)
        for left in (6, 8, 9, 10)
        for target in (-2, 0, 3)
    ]
    assert len(questions) > 2000
    engine = Engine(5, memory=1 << 28)
    expected = [engine.reaches(view, target) for view, target in questions]
    rows = [
        {"spot": asdict(view) | {"ko": None if view.ko == NO_KO else view.ko}, "target": target}
        for view, target in questions
    ]
    found = run("ask_kernel.mjs", KERNEL, 5, stdin=rows)
    assert found["answers"] == expected
    assert found["nodes"] == engine.nodes
    assert 500 < sum(expected) < 1500


@pytest.mark.parametrize(("size", "left", "count"), [(2, 6, 40), (3, 4, 200), (4, 3, 100), (5, 3, 60)])
def test_values_of_all_moves_are_those_of_plain_minimax(size: int, left: int, count: int) -> None:
    """With any komi, length and passes, ties and kos."""
    positions = [short_position(size, 1 + seed % left, seed) for seed in range(count)]
    answers = run("ask_kernel.mjs", KERNEL, size, stdin=[{"position": in_the_page(each)} for each in positions])
    for position, answer in zip(positions, answers["answers"], strict=True):
        assert {name: answer[name] for name in ("values", "leads")} == expected(position), position
        assert answer["state"] == "settled"
        assert not answer["missing"]
    assert sum(position.passes for position in positions) > count / 20


def test_the_atlas_and_the_guess_are_those_of_python() -> None:
    keys, values = atlas.load()
    found = run("read_data.mjs", FILES["atlas.bin"], FILES["guess.bin"])
    assert found["atlas"] == [_digest(keys), _digest(values.astype(np.uint32))]
    assert found["guess"] == _digest(guess.load().reshape(guess.SETS, guess.SET_SIZE).T.astype(np.int8))
    assert found["layers"] == sorted(set((keys >> 55).tolist()), reverse=True)


def _digest(numbers: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()


def test_the_worker_answers_stops_and_says_why_not() -> None:
    """All of it is in the script; the urgent question comes in the middle of the long one."""
    run("ask_worker.mjs", *FILES.values())


def test_a_proof_runs_waits_goes_on_and_ends_with_the_values() -> None:
    """All moves of short games by plain minimax, and of a game of 20 moves, which White wins: docs/solution.md."""
    short = [short_position(size, 3, seed) for size in (3, 4) for seed in range(12)]
    game = Position.initial(edition_rules().but(max_moves=20))
    asked = {"short": [in_the_page(each) for each in short], "long": in_the_page(game)}
    *found, last = run("prove.mjs", KERNEL, FILES["guess.bin"], stdin=asked)
    for position, answer in zip(short, found, strict=True):
        values = expected(position)["values"]
        passed = values.pop("PASS")
        assert answer["values"] == values, position
        everyone = {*values.values(), passed}
        assert answer["value"] == next(
            side for side in (position.to_move.word, "tie", position.to_move.opponent.word) if side in everyone
        )
        assert answer["openings"] <= len(values)
    assert last["values"] == {game.move_name(move): "white" for move in game.legal_moves() if move != PASS}
    assert last["value"] == "white"
    assert last["openings"] == 6


def test_a_puzzle_goes_on_with_the_answer_that_leaves_fewest_moves_that_win() -> None:
    """By plain minimax: while less than half of the moves win, for up to three moves."""
    told = {one["moves"]: one["line"] for one in run("puzzle.mjs", KERNEL, 0, 5)}
    assert len(told) > 8
    assert {1, 3, 5} >= {len(line) for line in told.values()} > {3}
    memory: dict[Position, int] = {}

    def open_replies(position: Position) -> dict[str, int]:
        """By answer that does not end the game, how many moves win after it, if less than half do."""
        found = {}
        for reply in [] if position.outcome() else position.legal_moves():
            if (after := position.play_legal(reply)).outcome() is None:
                ends = [after.play_legal(move) for move in after.legal_moves()]
                won = [winner(end, minimax(end, memory)) == after.to_move.word for end in ends]
                if 2 * sum(won) < len(won):
                    found[position.move_name(reply)] = sum(won)
        return found

    for text, line in told.items():
        position = Position.initial(edition_rules())
        for k in range(0, len(text), 2):
            column, row = (ord(letter) - 97 for letter in text[k : k + 2])
            position = position.play(parse_move(f"{row},{column}", 5))
        for move, reply in zip(line[::2], [*line[1::2], None], strict=True):
            position = position.play(parse_move(move, 5))
            found = open_replies(position)
            if reply is None:
                assert not found or len(line) == 5
            else:
                assert found[reply] == min(found.values())
                position = position.play(parse_move(reply, 5))


def test_learners_in_the_page_learn_what_they_learn_in_python() -> None:
    """Little-Go bit by bit; tic-tac-toe becomes perfect, and its values those of the truth."""
    games, alpha, epsilon = 96, 1.0, 0.1
    values = Learned(view=WHOLE_VIEW)
    state = seeded_state(5)
    first = str(int(state[0]))
    openers, opponents = np.array([-1, 0, 1, 2]), np.array([-1])
    for done in range(0, games, 32):
        rate = alpha * max(1 - done / games, 0.02)
        values.train(32, done, Rates(rate, 1.0, 0.7, epsilon, 1.0, 18, 6, openers, opponents), state)
    positions = [typical_position(left, left) for left in (8, 12, 16, 20)]
    found = run(
        "learn.mjs",
        KERNEL,
        stdin={
            "settings": {"games": games, "alpha": alpha, "epsilon": epsilon, "seed": 1},
            "state": first,
            "positions": [in_the_page(each) for each in positions],
            "toe": {"games": 100_000, "alpha": 1, "epsilon": 0, "seed": 1},
        },
    )
    assert found["state"] == str(int(state[0]))
    for position, thoughts in zip(positions, found["values"], strict=True):
        for move in position.legal_moves():
            after = position.play_legal(move)
            mine, theirs = (after.board.black, after.board.white)
            if position.to_move is not BLACK:
                mine, theirs = theirs, mine
            colour = int(position.to_move is not BLACK)
            expected = values.value_after(mine, theirs, colour, after.moves_played, after.passes)
            assert thoughts[position.move_name(move)] == expected
    assert len(found["measure"]["choices"]) == 50
    assert all(0 <= share <= 1 for share in found["measure"]["wins"])

    begun, *_, ended = found["tellings"]
    assert begun["games"] < 100 and ended["games"] == 100_000
    assert begun["first"]["mistakes"] > 0 and begun["second"]["mistakes"] > 0
    assert ended["first"]["mistakes"] == ended["second"]["mistakes"] == 0
    assert found["first"] == ended["first"]
    for code, truth in found["truths"].items():
        assert truth == perfect_value(cells_of(int(code)))
    assert found["expected"] == pytest.approx([against_random(0, X), against_random(1, O)])
    for (code, side), board in zip(((0, X), (POWERS[4], O)), ended["boards"], strict=True):
        free = [cell for cell in range(9) if not board["cells"][cell]]
        assert len(free) == (9 if side == X else 8)
        truth = {cell: against_random(code + side * POWERS[cell], side) for cell in free}
        assert {cell: board["truth"][cell] for cell in free} == pytest.approx(truth)
        best = max(free, key=lambda cell: board["values"][cell])
        assert board["values"][best] == pytest.approx(truth[best], abs=0.02)
        assert board["values"][best] == pytest.approx(max(truth.values()), abs=0.02)


@cache
def against_random(code: int, side: int) -> float:
    """What `side` gets on average with best play, to move or not: a win 1, a draw 0, a loss -10."""
    result = RESULTS[code]
    if result != -1:
        return 0 if result == 0 else 1 if result == side else -10
    cells = cells_of(code)
    mover = X if cells.count(X) == cells.count(O) else O
    afters = [against_random(code + mover * POWERS[cell], side) for cell in range(9) if not cells[cell]]
    return max(afters) if mover == side else sum(afters) / len(afters)
