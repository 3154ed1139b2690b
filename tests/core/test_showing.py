"""Notebooks show boards: the values of core have `_repr_svg_`, and core loads nothing for it before it is asked."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from littlego.core.board import Board
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.core.svg import draw_svg


def test_positions_boards_and_games_are_drawn() -> None:
    position = Position.initial().play(12).play(7)
    assert position._repr_svg_() == draw_svg(position)
    assert position.board._repr_svg_() == draw_svg(position)
    game = GameRecord("a", "b", Position.initial(), moves=(12, 7))
    assert game._repr_svg_() == draw_svg(position, last_move=7)
    assert GameRecord("a", "b", Position.initial(edition_rules("2019", 9)))._repr_svg_()
    ElementTree.fromstring(Board(3, 1, 2)._repr_svg_())


def test_core_stands_alone() -> None:
    code = "import sys, littlego.core.game; assert not any('formats' in name for name in sys.modules), sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
