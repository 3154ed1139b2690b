"""States in OpenSpiel's manner: the interface, and games played side by side with OpenSpiel's own Go."""

from __future__ import annotations

import random

import numpy as np
import pytest

from littlego.core.errors import IllegalMove, UsageError
from littlego.core.rules import edition_rules
from littlego.env import SpielGame, SpielState, register_openspiel


def test_a_random_game_through_the_interface() -> None:
    rng = random.Random(1)
    game = SpielGame(edition_rules("2019", 4))
    state = game.new_initial_state()
    assert (state.current_player(), state.move_number(), state.returns()) == (0, 0, [0, 0])
    while not state.is_terminal():
        player = state.current_player()
        assert state.legal_actions(1 - player) == []
        action = rng.choice(state.legal_actions(player))
        assert state.string_to_action(state.action_to_string(player, action)) == action
        before = state.clone()
        state.apply_action(action)
        assert before.child(action).observation_string() == state.observation_string()
        assert [*before.history(), action] == state.history()
    assert state.current_player() == -4
    assert state.legal_actions() == []
    assert sum(state.returns()) == 0
    assert len(state.observation_tensor(0)) == 6 * 4 * 4 == len(state.observation_tensor())
    assert state.move_number() <= game.max_game_length()
    with pytest.raises(UsageError, match="over"):
        state.apply_action(0)


def test_two_passes_end_a_game_and_komi_decides_it() -> None:
    game = SpielGame()
    state = game.new_initial_state()
    state.apply_action(25)
    with pytest.raises(IllegalMove):
        state.apply_action(25 + 1)
    state.apply_action(25)
    assert state.returns() == [game.min_utility(), game.max_utility()]


@pytest.mark.parametrize("size", [3, 5, 7])
def test_openspiel_plays_the_same_moves(size: int) -> None:
    """Legal actions and boards agree at every move of random games, captures and kos among them."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has wheels for Linux and Python 3.11 to 3.13 only")
    theirs = pyspiel.load_game("go", {"board_size": size, "komi": size / 2, "max_game_length": size * size - 1})
    rng = random.Random(size)
    captures = kos = 0
    for _ in range(60):
        peer, ours = theirs.new_initial_state(), SpielGame(edition_rules(size=size)).new_initial_state()
        while not ours.is_terminal():
            if peer.is_terminal():
                assert repeats(ours), "OpenSpiel ends a game whose board repeats, and otherwise where we do"
                break
            assert peer.current_player() == ours.current_player()
            assert peer.legal_actions() == ours.legal_actions()
            points = ours.legal_actions()[:-1]
            stones = ours.position.board
            action = rng.choice(points or ours.legal_actions())
            captures += bool(points) and ours.position.captures(action) > 0
            peer.apply_action(action)
            ours.apply_action(action)
            kos += ours.position.ko is not None
            assert stones != ours.position.board or not points
            assert drawn(peer) == ours.position.board[1:]
        else:
            assert peer.is_terminal()
    assert captures > 50
    assert kos > 5


def drawn(peer: object) -> tuple[int, int]:
    """The stones of an OpenSpiel state, whose first row is drawn last."""
    rows = [line.split()[1] for line in str(peer).splitlines() if line.strip()[:1].isdigit()]
    cells = "".join(reversed(rows))
    return tuple(sum(1 << i for i, cell in enumerate(cells) if cell == colour) for colour in "XO")  # type: ignore[return-value]  # two of them


def repeats(state: SpielState) -> bool:
    """Whether the board was there before."""
    replay = SpielGame(state.position.rules).new_initial_state()
    boards = [replay.position.board]
    for action in state.history():
        replay.apply_action(action)
        boards.append(replay.position.board)
    return boards[-1] in boards[:-1]


def test_the_algorithms_of_openspiel_run_on_it() -> None:
    """Its own simulation test, with states written and read back; tree search; a learner through its environment."""
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import evaluate_bots, mcts, tabular_qlearner
    from open_spiel.python.bots import uniform_random

    name = register_openspiel()
    assert register_openspiel() == name
    game = pyspiel.load_game(f"{name}(size=3)")
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
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
        pyspiel.load_game(f"{name}(komi=1)")
