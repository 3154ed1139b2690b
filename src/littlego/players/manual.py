"""A person at a terminal."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import textwrap
from difflib import get_close_matches
from typing import Protocol

from littlego.core.errors import FormatError, Resigned, TakeBack
from littlego.core.game import Player
from littlego.core.points import PASS, Move, Pass, parse_point, parse_vertex, point_name, points_of
from littlego.core.position import Position
from littlego.core.rules import Verdict
from littlego.formats.text import draw_terminal

_HELP = """\
  2,3      place a stone: row, column, as printed beside the board; 23 is the same
{passing}  undo     take back your last move and the answer to it
  hint     ask for a move
  moves    list the legal moves
  resign   give up the game (quit does the same)
  help     show this
On the board [ ] is the last move; k is a ko, which may not be retaken just now.
Go players may type D3 too: a letter for the column, rows from 1 at the bottom."""
_COMMANDS = ("help", "hint", "moves", "pass", "quit", "resign", "undo")
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
        """Print to standard error, since results go to standard output; long lines are broken between words."""
        if sys.stderr.isatty():
            width = shutil.get_terminal_size().columns
            text = "\n".join(fitted(line, width) for line in text.split("\n"))
        print(text, file=sys.stderr, flush=True)

    def ask(self, prompt: str) -> str:
        """A line of standard input, with line editing if both ends are a terminal."""
        if sys.stdin.isatty() and sys.stdout.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - importing it gives `input` its arrow keys
            return input(prompt)
        print(prompt, end="", file=sys.stderr, flush=True)
        return input()


def fitted(line: str, width: int) -> str:
    """A line broken between words where it is too long for a terminal; escapes and short lines stay as they are."""
    if len(line) <= width or "\x1b" in line:
        return line
    indent = " " * min(len(re.match(r" *(?:[\w,]+  +)?", line)[0]), width // 3)  # type: ignore[index]
    broken = textwrap.wrap(
        line, width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True, replace_whitespace=False
    )
    return "\n".join(broken)


class ManualPlayer:
    """Shows the board, asks for a move until it is legal, and explains what was wrong."""

    def __init__(self, terminal: Terminal, *, adviser: Player) -> None:
        self._terminal = terminal
        self._adviser = adviser
        self._past: list[tuple[Position, Move, int]] = []
        """Positions, the moves made in them, and the stones that these captured."""
        self._undone = False
        self._greeted = False
        self._asked: Position | None = None

    def observe(self, before: Position, move: Move, _after: Position) -> None:
        """Remember the last move, to mark and announce it. Pass this to the game loop."""
        captured = 0 if isinstance(move, Pass) else before.captures(move)
        self._past = [each for each in self._past if each[0].moves_played < before.moves_played]
        self._past.append((before, move, captured))
        self._undone = False
        if captured and before is self._asked:
            self._terminal.show(f"{before.to_move} ({before.to_move.symbol}) captures {captured}.")

    def choose(self, position: Position) -> Move:
        """The move that the person types. Raises Resigned and TakeBack when they ask for it."""
        if not self._greeted:
            self._terminal.show(f"You play {position.to_move} ({position.to_move.symbol}). Type 'help' for help.\n")
            self._greeted = True
        self._draw(position)
        self._asked = position
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
                self._past = self._past[:-2]
                self._undone = True
                self._terminal.show("Taken back.\n")
                raise TakeBack
            case "undo":
                self._terminal.show("There is nothing to take back yet.")
            case "hint":
                self._terminal.show("Thinking ...")
                self._terminal.show(f"Try {position.move_name(self._adviser.choose(position))}.")
            case "moves":
                names = [point_name(point, position.size) for point in points_of(position.legal_points())]
                self._terminal.show("Legal: " + " ".join([*names, *(["pass"] if position.rules.passing else [])]))
            case _:
                return self._legal_move(typed, position)
        return None

    def _legal_move(self, typed: str, position: Position) -> Move | None:
        try:
            move = _typed_move(typed, position.size)
        except FormatError as error:
            meant = get_close_matches(typed, _COMMANDS, 1)
            hint = f"Did you mean '{meant[0]}'?" if meant else "Type 'help' for help."
            self._terminal.show(f"{error}. {hint}")
            return None
        if why := position.why_illegal(move):
            self._terminal.show(f"{position.move_name(move)} is not possible: {why.value}.")
            return None
        return move

    def _draw(self, position: Position) -> None:
        last_move = None
        if self._past:
            before, last_move, captured = self._past[-1]
            took = f" and captures {captured}" if captured else ""
            who = f"{before.to_move} ({before.to_move.symbol})"
            if not self._undone:
                self._terminal.show(f"\n{who} plays {before.move_name(last_move)}{took}.")
        self._terminal.show(draw_terminal(position, last_move=last_move, colour=self._terminal.colour))
        score = position.score()
        self._terminal.show(
            f"Move {position.moves_played + 1} of {position.rules.max_moves}."
            f" Black {score.black:g}, White {score.white:g} with komi."
        )


def _typed_move(typed: str, size: int) -> Move:
    """What a person means: `2,3`, `2 3`, `23` on boards up to 10x10, `d3` as Go players write, `pass`.

    Raises FormatError.
    """
    if typed == "pass":
        return PASS
    if re.fullmatch(r"[0-9]{2}", typed) and size <= 10:
        return parse_point(f"{typed[0]},{typed[1]}", size)
    if re.fullmatch(r"[a-z][0-9]{1,2}", typed):
        return parse_vertex(typed, size)
    return parse_point(re.sub(r"[,\s]+", ",", typed), size)


def at_terminal(seed: int) -> ManualPlayer:
    """A person at this process's terminal, advised by the strongest player."""
    from littlego.players.exact import StrongestPlayer

    return ManualPlayer(StandardTerminal(), adviser=StrongestPlayer(seed))
