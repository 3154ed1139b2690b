"""`core` against the naive referee, which shares no code with it."""

from __future__ import annotations

import random

import pytest

from littlego.core.board import Colour
from littlego.core.points import PASS, Pass
from littlego.core.position import Position
from littlego.core.rules import Why, edition_rules
from littlego.formats.course import board_rows
from littlego_bench.naive import BLACK, WHITE, NaiveGame

WHY = {"occupied": {Why.OCCUPIED}, "suicide": {Why.SUICIDE}, "ko": {Why.KO, Why.REPEATS}}


def compare_game(edition: str, size: int, seed: int) -> int:
    """Play a random game in both, compare everything, and return how many kos were met."""
    rng = random.Random(seed)
    length = 3 * size * size  # longer than the course plays, so that small boards meet kos too
    position = Position.initial(edition_rules(edition, size).but(max_moves=length))
    naive = NaiveGame(size, superko=edition == "2019", passing=edition != "2019", length=length)
    kos = 0
    while (outcome := position.outcome()) is None:
        assert not naive.over()
        for point in range(size * size):
            why = position.why_illegal(point)
            told = naive.why_not(*divmod(point, size))
            assert (why is None) == (told is None), (edition, size, seed, position, point)
            assert why is None or why in WHY[told or ""]
            kos += told == "ko"
        points = [move for move in position.legal_moves() if not isinstance(move, Pass)]
        passes = naive.passing and (not points or rng.random() < 0.05)
        move = PASS if passes else rng.choice(points)
        position = position.play(move)
        naive.play(None if isinstance(move, Pass) else divmod(move, size))
        assert board_rows(position.board) == ["".join(map(str, row)) for row in naive.cells]
        assert position.to_move.value == naive.to_move
    assert naive.over()
    assert (outcome.score.black, outcome.score.white) == (naive.score(BLACK), naive.score(WHITE))
    assert outcome.winner is winner(naive)
    return kos


def winner(naive: NaiveGame) -> Colour | None:
    black, white = naive.score(BLACK), naive.score(WHITE)
    return None if black == white else Colour.BLACK if black > white else Colour.WHITE


@pytest.mark.parametrize("edition", ["2019", "2025"])
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7])
def test_random_games_agree(edition: str, size: int) -> None:
    games = 60 if size < 5 else 20 if size == 5 else 5
    kos = sum(compare_game(edition, size, seed) for seed in range(games))
    # On 2x2 the stone beside a simple ko would be dead, so there are none.
    assert kos or (edition, size) == ("2025", 2), "games without a ko test no ko"
