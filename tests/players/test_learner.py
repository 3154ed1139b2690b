"""The player that learned: how strong it is with each colour, and that it needs no search and no numba."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from littlego.arena.match.standings import distinct_games, standings
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.quick_match import play_match
from littlego.kernel.xorshift import seeded_state
from littlego.learn.games_kernel import match_games
from littlego.learn.model import SLACK, PatternModel, shipped_model
from littlego.learn.opponents_kernel import NAMES
from littlego.learn.trainer import Measure
from littlego.learn.values_kernel import values_of
from littlego.players.catalogue import entry, make_player
from littlego.players.learner import LearnerPlayer, train_learner
from tests.helpers import at, series


@pytest.mark.slow
@pytest.mark.parametrize("colour", Colour)
@pytest.mark.parametrize(
    ("opponent", "least"), [("random", 0.95), ("greedy", 0.95), ("aggressive", 0.95), ("alphabeta", 0.95)]
)
def test_how_strong_it_is(opponent: str, least: float, colour: Colour) -> None:
    names = ("learner", opponent) if colour is BLACK else (opponent, "learner")
    records = series(*names, games=60)
    row = next(row for row in standings(records) if row.player == "learner")
    assert row.tally.interval[0] >= least - 0.03, f"{row.tally} against {opponent}"
    assert row.tally.win_rate >= least
    assert distinct_games(records) >= 20


@pytest.mark.parametrize("colour", [0, 1])
@pytest.mark.parametrize("opponent", NAMES)
def test_no_sure_win_is_given_up_for_a_likely_one(opponent: str, colour: int) -> None:
    """It drew among moves within 0.005 of the best, and so lost one game in thirty as Black to `aggressive`."""
    model = shipped_model()
    assert isinstance(model, PatternModel)
    values = values_of(model, edition_rules())
    assert match_games(values, 200, NAMES.index(opponent), colour, SLACK, seeded_state(1)) == 200


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


def test_it_plays_without_numba() -> None:
    code = (
        "import sys\n"
        "from littlego.core.position import Position\n"
        "from littlego.players.catalogue import make_player\n"
        "make_player('learner').choose(Position.initial())\n"
        "assert not {'numba', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_a_model_of_ones_own_plays(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(files("littlego.learn").joinpath("model.json").read_text())
    for name in (f"learner:{tmp_path}", f"learner:{path}", f"qlearning:{tmp_path}"):
        assert make_player(name, seed=1).choose(Position.initial()) == make_player("learner", seed=1).choose(
            Position.initial()
        )
    identity = entry(f"learner:{tmp_path}").identity()
    path.write_text(path.read_text() + " ")
    assert entry(f"learner:{tmp_path}").identity() != identity
    with pytest.raises(FormatError, match="cannot be read"):
        entry("learner:nowhere").make(1)


def test_it_learns_and_tells_how_far_it_has_come() -> None:
    told: list[Measure] = []
    learner = train_learner(games=2000, seed=2, chunks=2, progress=told.append, test_games=5)
    assert [measure.games for measure in told] == [500, 2000]
    assert play_match(lambda _: learner, "random", games=20).tally.wins > 10


def test_settings_are_checked() -> None:
    with pytest.raises(UsageError, match="opponent 'nobody'"):
        train_learner(games=10, opponents=("nobody",))
