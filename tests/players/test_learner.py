"""The player that learned: how strong it is with each colour, and what it values."""

from __future__ import annotations

import pickle
from importlib.resources import files
from pathlib import Path

import pytest

from littlego.arena.match import distinct_games, standings
from littlego.core.board import BLACK, WHITE, Colour
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.course.contests import play_match
from littlego.kernel.xorshift import seeded_state
from littlego.learn.learned import Learned
from littlego.learn.model import SLACK, shipped_model
from littlego.learn.opponents import NAMES
from littlego.learn.trainer import Measure
from littlego.players.catalogue import entry, make_player
from littlego.players.course import AlphaBeta, QLearningPlayer
from littlego.players.learned import Champion, LearnerPlayer, learned_values, train_learner
from littlego.solve.oracle import Oracle
from tests.helpers import at, random_game, series


@pytest.mark.slow
@pytest.mark.parametrize("colour", Colour)
@pytest.mark.parametrize(
    ("opponent", "least"), [("random", 0.95), ("greedy", 0.95), ("aggressive", 0.95), ("alphabeta", 0.95)]
)
def test_how_strong_it_is(opponent: str, least: float, colour: Colour) -> None:
    names = ("learner", opponent) if colour is BLACK else (opponent, "learner")
    records = series(*names, games=60)
    row = next(row for row in standings(records) if row["player"] == "learner")
    assert row["interval_95"][0] >= least - 0.03, f"{row} against {opponent}"
    assert row["win_rate"] >= least
    assert distinct_games(records) >= 15


@pytest.mark.parametrize("colour", [0, 1])
@pytest.mark.parametrize("opponent", NAMES)
def test_no_sure_win_is_given_up_for_a_likely_one(opponent: str, colour: int) -> None:
    """It drew among moves within 0.005 of the best, and so lost one game in thirty as Black to `aggressive`."""
    values = Learned.of(shipped_model(), edition_rules())
    assert values.match(200, NAMES.index(opponent), colour, SLACK, seeded_state(1)) == 200


def test_the_model_is_small() -> None:
    assert len(files("littlego.learn").joinpath("model.json").read_bytes()) <= 2_000_000


def test_a_game_that_its_move_ends_is_valued_exactly() -> None:
    player = LearnerPlayer()
    won = at("X X X X X\nX X X . X\n. . . . .\n. . O . .\n. O O O .", BLACK, moves_played=23)
    assert player.value_after(won, 12) == 1.0
    assert player.value_after(won._replace(to_move=WHITE), 12) == 0.0
    behind = at("X . . . .\n. . . . .\n. . . . .\n. . O . .\n. O O O .", BLACK, moves_played=5)
    assert player.value_after(behind, PASS) == 0.0, "White passes too and has won"


def test_it_captures_when_that_wins_the_game() -> None:
    position = at("X X X X X\nX O O O .\nX X X X X\n. O O O O\n. O O O .", BLACK, moves_played=23)
    assert make_player("learner", seed=1).choose(position) == 9


def test_a_model_of_ones_own_plays(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(files("littlego.learn").joinpath("model.json").read_text())
    for name in (f"learner:{tmp_path}", f"learner:{path}"):
        assert make_player(name, seed=1).choose(Position.initial()) == make_player("learner", seed=1).choose(
            Position.initial()
        )
    identity = entry(f"learner:{tmp_path}").identity()
    path.write_text(path.read_text() + " ")
    assert entry(f"learner:{tmp_path}").identity() != identity
    with pytest.raises(FormatError, match="cannot be read"):
        entry("learner:nowhere").make(1)


def test_a_model_of_ones_own_goes_to_other_processes_after_it_has_played() -> None:
    learner = LearnerPlayer(model=shipped_model())
    values = learner.values(Position.initial())
    assert pickle.loads(pickle.dumps(learner)).values(Position.initial()) == values


def test_it_learns_and_tells_how_far_it_has_come() -> None:
    told: list[Measure] = []
    learner = train_learner(games=2000, seed=2, chunks=2, progress=told.append, test_games=5)
    assert [measure.games for measure in told] == [500, 2000]
    assert play_match(lambda _: learner, "random", games=20).tally.wins > 10


def test_settings_are_checked() -> None:
    with pytest.raises(UsageError, match="opponent 'nobody'"):
        train_learner(games=10, opponents=("nobody",))


GAMES_OF_NO_MODEL = [
    edition_rules().but(max_moves=4000),
    edition_rules().but(max_moves=20),
    edition_rules().but(komi=0.5),
    edition_rules("2019", 7).but(max_moves=300),
]


@pytest.mark.parametrize("rules", GAMES_OF_NO_MODEL, ids=str)
def test_a_game_that_no_model_is_for_is_played_without_one(rules: Rules) -> None:
    """Its weights were read beyond their end in longer games: garbage, or the end of the process."""
    for played in (0, rules.max_moves // 2, rules.max_moves - 1):
        mover = WHITE if played % 2 else BLACK
        position = Position.initial(rules)._replace(moves_played=played, to_move=mover)
        assert Champion(seed=1).choose(position) == AlphaBeta().choose(position)
        assert LearnerPlayer(seed=1).choose(position) == QLearningPlayer(seed=1).choose(position)
    with pytest.raises(UsageError, match=r"a model for .* has no values for"):
        LearnerPlayer().value_after(Position.initial(rules), 0)
    with pytest.raises(UsageError, match=r"a model for .* has no values for"):
        learned_values(rules)


def test_a_size_that_no_model_is_for_is_refused_with_those_that_have_one() -> None:
    with pytest.raises(UsageError, match="for 4x4: there is one for 5x5 and one for 7x7"):
        LearnerPlayer().value_after(Position.initial(edition_rules(size=4)), 0)


def test_what_is_certain_with_another_komi_is_true() -> None:
    """The margins were compared with the course's komi whatever the game's: some certain moves did not win."""
    certain = 0
    for seed in range(12):
        for komi in (0.5, 4.5):
            rules = edition_rules().but(komi=komi)
            blank, oracle = Learned(rules), Oracle(use_atlas=False)
            for position, move in random_game(rules, seed):
                if position.plies_left > 10 or position.passes or move is PASS:
                    continue
                after, mover = position.play(move), position.to_move
                if after.outcome() is not None:
                    continue
                own, other = after.board.stones(mover), after.board.stones(mover.opponent)
                value = blank.value_after(own, other, int(mover is WHITE), after.moves_played, 0)
                if value in (0.0, 1.0):
                    certain += 1
                    assert (oracle.value(after) is mover) == (value == 1.0)
    assert certain > 30
