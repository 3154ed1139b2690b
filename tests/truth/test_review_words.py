"""The words of a review in the terminal, in JSON, in SGF comments and on its page, against plain minimax."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlego.apps.cli import review as review_command
from littlego.apps.cli.main import run
from littlego.core.game import GameRecord
from littlego.core.points import PASS, parse_vertex
from littlego.core.position import Position
from littlego.core.rules import Rules, Verdict
from littlego.formats.sgf import parse_collection, write_sgf
from littlego.review.pages import annotate, review_page
from littlego.review.values import Value
from littlego.review.verdicts import GameReview
from littlego.review.words import strip, summary
from littlego.solve.oracle import Oracle
from tests.review.games import forfeited
from tests.truth.reference import Expected, an_ending, expected_moves, small_games

GAMES = small_games()
ORACLE = Oracle(memory=1 << 24)


def reviewed(record: GameRecord) -> GameReview:
    review = GameReview(record, ORACLE)
    assert review.work()
    return review


def tail(expected: Expected) -> str:
    return f"{expected.words}: {expected.better}" if expected.better else expected.words


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_the_terminal_says_what_minimax_says(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    review = reviewed(GAMES[number])
    review_command._show_review(review, None)
    shown = capsys.readouterr().out
    rows = re.findall(r"^ *(\d+) ([XO]) (\S+) +(!!)? *(.*)$", shown.split("\nafter move")[0], re.M)
    expected = expected_moves(GAMES[number])
    assert rows == [
        (str(e.number), "X" if e.colour == "black" else "O", e.move, "!!" if e.is_mistake else "", tail(e))
        for e in expected
    ]
    values = [expected[0].before, *(e.after for e in expected)]
    line = re.search(r"^wins +(\S+)$", shown, re.M)
    assert line is not None
    assert line[1] == "".join({"black": "X", "white": "O", "tie": "="}[value] for value in values)
    carets = [k for k, mark in enumerate(([*shown.split("\nwins")[1].split("\n"), ""])[1][12:]) if mark == "^"]
    assert carets == [k for k, e in enumerate(expected, start=1) if e.is_mistake]


def test_every_word_was_met() -> None:
    met = {e.words for record in GAMES for e in expected_moves(record)}
    assert met >= {
        "gave the tie away", "let the win slip to a tie", "the losing move", "threw the win away", "was lost anyway",
        "the only move", "the only move that kept the tie", "kept the win", "kept the tie",
    }  # fmt: skip


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_the_json_says_what_minimax_says(number: int) -> None:
    expected = expected_moves(GAMES[number])
    sent = json.loads(json.dumps(reviewed(GAMES[number]).to_dict()))
    for move, e in zip(sent["moves"], expected, strict=True):
        assert (move["number"], move["colour"], move["move"]) == (e.number, e.colour, e.move)
        assert (move["before"], move["after"]) == (e.before, e.after)
        assert (move["words"], move["better"], move["sentence"]) == (e.words, e.better, tail(e))
        assert move["is_mistake"] is e.is_mistake
        assert (move["tone"] == "bad") is e.is_mistake
        assert move["good_moves"] == (list(e.good) if e.good else None)


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_sgf_comments_say_what_minimax_says(number: int) -> None:
    record = GAMES[number]
    (root,) = parse_collection(write_sgf(record))
    annotate(root, reviewed(record))
    nodes = [node for node in root.main_line() if {"B", "W"} & set(node.properties)]
    size = record.start.size
    for node, e in zip(nodes, expected_moves(record), strict=True):
        (line,) = [line for line in (node.text("C") or "").split("\n") if line.startswith("Little-Go: ")]
        words, _, better = line.removeprefix("Little-Go: ").partition(": ")
        assert words == e.words
        names = re.findall(r"\b[A-T]\d+\b|a pass", better)
        moves = [PASS if name == "a pass" else parse_vertex(name, size) for name in names]
        shown = ["PASS" if move is PASS else f"{move // size},{move % size}" for move in moves]
        assert shown == (list(e.good)[: 6 if len(e.good) <= 6 else 5] if e.is_mistake else [])
        marks = {name for name in ("GB", "GW", "DM") if name in node.properties}
        assert marks == {{"black": "GB", "white": "GW", "tie": "DM"}[e.after]}
        assert ("BM" in node.properties) is e.is_mistake


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_the_page_says_what_minimax_says(number: int) -> None:
    expected = expected_moves(GAMES[number])
    page = review_page(reviewed(GAMES[number])).html()
    table = page.split("Every move", 1)[1]
    rows = [
        [
            html.unescape(re.sub("<[^>]+>", "", cell)).strip()
            for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)
    ]
    sides = {"black": "Black wins", "white": "White wins", "tie": "a tie"}
    assert [row[:6] for row in rows[1:]] == [
        [str(e.number), e.colour.title(), e.move, e.words, sides[e.after], e.better] for e in expected
    ]
    for colour in ("black", "white"):
        mine = [e for e in expected if e.colour == colour]
        assert f"{sum(e.is_mistake for e in mine)} in {len(mine)} moves" in page


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_the_summary_of_a_whole_review(number: int) -> None:
    record, expected = GAMES[number], expected_moves(GAMES[number])
    said = summary(reviewed(record))
    mistakes = [e for e in expected if e.is_mistake]
    if not mistakes:
        value = expected[0].before
        name = {"black": "Black (ann) had it won", "white": "White (bob) had it won", "tie": "it was a tie"}[value]
        assert f"{name} from the start" in said
        return
    last = mistakes[-1]
    name = {"black": "Black (ann)", "white": "White (bob)"}[last.colour]
    did = "lost it" if last.words == "the losing move" else last.words
    played = "a pass" if last.move == "PASS" else last.move
    assert said == f"{name} {did} at move {last.number}, {played}: {last.better}."


def partial_review(record: GameRecord, known: list[bool]) -> GameReview:
    """A review that was stopped: of some positions the value is known, as minimax has it."""
    review = GameReview(record, ORACLE)
    expected = expected_moves(record)
    values = [expected[0].before, *(e.after for e in expected)]
    review.value = [Value(value) if is_known else None for value, is_known in zip(values, known, strict=True)]
    return review


ENDINGS = [an_ending(seed, 4, 5) for seed in range(6)] + GAMES[8:14]


@given(st.data())
def test_no_summary_contradicts_its_table(data: st.DataObject) -> None:
    """Whatever part is known: each claim of the sentence follows from the rows, and from minimax."""
    record = data.draw(st.sampled_from(ENDINGS))
    known = data.draw(st.lists(st.booleans(), min_size=len(record.moves) + 1, max_size=len(record.moves) + 1))
    review = partial_review(record, known)
    rows, said, expected = [move.to_dict() for move in review.moves], summary(review), expected_moves(record)
    seen = [row["words"] != "not known yet" for row in rows]
    mistakes = [row["number"] for row in rows if row["is_mistake"]]
    assert mistakes == [e.number for k, e in enumerate(expected) if e.is_mistake and known[k] and known[k + 1]]
    if match := re.match(r"So far (\d+) of (\d+) moves are known, (.*)\.$", said):
        assert (int(match[1]), int(match[2])) == (sum(seen), len(rows))
        assert not all(seen)
        if match[3] == "and none of them is a mistake":
            assert not mistakes
        else:
            assert list(map(int, re.findall(r"\d+", match[3]))) == mistakes != []
    elif said == "Nothing is known about this game yet.":
        assert not any(seen)
    elif match := re.match(r"(Black|White) \((?:ann|bob)\) (.*) at move (\d+), ", said):
        last = [e for e in expected if e.is_mistake][-1]
        assert (match[1].lower(), int(match[3])) == (last.colour, last.number)
        assert rows[[e.number for e in expected].index(last.number)]["is_mistake"]
    else:
        assert "from the start" in said
        assert all(seen)
        assert not mistakes
    for row, e in zip(rows, expected, strict=True):
        # Before other moves are valued, an only move is one that kept the result; before the end is known a mistake
        # is not called the last.
        assert row["words"] in (e.words, "not known yet") or (row["words"], e.words) in {
            ("kept the win", "the only move"),
            ("kept the tie", "the only move that kept the tie"),
            ("threw the win away", "the losing move"),
        }
    strip_of_values = strip(review)[1].split()[1]
    assert [symbol != "?" for symbol in strip_of_values] == known


def test_whoever_won_has_made_no_losing_move() -> None:
    """White erred last on the board, then Black crashed: the summary says so, and no row calls White the loser."""
    met = 0
    for record in GAMES:
        for length in range(1, len(record.moves)):
            review = reviewed(forfeited(record, length, Verdict.CRASH))
            outcome = review.record.outcome
            assert outcome is not None
            losing = review.losing_move
            if review.forfeited and any(move.judgement.is_mistake for move in review.moves):
                met += 1
            assert losing is None or losing.colour is not outcome.winner
    assert met > 5


def test_moves_after_the_end_are_no_unknown_values() -> None:
    """Two passes end the game; files from elsewhere go on."""
    start = Position.initial(Rules(size=3, komi=4.5, max_moves=6))
    review = reviewed(GameRecord("ann", "bob", start, (PASS, PASS, 4)))
    assert strip(review)[1].split()[1] == "OOO"
    assert summary(review).startswith("Nobody threw the game away: White (bob) had it won from the start")


def test_a_review_in_json_is_what_the_command_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "game.sgf"
    record = GAMES[10]
    file.write_text(write_sgf(record))
    monkeypatch.setattr(sys, "argv", ["littlego", "review", str(file), "--json", "--store", str(tmp_path / "s")])
    with pytest.raises(SystemExit):
        run()
    printed = json.loads(capsys.readouterr().out)
    assert [move["words"] for move in printed["moves"]] == [e.words for e in expected_moves(record)]
