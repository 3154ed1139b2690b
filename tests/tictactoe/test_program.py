"""The paper's program: its names, and the lines that its appendix ends with, as printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from littlego.tictactoe.program import Learner, Selfplay, State

PRINTED = """
p1 = Learner(player = 1, alpha = 0.2,epsilon = 0.02)
p2 = Learner(player = 2, alpha = 0.2,epsilon = 0.02)
g = Game(learner = p2,other=p1)
"""


def test_the_papers_lines_run_as_printed(tmp_path: Path) -> None:
    lines = f"from littlego.tictactoe.program import *\n{PRINTED}g.selfplay(200)\ng(2,2)\ng.save('mine.dat')\n"
    lines += "g.load('mine.dat')\ng.reset()\nassert (p1.alpha, p2.epsilon, g.pair.games) == (0.2, 0.02, 200)\n"
    done = subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Saved to mine.dat." in done.stdout
    assert (tmp_path / "mine.dat").stat().st_size > 0


def test_a_state_is_a_board_and_its_number() -> None:
    state = State()
    state[0, 0] = state[1, 1] = 1
    state[0, 1] = 2
    assert hash(state) == 3**0 + 2 * 3**1 + 3**4
    assert str(state) == "X O _\n_ X _\n_ _ _"
    assert not (state.won(1) or state.won(2) or state.full())
    state[2, 2] = 1
    assert state.won(1)
    assert not state.won(2)
    assert Learner(2).enum_actions(state) == [(0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_the_last_board_moves_towards_the_next_value() -> None:
    state, learner = State(), Learner(player=1, alpha=0.25, epsilon=0)
    state[0, 0] = state[0, 1] = 1
    state[1, 0] = state[1, 1] = 2
    before = hash(state)
    learner.last, learner.values[before] = before, 0.4
    assert learner.next_action(state) == (1.0, (0, 2))
    learner.next(state)
    assert state.won(1)
    assert learner.traced
    assert learner.valuefunc[before] == 0.75 * 0.4 + 0.25 * 1.0


def test_two_learners_play_and_their_values_are_kept() -> None:
    selfplay = Selfplay(Learner(2, seed=1), Learner(1, seed=2))
    for _ in range(300):
        selfplay.play()
    assert selfplay.i == len(selfplay.wining) == 300
    assert set(selfplay.wining) == {0, 1, 2}
    openings, replies = [3**cell for cell in range(9)], [7, 19, 163, 13123, 5, 165, 13125, 13203, 567]
    assert set(selfplay.valuesave) == {*openings, *replies}, "the paper's own numbers"
    assert all(len(values) == 300 for values in selfplay.valuesave.values())
    assert any(any(selfplay.valuesave[code]) for code in openings)
    assert min(selfplay.learner.valuefunc.values()) < 0 < max(selfplay.other.valuefunc.values()) <= 1
