"""An agent's moves in given positions: tests of one's own agent, and a deck of drills answered through the referee."""

from __future__ import annotations

import atexit
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeAlias

from littlego.arena.building import Program, build_program
from littlego.arena.games import read_capsule, with_own_paths, without_scratch
from littlego.arena.participants import PreparedProgram, preparing
from littlego.arena.untrusted import write_state
from littlego.core.board import Board, Colour
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.points import Move, parse_move
from littlego.core.position import Position, shortest_game_to
from littlego.course.seats import parse_entrant
from littlego.formats.course import parse_input
from littlego.formats.text import draw_terminal, parse_drawn
from littlego.review.drills import Deck, Drill
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.storage.scratch import temporary_directory

Where: TypeAlias = Position | str | Path
"""A position; a drawn board, `k` on it a ko that may not be retaken; or a file: a capsule or an `input.txt`."""

_closing = ExitStack()
atexit.register(_closing.close)


class Agent:
    """An agent, built once and run in the sandbox for every move, as in a match. Raises UsageError.

    `path` is its directory, file or `.zip`; `python` the interpreter, by default the course's.
    """

    def __init__(self, path: str | Path, *, python: str | None = None, limits: Limits | None = None) -> None:
        entrant = parse_entrant(str(Path(path).absolute()), python=python)
        self._spelling, self._limits = entrant.spelling, limits or Limits()
        (prepared,), self._supervisor = _closing.enter_context(preparing([entrant]))
        assert isinstance(prepared, PreparedProgram)
        self._prepared = prepared

    def move(self, where: Where, *, to_move: str = "black") -> str:
        """Its move, such as `2,3` or `PASS`. Raises AssertionError, with the board and its stderr, for a fault.

        `to_move` is for drawn boards. Raises UsageError and FormatError for something that is not a position.
        """
        __tracebackhide__ = True
        position, own_board, state = _placed(where, to_move)
        with self._prepared.seated(0, self._supervisor, self._limits) as player:
            player.resume(own_board)
            write_state(state, player.directory)
            try:
                return position.move_name(player.choose(position))
            except PlayerFault as fault:
                stderr = without_scratch(player.last.result.stderr, player.directory) if player.last else ""
                words = with_own_paths(stderr, self._spelling).strip()
                raise AssertionError(_message(position, f"{fault.verdict.value}: {fault}", words)) from None

    def must_play(self, where: Where, *moves: str, to_move: str = "black") -> None:
        """Raises AssertionError unless it plays one of `moves`."""
        __tracebackhide__ = True
        played, position = self.move(where, to_move=to_move), _placed(where, to_move)[0]
        if played not in _names(moves, position):
            raise AssertionError(_message(position, f"it played {played}, and must play {' or '.join(moves)}"))

    def must_not_play(self, where: Where, *moves: str, to_move: str = "black") -> None:
        """Raises AssertionError if it plays one of `moves`, legal or not, or makes another fault."""
        __tracebackhide__ = True
        played, position = self.move(where, to_move=to_move), _placed(where, to_move)[0]
        if played in _names(moves, position):
            raise AssertionError(_message(position, f"it played {played}, which it must not"))


def _names(moves: tuple[str, ...], position: Position) -> set[str]:
    if not moves:
        raise UsageError("name at least one move, such as '2,3' or 'PASS'")
    return {position.move_name(parse_move(move, position.size)) for move in moves}


def _placed(where: Where, to_move: str) -> tuple[Position, Board | None, dict[str, bytes]]:
    """The position, the board after the agent's last move if it is known, and the files that it had written."""
    if isinstance(where, Position):
        return where, None, {}
    if isinstance(where, Path) and where.suffix == ".json":
        capsule = read_capsule(where)
        return capsule.record.final(), parse_input(capsule.input).previous, capsule.state
    if isinstance(where, Path):
        return _given(where.read_text(encoding="utf-8"), str(where))
    text = dedent(where).strip("\n")
    if re.match(r"[12]\n[012]+\n", text):
        return _given(text.strip(), "the position")
    if to_move.upper() not in Colour.__members__:
        raise UsageError(f"to_move {to_move!r}: expected 'black' or 'white'")
    board, ko = parse_drawn(text)
    return shortest_game_to(board, Colour[to_move.upper()])._replace(ko=ko), None, {}


def _given(text: str, source: str) -> tuple[Position, Board | None, dict[str, bytes]]:
    given = parse_input(text, source=source)
    return given.position(), given.previous, {}


def _message(position: Position, what: str, words: str = "") -> str:
    side = f"{position.to_move} ({position.to_move.symbol}) to move"
    parts = [what, f"{side}:\n{draw_terminal(position, colour=False)}", words]
    return "\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class DeckAnswer:
    """An agent's answer to a drill: a move or a fault."""

    drill: Drill
    move: Move | None
    fault: str = ""
    cpu_seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Whether it keeps the win."""
        return self.move is not None and self.drill.is_right(self.move)

    def to_dict(self) -> dict[str, Any]:
        name = self.drill.position.move_name
        return {
            "id": self.drill.id,
            "title": self.drill.title,
            "right": self.right,
            "move": None if self.move is None else name(self.move),
            "fault": self.fault,
            "accepted": [name(move) for move in self.drill.accepted],
            "input": self.drill.input.split("\n"),
            "cpu_seconds": self.cpu_seconds,
        }


def answers(
    deck: Deck, agent: Path, supervisor: Supervisor, *, limits: Limits, python: str | None = None
) -> Iterator[DeckAnswer]:
    """The answer to each drill, each from a fresh copy of the agent's files. Raises UsageError if it does not build."""
    if not deck.drills:
        raise UsageError("the deck has no drills: nothing to check")
    with temporary_directory("littlego-deck-") as workshop:
        program = build_program(agent, workshop / "agent", supervisor, python=python)
        for drill in deck.drills:
            yield _answer(drill, program, supervisor, limits)


def _answer(drill: Drill, program: Program, supervisor: Supervisor, limits: Limits) -> DeckAnswer:
    with PreparedProgram(program).seated(0, supervisor, limits) as player:
        player.resume(drill.own_board)
        try:
            move = player.choose(drill.position)
        except PlayerFault as fault:
            return DeckAnswer(drill, None, f"{fault.verdict.value}: {fault}", sum(player.cpu_seconds))
        return DeckAnswer(drill, move, "", sum(player.cpu_seconds))
