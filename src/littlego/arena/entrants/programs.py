"""An agent's program: which file it is, how it is built, how it is started."""

from __future__ import annotations

import enum
import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Final

from littlego.arena.entrants.commands import check_executable, command_words, is_path
from littlego.arena.entrants.python_sources import lacking_modules, missing_modules, used_packages
from littlego.arena.entrants.toolchain import course_python, find_python, find_tool, is_python, tool_identity
from littlego.arena.entrants.trees import Bounds, NotPlain, copy_tree, plain_files, read_plain
from littlego.arena.referee.client import MoveRequest, MoveResult, Supervisor, SupervisorFailed
from littlego.arena.referee.limits import GIB, KIB, MIB, Limits
from littlego.core.errors import LittleGoError, UsageError
from littlego.core.verdict import Verdict
from littlego.formats.phrases import listed
from littlego.storage.removal import remove_tree
from littlego.storage.room import has_room

MAIN_FILES: Final = ("my_player.py", "my_player3.py", "my_player.cpp", "my_player.java", "my_player11.cpp")
"""In the order in which the course's `build.sh` looks for them."""

MATCHES: Final = "littlego-matches"
"""The default directory of matches; inside an agent's directory it is not part of the agent."""
GRADES: Final = "littlego-grades"
"""The same for gradings."""
CHECKS: Final = "littlego-checks"
"""The same for the capsules of checks."""
OURS: Final = frozenset({MATCHES, GRADES, CHECKS, "__pycache__", ".git"})

MAX_AGENT_BYTES: Final = 64 * MIB
MAX_AGENT_FILES: Final = 1000

BUILD_LIMITS: Final = Limits(cpu_seconds=120, wall_seconds=180, memory_bytes=2 * GIB, stderr_bytes=64 * KIB)
_EXECUTABLE: Final = "exe"
_JAVA_OPTIONS: Final = ("-proc:none",)
"""Otherwise javac would run the annotation processors that an agent's files name."""
_INPUT, _OUTPUT = "input.txt", "output.txt"
_SHOWN_PACKAGES: Final = 4
GIVEN: Final = Bounds(MAX_AGENT_FILES, MAX_AGENT_BYTES)
"""The most that an agent may consist of."""
BUILT: Final = Bounds(2 * MAX_AGENT_FILES, 4 * MAX_AGENT_BYTES)
"""The same with what a compiler wrote, and the drivers of a class."""
_COMPILE: Final = """
import sys
sys.path[:] = [path for path in sys.path if path]
import py_compile
import traceback
try:
    for helper in sys.argv[2:]:
        py_compile.compile(helper)
    compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec')
except Exception:
    sys.exit(''.join(traceback.format_exception_only(*sys.exc_info()[:2])))
"""
"""Compiles helpers once, instead of at every first move of a game, and the agent itself, to see whether it can be.

This runs none of the agent's code, not even a helper `py_compile.py` in the current directory.
"""

_TERMINATED: Final = re.compile(
    r"^\S+: (?:fatal error|internal compiler error): (.*?)(?: signal terminated| \(program)", re.M
)
"""A compiler driver's message about a program that was ended by a signal; it comes after the program's own output."""
_KILLED: Final = -9
"""The status of a process that SIGKILL ended."""
_FULL: Final = re.compile(r"No space left on device|Disk quota exceeded")


class BuildFailed(UsageError):
    """An agent cannot be built because of its files; the message says why."""


class BuildInterrupted(LittleGoError):
    """A build failed through no fault of the agent: try again. Not a UsageError, which may be the agent's fault."""


class Speaks(enum.Enum):
    """The content of `input.txt`."""

    BOARDS = "boards"
    """The course's colour and two boards."""
    MOVES = "moves"
    """All moves of the game as JSON, for a class of 2019."""


@dataclass(frozen=True, slots=True)
class Program:
    """An agent ready to be started: copy `files` for a game, run `argv` in the copy for every move."""

    argv: tuple[str, ...]
    files: Path | None
    """The directory to copy; None for a command."""
    readable: tuple[Path, ...] = ()
    language: str = ""
    """Such as `Python 3.7.16`."""
    speaks: Speaks = Speaks.BOARDS
    digest: str = ""
    """Of its files before the build, to see whether they changed."""
    made_with: str = ""
    """The compiler or interpreter with path, version, packages and options."""
    packages: tuple[str, ...] = ()
    """The packages that it uses, with their versions."""
    remarks: tuple[str, ...] = ()
    """How its interpreter differs from the course's, and what it lacks."""
    lacking: tuple[str, ...] = ()
    """Modules that it cannot do without, and that its interpreter does not have."""

    @property
    def runtime(self) -> str:
        """The language or interpreter that it runs with, for people: version, path, packages and remarks."""
        parts = [self.language]
        if self.language.startswith("Python"):
            parts += [self.argv[0], listed(self.packages, most=_SHOWN_PACKAGES) or "no packages used"]
        return "; ".join([*parts, *self.remarks])


def without_path(runtime: str) -> str:
    """What a program ran with, for people elsewhere, whom the path of this machine's interpreter does not help."""
    return "; ".join(part for part in runtime.split("; ") if not Path(part).is_absolute())


def main_file(path: Path) -> Path:
    """The main file of an agent, which is given as its directory or as that file. Raises UsageError."""
    if path.is_file():
        if path.name not in MAIN_FILES:
            raise UsageError(f"{path}: an agent's file is called {' or '.join(MAIN_FILES)}")
        return path
    if not path.is_dir():
        raise UsageError(f"{path}: there is no such file or directory")
    found = [path / name for name in MAIN_FILES if (path / name).is_file()]
    if not found:
        raise UsageError(f"{path}: no agent here: expected one of {', '.join(MAIN_FILES)}{_likely_name(path)}")
    return found[0]


def has_main_file(folder: Path) -> bool:
    """Whether an agent is in this very directory."""
    return any((folder / name).is_file() for name in MAIN_FILES)


def _likely_name(folder: Path) -> str:
    """The end of a sentence that names the file that was probably meant."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    sources = [path.name for path in files if path.suffix in (".py", ".cpp", ".java")]
    likely = [name for name in sources if re.fullmatch(r"(?i)my.?player.*", name)] or sources
    return f"; {likely[0]} is here: rename it" if len(likely) == 1 else ""


def build_program(
    path: Path, into: Path, supervisor: Supervisor, *, python: str | None = None, limits: Limits = BUILD_LIMITS
) -> Program:
    """Build a copy of an agent's files in the sandbox, and copy the plain files of the result to `into`.

    `python` is the interpreter for Python agents, instead of the one that the file name asks for. Raises UsageError for
    something that is not an agent, BuildFailed with the compiler's errors, and BuildInterrupted for a failure of ours.
    """
    main = main_file(path)
    building = into.with_name(f"{into.name}.building")
    try:
        copy_agent(main.parent, building)
        digest, made_with = files_digest(building), made_with_what(main, python)
        program = _built(main, building, supervisor, python, limits)
        _take_what_was_built(building, into)
    except OSError as error:  # such as a full disk: not the agent's fault
        raise BuildInterrupted(f"{main}: cannot be copied and built: {error.strerror}: {error.filename}") from error
    finally:
        remove_tree(building)
    return replace(program, files=into, digest=digest, made_with=made_with)


def _take_what_was_built(building: Path, into: Path) -> None:
    """Copy plain files from the directory of a build, which may contain anything. Raises BuildFailed."""
    try:
        copy_tree(building, into, BUILT, leave_out=lambda relative: str(relative) == _INPUT)
    except NotPlain as error:
        raise BuildFailed(f"what the build left is not accepted: {error}") from error
    (into / _OUTPUT).unlink(missing_ok=True)


def _built(main: Path, into: Path, supervisor: Supervisor, python: str | None, limits: Limits) -> Program:
    if main.suffix == ".py":
        return _built_python(main, into, supervisor, python, limits)
    if main.suffix == ".cpp":
        options = _cpp_options(main, into)
        _build((str(find_tool("g++")), *options, "-o", _EXECUTABLE), into, supervisor, limits)
        return Program((f"./{_EXECUTABLE}",), into, language="C++")
    if re.search(r"^\s*package\s+[\w.]+\s*;", read_plain(main).decode(errors="replace"), re.M):
        raise BuildFailed(f"{main.name}: a package line makes 'java my_player' fail: remove it")
    javac, java = find_tool("javac"), find_tool("java")
    home = java.parent.parent
    _build((str(javac), *_JAVA_OPTIONS, main.name), into, supervisor, limits, readable=(home,))
    return Program((str(java), "my_player"), into, (home,), language="Java")


def _built_python(main: Path, into: Path, supervisor: Supervisor, python: str | None, limits: Limits) -> Program:
    interpreter, difference = course_python(main.name, python)
    start = str(interpreter.path)
    helpers = sorted(path.name for path in into.glob("*.py") if path.name != main.name)
    # -E and -s ignore variables and the home directory; -c and not -m, which would run a module found here
    argv = (start, "-E", "-s", "-c", _COMPILE, main.name, *helpers)
    try:
        _build(argv, into, supervisor, limits, readable=interpreter.readable)
    except BuildFailed as error:
        is_old = interpreter.version.startswith("2.")
        hint = "call it my_player3.py if it is Python 3" if is_old else "--python names another"
        raise BuildFailed(f"{error}\n{main.name} was compiled with {interpreter}: {hint}") from error
    missing = missing_modules(into, interpreter)
    lacking = (
        f"it imports {listed(missing)}, which this Python does not have: --python names one that does, "
        "or add the file if it is the agent's own"
        if missing
        else ""
    )
    return Program(
        (start, main.name),
        into,
        interpreter.readable,
        language=str(interpreter),
        packages=used_packages(into, interpreter),
        remarks=tuple(filter(None, (difference, lacking))),
        lacking=lacking_modules(into / main.name, interpreter),
    )


def made_with_what(main: Path, python: str | None) -> str:
    """The `made_with` of the built program, without building it. Raises UsageError if a tool is not installed."""
    if main.suffix == ".py":
        return course_python(main.name, python)[0].identity
    if main.suffix == ".cpp":
        return " ".join([tool_identity(find_tool("g++")), *_cpp_options(main, main.parent)])
    return f"{tool_identity(find_tool('javac'))} {tool_identity(find_tool('java'))}"


def _cpp_options(main: Path, folder: Path) -> tuple[str, ...]:
    """As the course builds it: of every `.cpp` file at the top, except the main file of another agent."""
    parts = [path.name for path in folder.glob("[!.]*.cpp") if path.name not in MAIN_FILES]
    standard = ["-std=c++0x"] if "11" in main.name else []
    # A name such as -fplugin=x.cpp or @x.cpp would be an option.
    return (*standard, "-O2", main.name, *(f"./{name}" for name in sorted(parts)))


def command_program(command: str) -> Program:
    """A command that speaks the file protocol. Raises UsageError.

    It may read the directories of its program and of the files in its arguments, and nothing else.
    """
    words = command_words("cmd:", command, example="cmd:'./agent --strong'")
    readable: set[Path] = set()
    if is_python(words[0]):
        interpreter = find_python(words[0])
        program = interpreter.path
        readable |= set(interpreter.readable)
        if words[1:] and not is_path(words[1]) and Path(words[1]).is_file():
            raise UsageError(f"cmd:{command}: it runs in its own directory: write ./{words[1]} for the file here")
    else:
        program = find_tool(words[0]) if not is_path(words[0]) else Path(words[0]).absolute()
    check_executable(program)
    arguments = words[1:]
    readable |= {program.parent, *(Path(word).parent for word in arguments if Path(word).is_absolute())}
    argv = (str(program), *arguments)
    return Program(argv, None, tuple(sorted(readable)), language="command", made_with=_command_identity(argv))


def _command_identity(argv: tuple[str, ...]) -> str:
    """Changes with the program's path and the contents of the files that a command names."""
    digest = hashlib.sha256()
    for path in map(Path, argv):
        if path.is_absolute() and path.is_file():
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    program = Path(argv[0])
    made_with = tool_identity(program) if is_python(program.name) else str(program)
    return f"{made_with} {digest.hexdigest()[:16]}"


def copy_agent(source: Path, target: Path) -> None:
    """Copy an agent's files. Raises UsageError for anything but plain files, and for too many."""
    copy_tree(source, target, GIVEN, leave_out=_is_ours)


def _is_ours(relative: PurePath) -> bool:
    """Whether a file belongs to the protocol or to a build, and not to the agent."""
    return str(relative) in (_INPUT, _OUTPUT) or not OURS.isdisjoint(relative.parts)


def files_digest(folder: Path) -> str:
    """A short digest of the names and contents of all files below a directory. Raises UsageError like `copy_agent`."""
    digest = hashlib.sha256()
    for relative, file in plain_files(folder, BUILT):
        with open(file, "rb", closefd=False) as stream:
            content = stream.read()
        digest.update(f"{relative}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _build(
    argv: tuple[str, ...], into: Path, supervisor: Supervisor, limits: Limits, *, readable: tuple[Path, ...] = ()
) -> None:
    """Run a build step like a move that need not leave an output. Raises BuildFailed and BuildInterrupted."""
    tool = Path(argv[0]).name
    try:
        result = supervisor.run(MoveRequest(argv, into, b"", limits, readable, watch_children=True))
    except SupervisorFailed as error:
        raise BuildInterrupted(f"{tool} was interrupted: {error}") from error
    if result.status == 0 and result.verdict in (None, Verdict.NO_OUTPUT):
        return
    if ours := _interruption(result, into):
        raise BuildInterrupted(f"{tool} {ours}: try the build again")
    if result.verdict is Verdict.CPU_TIME:
        raise BuildFailed(f"{tool} took more than {limits.cpu_seconds:g} s of CPU time, the limit for a build")
    if result.verdict is Verdict.WALL_TIME:  # on a busy machine it would have had more, or be interrupted
        used = f"{result.cpu_seconds:.0f} s of CPU time in the {limits.wall_seconds:g} s that a build may take"
        raise BuildFailed(f"{tool} waited for something and did not end: it used {used}")
    if result.verdict is Verdict.MEMORY:
        raise BuildFailed(f"{tool} exceeded a limit of builds: {result.message}")
    if result.verdict is Verdict.BAD_FORMAT:
        raise BuildFailed(f"what the build left is not accepted: {result.message}")
    raise BuildFailed(f"{tool} failed ({result.status}):\n{(result.stderr or result.message).strip()}")


def _interruption(result: MoveResult, directory: Path) -> str:
    """What interrupted a compiler, if that was not the agent's fault; otherwise empty.

    A message alone proves nothing: an `#error` can say anything. A full disk is believed if the disk is full, and a
    killed compiler if none of the driver's programs ended with an error of its own.
    """
    if result.verdict in (Verdict.CPU_TIME, Verdict.WALL_TIME, Verdict.MEMORY):
        return ""
    if result.status is None:
        return f"could not be started: {result.message}"
    signals = _TERMINATED.findall(result.stderr) if result.child_failed is False else []
    if result.status == _KILLED or signals[-1:] == ["Killed"]:
        return "was killed from outside"
    full = result.status and _FULL.search(result.stderr) and not has_room(directory, BUILD_LIMITS.file_bytes)
    return "found no room on the disk" if full else ""
