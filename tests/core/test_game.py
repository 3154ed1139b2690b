from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.errors import IllegalMove, PlayerFault, Resigned, TakeBack
from littlego.core.game import Player, derive_seed, play
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import Verdict, Why, edition_rules
from littlego.formats.records import parse_record, write_record


class Scripted:
    """Plays what it was told; exceptions in the script are raised."""

    def __init__(self, script: Iterable[Move | Exception | type[Exception]]) -> None:
        self._script = iter(script)
        self.asked = 0

    def choose(self, _position: Position) -> Move:
        self.asked += 1
        step = next(self._script)
        if isinstance(step, Exception) or (isinstance(step, type) and issubclass(step, Exception)):
            raise step
        return step


def match(
    black: Iterable[Move | Exception | type[Exception]], white: Iterable[Move | Exception]
) -> dict[Colour, Player]:
    return {BLACK: Scripted(black), WHITE: Scripted(white)}


def ticks() -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += 0.5


def test_a_game_is_recorded() -> None:
    clock = ticks()
    seen: list[Move] = []
    record = play(
        match([12, PASS], [6, PASS]),
        names=("one", "two"),
        seed=7,
        clock=lambda: next(clock),
        observer=lambda _before, move, _after: seen.append(move),
    )
    assert record.moves == (12, 6, PASS, PASS)
    assert seen == [12, 6, PASS, PASS]
    assert record.seconds == (0.5, 0.5, 0.5, 0.5)
    assert (record.player(BLACK), record.player(WHITE), record.seed) == ("one", "two", 7)
    assert record.outcome is not None
    assert (record.outcome.verdict, record.outcome.winner) == (Verdict.SCORE, WHITE)
    assert record.final().board.at(12) is BLACK
    assert len(list(record.positions())) == 5


def test_an_illegal_move_forfeits_and_says_why() -> None:
    record = play(match([12], [12]))
    assert record.outcome is not None
    assert record.outcome.verdict is Verdict.ILLEGAL_OCCUPIED
    assert record.outcome.winner is BLACK
    assert str(record.outcome) == "Black wins: White forfeited; 2,2: the point is occupied"
    assert record.moves == (12,)


@pytest.mark.parametrize(
    ("fault", "verdict", "said"),
    [
        (PlayerFault(Verdict.CRASH, "exit status 1"), Verdict.CRASH, "White wins: Black forfeited; exit status 1"),
        (Resigned(Verdict.RESIGNED, "enough"), Verdict.RESIGNED, "White wins: Black resigned"),
    ],
)
def test_a_fault_of_the_player_loses(fault: PlayerFault, verdict: Verdict, said: str) -> None:
    record = play(match([fault], []))
    assert record.outcome is not None
    assert record.outcome.verdict is verdict
    assert str(record.outcome) == said


def test_our_own_failure_is_nobodys_loss() -> None:
    with pytest.raises(ZeroDivisionError):
        play(match([ZeroDivisionError()], []))


def test_2019_asks_again_a_bounded_number_of_times() -> None:
    rules = edition_rules("2019")
    players = match([PASS, 99, 12, *range(25)], [12] * 200)
    record = play(players, start=Position.initial(rules))
    assert record.moves == (12,)
    assert record.outcome is not None
    assert (record.outcome.verdict, record.outcome.winner) == (Verdict.ILLEGAL_OCCUPIED, BLACK)
    white = players[WHITE]
    assert isinstance(white, Scripted)
    assert white.asked == rules.attempts


def test_taking_back_returns_to_the_same_players_turn() -> None:
    record = play(match([TakeBack, 12, TakeBack, 7, PASS], [6, 8, PASS]))
    assert record.moves == (7, 8, PASS, PASS)
    assert len(record.seconds) == 4


def test_moves_of_the_opening_can_be_taken_back_too() -> None:
    """A game that is continued at the terminal begins with the moves it had."""
    record = play(match([TakeBack, 7, PASS], [8, PASS]), opening=(12, 6))
    assert record.moves[:2] == (7, 8)


def test_a_game_may_start_anywhere() -> None:
    start = Position.initial().play(12)._replace(moves_played=23)
    record = play(match([], [6]), start=start)
    assert record.moves == (6,)
    assert record.outcome is not None
    assert record.outcome.score.white == 3.5


def test_only_a_players_own_fault_is_a_forfeit() -> None:
    assert {v for v in Verdict if not v.is_forfeit} == {Verdict.SCORE, Verdict.RESIGNED, Verdict.VOID}


def test_seeds_are_the_same_everywhere() -> None:
    assert derive_seed(1, "game", 0) == 16104414227900755133 >> 11
    seeds = {derive_seed(seed, "game", game) for seed in range(10) for game in range(10)}
    assert len(seeds) == 100
    assert max(seeds) < 2**53, "JavaScript would round it"
    assert max(seeds) > 2**52, "fewer bits than there is room for"


def test_a_player_may_answer_with_an_integer_of_numpy() -> None:
    first: Any = np.int64(12)
    second: Any = np.argmax([0, 1])
    record = play(match([first, PASS], [second, PASS]))
    assert record.moves == (12, 1, PASS, PASS)
    assert [type(move) for move in record.moves[:2]] == [int, int]
    board = Position.initial(edition_rules(size=9))
    assert board.play(np.int64(80)).key() == board.play(80).key()
    with pytest.raises(TypeError, match="expected a move"):
        Position.initial().play(12.0)  # type: ignore[arg-type]  # what a caller without types may do


def test_a_move_that_a_player_tries_in_its_head_is_not_its_move() -> None:
    with pytest.raises(IllegalMove):
        play(match([IllegalMove("2,2", Why.OCCUPIED)], []))


def test_a_game_without_times_stays_without_times() -> None:
    record = replace(play(match([12, PASS], [6, PASS])), seconds=(), outcome=None).without_last(1)
    assert (len(record.then(0, 0.1)), record.then(0, 0.1).seconds) == (4, ())
    assert parse_record(write_record(record.then(0, 0.1))).moves == (12, 6, PASS, 0)


def test_no_more_moves_are_taken_back_than_there_are() -> None:
    assert len(play(match([12, PASS], [6, PASS])).without_last(5)) == 0
