"""Drills: won positions that a player threw away, to practise until they are known.

A deck is a JSON file. Each drill is the game up to its position, so that ko, passes and the board after the player's
last move follow from the moves, with every move that would have kept the win.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from littlego.arena.program import course_input
from littlego.core.board import Board
from littlego.core.errors import FormatError
from littlego.core.game import GameRecord
from littlego.core.points import Move, parse_move
from littlego.core.position import Position
from littlego.formats.course import write_input
from littlego.formats.fields import parse_json
from littlego.formats.records import parse_text, record_from_dict, record_to_dict
from littlego.review.regret import Regret, regret_of
from littlego.review.values import Values, Watch
from littlego.solve.oracle import Oracle
from littlego.storage.files import read_bytes, write_text

SCHEMA: Final = 1
KIND: Final = "littlego deck"
MOST_LEFT: Final = 16
"""With more plies left, valuing every move would take minutes."""


@dataclass(frozen=True, slots=True)
class Drill:
    """A won position: find a move that keeps it won."""

    record: GameRecord
    """The game up to the position."""
    accepted: tuple[Move, ...]
    """Every move that keeps the win."""
    played: Move | None = None
    """The move that threw it away; None for a forfeit."""

    @property
    def position(self) -> Position:
        return self.record.final()

    @property
    def own_board(self) -> Board | None:
        """The board after the last move of the side to move; None if the record has no moves."""
        if not self.record.moves:
            return None
        *_, before, _ = self.record.positions()
        return before.board

    @property
    def input(self) -> str:
        return write_input(course_input(self.position, self.own_board))

    @property
    def id(self) -> str:
        """A short text, the same for symmetric positions."""
        return drill_id(self.position)

    @property
    def title(self) -> str:
        """Where it comes from, for people."""
        position = self.position
        name = self.record.player(position.to_move)
        return f"{position.to_move} ({name}) at move {position.moves_played + 1}"

    def is_right(self, move: Move) -> bool:
        return move in self.accepted

    def to_dict(self) -> dict[str, Any]:
        """JSON values; `input` is for other programs, and is not read back."""
        name = self.position.move_name
        return {
            "id": self.id,
            "accepted": [name(move) for move in self.accepted],
            "played": None if self.played is None else name(self.played),
            "input": self.input.split("\n"),
            "record": record_to_dict(self.record),
        }


def drill_id(position: Position) -> str:
    """The key of a position's canonical image: symmetric positions are one drill."""
    return position.canonical()[0].key()


@dataclass(frozen=True, slots=True)
class Deck:
    """Drills, each position once."""

    drills: tuple[Drill, ...]

    def __len__(self) -> int:
        return len(self.drills)

    def merged(self, other: Deck) -> Deck:
        """This deck, with the drills of another that it lacks."""
        return Deck(_unique((*self.drills, *other.drills)))

    def to_dict(self) -> dict[str, Any]:
        return {"schema": SCHEMA, "kind": KIND, "drills": [drill.to_dict() for drill in self.drills]}

    def write(self, path: Path) -> None:
        """Write the deck's file. Raises UsageError if that fails."""
        write_text(path, json.dumps(self.to_dict(), indent=1) + "\n")


def make_deck(
    records: Sequence[GameRecord],
    regret: Regret,
    oracle: Oracle,
    *,
    most_left: int = MOST_LEFT,
    watch: Watch | None = None,
) -> tuple[Deck, int]:
    """One drill for each position that a player threw away (see `regret_of`), and how many were left out.

    Positions with more than `most_left` plies left are left out unless all their moves are known without searching.
    Raises Stopped after `oracle.stop()`.
    """
    values = Values(oracle)
    mistakes = {drill_id(mistake.position): mistake for mistake in reversed(regret.mistakes)}
    drills, left_out = [], 0
    for done, mistake in enumerate(sorted(mistakes.values(), key=lambda item: (item.game, item.position.moves_played))):
        accepted = _accepted(mistake.position, values, search=mistake.position.plies_left <= most_left)
        if accepted is None:
            left_out += 1
        else:
            record = records[mistake.game]
            moves = record.moves[: mistake.position.moves_played - record.start.moves_played]
            drills.append(Drill(replace(record, moves=moves, seconds=(), outcome=None), accepted, mistake.move))
        if watch:
            watch(done + 1, len(mistakes))
    return Deck(tuple(drills)), left_out


def read_deck(path: Path) -> Deck:
    """The deck in a file. Raises FormatError."""
    try:
        data = parse_json(read_bytes(path), str(path))
    except FormatError as error:
        raise FormatError(f"{error}; expected a deck that 'littlego drill make' wrote") from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise FormatError(f"{path}: not a deck: expected a file that 'littlego drill make' wrote")
    if data.get("schema") != SCHEMA:
        raise FormatError(f"{path}: schema: expected {SCHEMA}, got {data.get('schema')!r}")
    if not isinstance(data.get("drills"), list):
        raise FormatError(f"{path}: drills: expected a list")
    drills = [_drill_from(item, f"{path}: drills[{k}]") for k, item in enumerate(data["drills"])]
    return Deck(_unique(drills))


def _drill_from(data: object, where: str) -> Drill:
    if not isinstance(data, dict) or not isinstance(data.get("accepted"), list):
        raise FormatError(f"{where}: expected an object with 'record' and 'accepted'")
    record = record_from_dict(data.get("record"), source=f"{where}: record")
    position = record.final()
    if position.outcome() is not None:
        raise FormatError(f"{where}: the game is over: there is no move to find")
    accepted = tuple(_legal(text, position, f"{where}: accepted") for text in data["accepted"])
    if not accepted:
        raise FormatError(f"{where}: accepted: expected at least one move")
    played = data.get("played")
    return Drill(record, accepted, None if played is None else _legal(played, position, f"{where}: played"))


def _legal(text: object, position: Position, where: str) -> Move:
    move: Move = parse_text(parse_move, text, position.size, where)
    if why := position.why_illegal(move):
        raise FormatError(f"{where}: {text}: {why.value}")
    return move


def _unique(drills: Iterable[Drill]) -> tuple[Drill, ...]:
    return tuple({drill.id: drill for drill in reversed(list(drills))}.values())[::-1]


def _accepted(position: Position, values: Values, *, search: bool) -> tuple[Move, ...] | None:
    """Every move that keeps the win; None if a move's value is not known and `search` is false."""
    mover = position.to_move
    accepted = []
    for move in position.legal_moves():
        after = position.play_legal(move)
        value = values.value(after) if search else values.known(after, plies=1)
        if value is None:
            return None
        if value.winner is mover:
            accepted.append(move)
    return tuple(accepted)


def make_drills(records: Sequence[GameRecord] | GameRecord, player: str, oracle: Oracle | None = None) -> Deck:
    """A drill for each win that a player threw away in these games, or in this one. Raises UsageError.

    >>> games = [lg.play_game("random", "random", seed=seed, rules=lg.edition_rules(size=3)) for seed in range(4)]
    >>> deck = lg.make_drills(games, "random")
    >>> all(drill.accepted for drill in deck.drills)
    True
    """
    oracle = oracle or Oracle()
    if isinstance(records, GameRecord):
        records = [records]
    deck, _ = make_deck(records, regret_of(records, player, oracle), oracle)
    return deck
