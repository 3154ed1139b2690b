"""1,210 games of the course's own software: its rules are ours, and its players could be ours."""

from __future__ import annotations

import pytest

from littlego.formats.course import board_rows
from tests.players.fidelity import possible_moves
from tests.players.logged import logged_games


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


@pytest.mark.parametrize(("name", "at_least"), [("random", 1.0), ("greedy", 1.0), ("aggressive", 0.98)])
def test_the_official_players_moves_are_ones_that_ours_could_make(name: str, at_least: float) -> None:
    possible, logged = possible_moves(name)
    assert logged > 4000
    assert possible / logged >= at_least
