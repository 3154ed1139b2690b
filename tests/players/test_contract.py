"""What every built-in player keeps, whatever it is good at."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.core.board import BLACK, WHITE
from littlego.core.errors import UnknownPlayer
from littlego.core.game import play
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, Verdict, edition_rules
from littlego.players.catalogue import MANUAL, PLAYERS, STRONGEST, entry, make_player
from tests.helpers import at, random_game

QUICK = [name for name, player in PLAYERS.items() if player.is_quick]
"""The others are too slow for this, or not for every board: tested in test_searchers.py and tests/agent."""
each_player = pytest.mark.parametrize("name", QUICK)


def test_players_that_search_are_not_called_quick() -> None:
    assert {*PLAYERS} - {*QUICK} == {"champion", "perfect", "agent", STRONGEST, MANUAL}


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
    with pytest.raises(UnknownPlayer, match=r"did you mean 'aggressive'"):
        entry("agressive")
    with pytest.raises(UnknownPlayer, match="There are: random, greedy"):
        entry("zzz")


@pytest.mark.parametrize("spelling", ["my-agent", "my-agent/my_player3.py", "cmd:./agent"])
def test_make_player_says_what_takes_an_agent(spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-agent").mkdir()
    (tmp_path / "my-agent" / "my_player3.py").touch()
    with pytest.raises(UnknownPlayer, match=f"'{spelling}' is not a built-in player.*play_game") as raised:
        make_player(spelling)
    assert "did you mean" not in str(raised.value)


def test_make_player_still_suggests_a_name() -> None:
    with pytest.raises(UnknownPlayer, match=r"did you mean 'agent'.*built-in players only.*play_game"):
        make_player("my-agent")
    with pytest.raises(UnknownPlayer, match="no player is called"):
        make_player("x" * 5000)
