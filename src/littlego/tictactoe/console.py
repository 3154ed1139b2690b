"""A person plays the paper's learner at a terminal: plays, trains it on, saves and loads it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from littlego.tictactoe.board import ONGOING, O, X
from littlego.tictactoe.codes import POWERS, RESULTS, Code
from littlego.tictactoe.temporal import LearnerFileError, Pair, TemporalLearner, board_name

HELP = """\
  1,2          mark that cell: row, column, counted from 0 at the top left
  new          begin a new game        swap         begin one with the other mark
  train 1000   let it play itself      values       what it thinks of its next moves
  save FILE    keep what it learned    load FILE    take it up again
  help         show this               quit         leave"""

MAX_TRAINING = 10_000_000


class Console:
    """The conversation. `ask` returns a line or raises EOFError; `show` prints one."""

    def __init__(
        self,
        pair: Pair,
        *,
        ask: Callable[[str], str],
        show: Callable[[str], None],
        seed: int = 0,
        side: int = X,
        epsilon: float = 0.0,
    ) -> None:
        self.pair = pair
        self._ask = ask
        self._show = show
        self._rng = random.Random(seed)
        self._side = side
        self._epsilon = epsilon
        self._code: Code = 0

    def run(self) -> None:
        """Play until the person leaves or the input ends."""
        self._show(HELP)
        self._new_game()
        while True:
            try:
                typed = self._ask(f"{' XO'[self._side]} to move: ").strip()
            except EOFError:
                return
            if typed in ("quit", "exit"):
                return
            if typed:
                self._answer(typed)

    @property
    def _learner(self) -> TemporalLearner:
        return self.pair.o if self._side == X else self.pair.x

    def _answer(self, typed: str) -> None:
        match typed.split(maxsplit=1):
            case ["help" | "?"]:
                self._show(HELP)
            case ["new"]:
                self._new_game()
            case ["swap"]:
                self._side = X + O - self._side
                self._new_game()
            case ["values"]:
                self._show_values()
            case ["train", count]:
                self._train(count)
            case ["save", name]:
                self._save(Path(name))
            case ["load", name]:
                self._load(Path(name))
            case _:
                self._move(typed)

    def _new_game(self) -> None:
        self._code = 0
        self.pair.x.start()
        self.pair.o.start()
        self._show(f"\nA new game: you are {' XO'[self._side]}.")
        if self._side == O:
            self._reply()
        self._draw()

    def _move(self, typed: str) -> None:
        row, _, column = typed.replace(" ", ",").partition(",")
        if row not in ("0", "1", "2") or column not in ("0", "1", "2"):
            self._show(f"{typed!r} is no move and no command: expected 'row,column' from 0,0 to 2,2, or 'help'.")
            return
        cell = 3 * int(row) + int(column)
        if self._code // POWERS[cell] % 3:
            self._show(f"{row},{column} is taken.")
            return
        self._code += self._side * POWERS[cell]
        if RESULTS[self._code] != ONGOING:
            self._learner.finish(self._code)
            self._end()
            return
        self._reply()
        if RESULTS[self._code] != ONGOING:
            self._end()
            return
        self._draw()

    def _reply(self) -> None:
        """The learner's move, from which it learns as in training, exploring only as much as the person asked for."""
        learner = self._learner
        kept, learner.epsilon = learner.epsilon, self._epsilon
        self._code = learner.move(self._code, self._rng)
        learner.epsilon = kept

    def _end(self) -> None:
        self._draw()
        result = RESULTS[self._code]
        self._show("A draw." if not result else "You win." if result == self._side else "It wins.")
        self._new_game()

    def _draw(self) -> None:
        name = board_name(self._code)
        self._show(
            "\n".join(["", "    0 1 2", *(f"  {row} {' '.join(name[3 * row : 3 * row + 3])}" for row in range(3)), ""])
        )

    def _show_values(self) -> None:
        """As the learner sees the cells it could mark if it were to move here."""
        learner = self._learner
        for row in range(3):
            cells = []
            for cell in range(3 * row, 3 * row + 3):
                mark = self._code // POWERS[cell] % 3
                value = learner.values.get(self._code + learner.side * POWERS[cell])
                cells.append("XO"[mark - 1] if mark else "?" if value is None else f"{value:+.2f}")
            self._show("  " + "".join(f"{text:>8}" for text in cells))

    def _train(self, count: str) -> None:
        if not count.isdigit() or not 0 < int(count) <= MAX_TRAINING:
            self._show(f"train {count!r}: expected a number of games from 1 to {MAX_TRAINING:,}.")
            return
        draws, x_wins, o_wins = self.pair.train(int(count), self._rng)
        self._show(f"{count} games: X won {x_wins}, O won {o_wins}, {draws} drawn; {self.pair.games} in all.")
        self._new_game()

    def _save(self, path: Path) -> None:
        try:
            path.write_text(self.pair.to_json())
        except OSError as error:
            self._show(f"{path}: cannot be written: {error.strerror}.")
            return
        self._show(f"Saved to {path}.")

    def _load(self, path: Path) -> None:
        try:
            self.pair = Pair.from_json(path.read_text())
        except OSError as error:
            self._show(f"{path}: cannot be read: {error.strerror}.")
        except (LearnerFileError, UnicodeDecodeError) as error:
            self._show(f"{path}: {error}.")
        else:
            self._show(f"Loaded {path}: {self.pair.games} games.")
            self._new_game()
