"""The portable level in a browser: one move of a Python program, in the interpreter that the page runs (Pyodide).

A browser has no processes, so the program runs in this very one: with modules of its own, which are new at every move,
in its own directory. The browser is the sandbox. What would need more than Python's own cooperation, a program that
hangs outside of Python code, is ended by the page together with this interpreter: `Host` says when a move begins, and
gets the runs that were ended, to judge them when everything is played again.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from littlego.sandbox import SandboxError, portable
from littlego.sandbox.limits import Level
from littlego.sandbox.plan import Message, over_memory

_LACKS: Final = (
    ("can't start new thread", "it starts a thread"),
    ("does not support processes", "it starts another program"),
    ("[Errno 52] Function not implemented", "it starts another program"),
)
_SHORTEST_SLEEP: Final = 0.01


class NotHere(SandboxError):
    """A program needs what a browser does not have. Says nothing about the program."""


class Host(Protocol):
    """The page's side of a move."""

    factor: float
    """How many times slower this Python is than the one that the limits are meant for."""

    def began(self, run: str, seconds: float) -> str:
        """Called when a run begins that may take `seconds` here. Returns a fault if the page once had to end it."""
        ...

    def limit(self, seconds: float) -> None:
        """Raise KeyboardInterrupt in this interpreter after `seconds`; 0 for never."""
        ...

    def errors(self) -> str:
        """Called when a run is over: the end of what it has written to standard error."""
        ...


class BrowserPython:
    """This interpreter: its host, and what it is doing. The same work has the same runs with the same names."""

    host: Host

    def start(self, work: str) -> None:
        """Name what the next runs are for."""
        self._work, self._runs = work, 0

    def began(self, seconds: float) -> str:
        """Tell the host of another run; its fault if the page once had to end it."""
        self._runs += 1
        return self.host.began(f"{self._work} {self._runs}", seconds)


PYTHON: Final = BrowserPython()


class BrowserRunner:
    """Runs moves, one at a time."""

    def __init__(self) -> None:
        self.is_closed = False

    def answer(self, request: Message) -> Message:
        """Run one move. Raises NotHere."""
        return _Move(request).run()

    def close(self) -> None:
        self.is_closed = True


def greeting() -> Message:
    return {"level": Level.PORTABLE, "mechanisms": ["the browser's own sandbox"]}


class _Move(portable.Judged):
    def played(self) -> Message:
        host, limits, report = PYTHON.host, self.limits, self.report
        seconds = limits["cpu_seconds"] * host.factor
        if ended := PYTHON.began(seconds):
            report.stop(ended, self._too_slow() if ended == "cpu_time" else _DIED)
            report.wall_seconds = limits["cpu_seconds"]
            return self.reply()
        began = time.perf_counter()
        report.status, kind, error = self._ran(seconds)
        report.wall_seconds = wall = time.perf_counter() - began
        report.stderr = (host.errors() + error).encode()[-int(limits["stderr_bytes"]) :].decode("utf-8", "replace")
        _check_is_here(kind, error)
        report.cpu_seconds = wall / host.factor
        if kind is KeyboardInterrupt or wall > seconds:
            report.stop("cpu_time", self._too_slow())
        elif kind is MemoryError:
            report.stop("memory", over_memory(limits))
        return self.reply()

    def _too_slow(self) -> str:
        limit, factor = self.limits["cpu_seconds"], PYTHON.host.factor
        said = f"it used more than about {limit:g} s of CPU time"
        here = f"{limit * factor:.0f} s in this page, whose Python is {factor:.1f} times slower"
        return f"{said} ({here})" if factor > 1 else said

    def _ran(self, seconds: float) -> tuple[int, type[BaseException] | None, str]:
        """The exit status, the exception that ended the program, and what Python would print about it."""
        argv = self.request["argv"][1:]
        while argv[0] in ("-E", "-s"):
            argv = argv[1:]
        host = PYTHON.host
        try:
            with _fresh_interpreter(self.directory, argv):
                try:
                    host.limit(seconds)
                    _execute(argv, self.directory)
                finally:
                    host.limit(0)
        except SystemExit as ended:
            if ended.code is None or isinstance(ended.code, int):
                return (ended.code or 0) & 255, None, ""
            return 1, None, f"{ended.code}\n"
        except BaseException as error:  # whatever a program raises
            return 1, type(error), _traceback(error)
        return 0, None, ""


_DIED: Final = "it ended this page's Python, not only itself"


def _check_is_here(kind: type[BaseException] | None, error: str) -> None:
    """Raises NotHere if a program failed for want of something that only a browser lacks."""
    last = error.strip().rpartition("\n")[2]
    for words, what in _LACKS:
        if words in last:
            raise NotHere(f"{what}, which no program can do in a browser")
    if kind is ModuleNotFoundError:
        name = last.rpartition("'")[0].rpartition("'")[2].split(".")[0]
        if name.lstrip("_") in sys.stdlib_module_names or name in sys.stdlib_module_names:
            raise NotHere(f"it imports {name}, which the Python of a browser lacks")


def _execute(argv: list[str], directory: Path) -> None:
    """Run a file, or the code after `-c`, as the main program."""
    main = types.ModuleType("__main__")
    if argv[0] == "-c":
        code = compile(argv[1], "<string>", "exec")
    else:
        path = directory / argv[0]
        main.__dict__["__file__"] = str(path)
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    try:
        exec(code, main.__dict__)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()


def _traceback(error: BaseException) -> str:
    """As Python prints it: without the frames of this file, and once for a program that was interrupted repeatedly."""
    while isinstance(error, KeyboardInterrupt) and isinstance(error.__context__, KeyboardInterrupt):
        error = error.__context__
    frame = error.__traceback__
    while frame and frame.tb_frame.f_code.co_filename == __file__:
        frame = frame.tb_next
    with contextlib.suppress(Exception):
        return "".join(traceback.format_exception(type(error), error, frame))
    return f"{type(error).__name__}\n"


@contextlib.contextmanager
def _fresh_interpreter(directory: Path, argv: list[str]) -> Iterator[None]:
    """A program's own modules, arguments, directory and settings; everything is put back."""
    import builtins

    own = {path.stem for path in directory.iterdir()}
    hidden = own | {"littlego", "js", "pyodide", "pyodide_js"}
    modules, functions = dict(sys.modules), dict(vars(builtins))
    where, environment, limit = os.getcwd(), dict(os.environ), sys.getrecursionlimit()
    names = ("argv", "path", "meta_path", "stdout", "stderr", "stdin", "excepthook")
    kept = {name: getattr(sys, name) for name in names}
    for name in modules:
        if name.partition(".")[0] in hidden:
            del sys.modules[name]
    sys.argv = ["-c", *argv[2:]] if argv[0] == "-c" else [str(directory / argv[0]), *argv[1:]]
    sys.path = [str(directory), *(path for path in kept["path"] if "littlego" not in path)]
    sys.meta_path = [finder for finder in sys.meta_path if "pyodide" not in type(finder).__module__]
    importlib.invalidate_caches()
    os.environ |= {"HOME": str(directory), "TMPDIR": str(directory)}
    os.chdir(directory)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(sys, name, value)
        sys.settrace(None)
        sys.setprofile(None)
        sys.setrecursionlimit(limit)
        vars(builtins).update(functions)
        os.environ.clear()
        os.environ.update(environment)
        _forget_modules(modules, own)
        with contextlib.suppress(OSError):  # the program may have removed it
            os.chdir(where)


def _forget_modules(before: dict[str, types.ModuleType], own: set[str]) -> None:
    """Put the modules back that were there; of the others only the standard library's stay loaded."""
    main = sys.modules.get("__main__")
    for name in list(sys.modules):
        top = name.partition(".")[0]
        if name not in before and (top in own or top not in sys.stdlib_module_names):
            del sys.modules[name]
    sys.modules.update(before)
    if main is not None and main is not before.get("__main__"):
        vars(main).clear()  # closes the files that the program left open
    gc.collect()


def settle() -> None:
    """Make this interpreter ready for programs: what they must not end, and what need not be looked at again."""

    def end(status: int = 1) -> Any:
        raise SystemExit(status)

    def sleep(seconds: float, pause: Callable[[float], None] = time.sleep) -> None:
        """In short steps, between which it can be interrupted."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            pause(min(left, _SHORTEST_SLEEP))

    vars(os).update(_exit=end, abort=end)
    vars(time).update(sleep=sleep)
    gc.collect()
    gc.freeze()
