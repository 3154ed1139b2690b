"""The games that were logged from the course's own software."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from littlego.core.board import Colour
from littlego.core.points import Move, parse_move
from littlego.core.position import Position
from littlego.core.rules import edition_rules

DATA = Path(__file__).parent.parent / "data"
LOGS = (DATA / "logged_games.tsv", DATA / "logged_games_white.tsv")
"""The course's player has Black in every game of the first, White in every game of the second."""
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


@cache
def logged_games() -> list[LoggedGame]:
    rows = [line.split("\t") for log in LOGS for line in log.read_text().splitlines()[1:]]
    return [
        LoggedGame(player, COLOURS[colour], COLOURS[winner], final, [parse_move(text, 5) for text in moves.split()])
        for player, colour, winner, final, moves in rows
    ]


def logged_moves(player: str) -> list[tuple[Position, Move]]:
    """Every logged move of one of the course's players, with the position it was made in."""
    return [
        (position, move)
        for game in logged_games()
        if game.player == player
        for position, move in game.steps()
        if position.to_move is game.colour
    ]
