"""The players in the page: each of their moves is one that the player in Python may choose in that position."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from littlego.apps.web.site import elsewhere
from littlego.core.colour import BLACK
from littlego.core.points import parse_move, points_of
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.players.catalogue import make_player
from littlego.players.course import SimplePlayer
from littlego.players.learned import SURE, Champion, LearnerPlayer, moves_alike, planned_values
from littlego.solve.oracle import Oracle
from tests.node import in_node, in_the_page, rules_in_the_page

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

SCRIPT = Path(__file__).with_name("play_in_node.mjs")
LEARNED_SCRIPT = Path(__file__).with_name("learned_in_node.mjs")
LEARNED = ("learner", "champion")
AT_ONCE = ("random", "greedy", "aggressive", "smart", "qlearning", "alphabeta")
RULES = [edition_rules(), edition_rules("2019"), edition_rules(size=3), edition_rules("2019", 4), edition_rules(size=6)]
Fixture = tuple[Rules, tuple[str, int], tuple[str, int]]


def fixtures(name: str, games: int, rules: list[Rules]) -> list[Fixture]:
    """Games of a player with both colours, against every other that is as quick; seeds of up to 64 bits."""
    rng = random.Random(name)
    found: list[Fixture] = []
    for number in range(games):
        seats = [(name, rng.getrandbits(1 + number % 64)), (rng.choice(AT_ONCE), number)]
        rng.shuffle(seats)
        found.append((rng.choice(rules), seats[0], seats[1]))
    return found


def games_there(asked: list[Fixture], opening: int = 0) -> Any:
    """Seeds as text: numbers of JavaScript have 53 bits."""
    rows = [
        {
            "rules": rules_in_the_page(rules),
            "black": [black[0], str(black[1])],
            "white": [white[0], str(white[1])],
            "opening": opening,
        }
        for rules, black, white in asked
    ]
    return in_node(SCRIPT, *elsewhere().values(), stdin=rows)


def may_choose(name: str, position: Position) -> set[str]:
    """The moves that a player in Python draws from."""
    player = make_player(name, seed=1)
    if isinstance(player, LearnerPlayer):
        if not player.plays(position.rules):
            return may_choose("qlearning", position)
        return {position.move_name(move) for move in moves_alike(player.values(position))}
    if isinstance(player, Champion):
        return {position.move_name(move) for move in player.choices(position)}
    points = points_of(position.legal_points())
    if isinstance(player, SimplePlayer) and points:
        return {position.move_name(point) for point in player.choices(position, points)}
    return {position.move_name(player.choose(position))}


@pytest.mark.parametrize("games", [10, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_every_move_is_one_that_the_player_may_choose(games: int) -> None:
    asked = [fixture for name in AT_ONCE for fixture in fixtures(name, games, RULES)]
    asked += [fixture for name in LEARNED for fixture in fixtures(name, games // 2, RULES)]
    played = games_there(asked)
    assert games_there(asked[::7]) == played[::7], "the same seeds, another game"
    for (rules, black, white), moves in zip(asked, played, strict=True):
        position = Position.initial(rules)
        for move in moves:
            name, _ = black if position.to_move is BLACK else white
            assert move in may_choose(name, position), (name, position)
            position = position.play(parse_move(move, rules.size))
        assert position.outcome() is not None


@pytest.mark.parametrize(
    ("rules", "count"), [(edition_rules(), 40), (edition_rules("2019"), 12), (edition_rules(size=7), 3)]
)
def test_values_and_choices_of_the_learned_players_are_those_of_python(rules: Rules, count: int) -> None:
    rng = random.Random(7)
    positions = [random_position(rules, rng.randrange(rules.max_moves), rng) for _ in range(count)]
    asked = [in_the_page(position) | {"earlier": earlier(position)} for position in positions]
    planned = 0
    for position, found in zip(positions, in_node(LEARNED_SCRIPT, *elsewhere().values(), stdin=asked), strict=True):
        # The page's values are 32-bit sums in the kernel, Python's are whole numbers added up in plain Python.
        assert found["glance"] == pytest.approx(named(position, LearnerPlayer().values(position)), abs=1e-5), position
        assert found["planned"] == named(position, planned_values(position)), position
        for name in LEARNED:
            assert set(found["choices"][name]) == may_choose(name, position), (name, position)
        planned += max(found["glance"].values()) < SURE
    assert planned, "the champion never plans"


def random_position(rules: Rules, played: int, rng: random.Random) -> Position:
    """One of a random game that goes on, after so many moves."""
    while True:
        position = Position.initial(rules)
        while position.outcome() is None and position.moves_played < played:
            position = position.play(rng.choice(position.legal_moves()))
        if position.outcome() is None:
            return position


def earlier(position: Position) -> list[str]:
    """The boards that the positional ko forbids, in the page's form."""
    points = range(position.size**2)
    return ["".join(str(c.value if (c := board.at(p)) else 0) for p in points) for board in position.earlier]


def named(position: Position, values: dict[Any, float]) -> dict[str, float]:
    return {position.move_name(move): value for move, value in values.items()}


def test_the_perfect_player_keeps_the_value_of_every_position() -> None:
    asked = fixtures("perfect", 6, [edition_rules()])
    oracle = Oracle(memory=1 << 26)
    kept = 0
    for (rules, black, white), moves in zip(asked, games_there(asked, opening=13), strict=True):
        position = Position.initial(rules)
        for text in moves:
            name, _ = black if position.to_move is BLACK else white
            move = parse_move(text, rules.size)
            if name == "perfect" and position.moves_played >= 13:
                assert oracle.value(position.play(move)) is oracle.value(position), position
                kept += 1
            position = position.play(move)
        assert position.outcome() is not None
    assert kept >= 20
