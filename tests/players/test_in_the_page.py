"""The players in the page: a game by a seed is the one that Python plays."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from littlego.apps.web.site import elsewhere
from littlego.core.board import BLACK, WHITE
from littlego.core.game import derive_seed, play
from littlego.core.points import Move, move_name, parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.course.contests import play_game
from littlego.players.catalogue import make_player
from littlego.players.learned import SURE, Champion, LearnerPlayer, moves_alike, planned_values
from littlego.solve.oracle import Oracle
from tests.node import in_node, in_the_page, rules_in_the_page

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

SCRIPT = Path(__file__).with_name("play_in_node.mjs")
LEARNED_SCRIPT = Path(__file__).with_name("learned_in_node.mjs")
LEARNED = ("learner", "champion")
AT_ONCE = ("random", "greedy", "aggressive", "smart", "qlearning", "alphabeta")
RULES = [edition_rules(), edition_rules("2019"), edition_rules(size=3), edition_rules("2019", 4), edition_rules(size=6)]


@dataclass(frozen=True)
class Fixture:
    """A game between built-in players, by a seed, after an opening."""

    rules: Rules
    black: str
    white: str
    seed: int
    opening: tuple[Move, ...] = ()

    def played(self) -> list[str]:
        """The moves of the game in Python, as `littlego play` plays it."""
        names = {BLACK: self.black, WHITE: self.white}
        players = {side: make_player(name, seed=derive_seed(self.seed, side.name)) for side, name in names.items()}
        record = play(players, start=Position.initial(self.rules), opening=self.opening)
        return [move_name(move, self.rules.size) for move in record.moves]


def fixtures(name: str, games: int, rules: list[Rules]) -> list[Fixture]:
    """Games of a player with both colours, against every other that is as quick; seeds of up to 53 bits."""
    rng = random.Random(name)
    found: list[Fixture] = []
    for number in range(games):
        seats = [name, rng.choice(AT_ONCE)]
        rng.shuffle(seats)
        found.append(Fixture(rng.choice(rules), seats[0], seats[1], rng.getrandbits(1 + number % 53)))
    return found


def played_there(asked: list[Fixture]) -> Any:
    """The moves of the games as the page plays them."""
    rows = [
        {
            "rules": rules_in_the_page(each.rules),
            "black": each.black,
            "white": each.white,
            "seed": each.seed,
            "opening": [move_name(move, each.rules.size) for move in each.opening],
        }
        for each in asked
    ]
    return in_node(SCRIPT, *elsewhere().values(), stdin=rows)


@pytest.mark.parametrize("games", [10, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_a_game_by_seed_is_the_game_of_python(games: int) -> None:
    asked = [each for name in (*AT_ONCE, *LEARNED) for each in fixtures(name, games, RULES)]
    for each, moves in zip(asked, played_there(asked), strict=True):
        assert moves == each.played(), each


def test_the_page_plays_the_games_of_the_package() -> None:
    asked = [Fixture(edition_rules(), "greedy", "smart", 12), Fixture(edition_rules(size=4), "learner", "random", 5)]
    for each, moves in zip(asked, played_there(asked), strict=True):
        record = play_game(each.black, each.white, seed=each.seed, rules=each.rules)
        assert moves == [move_name(move, each.rules.size) for move in record.moves]


@pytest.mark.parametrize(
    ("rules", "count"), [(edition_rules(), 40), (edition_rules("2019"), 12), (edition_rules(size=7), 3)]
)
def test_values_and_choices_of_the_learned_players_are_those_of_python(rules: Rules, count: int) -> None:
    rng = random.Random(7)
    positions = [random_position(rules, rng.randrange(rules.max_moves), rng) for _ in range(count)]
    asked = [in_the_page(position) | {"earlier": earlier(position)} for position in positions]
    planned = 0
    for position, found in zip(positions, in_node(LEARNED_SCRIPT, *elsewhere().values(), stdin=asked), strict=True):
        assert found["glance"] == named(position, LearnerPlayer().values(position)), position
        assert found["planned"] == named(position, planned_values(position)), position
        choices = {"learner": moves_alike(LearnerPlayer().values(position)), "champion": Champion().choices(position)}
        assert found["choices"] == {name: [position.move_name(move) for move in choices[name]] for name in LEARNED}
        planned += max(found["glance"].values()) < SURE
    assert planned, "the champion never plans"


def random_moves(rules: Rules, count: int, rng: random.Random) -> list[Move]:
    """So many of a random game that goes on."""
    while True:
        position, moves = Position.initial(rules), list[Move]()
        while position.outcome() is None and len(moves) < count:
            moves.append(rng.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if position.outcome() is None:
            return moves


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
    rng = random.Random("perfect")
    asked = [
        replace(each, opening=tuple(random_moves(each.rules, 13, rng)))
        for each in fixtures("perfect", 6, [edition_rules()])
    ]
    oracle = Oracle(memory=1 << 26)
    kept = 0
    for each, moves in zip(asked, played_there(asked), strict=True):
        position = Position.initial(each.rules)
        for text in moves:
            name = each.black if position.to_move is BLACK else each.white
            move = parse_move(text, each.rules.size)
            if name == "perfect" and position.moves_played >= 13:
                assert oracle.value(position.play(move)) is oracle.value(position), position
                kept += 1
            position = position.play(move)
        assert position.outcome() is not None
    assert kept >= 20
