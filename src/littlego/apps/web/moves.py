"""Moves of uploaded agents in games that pages keep: the record comes with each request, and no game is stored.

An agent keeps its seat for a whole game, because programs keep files from move to move. One that lost its seat, by a
restart or to a newer game, is seated again in the middle of the game. All of this runs apart from the server.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from littlego.core.game import GameRecord, Player, derive_seed, take_turn, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.course.seats import classes_like, parse_entrant
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.storage.scratch import temporary_directory

_MOST_SEATS: Final = 200


@dataclass(slots=True)
class _Seated:
    player: Player
    seen: tuple[Move, ...]
    """The moves of the game that the player has seen."""
    cleared: contextlib.ExitStack


_seats: OrderedDict[tuple[str, str], _Seated] = OrderedDict()


def turn(game: str, record: GameRecord, spelling: str, python: str | None, limits: Limits) -> GameRecord:
    """The record after one turn of the side to move, played by `spelling`."""
    position = record.final()
    seated = _sit_down(game, record, position, spelling, python, limits)
    after, now = take_turn(record, position, seated.player)
    if after.outcome is None:
        _observe(seated, after)
        after = replace(after, outcome=now.outcome())
    if after.outcome is not None:
        _stand_up((game, position.to_move.name))
    return after


def _sit_down(
    game: str, record: GameRecord, position: Position, spelling: str, python: str | None, limits: Limits
) -> _Seated:
    key = (game, position.to_move.name)
    seated = _seats.get(key)
    if seated is not None and record.moves[: len(seated.seen)] != seated.seen:
        _stand_up(key)  # moves were taken back
        seated = None
    if seated is None:
        while len(_seats) >= _MOST_SEATS:
            _stand_up(next(iter(_seats)))
        seated = _seats[key] = _seat(record, position, spelling, python, limits)
    _seats.move_to_end(key)
    _observe(seated, record)
    return seated


def _seat(record: GameRecord, position: Position, spelling: str, python: str | None, limits: Limits) -> _Seated:
    cleared = contextlib.ExitStack()
    entrant = parse_entrant(spelling, python=python, edition=classes_like(position.rules))
    seed = derive_seed(record.seed or 0, position.to_move.name)
    prepared = entrant.prepare(cleared.enter_context(temporary_directory("littlego-build-")), _supervisor())
    player = cleared.enter_context(prepared.seated(seed, _supervisor(), limits))
    return _Seated(player, (), cleared)


def _observe(seated: _Seated, record: GameRecord) -> None:
    tell = tell_players({record.start.to_move: seated.player})
    if tell is not None:
        positions = list(record.positions())
        for number in range(len(seated.seen), len(record.moves)):
            tell(positions[number], record.moves[number], positions[number + 1])
    seated.seen = record.moves


def _stand_up(key: tuple[str, str]) -> None:
    seated = _seats.pop(key, None)
    if seated is not None:
        seated.cleared.close()


@cache
def _supervisor() -> Supervisor:
    return Supervisor()
