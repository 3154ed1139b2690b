"""Agents that are Python classes.

class:FILE:NAME    a class of 2019, with `get_input(go, piece_type)`: told from a program, and played in any match
object:FILE:NAME   a class with `choose(position)`, played in our own process: for courses that grade that way, and for
                   agents that one trusts. Nothing confines the code. CPU time is limited in the main thread of a
                   process, which is where games are played; other limits are not.
"""

from __future__ import annotations

import ast
import importlib.util
import operator
import os
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, ClassVar, Final, Self

from littlego.arena.building import (
    Interpreter,
    Program,
    Speaks,
    copy_agent,
    files_digest,
    find_python,
    lacking_modules,
    parse_source,
    parse_text,
    used_packages,
)
from littlego.arena.participants import Prepared, PreparedProgram
from littlego.arena.untrusted import read_plain
from littlego.core.errors import FormatError, PlayerFault, UsageError
from littlego.core.points import Move, Pass, parse_move
from littlego.core.position import Position
from littlego.core.rules import Verdict, Why
from littlego.course.starter import KIT, KIT_2019
from littlego.sandbox.client import MoveRequest, Supervisor, SupervisorFailed
from littlego.sandbox.limits import Limits
from littlego.storage.files import reading
from littlego.storage.scratch import temporary_directory

DEFAULT_CLASS: Final = "MyPlayer"
_DEFAULT_FILE: Final = "my_player.py"


@dataclass(frozen=True, slots=True)
class ClassInFile:
    """A class, with the files beside it."""

    path: Path
    class_name: str = DEFAULT_CLASS
    prefix: ClassVar[str] = ""
    """Begins its spelling."""

    @property
    def spelling(self) -> str:
        return f"{self.prefix}{self.path.absolute()}:{self.class_name}"

    @property
    def name(self) -> str:
        """The directory's name."""
        return self.path.absolute().parent.name

    def copy_files(self, folder: Path) -> None:
        copy_agent(self.path.parent, folder)

    def at(self, folder: Path) -> Self:
        return replace(self, path=folder / self.path.name)


def file_and_class(text: str) -> tuple[Path, str]:
    """The file, which may be given as its directory, and the class that the rest of a spelling names."""
    path, colon, class_name = text.rpartition(":")
    if not colon or not class_name.isidentifier() or Path(text).exists():
        path, class_name = text.removesuffix(":"), DEFAULT_CLASS
    return Path(path) / _DEFAULT_FILE if Path(path).is_dir() else Path(path), class_name


_FILES: Final = ("input.txt", "output.txt")
_HELPERS: Final = frozenset({"readInput", "readOutput", "writeOutput", "writePass", "writeNextInput"})
"""Functions of the course's starter files that read and write these."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_class_alone(text: str) -> bool:
    """Whether a Python file has the class `MyPlayer` with `get_input`, and plays no move through files when it is run.

    False for a file that is not Python.
    """
    try:
        tree = parse_text(text)
        return any(map(_is_player, tree.body)) and not _plays_through_files(tree)
    except SyntaxError:
        return False


def is_no_program(text: str) -> bool:
    """Whether a Python file plays no move through files when it is run. False for a file that is not Python."""
    try:
        return not _plays_through_files(parse_text(text))
    except SyntaxError:
        return False


def _is_player(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ClassDef) or node.name != "MyPlayer":
        return False
    # It may inherit `get_input`.
    return bool(node.bases) or any(isinstance(each, _Function) and each.name == "get_input" for each in node.body)


def _plays_through_files(tree: ast.Module) -> bool:
    """Whether running the file touches the protocol's files, directly or in functions that it calls."""
    functions: dict[str, list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            functions.setdefault(node.name, []).extend(node.body)
    waiting: list[ast.AST] = list(tree.body)
    seen: set[str] = set()
    while waiting:
        for node in _run_at_once([waiting.pop()]):
            if _is_of_the_protocol(node):
                return True
            name = _called(node)
            if name in functions and name not in seen:
                seen.add(name)
                waiting += functions[name]
    return False


def _run_at_once(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes executed with these: not the bodies of functions, which only a call executes, nor docstrings."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not isinstance(node, _Function | ast.Lambda):
            yield node
            waiting += ast.iter_child_nodes(node)


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _is_of_the_protocol(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.endswith(_FILES)
    return _called(node) in _HELPERS


DRIVER: Final = Path(__file__).with_name("class_driver.py")
"""The program that lets a class play through files, run in the class's directory."""
_GO_FILES: Final = {
    "2019": [KIT_2019 / "go.py"],
    "later": [KIT / name for name in ("host.py", "read.py", "write.py")],
}


@dataclass(frozen=True, slots=True)
class ClassAgent(ClassInFile):
    """`class:PATH` or `class:PATH:NAME`: a class in a Python file, which makes all moves of a game.

    It plays by the rules of the match: those of 2019 with `go.py`, later ones with `host.py`.
    """

    python: str | None = None
    edition: str = "2019"
    prefix: ClassVar[str] = "class:"

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:
        """Copies the class's files and the driver. Raises UsageError."""
        _check_class(self.path, self.class_name)
        copy_agent(self.path.parent, workshop)
        digest = files_digest(workshop)
        is_2019 = self.edition == "2019"
        _bring_driver(workshop, is_2019=is_2019)
        interpreter = find_python(self.python or "python3")
        program = Program(
            (str(interpreter.path), DRIVER.name, f"{self.path.stem}:{self.class_name}",
             "--go", "go" if is_2019 else "host"),
            workshop,
            interpreter.readable,
            language=f"{interpreter}, class {self.class_name}",
            speaks=Speaks.MOVES,
            digest=digest,
            made_with=interpreter.identity,
            packages=used_packages(workshop, interpreter),
            lacking=lacking_modules(workshop / self.path.name, interpreter),
            start_seconds=_start_seconds(interpreter, supervisor, is_2019=is_2019),
        )  # fmt: skip
        return PreparedProgram(program)

    def made_with(self) -> str:
        """The interpreter and the class; needs no build. Raises UsageError."""
        return f"{find_python(self.python or 'python3').identity} {self.path.stem}:{self.class_name}"


def _bring_driver(folder: Path, *, is_2019: bool) -> None:
    shutil.copy2(DRIVER, folder)
    for source in _GO_FILES["2019" if is_2019 else "later"]:
        shutil.copy2(source, folder / source.name)


_measured: dict[tuple[str, bool], float] = {}
_EMPTY: Final = "class MyPlayer:\n    def get_input(self, go, piece_type):\n        return 2, 2\n"
_FIRST_MOVE: Final = '{"size": 5, "komi": 2.5, "max_moves": 24, "moves": [], "piece_type": 1}'


def _start_seconds(interpreter: Interpreter, supervisor: Supervisor, *, is_2019: bool) -> float:
    """CPU time of a move of a class that does not think, which `go_play.py` would not spend: the least of some moves.

    0 if it cannot be measured, such as on a full disk: then all of a move is the agent's, as of a program.
    """
    key = (interpreter.identity, is_2019)
    if key not in _measured:
        with temporary_directory("littlego-start-") as folder:
            _bring_driver(folder, is_2019=is_2019)
            (folder / _DEFAULT_FILE).write_text(_EMPTY)
            argv = (str(interpreter.path), DRIVER.name, "--go", "go" if is_2019 else "host")
            request = MoveRequest(argv, folder, _FIRST_MOVE.encode(), Limits(), interpreter.readable)
            try:
                moves = [supervisor.run(request) for _ in range(_MOVES_MEASURED)]
            except SupervisorFailed:
                return 0.0
        if any(move.fault is not None for move in moves):
            return 0.0
        _measured[key] = min(move.cpu_seconds for move in moves)
    return _measured[key]


_MOVES_MEASURED: Final = 5


def parse_class_agent(text: str, *, python: str | None, edition: str) -> ClassAgent:
    """From the part after `class:`. Raises UsageError."""
    file, class_name = file_and_class(text)
    _check_class(file, class_name)
    return ClassAgent(file, class_name, python, edition)


def _check_class(path: Path, class_name: str) -> None:
    try:
        with reading(path):
            tree = parse_source(path)
    except SyntaxError as error:
        raise UsageError(f"{path}: not Python: {error}") from error
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if class_name not in classes:
        found = f"it has {', '.join(classes)}" if classes else "it has no class"
        raise UsageError(f"{path}: expected a class {class_name}: {found}; write class:{path}:NAME for another")


@dataclass(frozen=True, slots=True)
class ObjectAgent(ClassInFile):
    """A class in a Python file; each game has a new object of it."""

    prefix: ClassVar[str] = "object:"

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        """Copies the file's directory and imports the class once. Raises UsageError."""
        copy_agent(self.path.parent, workshop)
        prepared = PreparedObject(workshop / self.path.name, self.class_name, files_digest(workshop))
        prepared.made({})
        return prepared


@dataclass(frozen=True, slots=True)
class PreparedObject:
    """A class in our copy of its files."""

    path: Path
    class_name: str
    digest: str

    @contextmanager
    def seated(self, _seed: int, _supervisor: Supervisor, limits: Limits, /) -> Iterator[ObjectPlayer]:
        modules: dict[str, ModuleType] = {}
        yield ObjectPlayer(self.made(modules), self.path.parent, limits, modules)

    def identity(self) -> str:
        return f"{self.digest} {self.path.name}:{self.class_name}"

    def made(self, modules: dict[str, ModuleType]) -> Any:
        """A new object, from modules of its own, which are added to `modules`. Raises UsageError."""
        module_name = f"littlego_object_{self.digest[:16]}"
        spec = importlib.util.spec_from_file_location(module_name, self.path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        try:
            with _imports_of(self.path.parent, modules):
                spec.loader.exec_module(module)
                made = getattr(module, self.class_name)()
        except (Exception, SystemExit) as error:
            why = _blamed(error, self.path.parent)
            raise UsageError(f"{self.path.name}: {self.class_name} cannot be made: {why}") from error
        if not callable(getattr(made, "choose", None)):
            raise UsageError(f"{self.path.name}: {self.class_name} has no method choose(position)")
        return made


@dataclass(slots=True)
class ObjectPlayer:
    """An object that plays one game; whatever it raises is its own fault."""

    player: Any
    folder: Path
    limits: Limits
    modules: dict[str, ModuleType]
    """What it has imported of the files beside it."""
    cpu_seconds: list[float] = field(default_factory=list)

    def choose(self, position: Position) -> Move:
        """Raises PlayerFault."""
        most = self.limits.for_next_move(self.cpu_seconds).cpu_seconds
        began = time.thread_time()
        try:
            with _imports_of(self.folder, self.modules), _cut_off(most):
                answer = self.player.choose(position)
        except _TimeUp:
            raise PlayerFault(Verdict.CPU_TIME, _too_long(most)) from None
        except PlayerFault:
            raise
        except (Exception, SystemExit) as error:
            raise PlayerFault(Verdict.CRASH, _blamed(error, self.folder)) from error
        self.cpu_seconds.append(time.thread_time() - began)
        if self.cpu_seconds[-1] > most:
            raise PlayerFault(Verdict.CPU_TIME, _too_long(most))
        return _move(answer, position)


def _too_long(most: float) -> str:
    return f"it used more than {most:.3g} s of CPU time"


@contextmanager
def _imports_of(folder: Path, modules: dict[str, ModuleType]) -> Iterator[None]:
    """Lets code import the files beside it, but none of the same name that another agent has imported."""
    below = f"{folder}{os.sep}"
    sys.path.insert(0, str(folder))
    sys.modules.update(modules)
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__dict__", {}).get("__file__")).startswith(below):
                modules[name] = sys.modules.pop(name)


class _TimeUp(BaseException):
    """Not an Exception, so that a player that catches everything does not catch it."""


@contextmanager
def _cut_off(seconds: float) -> Iterator[None]:
    """Raises _TimeUp in the main thread after this much CPU time of this process.

    In another thread, and on Windows, it does nothing: what a move took is seen afterwards.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _move(answer: object, position: Position) -> Move:
    """A move as a point, as `(row, column)`, or as text. Raises PlayerFault."""
    if isinstance(answer, Pass):
        return answer
    if hasattr(answer, "__index__") and not isinstance(answer, bool):
        point = operator.index(answer)
        if 0 <= point < position.size**2:
            return point
        raise PlayerFault(Verdict.ILLEGAL_OFF_BOARD, f"{answer}: {Why.OFF_BOARD.value}")
    if isinstance(answer, tuple) and len(answer) == 2:
        answer = f"{answer[0]},{answer[1]}"
    try:
        return parse_move(str(answer), position.size)
    except FormatError as error:
        raise PlayerFault(Verdict.BAD_FORMAT, str(error)) from error


def _blamed(error: BaseException, folder: Path) -> str:
    """The last line of the player's own in a traceback, and the error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    where = f"{Path(own[-1].filename).name}, line {own[-1].lineno}: " if own else ""
    return f"{where}{type(error).__name__}: {error}"


def parse_object_agent(text: str) -> ObjectAgent:
    """From the part after `object:`. Raises UsageError."""
    file, class_name = file_and_class(text)
    with reading(file):
        read_plain(file)
    return ObjectAgent(file, class_name)
