"""The learner as a submission: the same values, and so the same moves, as in this process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import littlego.learn.model
from littlego.core.errors import FormatError
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.own_agent.files import export_learner
from littlego.formats.course import CourseInput, parse_output, write_input
from littlego.learn.model import SLACK
from littlego.players.learner import LearnerPlayer
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
            [sys.executable, "my_player3.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        move = parse_output((tmp_path / "output.txt").read_text(), size=5).move
        best = max(player.value_after(position, legal) for legal in position.legal_moves())
        assert player.value_after(position, move) >= best - SLACK - 1e-9


def note_for(folder: Path, position: Position, before: object) -> None:
    from littlego.core.board import Board
    from littlego.players.agent import framed

    assert isinstance(before, Board)
    note = (position.moves_played - 1, position.to_move.value, framed(before.black), framed(before.white))
    (folder / "moves.txt").write_text(" ".join(map(str, note)))


def test_a_model_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(FormatError, match="littlego train"):
        export_learner(tmp_path, tmp_path / "out")
