"""What every built-in player keeps, whatever it is good at."""

from __future__ import annotations

import pytest

from littlego.core.colour import BLACK, WHITE
from littlego.core.errors import UnknownPlayer
from littlego.core.game import play
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, edition_rules
from littlego.core.verdict import Verdict
from littlego.players.catalogue import MANUAL, PLAYERS, STRONGEST, entry, make_player
from tests.helpers import at, random_game

SEARCHERS = {"champion", "perfect", "agent", STRONGEST}
"""Too slow for this, or not for every board: tested in test_searchers.py and tests/agent."""
PROGRAMS = [name for name in PLAYERS if name not in {MANUAL, *SEARCHERS}]
each_player = pytest.mark.parametrize("name", PROGRAMS)


@each_player
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("size", [2, 3, 4, 5, 7])
def test_plays_whole_games_by_the_rules(name: str, edition: str, size: int) -> None:
    start = Position.initial(edition_rules(edition, size))
    for colour in (BLACK, WHITE):
        players = {colour: make_player(name, seed=size), colour.opponent: make_player("random", seed=1)}
        outcome = play(players, start=start).outcome
        assert outcome is not None
        assert outcome.verdict is Verdict.SCORE


@each_player
def test_moves_legally_in_positions_it_would_not_have_reached(name: str) -> None:
    player = make_player(name, seed=3)
    for seed in range(10):
        for position, _ in random_game(edition_rules(), seed):
            assert position.is_legal(player.choose(position))


@each_player
def test_the_same_seed_plays_the_same_game(name: str) -> None:
    games = [play({BLACK: make_player(name, seed=5), WHITE: make_player("random", seed=6)}).moves for _ in range(2)]
    assert games[0] == games[1]


@each_player
def test_passes_when_it_has_no_other_move(name: str) -> None:
    position = at(". X . X .\nX X X X X\nX X X X X\nX X X X X\nX X X X .", WHITE, moves_played=5)
    assert position.legal_moves() == (PASS,)
    assert make_player(name, seed=1).choose(position) is PASS


@each_player
def test_plays_on_the_largest_board(name: str) -> None:
    position = Position.initial(edition_rules(size=19))
    player = make_player(name, seed=1)
    for _ in range(6):
        move = player.choose(position)
        position = position.play(move)


def test_unknown_names_are_met_with_a_suggestion() -> None:
    with pytest.raises(UnknownPlayer, match="did you mean 'aggressive'"):
        entry("agressive")
    with pytest.raises(UnknownPlayer, match="There are: random, greedy"):
        entry("zzz")
