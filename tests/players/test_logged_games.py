"""1,210 games of the course's own software: its rules are ours, and its players could be ours."""

from __future__ import annotations

from collections import Counter

import pytest

from littlego.core.points import PASS, points_of
from littlego.formats.course import board_rows
from littlego.players.simple import AggressivePlayer, GreedyPlayer, RandomPlayer, SimplePlayer
from tests.players.logged import logged_games, logged_moves


def test_every_game_replays_to_its_board_and_winner() -> None:
    games = logged_games()
    assert len(games) == 1210
    for game in games:
        *_, (position, move) = game.steps()
        final = position.play(move)
        assert "".join(board_rows(final.board)) == game.final
        outcome = final.outcome()
        assert outcome is not None
        assert outcome.winner is game.winner


@pytest.mark.parametrize(
    ("player", "at_least"), [(RandomPlayer(), 1.0), (GreedyPlayer(), 1.0), (AggressivePlayer(), 0.98)]
)
def test_the_official_players_moves_are_ones_that_ours_could_make(player: SimplePlayer, at_least: float) -> None:
    name = type(player).__name__.removesuffix("Player").lower()
    possible: Counter[bool] = Counter()
    for position, move in logged_moves(name):
        points = points_of(position.legal_points())
        possible[move in player.choices(position, points) if points else move is PASS] += 1
    assert possible.total() > 4000
    assert possible[True] / possible.total() >= at_least
