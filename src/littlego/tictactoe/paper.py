"""The paper's learner: temporal differences on state values, two learners playing each other; and a person against it.

A learner values the boards that its own moves lead to. At its next move it takes the value of the board
that it then chooses, or the result if the game is over, and moves the value of its last board a share
alpha towards it. With probability epsilon it plays any move instead of the best one.

A person plays from Python or at a terminal, where it can be trained, saved and loaded.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from littlego.tictactoe.board import EMPTY, ONGOING, O, X
from littlego.tictactoe.codes import POWERS, RESULTS, Code, cells_of, code_of

WIN, LOSS = 1.0, -1.0
NO_MOVES_LEFT = -0.1
"""The value of a full board to the learner that is to move. To the one that filled it, it is 0."""

FORMAT = "littlego tic-tac-toe learner"
VERSION = 1

OPENINGS: dict[str, Code] = {f"{cell // 3},{cell % 3}": X * POWERS[cell] for cell in range(9)}
"""The nine first moves, by name."""


REPLIES: dict[str, Code] = {
    f"{first // 3},{first % 3} then {second // 3},{second % 3}": X * POWERS[first] + O * POWERS[second]
    for first, second in ((0, 1), (0, 2), (0, 4), (0, 8), (1, 0), (1, 4), (1, 8), (4, 8), (4, 5))
}
"""The paper's nine answers to a first move in a corner, on an edge or in the centre, by name."""


class LearnerFileError(Exception):
    """A file that is not a saved learner; the message says what was expected."""


@dataclass
class TemporalLearner:
    """One side's values, and the board after its last move in the current game."""

    side: int
    alpha: float = 0.2
    epsilon: float = 0.02
    values: dict[Code, float] = field(default_factory=dict)
    last: Code | None = None

    def value(self, code: Code) -> float:
        """The value of a board after this side's move; it starts at 1 for a won board and 0 for others."""
        known = self.values.get(code)
        if known is None:
            known = self.values[code] = WIN if RESULTS[code] == self.side else 0.0
        return known

    def start(self) -> None:
        self.last = None

    def choose(self, code: Code, rng: random.Random) -> int:
        """The cell to play: one of the best at random; any cell with probability epsilon."""
        cells = [cell for cell in range(9) if code // POWERS[cell] % 3 == EMPTY]
        values = [self.value(code + self.side * POWERS[cell]) for cell in cells]
        if rng.random() < self.epsilon:
            return rng.choice(cells)
        best = max(values)
        return rng.choice([cell for cell, value in zip(cells, values, strict=True) if value == best])

    def move(self, code: Code, rng: random.Random) -> Code:
        """The board after its move; updates the value of its last board."""
        after = code + self.side * POWERS[self.choose(code, rng)]
        self._learn(self.value(after))
        self.last = after
        return after

    def finish(self, code: Code) -> None:
        """Learn from a game that the opponent's move has ended."""
        self._learn(LOSS if RESULTS[code] == X + O - self.side else NO_MOVES_LEFT)

    def _learn(self, value: float) -> None:
        if self.last is not None:
            self.values[self.last] = (1 - self.alpha) * self.values[self.last] + self.alpha * value


@dataclass
class Pair:
    """Two learners that play each other, X first."""

    x: TemporalLearner
    o: TemporalLearner
    games: int = 0

    @classmethod
    def new(cls, *, alpha: float = 0.2, epsilon: float = 0.02) -> Pair:
        """Two untrained learners."""
        return cls(TemporalLearner(X, alpha, epsilon), TemporalLearner(O, alpha, epsilon))

    def play_game(self, rng: random.Random) -> int:
        """One game of self-play; its result: 0 a draw, 1 X won, 2 O won."""
        code: Code = 0
        mover, other = self.x, self.o
        mover.start()
        other.start()
        while True:
            code = mover.move(code, rng)
            if RESULTS[code] != ONGOING:
                other.finish(code)
                self.games += 1
                return RESULTS[code]
            mover, other = other, mover

    def train(self, games: int, rng: random.Random) -> list[int]:
        """Play games; how many were drawn, won by X and won by O."""
        counts = [0, 0, 0]
        for _ in range(games):
            counts[self.play_game(rng)] += 1
        return counts

    def to_json(self) -> str:
        sides = {
            name: {
                "alpha": learner.alpha,
                "epsilon": learner.epsilon,
                "values": {board_name(code): value for code, value in sorted(learner.values.items())},
            }
            for name, learner in (("x", self.x), ("o", self.o))
        }
        return json.dumps({"format": FORMAT, "version": VERSION, "games": self.games, **sides}, indent=1) + "\n"

    @classmethod
    def load(cls, path: Path) -> Pair:
        """Two saved learners. Raises OSError and LearnerFileError."""
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise LearnerFileError(f"not a saved learner: {error}") from error

    @classmethod
    def from_json(cls, text: str) -> Pair:
        """The inverse of `to_json`. Raises LearnerFileError."""
        try:
            data = json.loads(text)
            if data["format"] != FORMAT or data["version"] != VERSION:
                raise LearnerFileError(f"expected {FORMAT!r}, version {VERSION}")
            return cls(_learner(data["x"], X), _learner(data["o"], O), int(data["games"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LearnerFileError(f"not a saved learner: {type(error).__name__}: {error}") from error


def _learner(data: Any, side: int) -> TemporalLearner:
    values = {board_code(name): float(value) for name, value in data["values"].items()}
    return TemporalLearner(side, float(data["alpha"]), float(data["epsilon"]), values)


def board_name(code: Code) -> str:
    """A board as nine characters, row by row: `.`, `X` and `O`."""
    return "".join(".XO"[mark] for mark in cells_of(code))


def board_code(name: str) -> Code:
    """The board that nine characters name. Raises ValueError."""
    if len(name) != 9:
        raise ValueError(f"expected nine of . X O, got {name!r}")
    return code_of([".XO".index(mark) for mark in name])


FILE = Path("learn.dat")
"""The default file of a learner."""
SELFPLAY = 10_000
"""The default number of games of self-play."""


class Game:
    """One game after another against `learner`; `other` is its partner in self-play; the person plays with its mark.

    `games` is how many games the two have learned from; `show` displays text to the person. Rows and columns are
    counted from 0, as everywhere, or as the paper's program does from 1.
    """

    def __init__(
        self,
        learner: TemporalLearner | None = None,
        other: TemporalLearner | None = None,
        *,
        games: int = 0,
        seed: int | None = None,
        show: Callable[[str], None] = print,
        counted_from: int = 0,
    ) -> None:
        learner = learner or TemporalLearner(X + O - other.side if other else O)
        other = other or TemporalLearner(X + O - learner.side)
        if {learner.side, other.side} != {X, O}:
            raise ValueError("expected a learner that plays X (side 1) and one that plays O (side 2)")
        x, o = (learner, other) if learner.side == X else (other, learner)
        self.pair = Pair(x, o, games)
        self.side = other.side
        self.history: list[list[int]] = []
        """The cells of each game, 0 to 8, in the order they were marked; the last game is the current one."""
        self.code: Code = 0
        self.counted_from = counted_from
        self._rng = random.Random(seed)
        self._show = show
        self.reset()

    @property
    def learner(self) -> TemporalLearner:
        """The learner that the person plays."""
        return self.pair.o if self.side == X else self.pair.x

    def __call__(self, row: int, column: int) -> None:
        """Mark a cell; the learner answers, and when the game is over a new one begins."""
        row, column = row - self.counted_from, column - self.counted_from
        if not (0 <= row <= 2 and 0 <= column <= 2):
            self._show(f"Rows and columns go from {self.counted_from} to {self.counted_from + 2}.")
        elif cells_of(self.code)[3 * row + column] != EMPTY:
            self._show(f"{self._name(3 * row + column)} is taken.")
        else:
            self._mark(3 * row + column)

    def reset(self) -> None:
        """Abandon the current game and begin a new one."""
        self.code = 0
        self.pair.x.start()
        self.pair.o.start()
        if not self.history or self.history[-1]:
            self.history.append([])
        self._show(f"\nA new game: you are {' XO'[self.side]}.")
        if self.side == O:
            self._answer()
        self._draw()

    def swap(self) -> None:
        """Begin a new game with the other mark, against the other learner."""
        self.side = X + O - self.side
        self.reset()

    def selfplay(self, games: int = SELFPLAY) -> None:
        """Let the two learners play each other, then begin a new game."""
        draws, x_wins, o_wins = self.pair.train(games, self._rng)
        self._show(f"{games} games: X won {x_wins}, O won {o_wins}, {draws} drawn; {self.pair.games} in all.")
        self.reset()

    def save(self, path: Path | str = FILE) -> None:
        """Save what both have learned. Raises OSError."""
        Path(path).write_text(self.pair.to_json(), encoding="utf-8")
        self._show(f"Saved to {path}.")

    def load(self, path: Path | str = FILE) -> None:
        """Replace both learners by saved ones. Raises OSError and LearnerFileError."""
        self.pair = Pair.load(Path(path))
        self._show(f"Loaded {path}: {self.pair.games} games.")
        self.reset()

    def values(self) -> list[float | None]:
        """What each cell would be worth to the learner if the person marked it; None if it never met that board."""
        return [
            self._value(self.code + self.side * POWERS[cell]) if mark == EMPTY else None
            for cell, mark in enumerate(cells_of(self.code))
        ]

    def _value(self, code: Code) -> float | None:
        if RESULTS[code] != ONGOING:
            return LOSS if RESULTS[code] == self.side else NO_MOVES_LEFT
        learner = self.learner
        after = (code + learner.side * POWERS[cell] for cell, mark in enumerate(cells_of(code)) if mark == EMPTY)
        return max((learner.values[board] for board in after if board in learner.values), default=None)

    def show_values(self) -> None:
        """Show `values` on the board, from -1 (it loses) to +1 (it wins)."""
        texts = [
            "XO"[mark - 1] if mark else "?" if value is None else f"{value:+.2f}"
            for mark, value in zip(cells_of(self.code), self.values(), strict=True)
        ]
        self._show("\n".join("  " + "".join(f"{text:>8}" for text in texts[row : row + 3]) for row in (0, 3, 6)))

    def show_history(self) -> None:
        for number, cells in enumerate(self.history, start=1):
            self._show(f"{number:3}. {' '.join(map(self._name, cells))}".rstrip())

    def _mark(self, cell: int) -> None:
        self.history[-1].append(cell)
        self.code += self.side * POWERS[cell]
        if RESULTS[self.code] == ONGOING:
            self._answer()
        else:
            self.learner.finish(self.code)
        self._draw()
        if (result := RESULTS[self.code]) != ONGOING:
            self.pair.games += 1
            self._show("A draw." if not result else "You win." if result == self.side else "It wins.")
            self.reset()

    def _answer(self) -> None:
        """The learner's move: it learns and explores as it does in training."""
        before, self.code = self.code, self.learner.move(self.code, self._rng)
        self.history[-1].append(POWERS.index((self.code - before) // self.learner.side))

    def _draw(self) -> None:
        name, lines = board_name(self.code), range(self.counted_from, self.counted_from + 3)
        rows = (f"  {line} {' '.join(name[row : row + 3])}" for line, row in zip(lines, (0, 3, 6), strict=True))
        self._show("\n".join(["", f"    {' '.join(map(str, lines))}", *rows, ""]))

    def _name(self, cell: int) -> str:
        return f"{cell // 3 + self.counted_from},{cell % 3 + self.counted_from}"


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
