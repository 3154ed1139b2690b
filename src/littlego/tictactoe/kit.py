"""The teaching example as the course hands it out, and a user's own `QLearner.py` in it.

The files of the kit do not need this package. They are its own modules with their imports renamed and their types
removed (the course's Python is 3.6), so that each has one source."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from littlego.tictactoe import board, match, perfect_player, random_player, smart_player

if TYPE_CHECKING:
    from littlego.tictactoe.learner import SolvedCheck

FILES = {
    "Board.py": "board.py",
    "RandomPlayer.py": "random_player.py",
    "SmartPlayer.py": "smart_player.py",
    "PerfectPlayer.py": "perfect_player.py",
    "QLearner.py": "q_learner.py",
    "TicTacToe.py": "match.py",
    "README.txt": "kit_readme.txt",
}
"""Each file of the kit, and its source in this package."""

_COURSE_NAME = {Path(module).stem: Path(name).stem for name, module in FILES.items()}


def kit_files() -> dict[str, str]:
    """The text of every file of the kit, by name."""
    texts = {name: files("littlego.tictactoe").joinpath(source).read_text() for name, source in FILES.items()}
    return {name: _for_course(text) if name.endswith(".py") else text for name, text in texts.items()}


def write_tictactoe_kit(directory: Path, *, force: bool = False) -> list[Path]:
    """Write the kit into a directory, which is created if necessary; returns the files written.

    Raises FileExistsError, before writing anything, if one of them exists; `force` overwrites
    all but `QLearner.py`, which is the user's own.
    """
    there = [directory / name for name in FILES if (directory / name).exists()]
    if there and not force:
        raise FileExistsError(f"{there[0]} already exists")
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in kit_files().items():
        path = directory / name
        if name == "QLearner.py" and path in there:
            continue
        path.write_text(text)
        written.append(path)
    return written


def _for_course(text: str) -> str:
    """A program for Python 3.6: imports by the course's names, no types, no comments for our linter."""
    text = _without_types(text)
    text = re.sub(
        r"from littlego\.tictactoe\.(\w+) import",
        lambda match: f"from {_COURSE_NAME[match[1]]} import",
        text,
    )
    return re.sub(r"  # noqa:.*", "", text)


def _without_types(text: str) -> str:
    """A program without annotations and their imports: Python 3.6 cannot defer their evaluation."""
    lines = text.splitlines(keepends=True)
    for start, end in sorted(_annotations(ast.parse(text)), reverse=True):
        head, tail = lines[start[0] - 1][: start[1]], lines[end[0] - 1][end[1] :]
        lines[start[0] - 1 : end[0]] = [head.removesuffix(" -> ") + tail]
    text = re.sub(r"^from (__future__|collections\.abc|typing) import .*\n", "", "".join(lines), flags=re.MULTILINE)
    return re.sub(r"\n{3,}(?=from |import |try:)", "\n\n", text)


def _annotations(tree: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where each annotation begins (after the name, or at the returned type) and ends: line and column."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as type_):
                start = (node.lineno, node.col_offset + len(node.arg))
            case ast.AnnAssign(annotation=type_, target=target):
                start = (target.end_lineno or 0, target.end_col_offset or 0)
            case ast.FunctionDef(returns=ast.expr() as type_):
                start = (type_.lineno, type_.col_offset)
            case _:
                continue
        yield start, (type_.end_lineno or 0, type_.end_col_offset or 0)


COURSE_MODULES: dict[str, ModuleType] = {
    "Board": board,
    "RandomPlayer": random_player,
    "SmartPlayer": smart_player,
    "PerfectPlayer": perfect_player,
}
"""The modules that a learner may import by the course's names."""


class LearnerError(Exception):
    """A user's learner that cannot be used; the message says what it did and what was expected."""


class UserLearner:
    """A user's learner. Errors in its code are raised as LearnerError, which names the file."""

    name = "QLearner"

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._blamed("loading it"):
            self._learner: Any = _loaded(path).QLearner()
        for method in ("set_side", "move", "learn"):
            if not callable(getattr(self._learner, method, None)):
                raise LearnerError(f"{path}: QLearner has no method {method!r}; expected set_side, move and learn")

    @property
    def game_num(self) -> int:
        """Its GAME_NUM. Raises LearnerError if that is not a count of games."""
        number = getattr(self._learner, "GAME_NUM", None)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise LearnerError(f"{self._path}: GAME_NUM: expected a number of games such as 100000, got {number!r}")
        return number

    def set_side(self, side: int) -> None:
        with self._blamed("set_side"):
            self._learner.set_side(side)

    def move(self, on: board.Board) -> None:
        before = on.cells()
        with self._blamed("move"):
            self._learner.move(on)
        if on.cells() == before:
            raise LearnerError(
                f"{self._path}: QLearner.move(board) made no move; it must call board.move(row, col, side)"
            )

    def learn(self, on: board.Board) -> None:
        with self._blamed("learn"):
            self._learner.learn(on)

    def train(self, games: int, seed: int, progress: Callable[[], None]) -> None:
        """Train it as the course does, GAME_NUM being `games`."""
        self._learner.GAME_NUM = games
        with self._foul_play():
            match.train(self, games, seed, progress)

    def meet_all(self, games: int, seed: int, show: Callable[[str], None]) -> dict[str, float]:
        """Play every opponent; returns what `match.contest` returns."""
        with self._foul_play():
            return match.contest(self, games, seed, show)

    def check(self) -> tuple[SolvedCheck, ...]:
        """Compare it with the solved game, as both sides. It is asked in positions out of order: call this last."""
        from littlego.tictactoe.learner import check

        return tuple(check(self._cell, side) for side in (board.X, board.O))

    def _cell(self, cells: Sequence[int]) -> int:
        side = perfect_player.to_move(cells)
        on = board.Board([cells[:3], cells[3:6], cells[6:]])
        self.set_side(side)
        with self._foul_play():
            return match.moved(self, on, side)

    @contextmanager
    def _foul_play(self) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            raise LearnerError(f"{self._path}: {error}") from error

    @contextmanager
    def _blamed(self, doing: str) -> Iterator[None]:
        with _course_names(self._path.parent):
            try:
                yield
            except (LearnerError, KeyboardInterrupt):
                raise
            except (Exception, SystemExit) as error:
                raise LearnerError(
                    f"{self._path}: {doing} failed{_line_of(error, self._path)}: {type(error).__name__}: {error}"
                ) from error


def _loaded(path: Path) -> ModuleType:
    if not path.is_file():
        raise LearnerError(f"{path}: no such file; expected a Python file with a class QLearner")
    spec = importlib.util.spec_from_file_location("QLearner", path)
    if spec is None or spec.loader is None:
        raise LearnerError(f"{path}: not a Python file; expected one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, "QLearner"):
        raise LearnerError(f"{path}: no class QLearner")
    return module


def _line_of(error: BaseException, path: Path) -> str:
    """Where in the user's file an error occurred, as ` at line N`; empty if it was elsewhere."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f" at line {error.lineno}"
    at, trace = "", error.__traceback__
    while trace:
        if Path(trace.tb_frame.f_code.co_filename) == path:
            at = f" at line {trace.tb_lineno}"
        trace = trace.tb_next
    return at


@contextmanager
def _course_names(directory: Path) -> Iterator[None]:
    """Within it, the course's names import our modules, and the learner's directory is on the search path."""
    shadowed = {name: sys.modules.get(name) for name in COURSE_MODULES}
    sys.modules.update(COURSE_MODULES)
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        sys.path.remove(str(directory))
        for name, module in shadowed.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
