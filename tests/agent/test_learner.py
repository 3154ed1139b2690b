"""The learner as a submission: the same values, and so the same moves, as in this process."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import littlego.learn.model
from littlego.agent import my_player3 as agent
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import Pass, points_of
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.starter import KIT_2019, export_learner
from littlego.formats.course import CourseInput, parse_output, write_input
from littlego.learn.features import Features
from littlego.learn.learned import Learned
from littlego.learn.model import Model, least_alike
from littlego.learn.values import WHOLE_VIEW
from littlego.players.exact import framed
from littlego.players.learned import LearnerPlayer
from tests.course.starter_kits import importing
from tests.helpers import random_game

MODEL = Path(littlego.learn.model.__file__).with_name("model.json")


@pytest.mark.process
def test_the_program_plays_what_the_player_values_most(tmp_path: Path) -> None:
    files = export_learner(MODEL, tmp_path)
    assert sum(path.stat().st_size for path in files) < 2_000_000
    player = LearnerPlayer()
    boards = [Position.initial().board] * 2
    for position, _ in random_game(edition_rules(), seed=4):
        boards.append(position.board)
        (tmp_path / "input.txt").write_text(write_input(CourseInput(position.to_move, boards[-2], boards[-1])))
        (tmp_path / "moves.txt").unlink(missing_ok=True)
        # Noted as if by its last move, so that it knows how many moves were played.
        if position.moves_played > 1:
            note_for(tmp_path, position, boards[-2])
        done = subprocess.run(
            [sys.executable, "my_player3.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        move = parse_output((tmp_path / "output.txt").read_text(), size=5).move
        best = max(player.value_after(position, legal) for legal in position.legal_moves())
        assert player.value_after(position, move) >= least_alike(best) - 1e-9


def note_for(folder: Path, position: Position, before: object) -> None:
    from littlego.core.board import Board

    assert isinstance(before, Board)
    note = (position.moves_played - 1, position.to_move.value, framed(before.black), framed(before.white), 0)
    (folder / "moves.txt").write_text(" ".join(map(str, note)))


def test_a_model_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(FormatError, match="littlego train"):
        export_learner(tmp_path, tmp_path / "out")


def test_the_program_sees_all_that_a_model_may_see() -> None:
    """Also what the shipped model does not look at: values of a model whose weights are drawn."""
    rng = random.Random(5)
    drawn = [rng.randrange(-500, 501) for _ in range(1009)]
    count = Features(5, WHOLE_VIEW, 24).weights
    model = Model((drawn * (count // len(drawn) + 1))[:count], 0.0003, WHOLE_VIEW)
    program = agent.Patterns(model.to_dict())
    known = Learned.of(model, edition_rules())
    values = set()
    for position, _ in random_game(edition_rules(), seed=6):
        if position.moves_played:
            mover, played = position.to_move.opponent, position.moves_played
            stones = position.board.stones(mover), position.board.stones(mover.opponent)
            value = known.value_after(*stones, mover.value - 1, played, 0)
            own, other = map(framed, stones)
            assert program.value(own, other, mover.value - 1, played) == pytest.approx(value)
            values.add(value)
    assert len(values) > 10


@pytest.mark.parametrize("size", (5, 7))
def test_the_class_of_2019_values_boards_as_the_player_does(size: int, tmp_path: Path) -> None:
    model = MODEL.with_name("model.json" if size == 5 else f"model-{size}x{size}.json")
    written = export_learner(model, tmp_path, edition="2019")
    assert {path.name for path in written} == {
        "my_player.py",
        "little_go.py",
        model.name if size == 5 else "model.json",
    }
    shutil.copy(KIT_2019 / "go.py", tmp_path)
    player = LearnerPlayer()
    with importing(tmp_path) as load:
        theirs, go = load("my_player").MyPlayer(), load("go").GO(size)
        for number, (position, move) in enumerate(random_game(edition_rules("2019", size), seed=4)):
            go.n_move = position.moves_played
            colour = position.to_move.value
            if number % 5 == 0 or position.plies_left == 1:
                values = {
                    point: theirs.value_after(go, *divmod(point, size), colour)
                    for point in points_of(position.legal_points())
                }
                expected = {point: player.value_after(position, point) for point in values}
                if position.plies_left > 2:  # the class knows exactly only the last move, the player also its own end
                    assert values == pytest.approx(expected)
                row, column = theirs.get_input(go, colour)
                assert values[size * row + column] >= least_alike(max(values.values())) - 1e-9
            assert not isinstance(move, Pass)
            go.place_chess(*divmod(move, size), colour)
            go.remove_died_pieces(3 - colour)


def test_a_model_goes_only_where_it_can_play(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="trained on size 7"):
        export_learner(MODEL.with_name("model-7x7.json"), tmp_path)
