"""Little-Go in OpenSpiel: its own tests and algorithms run on it, side by side with its own Go."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel has wheels for Linux and Python 3.11 to 3.13 only")

from littlego.core.position import Position  # noqa: E402 - only where OpenSpiel is
from littlego.env import register_openspiel  # noqa: E402


def loaded(size: int, edition: int = 2025) -> Any:
    return pyspiel.load_game(f"{register_openspiel()}(size={size},edition={edition})")


@pytest.mark.parametrize(("size", "edition"), [(3, 2025), (4, 2019)])
def test_openspiel_finds_nothing_wrong(size: int, edition: int) -> None:
    """Its own simulation test, with states written and read back."""
    pyspiel.random_sim_test(loaded(size, edition), num_sims=3, serialize=True, verbose=False)


def test_two_passes_end_a_game_and_komi_decides_it() -> None:
    state = loaded(5).new_initial_state()
    assert (state.current_player(), state.returns()) == (0, [0, 0])
    state.apply_action(25)
    assert (state.current_player(), state.legal_actions(0)) == (1, [])
    assert state.action_to_string(1, 13) == "W 2,3"
    state.apply_action(25)
    assert state.is_terminal()
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    assert state.returns() == [-1, 1]


@pytest.mark.parametrize("size", [3, 5, 7])
def test_openspiels_own_go_plays_the_same_moves(size: int) -> None:
    """Legal actions and boards agree at every move of random games, captures and kos among them."""
    theirs = pyspiel.load_game("go", {"board_size": size, "komi": size / 2, "max_game_length": size * size - 1})
    rng = random.Random(size)
    captures = kos = 0
    for _ in range(60):
        peer, ours = theirs.new_initial_state(), loaded(size).new_initial_state()
        boards = [ours.position.board]
        while not ours.is_terminal():
            if peer.is_terminal():
                assert boards[-1] in boards[:-1], "it ends a game whose board repeats, and otherwise where we do"
                break
            assert peer.current_player() == ours.current_player()
            assert peer.legal_actions() == ours.legal_actions()
            points = ours.legal_actions()[:-1]
            action = rng.choice(points or ours.legal_actions())
            captures += bool(points) and ours.position.captures(action) > 0
            peer.apply_action(action)
            ours.apply_action(action)
            kos += ours.position.ko is not None
            boards.append(ours.position.board)
            assert drawn(peer) == ours.position.board[1:]
        else:
            assert peer.is_terminal()
    assert captures > 50
    assert kos > 5


def drawn(peer: object) -> tuple[int, ...]:
    """The stones of an OpenSpiel state, whose first row is drawn last."""
    rows = [line.split()[1] for line in str(peer).splitlines() if line.strip()[:1].isdigit()]
    cells = "".join(reversed(rows))
    return tuple(sum(1 << i for i, cell in enumerate(cells) if cell == colour) for colour in "XO")


def test_each_player_sees_its_own_stones_first() -> None:
    game = loaded(3)
    state, seen = game.new_initial_state(), game.make_py_observer()
    state.apply_action(4)
    assert state.position == Position.initial(game.rules).play(4)
    for player, plane in ((0, 0), (1, 1)):
        seen.set_from(state, player)
        assert np.flatnonzero(seen.dict["observation"][:2]).tolist() == [9 * plane + 4]


def test_the_algorithms_of_openspiel_run_on_it() -> None:
    """Tree search, and a learner through its environment."""
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import evaluate_bots, mcts, tabular_qlearner
    from open_spiel.python.bots import uniform_random

    game = loaded(3)
    random_state = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random_state)
    bots = [
        uniform_random.UniformRandomBot(0, random_state),
        mcts.MCTSBot(game, 1.4, 30, evaluator, random_state=random_state),
    ]
    results = [evaluate_bots.evaluate_bots(game.new_initial_state(), bots, random_state) for _ in range(5)]
    assert sum(result[1] for result in results) > 0
    env = rl_environment.Environment(game)
    learners = [tabular_qlearner.QLearner(player_id=side, num_actions=10) for side in (0, 1)]
    for _ in range(3):
        time_step = env.reset()
        while not time_step.last():
            time_step = env.step([learners[time_step.observations["current_player"]].step(time_step).action])
        for learner in learners:
            learner.step(time_step)
    assert sorted(time_step.rewards) == [-1.0, 1.0]
    with pytest.raises(pyspiel.SpielError):
        pyspiel.load_game(f"{register_openspiel()}(komi=1)")
