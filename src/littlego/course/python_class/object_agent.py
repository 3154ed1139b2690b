"""`object:FILE` or `object:FILE:NAME`: a Python class with `choose(position)`, played in our own process.

For courses that grade that way, and for agents that one trusts: nothing confines the code. CPU time is limited in the
main thread of a process, which is where games are played; other limits are not.
"""

from __future__ import annotations

import importlib.util
import operator
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, ClassVar

from littlego.arena.building import copy_agent, files_digest
from littlego.arena.participants import Prepared
from littlego.arena.untrusted import read_plain
from littlego.core.errors import FormatError, PlayerFault, UsageError
from littlego.core.points import Move, Pass, parse_move
from littlego.core.position import Position
from littlego.core.rules import Verdict, Why
from littlego.course.python_class.agent import ClassInFile, file_and_class
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.storage.files import reading


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
