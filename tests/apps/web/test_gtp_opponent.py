"""A GTP engine as the opponent in the browser: its process lives as long as its seat."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.apps.web import moves as thinking
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.sandbox.limits import Limits
from tests.arena.gtp_engines import fake_engine

pytestmark = pytest.mark.process


def after(*moves: int) -> GameRecord:
    return GameRecord("a person", "engine", Position.initial(), moves)


def test_an_engine_answers_and_takes_moves_back(tmp_path: Path) -> None:
    log = tmp_path / "log"
    spelling = f"gtp:{fake_engine(tmp_path, 'first_empty', log)}"
    assert thinking.turn("game", after(12), spelling, None, Limits()).moves == (12, 20)
    assert thinking.turn("game", after(12, 20, 13), spelling, None, Limits()).moves[-1] == 21
    # The person takes two moves back and plays another.
    assert thinking.turn("game", after(12, 20, 7), spelling, None, Limits()).moves[-1] == 21
    (seated,) = (seat for key, seat in thinking._seats.items() if key[0] == "game")
    thinking._stand_up(("game", "WHITE"))
    assert seated.player.status == 0  # type: ignore[attr-defined] # a GtpPlayer, ended politely
    assert log.read_text().count("quit") == 2, "the seat was taken anew after the moves were taken back"
