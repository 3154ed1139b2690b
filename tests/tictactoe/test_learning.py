"""Q-learning: the plain learner, its compiled twin, and the solved game that says who is perfect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from littlego.tictactoe import kernel, match
from littlego.tictactoe.board import Board, O, X
from littlego.tictactoe.codes import POSITIONS, code_of
from littlego.tictactoe.learner import START, FastQLearner, LearnerSettings, check, continuations, draw
from littlego.tictactoe.perfect_player import best_cell, value
from littlego.tictactoe.q_learner import QLearner
from littlego.tictactoe.random_player import RandomPlayer


def test_the_solved_game() -> None:
    found, layer = {START}, {START}
    while layer:
        layer = {after for cells in layer for after in continuations(cells)}
        found |= layer
    assert len(found) == 5478, "a known number: positions that some game reaches, finished games included"
    assert value(START) == 0
    for side in (X, O):
        assert check(lambda cells, side=side: best_cell(cells, side), side).is_perfect  # type: ignore[misc]


def test_a_careless_player_is_found_out() -> None:
    found = check(lambda cells: cells.index(0), O)
    assert not found.is_perfect
    cells, cell = found.mistakes[0]
    assert cells[cell] == 0
    assert len(draw(cells).splitlines()) == 3


class KernelRandom:
    """The kernel's random numbers, drawn in Python."""

    def __init__(self, state: int) -> None:
        self.state = state

    def random(self) -> float:
        mask = 2**64 - 1
        x = self.state
        x ^= x >> 12
        x ^= x << 25 & mask
        x ^= x >> 27
        self.state = x
        return float((x * 0x2545F4914F6CDD1D & mask) >> 11) / 2**53


class KernelRandomPlayer:
    """The random player with those numbers."""

    def __init__(self, rng: KernelRandom) -> None:
        self.rng = rng
        self.side = 0

    def set_side(self, side: int) -> None:
        self.side = side

    def move(self, board: Board) -> Any:
        moves = board.valid_moves()
        return board.move(*moves[int(self.rng.random() * len(moves))], self.side)

    def learn(self, board: Board) -> None:
        pass


@pytest.mark.parametrize(
    "settings",
    [
        LearnerSettings(),
        LearnerSettings(alpha=0.3, fall=0.0, gamma=0.8, epsilon=0.2, initial=0.6, win=2.0, draw=0.1, loss=-1.0),
    ],
    ids=["default", "other"],
)
def test_the_compiled_learner_learns_what_the_plain_one_learns(settings: LearnerSettings) -> None:
    games = 400
    fast = FastQLearner(settings, seed=7)
    rng = KernelRandom(int(fast._state[0]))
    fast.train(games)
    slow = QLearner(
        settings.alpha,
        settings.gamma,
        settings.initial,
        settings.epsilon,
        rewards=(settings.win, settings.draw, settings.loss),
        fall=settings.fall,
    )
    slow._random = rng  # type: ignore[assignment]  # the twin draws the same numbers
    opponent = KernelRandomPlayer(rng)
    match.battle(opponent, slow, games, learn=True)
    match.battle(slow, opponent, games, learn=True)
    assert len(slow.q_values) > 300
    for state, values in slow.q_values.items():
        row = fast.table[code_of(tuple(map(int, state)))]
        for (r, c), q in values.items():
            assert row[3 * r + c] == pytest.approx(q, abs=1e-12)
    met = {code_of(tuple(map(int, state))) for state in slow.q_values}
    unmet = [code for code in range(POSITIONS) if code not in met]
    assert np.array_equal(fast.table[unmet], kernel.new_table(settings.initial)[unmet])


@pytest.mark.parametrize("seed", range(5))
def test_a_hundred_thousand_games_make_it_perfect(seed: int) -> None:
    learner = FastQLearner(seed=seed)
    learner.train(100_000)
    assert [one.mistakes for one in learner.check()] == [(), ()]


@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_games_win_most_but_not_all(seed: int) -> None:
    learner = FastQLearner(seed=seed)
    learner.train(1000)
    assert not all(one.is_perfect for one in learner.check())
    _, wins_as_x, _ = match.battle(learner, RandomPlayer(seed=1), 500)
    _, losses_as_o, wins_as_o = match.battle(RandomPlayer(seed=1), learner, 500)
    assert 400 < wins_as_x < 500
    assert wins_as_o > 250
    assert losses_as_o > 0


def test_the_sample_tables_shape() -> None:
    """In the course's sample the learner beats the random player in 99.0% of 500 games as X, in 90.6% as O."""
    learner = FastQLearner(seed=1)
    learner.train(100_000)
    _, wins_as_x, losses_as_x = match.battle(learner, RandomPlayer(seed=1), 2000)
    _, losses_as_o, wins_as_o = match.battle(RandomPlayer(seed=1), learner, 2000)
    assert losses_as_x == losses_as_o == 0
    assert wins_as_x > 0.98 * 2000
    assert 0.88 * 2000 < wins_as_o < 0.94 * 2000


def test_the_same_seed_learns_the_same() -> None:
    first, again, other = (FastQLearner(seed=seed) for seed in (3, 3, 4))
    for learner in (first, again, other):
        learner.train(500)
    assert np.array_equal(first.table, again.table)
    assert not np.array_equal(first.table, other.table)


def test_the_plain_learner_explores_in_training_alone() -> None:
    learner = QLearner(epsilon=1.0, seed=1)
    learner.GAME_NUM = 10
    assert learner.is_training()
    match.train(learner, 10, seed=1)
    assert not learner.is_training()


@pytest.mark.parametrize(
    ("rates", "grade"),
    [((100, 100, 100), 70), ((95, 95, 95), 70), ((94.9, 100, 90), 48.235), ((84.9, 85, 0), 12.75), ((0, 0, 0), 0)],
)
def test_the_grade(rates: tuple[float, float, float], grade: float) -> None:
    names = [opponent for opponent, _, _ in match.RUBRIC]
    assert match.points(dict(zip(names, rates, strict=True))) == pytest.approx(grade, abs=0.01)


def test_a_player_that_does_not_move_is_named() -> None:
    class Lazy(KernelRandomPlayer):
        def move(self, board: Board) -> Any:
            return board.state

    with pytest.raises(ValueError, match=r"Lazy\.move must put one X on the board"):
        match.battle(Lazy(KernelRandom(1)), RandomPlayer(), 1)
