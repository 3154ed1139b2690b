"""A program as a player: a file in, a process, a file out, and a verdict when it goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from littlego.arena.entrants.programs import Program, Speaks
from littlego.arena.entrants.state_files import StateFiles, read_state
from littlego.arena.referee.client import MoveRequest, MoveResult, Supervisor, SupervisorFailed
from littlego.arena.referee.limits import Limits
from littlego.core.board import Board
from littlego.core.errors import FormatError, IllegalMove, PlayerFault
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.verdict import Verdict
from littlego.formats.course import CourseInput, parse_output, write_input
from littlego.storage.room import has_room

_ROOM: Final = 1 << 20
_FOR_LACK_OF_ROOM: Final = (Verdict.NO_OUTPUT, Verdict.BAD_FORMAT, Verdict.CRASH)
"""What a program that cannot write looks like."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One start of a program: what it was given and what came of it."""

    move_number: int
    input: str
    state: StateFiles
    """The files that the agent had made before, as they were when it was started."""
    result: MoveResult


@dataclass(slots=True)
class ProgramPlayer:
    """A program that plays one game in a directory of its own, which the caller made for it.

    Raises SupervisorFailed when a move could not be played at all.
    """

    program: Program
    directory: Path
    supervisor: Supervisor
    limits: Limits
    remarks: list[str] = field(default_factory=list)
    """What a stricter host might not have let pass."""
    cpu_seconds: list[float] = field(default_factory=list)
    wall_seconds: list[float] = field(default_factory=list)
    last: Attempt | None = None
    _own_board: Board | None = None
    """The board after its own last move."""
    _moves: list[Move] = field(default_factory=list)

    def choose(self, position: Position) -> Move:
        """The move that the program writes.

        Raises PlayerFault with the verdict and the reason: a move against the rules forfeits at once.
        A class in the 2019 manner is asked again, but by its own driver, within its time.
        """
        text, state = self._input(position), read_state(self.directory, self.program.files)
        result = self.run(text)
        self.last = Attempt(position.moves_played + 1, text, state, result)
        if result.verdict in _FOR_LACK_OF_ROOM:
            _check_room(self.directory)
        self.cpu_seconds.append(round(result.cpu_seconds, 4))
        self.wall_seconds.append(round(result.wall_seconds, 4))
        try:
            return judged_move(result, position, self._remark)
        except IllegalMove as error:
            raise PlayerFault(error.why.verdict, str(error)) from error

    def observe(self, before: Position, move: Move, after: Position) -> None:
        """Remember every move of the game; the game loop tells of them."""
        self._moves.append(move)
        if self.last is not None and self.last.move_number == before.moves_played + 1:
            self._own_board = after.board

    def resume(self, own_board: Board | None) -> None:
        """Begin in the middle of a game: `own_board` is the board after this player's last move, if it is known."""
        self._own_board = own_board

    def run(self, text: str) -> MoveResult:
        """Run the program once with that `input.txt`, whatever it is."""
        program = self.program
        return self.supervisor.run(
            MoveRequest(program.argv, self.directory, text.encode(), self.limits, program.readable, program.environment)
        )

    def _input(self, position: Position) -> str:
        if self.program.speaks is Speaks.MOVES:
            return moves_input(position, self._moves)
        return write_input(course_input(position, self._own_board))

    def _remark(self, text: str) -> None:
        number = self.last.move_number if self.last else 0
        self.remarks.append(f"move {number}: {text}")


def _check_room(directory: Path) -> None:
    """Raises SupervisorFailed if the disk is full: what a program keeps within its limits must have room."""
    if not has_room(directory, _ROOM):
        raise SupervisorFailed(f"{directory}: the disk is full, so that the program could not write its move")


def judged_move(result: MoveResult, position: Position, tell: Callable[[str], None]) -> Move:
    """The legal move in a result. Raises PlayerFault and IllegalMove; `tell` hears of oddities."""
    if result.verdict is not None or result.output is None:
        raise PlayerFault(result.verdict or Verdict.NO_OUTPUT, result.message)
    if result.message:
        tell(result.message)
    try:
        said = parse_output(result.output.decode("ascii"), size=position.size)
    except FormatError as error:
        raise PlayerFault(Verdict.BAD_FORMAT, str(error)) from error
    if said.remark:
        tell(said.remark)
    if why := position.why_illegal(said.move):
        raise IllegalMove(position.move_name(said.move), why)
    return said.move


def course_input(position: Position, own_board: Board | None) -> CourseInput:
    """What an agent is told; `own_board` is the board after its last move, None before it has moved.

    An agent that starts in the middle of a game is told of a ko by the board before it was taken.
    """
    if own_board is None:
        own_board = _board_before_ko(position) or (
            Board(position.size) if position.moves_played < 2 else position.board
        )  # fmt: skip
    return CourseInput(position.to_move, own_board, position.board)


def _board_before_ko(position: Position) -> Board | None:
    if position.ko is None:
        return None
    before, _ = position.board.after(position.to_move, position.ko)
    return before


def moves_input(position: Position, moves: list[Move]) -> str:
    """What a class in the 2019 manner is told: the whole game so far, since it may look at any of it."""
    return json.dumps(
        {
            "size": position.size,
            "komi": position.rules.komi,
            "max_moves": position.rules.max_moves,
            "moves": [position.move_name(move) for move in moves],
            "piece_type": position.to_move.value,
            "attempts": position.rules.attempts,
        }
    )
