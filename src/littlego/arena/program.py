"""A program as a player: an input file, a process, an output file, and a verdict if something goes wrong."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from littlego.arena.building import Program, Speaks
from littlego.arena.untrusted import StateFiles, read_state, restore_state
from littlego.core.board import Board, Colour
from littlego.core.errors import FormatError, IllegalMove, PlayerFault
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Verdict
from littlego.formats.course import CourseInput, CourseOutput, parse_output, write_input
from littlego.sandbox.client import MoveRequest, MoveResult, Supervisor, SupervisorClosed, SupervisorFailed
from littlego.sandbox.limits import Fault, Level, Limits
from littlego.storage.scratch import has_room

_ROOM: Final = 1 << 20
_TRIES: Final = 3
_FOR_LACK_OF_ROOM: Final = (Fault.NO_OUTPUT, Fault.BAD_FORMAT, Fault.CRASH)
"""The faults of a program that could not write."""
_WITHOUT_A_CLOCK: Final = (Fault.CPU_TIME, Fault.MEMORY)
"""The faults to which no time that others took can have led."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a program: what it was given, and the result."""

    move_number: int
    input: str
    state: StateFiles
    """The files that it had written in earlier moves."""
    result: MoveResult


@dataclass(slots=True)
class ProgramPlayer:
    """A program that plays one game in its own directory, which the caller makes.

    A move that could not be played is played again, in the same position with the same files and a new supervisor. The
    third time in a row the program loses: it could have made each look like an error on our side. `choose` raises
    SupervisorFailed for an error that is ours for certain and does not pass. A move that others held up is played again
    as well, and counts the third time.
    """

    program: Program
    directory: Path
    supervisor: Supervisor
    limits: Limits
    remarks: list[str] = field(default_factory=list)
    """What a stricter host might not accept."""
    inexact: list[str] = field(default_factory=list)
    """The remarks about the text of its output alone."""
    cpu_seconds: list[float] = field(default_factory=list)
    wall_seconds: list[float] = field(default_factory=list)
    waited_seconds: list[float] = field(default_factory=list)
    last: Attempt | None = None
    _boards: dict[Colour, Board] = field(default_factory=dict)
    """The board after the last move of each side, also of moves that it was not asked for, as in an opening."""
    _own_board: Board | None = None
    """The same, of its own side, if it started in the middle of a game."""
    _moves: list[Move] = field(default_factory=list)

    def choose(self, position: Position) -> Move:
        """The move that the program writes.

        Raises PlayerFault with the verdict and the reason: an illegal move forfeits at once. (A class of 2019 gets more
        attempts, but from its own driver, within its time.)
        """
        text, state = self._input(position), self._state()
        result = self._run_surely(position.moves_played + 1, text, state)
        self.last = Attempt(position.moves_played + 1, text, state, result)
        if result.fault in _FOR_LACK_OF_ROOM:
            _check_room(self.directory)
        self.cpu_seconds.append(round(max(0.0, result.cpu_seconds - self.program.start_seconds), 4))
        self.wall_seconds.append(round(result.wall_seconds, 4))
        self.waited_seconds.append(round(result.waited_seconds, 4))
        try:
            return self._judged(result, position)
        except IllegalMove as error:
            raise PlayerFault(error.why.verdict, str(error)) from error

    def observe(self, before: Position, move: Move, after: Position) -> None:
        """Called by the game loop for every move."""
        self._moves.append(move)
        self._boards[before.to_move] = after.board

    def resume(self, own_board: Board | None) -> None:
        """Start in the middle of a game: `own_board` is the board after this player's last move, if known."""
        self._own_board = own_board

    def run(self, text: str) -> MoveResult:
        """Run the program once with this text as `input.txt`, which is not checked."""
        argv, readable = self.program.argv, self.program.readable
        return self.supervisor.run(MoveRequest(argv, self.directory, text.encode(), self.limits, readable))

    def _state(self) -> StateFiles:
        try:
            return read_state(self.directory, self.program.files)
        except OSError as error:
            if self.last is None or self.supervisor.level is not Level.PORTABLE:
                raise  # at the other levels no program can take its directory away
            raise PlayerFault(Verdict.CRASH, f"its work directory cannot be read any more: {error.strerror}") from error

    def _run_surely(self, number: int, text: str, state: StateFiles) -> MoveResult:
        ours = True
        for tries in range(1, _TRIES + 1):
            try:
                result = self.run(text)
            except SupervisorClosed:
                raise
            except SupervisorFailed as failure:
                self.supervisor.close()  # the next try gets a new one
                ours = ours and failure.is_ours  # what an earlier try has done could look like it
                last, why = failure, f"could not be played: {failure}"
            else:
                if tries == _TRIES or result.fault in _WITHOUT_A_CLOCK or not result.was_held_up:
                    return result
                why = f"does not count: others took {result.waited_seconds:.1f} s of its {result.wall_seconds:.1f} s"
            restore_state(state, self.directory, self.program.files)
            self.remarks.append(f"move {number}: try {tries} {why}")
        if ours:
            raise last
        message = f"its move could not be played, {_TRIES} times in a row: {last}"
        self.last = Attempt(number, text, state, _unplayed(message))
        raise PlayerFault(Verdict.CRASH, message) from last

    def _input(self, position: Position) -> str:
        if self.program.speaks is Speaks.MOVES:
            return moves_input(position, self._moves)
        own_board = self._boards.get(position.to_move, self._own_board)
        return write_input(course_input(position, own_board))

    def _judged(self, result: MoveResult, position: Position) -> Move:
        judged = judged_move(result, position, strict=self.limits.strict)
        number = self.last.move_number if self.last else 0
        self.inexact += [f"move {number}: {judged.remark}"] if judged.remark else []
        self.remarks += [f"move {number}: {text}" for text in (result.message, judged.remark) if text]
        return judged.move


def _unplayed(message: str) -> MoveResult:
    return MoveResult(Fault.CRASH, message, None, 0.0, 0.0, 0.0, 0, "", None)


def _check_room(directory: Path) -> None:
    """Raises SupervisorFailed if the disk is full: the sandbox has said already if the program did that."""
    with contextlib.suppress(OSError):  # of a directory that the program has taken away
        if not has_room(directory, _ROOM):
            message = f"{directory}: the disk is full, so that the program could not write its move"
            raise SupervisorFailed(message, is_ours=True)


def judged_move(result: MoveResult, position: Position, *, strict: bool = False) -> CourseOutput:
    """The legal move in a result, with a remark on its text. Raises PlayerFault and IllegalMove."""
    if result.fault is not None:
        raise PlayerFault(Verdict(result.fault.value), result.message)
    assert result.output is not None
    try:
        output = parse_output(result.output.decode(errors="backslashreplace"), size=position.size, strict=strict)
    except FormatError as error:
        raise PlayerFault(Verdict.BAD_FORMAT, str(error)) from error
    if why := position.why_illegal(output.move):
        raise IllegalMove(position.move_name(output.move), why)
    return output


def course_input(position: Position, own_board: Board | None) -> CourseInput:
    """The input of an agent; `own_board` is the board after its last move, None before it has moved.

    If the game started in the middle with a ko, the agent gets the board before the ko was taken.
    """
    if own_board is None and position.ko is not None:
        own_board, _ = position.board.after(position.to_move, position.ko)
    if own_board is None:
        own_board = Board(position.size) if position.moves_played < 2 else position.board
    return CourseInput(position.to_move, own_board, position.board)


def moves_input(position: Position, moves: list[Move]) -> str:
    """The input of a class of 2019: the whole game so far."""
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
