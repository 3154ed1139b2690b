"""A person at a terminal plays the paper's learner, trains it further, saves it and loads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from littlego.tictactoe.paper.game import FILE, SELFPLAY, Game
from littlego.tictactoe.paper.temporal import LearnerFileError

HELP = f"""\
  1,2            mark that cell: row, column, counted from 0 at the top left
  new            begin a new game              swap           begin one with the other mark
  train [1000]   let it play itself ({SELFPLAY})  values         what each of your moves is worth to it
  save [FILE]    save what it learned          load [FILE]    load what was saved ({FILE} if no file is named)
  history        the moves of every game       help, quit"""

MAX_TRAINING = 10_000_000


class Console:
    """The dialogue during a game. `ask` returns a line or raises EOFError; `show` prints one."""

    def __init__(self, game: Game, *, ask: Callable[[str], str], show: Callable[[str], None]) -> None:
        self._game = game
        self._ask = ask
        self._show = show

    def run(self) -> None:
        """Play until the person leaves or the input ends."""
        self._show(HELP)
        while True:
            try:
                typed = self._ask(f"{' XO'[self._game.side]} to move: ").strip()
            except EOFError:
                return
            if typed in ("quit", "exit"):
                return
            if typed:
                self._obey(typed)

    def _obey(self, typed: str) -> None:
        match typed.split(maxsplit=1):
            case ["help" | "?"]:
                self._show(HELP)
            case ["new"]:
                self._game.reset()
            case ["swap"]:
                self._game.swap()
            case ["values"]:
                self._game.show_values()
            case ["history"]:
                self._game.show_history()
            case ["train", *count]:
                self._train(count[0] if count else str(SELFPLAY))
            case ["save", *name]:
                self._at_file(self._game.save, Path(*name) if name else FILE, "written")
            case ["load", *name]:
                self._at_file(self._game.load, Path(*name) if name else FILE, "read")
            case _:
                self._move(typed)

    def _move(self, typed: str) -> None:
        row, _, column = typed.replace(" ", ",").partition(",")
        if row not in ("0", "1", "2") or column not in ("0", "1", "2"):
            self._show(f"{typed!r}: unknown command: expected 'row,column' from 0,0 to 2,2, or 'help'.")
            return
        self._game(int(row), int(column))

    def _train(self, count: str) -> None:
        if not count.isdigit() or not 0 < int(count) <= MAX_TRAINING:
            self._show(f"train {count!r}: expected a number of games from 1 to {MAX_TRAINING:,}.")
            return
        self._game.selfplay(int(count))

    def _at_file(self, use: Callable[[Path], None], path: Path, done: str) -> None:
        try:
            use(path)
        except OSError as error:
            self._show(f"{path}: cannot be {done}: {error.strerror}.")
        except LearnerFileError as error:
            self._show(f"{path}: {error}.")
