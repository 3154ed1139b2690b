"""The PettingZoo environment: PettingZoo's own tests, and games compared with `core`."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from littlego.core.board import Colour, parse_board
from littlego.core.errors import IllegalMove, UsageError
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, edition_rules
from littlego.env import littlego_v0

KINDS = [(edition, size) for edition in EDITIONS for size in (2, 5, 7)]


@pytest.mark.parametrize(("edition", "size"), KINDS)
def test_pettingzoo_finds_nothing_wrong(edition: str, size: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Said of every observation that is a dictionary with a mask, which is PettingZoo's own convention.
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        api_test(littlego_v0.env(edition=edition, size=size), num_cycles=200)


@pytest.mark.parametrize("edition", EDITIONS)
def test_seeds_give_the_same_games(edition: str) -> None:
    seed_test(lambda: littlego_v0.env(edition=edition), num_cycles=100)


def test_every_render_mode_shows_what_it_should(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda **kwargs: littlego_v0.env(size=3, **kwargs))
    capsys.readouterr()
    env: Any = littlego_v0.env(size=3, render_mode="human")
    env.reset()
    env.step(4)
    env.render()
    assert "1  . [X] ." in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("edition", "size"), [("2019", 3), ("2025", 3), ("2025", 5)])
def test_random_games_are_those_of_core(edition: str, size: int, seed: int) -> None:
    rng = random.Random(seed)
    env: Any = littlego_v0.env(edition=edition, size=size)
    env.reset(seed=seed)
    position = Position.initial(edition_rules(edition, size))
    rewards = {"black_0": 0.0, "white_0": 0.0}
    for agent in env.agent_iter():
        seen, reward, over, truncated, _ = env.last()
        rewards[agent] += reward
        assert not truncated
        if over:
            assert not seen["action_mask"].any()
            env.step(None)
            continue
        assert agent == ("black_0" if position.to_move is Colour.BLACK else "white_0")
        legal = [size * size if move is PASS else move for move in position.legal_moves()]
        assert np.flatnonzero(seen["action_mask"]).tolist() == legal
        own = position.board.stones(position.to_move)
        assert np.flatnonzero(seen["observation"][0]).tolist() == [p for p in range(size * size) if own >> p & 1]
        action = rng.choice(legal)
        position = position.play(PASS if action == size * size else action)
        env.step(action)
    outcome = position.outcome()
    assert outcome is not None
    expected = {None: (0, 0), Colour.BLACK: (1, -1), Colour.WHITE: (-1, 1)}[outcome.winner]
    assert (rewards["black_0"], rewards["white_0"]) == expected


def test_ko_is_a_plane_and_is_masked() -> None:
    env = littlego_v0.raw_env(size=4)
    env.reset()
    board = parse_board(". X O .\nX . X O\n. X O .\n. . . .")
    env.position = env.position._replace(board=board, to_move=Colour.WHITE, moves_played=7)
    env.agent_selection = "white_0"
    env.step(5)
    assert env.position.ko == 6
    seen = env.observe("black_0")
    assert seen["observation"][2].ravel().nonzero()[0].tolist() == [6]
    assert not seen["action_mask"][6]
    with pytest.raises(IllegalMove, match="ko"):
        env.step(6)


def test_an_illegal_action_loses() -> None:
    env: Any = littlego_v0.env()
    env.reset()
    env.step(12)
    env.step(12)
    assert env.terminations["white_0"]
    assert env.rewards["white_0"] == -1


def test_unknown_render_modes_are_named() -> None:
    with pytest.raises(UsageError, match="render mode 'video': expected one of human, ansi"):
        littlego_v0.env(render_mode="video")
    with pytest.raises(UsageError, match="edition '1999'"):
        littlego_v0.env(edition="1999")
