"""A person at a terminal."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import Protocol

from littlego.core.errors import FormatError, Resigned, TakeBack
from littlego.core.game import Player
from littlego.core.points import PASS, Move, parse_point, point_name, points_of
from littlego.core.position import Position
from littlego.core.verdict import Verdict
from littlego.formats.ansi import draw_terminal

_HELP = """\
  2,3      place a stone: row, column, as printed beside the board
{passing}  undo     take back your last move and the answer to it
  hint     ask for a move
  moves    list the legal moves
  resign   give up the game (quit does the same)
  help     show this
On the board [ ] is the last move, and k a ko: a point that may not be taken back just now."""
_PASSING = "  pass     give up this turn; two passes in a row end the game\n"


class Terminal(Protocol):
    """Where a person reads and types."""

    colour: bool

    def show(self, text: str) -> None:
        """Print `text` and a newline."""

    def ask(self, prompt: str) -> str:
        """A line the person typed, without its newline. Raises EOFError when there are no more."""
        ...


class StandardTerminal:
    """The process's own terminal. Colour unless NO_COLOR is set or the output goes elsewhere."""

    def __init__(self) -> None:
        self.colour = sys.stderr.isatty() and "NO_COLOR" not in os.environ

    def show(self, text: str) -> None:
        """Print to standard error: results go to standard output."""
        print(text, file=sys.stderr, flush=True)

    def ask(self, prompt: str) -> str:
        """A line of standard input, with line editing if both ends are a terminal."""
        if sys.stdin.isatty() and sys.stdout.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - importing it gives `input` its arrow keys
            return input(prompt)
        print(prompt, end="", file=sys.stderr, flush=True)
        return input()


class ManualPlayer:
    """Shows the board, asks for a move until it is legal, and explains what was wrong."""

    def __init__(self, terminal: Terminal, *, adviser: Player) -> None:
        self._terminal = terminal
        self._adviser = adviser
        self._last: tuple[Position, Move, int] | None = None
        self._greeted = False

    def observe(self, before: Position, move: Move, after: Position) -> None:
        """Remember the last move, to mark and announce it. Pass this to the game loop."""
        other = before.to_move.opponent
        captured = before.board.stones(other).bit_count() - after.board.stones(other).bit_count()
        self._last = before, move, captured

    def choose(self, position: Position) -> Move:
        """The move that the person types. Raises Resigned and TakeBack when they ask for it."""
        if not self._greeted:
            self._terminal.show(f"You play {position.to_move} ({position.to_move.symbol}). Type 'help' for help.\n")
            self._greeted = True
        self._draw(position)
        while True:
            try:
                typed = self._terminal.ask(f"{position.to_move} ({position.to_move.symbol}) to move: ").strip().lower()
            except EOFError:
                self._terminal.show("\nThe input ended, which resigns the game.")
                raise Resigned(Verdict.RESIGNED, "the input ended") from None
            if (move := self._answer(typed, position)) is not None:
                return move

    def _answer(self, typed: str, position: Position) -> Move | None:
        """The typed move if it is legal; otherwise None, after carrying out the command."""
        match typed:
            case "":
                return None
            case "help" | "?":
                self._terminal.show(_HELP.format(passing=_PASSING if position.rules.passing else ""))
            case "resign" | "quit" | "q" | "exit":
                raise Resigned(Verdict.RESIGNED, f"{position.to_move} resigned")
            case "undo" if position.moves_played >= 2:
                self._last = None
                self._terminal.show("Taken back.\n")
                raise TakeBack
            case "undo":
                self._terminal.show("There is nothing to take back yet.")
            case "hint":
                self._terminal.show(f"Try {position.move_name(self._adviser.choose(position))}.")
            case "moves":
                names = [point_name(point, position.size) for point in points_of(position.legal_points())]
                self._terminal.show("Legal: " + " ".join([*names, *(["pass"] if position.rules.passing else [])]))
            case _:
                return self._legal_move(typed, position)
        return None

    def _legal_move(self, typed: str, position: Position) -> Move | None:
        try:
            move: Move = PASS if typed == "pass" else parse_point(re.sub(r"[,\s]+", ",", typed), position.size)
        except FormatError as error:
            self._terminal.show(f"{error}. Type 'help' for help.")
            return None
        if why := position.why_illegal(move):
            self._terminal.show(f"{position.move_name(move)} is not possible: {why.value}.")
            return None
        return move

    def _draw(self, position: Position) -> None:
        last_move = None
        if self._last:
            before, last_move, captured = self._last
            took = f" and captures {captured}" if captured else ""
            who = f"{before.to_move} ({before.to_move.symbol})"
            self._terminal.show(f"\n{who} plays {before.move_name(last_move)}{took}.")
        self._terminal.show(draw_terminal(position, last_move=last_move, colour=self._terminal.colour))
        score = position.score()
        self._terminal.show(
            f"Move {position.moves_played + 1} of {position.rules.max_moves}."
            f" Black {score.black:g}, White {score.white:g} with komi."
        )


def at_terminal(seed: int) -> ManualPlayer:
    """A person at this process's terminal, advised by the strongest player."""
    from littlego.players.strongest import StrongestPlayer

    return ManualPlayer(StandardTerminal(), adviser=StrongestPlayer(seed))
