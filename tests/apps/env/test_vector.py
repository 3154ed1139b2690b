"""The vectorised environment against `core`, move for move."""

from __future__ import annotations

import random

import numpy as np
import pytest
from gymnasium import Env
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from littlego.apps.env.planes import action_mask, move_of, planes
from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.env import VectorLittleGo


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7])
@pytest.mark.parametrize("passing", [True, False], ids=["with passes", "stones first"])
def test_random_games_are_those_of_core(size: int, passing: bool) -> None:
    """Both colours, captures, kos, passes and the length; several games on end in every row."""
    n = 16
    rules = edition_rules(size=size)
    rng = random.Random(size)
    env = VectorLittleGo(n, size)
    seen, info = env.reset(seed=1)
    positions = [Position.initial(rules) for _ in range(n)]
    captures = kos = ends = 0
    for _ in range(6 * rules.max_moves):
        actions = []
        for i, position in enumerate(positions):
            assert (seen[i] == planes(position, position.to_move)).all()
            assert (info["action_mask"][i] == action_mask(position)).all()
            assert info["to_move"][i] == position.to_move.value - 1
            legal = [int(action) for action in np.flatnonzero(info["action_mask"][i])]
            actions.append(rng.choice(legal if passing else legal[:-1] or legal))
        seen, rewards, terminated, truncated, info = env.step(actions)
        assert not truncated.any()
        assert not info["illegal"].any()
        for i, action in enumerate(actions):
            mover = positions[i].to_move
            move = move_of(action, size)
            captures += isinstance(move, int) and positions[i].captures(move) > 0
            position = positions[i].play(move)
            kos += position.ko is not None
            outcome = position.outcome()
            assert terminated[i] == (outcome is not None)
            if outcome is None:
                assert rewards[i] == 0
                positions[i] = position
                continue
            ends += 1
            expected = 0 if outcome.winner is None else 1 if outcome.winner is mover else -1
            assert rewards[i] == expected
            assert info["margin"][i] == outcome.score.black - outcome.score.white
            assert (info["final_obs"][i] == planes(position, position.to_move)).all()
            assert info["final_info"]["margin"][i] == info["margin"][i]
            positions[i] = Position.initial(rules)
    assert ends > n
    assert size == 2 or (captures > 20 and kos > 0)


def test_random_actions_are_legal_repeatable_and_all_of_them() -> None:
    first, second = VectorLittleGo(64), VectorLittleGo(64, copy=False)
    first.reset(seed=7)
    second.reset(seed=7)
    drawn = set()
    for _ in range(200):
        actions = first.random_actions()
        assert (actions == second.random_actions()).all()
        drawn |= set(actions.tolist())
        assert not first.step(actions)[4]["illegal"].any()
        second.step(actions)
    assert drawn == set(range(26))


@pytest.mark.parametrize("action", [12, -1, 26, 1 << 40])
def test_an_illegal_action_loses(action: int) -> None:
    env = VectorLittleGo(2)
    env.step([12, 12])
    _, rewards, terminated, _, info = env.step([action, 0])
    assert rewards.tolist() == [-1, 0]
    assert terminated.tolist() == [True, False]
    assert info["illegal"].tolist() == [True, False]
    assert info["margin"].tolist() == [-1.5, 0]
    assert info["to_move"].tolist() == [0, 0]


def test_random_play_is_stepping_at_random() -> None:
    first, second = VectorLittleGo(32, 4), VectorLittleGo(32, 4)
    first.reset(seed=3)
    second.reset(seed=3)
    ended = first.play_random(40)
    assert ended == sum(int(second.step(second.random_actions())[2].sum()) for _ in range(40)) > 32
    assert (first.observe()[0] == second.observe()[0]).all()


def test_copies_stay_as_they_were() -> None:
    env = VectorLittleGo(1)
    before, info = env.reset()
    env.step([12])
    assert not before[0, :2].any()
    assert info["action_mask"].all()


def test_any_position_can_be_set() -> None:
    rules = edition_rules().but(komi=0.5, max_moves=30)
    env = VectorLittleGo(3, rules=rules)
    position = Position.initial(rules).play(12).play(7)
    env.set_position(1, position)
    seen, info = env.observe()
    assert (seen[1] == planes(position, Colour.BLACK)).all()
    assert (info["action_mask"][1] == action_mask(position)).all()
    with pytest.raises(UsageError, match="same rules"):
        env.set_position(0, Position.initial())


def test_it_is_a_vector_environment_of_gymnasium() -> None:
    env = VectorLittleGo(3, 4)
    assert isinstance(env, VectorEnv)
    seen, _ = env.reset(seed=1, options=None)
    assert env.observation_space.contains(seen)
    assert env.single_observation_space.contains(seen[0])
    assert env.action_space.contains(env.random_actions())
    assert env.single_action_space == Discrete(17)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert (env.unwrapped, env.spec, env.render_mode, env.closed) == (env, None, None, False)
    assert env.np_random_seed == 1
    env.close()
    assert env.closed


def test_wrappers_of_gymnasium_take_it() -> None:
    inner = VectorLittleGo(4, 3)
    env: VectorEnv = RecordEpisodeStatistics(inner)
    seen, info = env.reset(seed=1)
    lengths = 0
    for _ in range(20):
        seen, _, terminated, _, info = env.step(inner.random_actions())
        assert env.observation_space.contains(seen)
        keys = {key for key in info if not key.startswith("_")}
        assert {f"_{key}" for key in keys} == {key for key in info if key.startswith("_")}
        assert ("final_obs" in info) == terminated.any()
        assert ("episode" in info) == terminated.any()
        if terminated.any():
            lengths += int(info["episode"]["l"][terminated].sum())
    assert 4 * 8 <= lengths <= 4 * 20


def test_the_layout_of_final_info_is_that_of_gymnasiums_own_environments() -> None:
    class Short(Env[np.ndarray, np.int64]):
        observation_space = Box(0.0, 1.0, (6, 2, 2), np.float32)
        action_space = Discrete(5)

        def reset(self, **_: object) -> tuple[np.ndarray, dict[str, object]]:
            return np.zeros((6, 2, 2), np.float32), {"margin": np.float32(0), "illegal": np.bool_(False)}

        def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, object]]:
            info: dict[str, object] = {"margin": np.float32(1), "illegal": np.bool_(False)}
            return np.ones((6, 2, 2), np.float32), 1.0, action == 4, False, info

    theirs = SyncVectorEnv([Short, Short], autoreset_mode=AutoresetMode.SAME_STEP)
    theirs.reset()
    expected = theirs.step(np.array([4, 0]))[4]
    ours = VectorLittleGo(2, 2)
    ours.reset()
    ours.set_position(0, Position.initial(edition_rules(size=2)).play("pass"))
    info = ours.step([4, 0])[4]
    assert expected.keys() <= info.keys()
    assert expected["final_info"].keys() == info["final_info"].keys()
    for key in ("final_obs", "_final_obs", "_final_info"):
        assert (info[key].dtype, info[key].shape) == (expected[key].dtype, expected[key].shape)
        assert [bool(np.any(value is not None)) for value in info[key]] == [
            bool(np.any(value is not None)) for value in expected[key]
        ]
    assert info["final_obs"][0].shape == expected["final_obs"][0].shape
    assert info["_final_obs"].tolist() == expected["_final_obs"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: VectorLittleGo(0), "0 games at once"),
        (lambda: VectorLittleGo(1, 8), "boards up to 7x7"),
        (lambda: VectorLittleGo(1, rules=edition_rules("2019")), "edition 2019"),
        (lambda: VectorLittleGo(2).step([0]), r"expected \(2,\)"),
        (lambda: VectorLittleGo(2).reset(seed="1"), "one number for all games"),  # type: ignore[arg-type]
    ],
)
def test_wrong_use_is_reported(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(UsageError, match=says):
        make()
