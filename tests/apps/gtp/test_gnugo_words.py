"""GNU Go's additions to GTP: the same answers as GNU Go's own after the same moves."""

from __future__ import annotations

import subprocess

import pytest

from tests.apps.gtp.test_engine import engine_of, greedy
from tests.arena.gtp_engines import GNUGO, needs_gnugo

SESSION = """\
boardsize 5
clear_board
komi 2.5
play b A2
play w A1
play b B1
play w C3
query_boardsize
get_komi
get_handicap
list_stones black
list_stones white
captures black
captures white
last_move
move_history
is_legal white A1
is_legal white D3
all_legal black
"""


@pytest.mark.process
@needs_gnugo
def test_the_answers_are_those_of_gnu_go() -> None:
    assert GNUGO is not None
    command = [GNUGO, "--mode", "gtp"]
    theirs = subprocess.run(command, input=SESSION + "quit\n", capture_output=True, text=True, check=True).stdout
    ours: list[str] = []
    with engine_of(greedy) as engine:
        for line in SESSION.splitlines():
            engine.handle(line, ours.append, lambda: False)
    answers = theirs.strip().split("\n\n")[: len(ours)]
    assert [sorted(answer.split()) for answer in ours] == [sorted(answer.split()) for answer in answers]
