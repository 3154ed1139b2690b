"""Games to review, and the plain twin of their values."""

from __future__ import annotations

from dataclasses import replace

from littlego.core.board import BLACK, Colour
from littlego.core.game import GameRecord
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Outcome, Rules, Verdict
from littlego.review.values import Value
from tests.helpers import random_game
from tests.players.logged import logged_games
from tests.solve.twins import minimax

SHORT = Rules(size=3, komi=1.5, max_moves=7)
TIES = Rules(size=2, komi=1.0, max_moves=4)
_MEMORY: dict[Position, int] = {}


def short_game(seed: int, *, rules: Rules = SHORT, black: str = "ann", white: str = "bob") -> GameRecord:
    """A random game on a small board, short enough for plain minimax."""
    steps = list(random_game(rules, seed))
    record = GameRecord(black, white, Position.initial(rules), tuple(move for _, move in steps))
    return replace(record, outcome=record.final().outcome())


def logged_game(number: int) -> GameRecord:
    """A game of the course's own software: the official player by its name against `agent`."""
    game = logged_games()[number]
    names = {game.colour: game.player, game.colour.opponent: "agent"}
    steps = list(game.steps())
    record = GameRecord(names[Colour.BLACK], names[Colour.WHITE], steps[0][0], tuple(game.moves))
    return replace(record, outcome=record.final().outcome())


def forfeited(record: GameRecord, moves: int, verdict: Verdict = Verdict.CRASH) -> GameRecord:
    """The game up to a forfeit by whoever was to move then."""
    short = replace(record, moves=record.moves[:moves], outcome=None)
    position = short.final()
    return replace(short, outcome=Outcome(position.to_move.opponent, verdict, position.score(), "it broke"))


def twin_margin(position: Position) -> int:
    """Black's margin by trying everything."""
    mine = minimax(position, _MEMORY)
    return mine if position.to_move is BLACK else -mine


def twin_value(position: Position) -> Value:
    """Who wins by trying everything."""
    margin, komi = twin_margin(position), position.rules.komi
    return Value.BLACK if margin > komi else Value.WHITE if margin < komi else Value.TIE


def twin_good(position: Position) -> tuple[Move, ...]:
    """The moves that keep the best result, by trying everything."""
    mover = position.to_move
    best = twin_value(position).rank(mover)
    return tuple(
        move for move in position.legal_moves() if twin_value(position.play(move)).rank(mover) == best
    )  # fmt: skip
