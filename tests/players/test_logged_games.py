"""1,090 games of the course's own software: its rules are ours, and its players could be ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from littlego.core.colour import Colour
from littlego.core.points import PASS, Move, parse_move, points_of
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.formats.course import board_rows
from littlego.players.simple import AggressivePlayer, GreedyPlayer, RandomPlayer, SimplePlayer

LOG = Path(__file__).parent.parent / "data" / "logged_games.tsv"
COLOURS = {"B": Colour.BLACK, "W": Colour.WHITE}


class LoggedGame(NamedTuple):
    player: str
    colour: Colour
    winner: Colour
    final: str
    moves: list[Move]

    def steps(self) -> Iterator[tuple[Position, Move]]:
        position = Position.initial(edition_rules("2022"))
        for move in self.moves:
            yield position, move
            position = position.play(move)


def logged_games() -> list[LoggedGame]:
    rows = [line.split("\t") for line in LOG.read_text().splitlines()[1:]]
    return [
        LoggedGame(player, COLOURS[colour], COLOURS[winner], final, [parse_move(text, 5) for text in moves.split()])
        for player, colour, winner, final, moves in rows
    ]


GAMES = logged_games()


def test_every_game_replays_to_its_board_and_winner() -> None:
    assert len(GAMES) == 1090
    for game in GAMES:
        *_, (position, move) = game.steps()
        final = position.play(move)
        assert "".join(board_rows(final.board)) == game.final
        outcome = final.outcome()
        assert outcome is not None
        assert outcome.winner is game.winner


@pytest.mark.parametrize(
    ("player", "at_least"), [(RandomPlayer(), 1.0), (GreedyPlayer(), 1.0), (AggressivePlayer(), 0.98)]
)
def test_the_official_players_moves_are_ones_that_ours_could_make(player: SimplePlayer, at_least: float) -> None:
    name = type(player).__name__.removesuffix("Player").lower()
    possible: Counter[bool] = Counter()
    for game in GAMES:
        if game.player != name:
            continue
        for position, move in game.steps():
            if position.to_move is game.colour:
                points = points_of(position.legal_points())
                possible[move in player.choices(position, points) if points else move is PASS] += 1
    assert possible.total() > 4000
    assert possible[True] / possible.total() >= at_least
