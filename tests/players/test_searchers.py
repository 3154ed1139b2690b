"""The champion and the perfect player: what they keep, and how well they play."""

from __future__ import annotations

import pytest

from littlego.core.board import BLACK, WHITE
from littlego.core.errors import UsageError
from littlego.core.game import play
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, Rules, Verdict, edition_rules
from littlego.learn.labels import shipped_labels
from littlego.players.catalogue import make_player
from littlego.players.exact import AgentPlayer, PerfectPlayer
from littlego.players.learned import Champion, LearnerPlayer
from littlego.solve.oracle import Oracle
from tests.helpers import at, random_game
from tests.players.logged import logged_moves


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle(memory=1 << 24)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("size", [2, 3, 4, 5, 7])
def test_the_champion_plays_whole_games_by_the_rules(edition: str, size: int) -> None:
    start = Position.initial(edition_rules(edition, size))
    for colour in (BLACK, WHITE):
        players = {colour: Champion(size), colour.opponent: make_player("random", seed=1)}
        outcome = play(players, start=start).outcome
        assert outcome is not None
        assert outcome.verdict is Verdict.SCORE


def test_the_champion_moves_legally_anywhere() -> None:
    champion = Champion(3)
    for seed in range(5):
        for position, _ in random_game(edition_rules(), seed):
            assert position.is_legal(champion.choose(position))


def test_the_same_seed_plays_the_same_game() -> None:
    games = [play({BLACK: Champion(5), WHITE: make_player("random", seed=6)}).moves for _ in range(2)]
    assert games[0] == games[1]


def test_both_pass_when_there_is_no_other_move(oracle: Oracle) -> None:
    position = at(". X . X .\nX X X X X\nX X X X X\nX X X X X\nX X X X .", WHITE, moves_played=5)
    assert Champion(1).choose(position) is PASS
    assert PerfectPlayer(1, oracle=oracle).choose(position) is PASS


def test_the_champion_captures_what_decides_the_game() -> None:
    position = at("O O O X .\nX X . X .\n. X X . .\n. . . . .\n. . . . O", BLACK, moves_played=22)
    after = position.play(Champion(1).choose(position))
    assert after.board.white.bit_count() < position.board.white.bit_count()


def test_the_champion_seldom_throws_a_won_position_away() -> None:
    """On the shipped positions; `tools/measure_agent.py champion` measures it on others."""
    champion = Champion(1)
    won = [label for label in shipped_labels() if label.wins]
    thrown = 0
    for label in won:
        thrown += champion.choose(label.position) not in label.winning
    assert 0.01 * len(won) <= thrown <= 0.04 * len(won)


def test_an_exact_player_beats_the_champion_with_white() -> None:
    """It is lost in theory. No White could make the champion err, so nobody could earn full points against it."""
    lines = set()
    for seed in range(10):
        record = play({BLACK: Champion(seed), WHITE: AgentPlayer(seed)})
        assert record.outcome is not None
        assert record.outcome.winner is WHITE
        lines.add(record.moves)
    assert len(lines) >= 5


def test_the_champion_outwits_the_learner_with_white() -> None:
    """The learner opens in the centre and holds that win against a player that looks a few moves ahead."""
    won = 0
    for seed in range(10):
        record = play({BLACK: LearnerPlayer(seed), WHITE: Champion(seed)})
        won += record.outcome is not None and record.outcome.winner is WHITE
    assert won >= 9


def test_the_champion_keeps_what_the_course_champion_kept() -> None:
    """In the logged positions of the course's own champion that can be solved in a moment."""
    oracle = Oracle(memory=1 << 24)
    champion = Champion(1)
    won = theirs = ours = 0
    for position, move in set(logged_moves("championship")):
        mover = position.to_move
        if position.plies_left > 12 or oracle.value(position) is not mover:
            continue
        won += 1
        theirs += oracle.value(position.play(move)) is not mover
        ours += oracle.value(position.play(champion.choose(position))) is not mover
    assert won > 100
    assert ours <= theirs + 1


def test_the_perfect_player_never_leaves_a_won_position(oracle: Oracle) -> None:
    for size, length in ((3, 9), (4, 10), (5, 11)):
        for seed in range(3):
            position = Position.initial(Rules(size=size, komi=0.5, max_moves=length))
            perfect = PerfectPlayer(seed, oracle=oracle, most_nodes=0)
            other = make_player("random", seed=seed)
            while position.outcome() is None:
                before = oracle.value(position)
                mover = position.to_move
                move = (perfect if mover is BLACK else other).choose(position)
                position = position.play(move)
                if mover is BLACK and before is BLACK:
                    assert oracle.value(position) is BLACK


def test_the_perfect_player_makes_a_lost_position_hard(oracle: Oracle) -> None:
    harder = 0
    for seed in range(40):
        position = _lost(oracle, seed)
        if position is None:
            continue
        chosen = position.play(PerfectPlayer(seed, oracle=oracle).choose(position))
        if chosen.outcome() is not None:
            continue
        fewest = len(oracle.winning_moves(chosen))
        for move in position.legal_moves()[:-1]:
            after = position.play(move)
            if after.outcome() is None:
                assert fewest <= len(oracle.winning_moves(after))
        harder += 1
    assert harder >= 5


def test_the_perfect_player_wins_from_the_first_move_on_however_little_it_may_count(oracle: Oracle) -> None:
    for seed in range(2):
        players = {BLACK: PerfectPlayer(seed, oracle=oracle, most_nodes=0), WHITE: make_player("random", seed=seed)}
        outcome = play(players).outcome
        assert outcome is not None
        assert outcome.winner is BLACK


def _lost(oracle: Oracle, seed: int) -> Position | None:
    for position, _ in random_game(edition_rules(), seed):
        if position.plies_left == 6 and len(position.legal_moves()) > 1:
            return position if oracle.value(position) is position.to_move.opponent else None
    return None


def test_the_perfect_player_says_what_it_cannot_play() -> None:
    player = make_player("perfect", seed=1)
    with pytest.raises(UsageError, match="too large"):
        player.choose(Position.initial(edition_rules(size=7)))
    with pytest.raises(UsageError, match="whole history"):
        player.choose(Position.initial(edition_rules("2019")))
