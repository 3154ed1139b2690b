"""The vectorised environment against `core`, move for move."""

from __future__ import annotations

import random

import numpy as np
import pytest

from littlego.apps.env.planes import action_mask, move_of, planes
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.env import VectorLittleGo


@pytest.mark.parametrize("size", [2, 3, 4, 5])
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


def test_spaces_are_those_of_gymnasium() -> None:
    env = VectorLittleGo(3, 4)
    seen, _ = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    assert env.single_observation_space.contains(seen[0])
    assert env.action_space.contains(env.random_actions())
    env.close()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: VectorLittleGo(0), "0 games at once"),
        (lambda: VectorLittleGo(1, 6), "boards up to 5x5"),
        (lambda: VectorLittleGo(1, rules=edition_rules("2019")), "edition 2019"),
        (lambda: VectorLittleGo(2).step([0]), r"expected \(2,\)"),
    ],
)
def test_wrong_use_is_told(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(UsageError, match=says):
        make()
