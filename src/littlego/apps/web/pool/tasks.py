"""What the workers of the pool run: turns of players, and exact values of positions.

A player keeps its seat for a whole game, because programs keep files from move to move. A player that lost its seat,
by a restart or to a newer game, is seated again in the middle of the game.
"""

from __future__ import annotations

import contextlib
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from littlego.core.game import GameRecord, Player, derive_seed, take_turn, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.course.spelling import classes_like, parse_entrant
from littlego.kernel.bits import SIDE as MOST_SIZE
from littlego.kernel.first_use import tell_of_compiling
from littlego.players.catalogue import make_player
from littlego.review.values import Value, Values, stopping_after
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.solve.engine import Stopped
from littlego.solve.oracle import Oracle
from littlego.storage.scratch import temporary_directory

_MOST_SEATS: Final = 200
_QUICK_LEFT: Final = 14
"""With at most this many plies left a value is searched for while a person waits,"""
_QUICK_SECONDS: Final = 0.25
"""but not for longer than this: a short game can be hard, too, if there are few stones."""
_WARM_LEFT: Final = 12
_SMALL_BOARD: Final = 1 << 24
"""Bytes of the table for boards below 5x5, which are solved in a moment."""


@dataclass(slots=True)
class _Seated:
    player: Player
    seen: tuple[Move, ...]
    """The moves of the game that the player has seen."""
    cleared: contextlib.ExitStack


_seats: OrderedDict[tuple[str, str], _Seated] = OrderedDict()


def turn(game: str, record: GameRecord, spelling: str) -> GameRecord:
    """The record after one turn of the side to move, played by `spelling`."""
    position = record.final()
    seated = _sit_down(game, record, position, spelling)
    after, now = take_turn(record, position, seated.player)
    if after.outcome is None:
        _observe(seated, after)
        after = replace(after, outcome=now.outcome())
    if after.outcome is not None:
        _stand_up((game, position.to_move.name))
    return after


def _sit_down(game: str, record: GameRecord, position: Position, spelling: str) -> _Seated:
    key = (game, position.to_move.name)
    seated = _seats.get(key)
    if seated is not None and record.moves[: len(seated.seen)] != seated.seen:
        _stand_up(key)  # moves were taken back
        seated = None
    if seated is None:
        while len(_seats) >= _MOST_SEATS:
            _stand_up(next(iter(_seats)))
        seated = _seats[key] = _seat(record, position, spelling)
    _seats.move_to_end(key)
    _observe(seated, record)
    return seated


def _seat(record: GameRecord, position: Position, spelling: str) -> _Seated:
    cleared = contextlib.ExitStack()
    entrant = parse_entrant(spelling, edition=classes_like(position.rules))
    seed = derive_seed(record.seed or 0, position.to_move.name)
    prepared = entrant.prepare(cleared.enter_context(temporary_directory("littlego-build-")), _supervisor())
    player = cleared.enter_context(prepared.seated(seed, _supervisor(), Limits()))
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


@cache
def _oracle(store: str, memory: int, size: int) -> Oracle:
    """An oracle for one board size: a shared one would start a new table whenever the size changes."""
    return Oracle(store=store, memory=memory if size == MOST_SIZE else min(memory, _SMALL_BOARD))


def known_values(position: Position, store: str, memory: int) -> dict[Move, Value]:
    """By move, who wins after it, as far as it is known or can be found in a moment."""
    oracle = _oracle(store, memory, position.size)
    values = Values(oracle)
    found: dict[Move, Value] = {}
    afters = [(move, position.play_legal(move)) for move in position.legal_moves()]
    for move, after in afters:
        if (value := values.known(after, plies=1)) is not None:
            found[move] = value
    with contextlib.suppress(Stopped), stopping_after(oracle, _QUICK_SECONDS) as late:
        for move, after in afters:
            if move not in found and after.plies_left <= _QUICK_LEFT and not late.is_set():
                found[move] = values.value(after)
    return found


def values_along(positions: Sequence[Position], store: str, memory: int) -> list[Value | None]:
    """Who wins in each position of a game, as far as it is known or can be found, from the end on, in a moment."""
    oracle = _oracle(store, memory, positions[0].size)
    values = Values(oracle)
    values.remember_known(positions, down_to=_QUICK_LEFT)
    found: list[Value | None] = []
    searching = True
    with stopping_after(oracle, _QUICK_SECONDS):
        for position in reversed(positions):
            after = found[-1] if found else None
            searching = searching and position.plies_left <= _QUICK_LEFT
            try:
                found.append(values.before(position, after, search=searching))
            except Stopped:
                searching = False
                found.append(values.before(position, after, search=False))
    return found[::-1]


def exact_value(position: Position, store: str, memory: int, seconds: float) -> Value | None:
    """Who wins with best play; None if the search takes longer than `seconds`. The next call continues it."""
    oracle = _oracle(store, memory, position.size)
    with contextlib.suppress(Stopped), stopping_after(oracle, seconds):
        return Value.of(oracle.value(position))
    return None


def exact_margin(position: Position, store: str, memory: int, seconds: float) -> int | None:
    """Black's stones minus White's in the end, as `exact_value`."""
    oracle = _oracle(store, memory, position.size)
    with contextlib.suppress(Stopped), stopping_after(oracle, seconds):
        return oracle.margin(position)
    return None


def warm_up() -> None:
    """Compile the searches of strong players, and tell the server's owner the first time on a machine."""
    tell_of_compiling(lambda text: print(text, "Hints and strong players answer then.", file=sys.stderr, flush=True))
    position = Position.initial()
    while position.plies_left > _WARM_LEFT:
        position = position.play_legal(position.legal_moves()[0])
    for name in ("perfect", "champion"):
        make_player(name, seed=1).choose(position)
