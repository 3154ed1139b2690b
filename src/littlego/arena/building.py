"""An agent's program: which file it is, what it imports, how it is built, and how it is started.

Interpreters and compilers are found once, behind the shims that make every start slow; sources are read without running
them.
"""

from __future__ import annotations

import ast
import codecs
import enum
import errno
import functools
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Final

from littlego.arena.untrusted import Bounds, NotPlain, copy_tree, plain_files, read_plain
from littlego.core.errors import LittleGoError, UsageError
from littlego.formats.text import listed
from littlego.sandbox.client import MoveRequest, Supervisor, SupervisorFailed
from littlego.sandbox.limits import GIB, IS_BROWSER, KIB, MIB, Fault, Limits
from littlego.storage.scratch import has_room, remove_tree


def command_words(spelling: str, command: str, *, example: str) -> list[str]:
    """The words of a command, with full paths for files, because it will run in another directory.

    A word without a slash is not a path, even if a file has that name here: `strong` in `--level strong`. The first
    word, the program, is left unchanged. Raises UsageError.
    """
    try:
        words = split_words(command)
    except ValueError as error:
        raise UsageError(f"{spelling}{command}: {error}") from error
    if not words:
        raise UsageError(f"{spelling} needs a command, such as {example}")
    return [words[0], *(str(Path(word).absolute()) if is_path(word) and Path(word).exists() else word
                        for word in words[1:])]  # fmt: skip


def is_path(word: str) -> bool:
    """Whether a word of a command names a file by its place, and not a program or an argument."""
    return "/" in word or os.sep in word


def split_words(command: str) -> list[str]:
    """The words of a command. Raises ValueError.

    A backslash is part of a path on Windows, and elsewhere keeps the next character as it is.
    """
    if sys.platform == "win32":
        return [word.strip("\"'") for word in shlex.split(command, posix=False)]
    return shlex.split(command)


def check_executable(program: Path) -> None:
    """Raises UsageError, which says what to do, for a program that the system will not start."""
    if not program.exists():
        raise UsageError(f"{program}: there is no such program")
    if program.is_dir():
        raise UsageError(f"{program}: a directory, not a program")
    if not os.access(program, os.X_OK):
        raise UsageError(
            f"{program}: not executable: run chmod +x, or name what runs it, such as cmd:'python3 {program}'"
        )


COURSE_VERSIONS: Final = {"my_player3.py": "3.7", "my_player.py": "2.7"}
"""The Python that the course runs each file with: its `python3` is at most 3.7.5, its `python` the older one."""
_SUBSTITUTES: Final = {"my_player3.py": ("python3",), "my_player.py": ("python2", "python", "python3")}
"""What runs them where the course's version is missing."""
_PARTS: Final = ("pyvenv.cfg", "bin", "lib", "lib32", "lib64", "lib-python", "lib_pypy", "share")
"""What a Python reads below its prefix."""
_TOOLS: Final = frozenset({"pip", "setuptools", "wheel", "distribute"})
_METADATA: Final = re.compile(r"([^-]+)-([^-]+)(?:-py[\d.]+)?\.(?:dist|egg)-info")

_ASK = """
import json, os, sys
packages = {}
for folder in sys.path:
    if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
        packages[folder] = sorted(name for name in os.listdir(folder) if name != "__pycache__")
base = getattr(sys, "base_prefix", sys.prefix)
library = set(sys.builtin_module_names)
for folder in sys.path:
    if os.path.isdir(folder) and folder not in packages:
        library.update(name.split(".")[0] for name in os.listdir(folder))
answer = [sys.executable, sys.version.split()[0], sys.prefix, base, [sys.version, packages], sorted(library)]
print(json.dumps(answer, sort_keys=True))
"""
_ASK_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that agents are run with."""

    path: Path
    """In a virtual environment the link there: only through it are the packages found."""
    version: str
    readable: tuple[Path, ...]
    """Its library, which an agent must be able to read."""
    digest: str = ""
    """Of its full version and of the names of installed packages, which contain their versions."""
    packages: tuple[str, ...] = ()
    """Installed packages with their versions, such as `numpy 1.21.6`, without installers."""
    modules: frozenset[str] = frozenset()
    """What can be imported from them."""
    library: frozenset[str] = frozenset()
    """The modules of its standard library, which differ from version to version."""

    @property
    def identity(self) -> str:
        """Changes when a program might run differently with it."""
        return f"{self} {self.path} {self.digest}"

    def __str__(self) -> str:
        return f"Python {self.version}"


class ToolMissing(UsageError):
    """A compiler or an interpreter is missing on this machine or does not answer, which is no fault of the agent's."""


class PythonMissing(ToolMissing):
    """There is no such interpreter on this machine."""


@functools.cache
def course_python(file: str, wanted: str | None = None) -> tuple[Interpreter, str]:
    """The interpreter for an agent's main file, and how it differs from the course's: a phrase, or empty.

    `wanted` as for `find_python`; by default the course's version, or what comes closest here. `3.11?` is the same for
    the version of another course. Raises UsageError.
    """
    optional = wanted is None or wanted.endswith("?")
    course = wanted[:-1] if wanted and optional else COURSE_VERSIONS[file]
    for name in (wanted,) if wanted and not optional else (course, *_SUBSTITUTES[file]):
        try:
            found = find_python(name)
        except PythonMissing as error:
            missing = error
            continue
        if found.version.startswith(f"{course}."):
            return found, ""
        return found, f"the course has {course}" + (", which was not found here" if optional else "")
    raise missing


@functools.cache
def find_python(wanted: str = "python3") -> Interpreter:
    """The interpreter of a command, a path or a version such as `3.7`. Raises UsageError.

    `3.7?` stands for that version if it is here, and else for `python3`.
    `python3` on the PATH may be a shell script that looks for the interpreter at every start, so the interpreter itself
    is asked for its path.
    """
    if wanted.endswith("?"):
        try:
            return find_python(wanted[:-1])
        except PythonMissing:
            wanted = "python3"
    if IS_BROWSER:
        return _browser_python(wanted)
    names = [f"python{wanted}"] if wanted[:1].isdigit() else [wanted]
    others = [*_pyenv_candidates(wanted), *_windows_candidates(wanted)]
    for candidate in [*filter(None, map(shutil.which, names)), *others]:
        if found := _asked(candidate):
            return found
    raise PythonMissing(f"no working Python called {wanted!r} was found: give a path, or a version such as 3.7")


def _browser_python(wanted: str) -> Interpreter:
    """The one that runs this: a browser has no other. Raises PythonMissing."""
    if wanted != "python3":
        raise PythonMissing(f"no Python {wanted!r} in a browser")
    version = sys.version.split()[0]
    return Interpreter(Path("/python3"), version, (), "pyodide", library=frozenset(sys.stdlib_module_names))


def _asked(command: str) -> Interpreter | None:
    # -E and -s: an agent gets neither our variables nor the packages of our home.
    answer = _output([str(Path(command).absolute()), "-E", "-s", "-c", _ASK])
    try:
        executable, version, prefix, base, installed, library = json.loads(answer or "")
    except ValueError:
        return None
    # In a virtual environment it is a link, which must not be resolved.
    path = Path(executable).parent.resolve() / Path(executable).name
    path = path if prefix != base else path.resolve()
    names = [name for folder in installed[1].values() for name in folder]
    found = {f"{match[1]} {match[2]}" for name in names if (match := _METADATA.fullmatch(name))}
    return Interpreter(
        path,
        version,
        _readable(path, Path(prefix), Path(base)),
        hashlib.sha256(json.dumps(installed, sort_keys=True).encode()).hexdigest()[:16],
        tuple(sorted(package for package in found if package.split()[0].lower() not in _TOOLS)),
        frozenset(name.split(".")[0] for name in names if not _METADATA.fullmatch(name)),
        frozenset(library),
    )


def _readable(path: Path, *prefixes: Path) -> tuple[Path, ...]:
    """What this interpreter reads, and no more: a prefix may be a folder with other things, such as a project's.

    Environments name their base through links, so every link on the way is there, too.
    """
    folders = {path.resolve().parent.parent, *prefixes, *(prefix.resolve() for prefix in prefixes)}
    parts = {folder / name for folder in folders for name in _PARTS}
    return tuple(sorted(part for part in {*parts, *_links(path), path.resolve()} if part.exists()))


def _links(path: Path) -> Iterator[Path]:
    """The path, and the targets of links that it leads through."""
    for _ in range(40):
        yield path
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def _output(command: list[str]) -> str | None:
    """A program's output; None if there is no such program, or it failed.

    Raises ToolMissing if it takes too long, and OSError for a failure of ours: neither means that it does not work.
    """
    with tempfile.TemporaryDirectory() as empty:  # an unknown directory may hold a module called sys or site
        try:
            done = subprocess.run(command, cwd=empty, capture_output=True, text=True, timeout=_ASK_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise ToolMissing(f"{command[0]}: did not report its version within {_ASK_SECONDS} s: try again") from error
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR):
                return None
            raise
    return None if done.returncode else done.stdout or done.stderr


def _pyenv_candidates(wanted: str) -> list[str]:
    """pyenv's interpreters of a version, newest first."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    version = wanted.removeprefix("python")
    if not version[:1].isdigit():
        return []
    try:
        found = list(root.glob(f"{version}*"))
    except PermissionError:  # another user's
        return []
    matching = [folder for folder in found if folder.name == version or folder.name[len(version)] == "."]
    # 3.9 before 3.13, and 3.14.0rc1 before 3.14.0
    matching.sort(key=lambda each: ([*map(int, re.findall(r"\d+", each.name))][:3], "rc" not in each.name))
    return [str(folder / "bin" / "python") for folder in reversed(matching)]


def _windows_candidates(wanted: str) -> list[str]:
    """What the launcher of python.org finds for a version; for `python3`, the Python that runs this."""
    if sys.platform != "win32":
        return []
    if wanted == "python3":
        return [sys.executable]
    found = _output(["py", f"-{wanted}", "-c", "import sys; print(sys.executable)"]) if wanted[:1].isdigit() else None
    return found.split("\n")[:1] if found else []


def is_python(program: str) -> bool:
    """Whether a program's name is that of an interpreter, such as `python3.12` or `python.exe`."""
    return bool(re.fullmatch(r"python[\d.]*?(\.exe)?", program))


@functools.cache
def find_tool(name: str) -> Path:
    """The real path of a compiler or of `java`. Raises ToolMissing if it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise ToolMissing(f"{name} is needed to build or run this agent and is not installed")
    return Path(found).resolve()


@functools.cache
def tool_identity(tool: Path) -> str:
    """A compiler's or a runtime's path and version: changes when it might work differently."""
    if is_python(tool.name):
        return find_python(str(tool)).identity
    version = _output([str(tool), "--version"]) or _output([str(tool), "-version"]) or ""
    return " ".join([str(tool), *version.splitlines()[:1]])


LARGEST: Final = 128 * KIB
"""Bytes of a file that is parsed, and of all files of a program. The parser is ours to wait for, and the time that it
takes for an f-string grows with the square of its length: a second for this much, a minute for a megabyte."""
_LONG_WORD: Final = re.compile(r"[^\x00-\x7f]{2000}")
"""Normalising a name takes the square of its combining marks in a row."""
_SLOW_CODECS: Final = frozenset({"idna", "punycode"})
"""Decoding takes the square of the length."""

_ONE_AT_A_TIME = threading.Lock()
"""Python 3.11 counts the depth of syntax trees for all threads together, and raises SystemError if two build one."""


def source_encoding(source: bytes) -> str:
    """What a file's coding line says, or UTF-8. Raises SyntaxError for what is none, or takes long to decode."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    try:
        b"".decode(encoding)
    except LookupError as error:
        raise SyntaxError(str(error)) from error
    if codecs.lookup(encoding).name in _SLOW_CODECS:
        raise SyntaxError(f"{encoding} is slow to decode")
    return encoding


def parse_source(source: bytes, *, feature_version: tuple[int, int] | None = None) -> ast.Module:
    """The syntax tree of an untrusted file, of which bytes that are not in its encoding are read over.

    Raises SyntaxError for anything that this Python cannot parse within some seconds.
    """
    if len(source) > LARGEST:
        raise SyntaxError("too large to be parsed here")
    text = source.decode(source_encoding(source), errors="replace")
    try:
        if _LONG_WORD.search(text):
            raise SyntaxError("too large to be parsed here")
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an agent's escape sequences
            return ast.parse(text, feature_version=feature_version)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from error


def imported_modules(tree: ast.Module, *, surely: bool = False) -> set[str]:
    """The top-level names of the modules that a file imports anywhere; `surely`, where no `try` catches their absence.

    Not recursive: the tree of a long `elif` chain is deeper than Python's stack.
    """
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module.split(".")[0]} if node.module and not node.level else set()
        elif surely and isinstance(node, ast.Try) and any(map(_catches_absence, node.handlers)):
            waiting += [*node.handlers, *node.orelse, *node.finalbody]
        else:
            waiting += ast.iter_child_nodes(node)
    return names


def _catches_absence(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = {getattr(each, "id", "") for each in ast.walk(handler.type)}
    return bool(caught & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a program: of Python the main file and those that it imports, directly or not."""

    files: dict[Path, bytes]
    """The main file first. What goes beyond `LARGEST` is left out."""
    is_whole: bool
    """Whether this Python has read and parsed all of them."""
    imported: dict[Path, set[str]]
    """The modules from outside that each file imports, of those that this Python can parse."""
    needed: set[str]
    """The modules from outside that the program cannot do without."""

    @property
    def wanted(self) -> set[str]:
        """The modules from outside that some file imports."""
        return set().union(*self.imported.values())

    def lacking(self, interpreter: Interpreter) -> tuple[str, ...]:
        """The modules that the program cannot do without, and that this interpreter does not have."""
        return tuple(sorted(self.needed - interpreter.modules - interpreter.library))

    def packages(self, interpreter: Interpreter) -> tuple[str, ...]:
        """What it imports of the interpreter's packages, with versions; all packages if a file could not be parsed."""
        if not self.is_whole:
            return interpreter.packages
        versions = {package.split()[0].lower(): package for package in interpreter.packages}
        return tuple(sorted(versions.get(module.lower(), module) for module in self.wanted & interpreter.modules))


def read_sources(main: Path) -> Sources:
    """What a program consists of and imports, found without running it.

    Other Python files beside it, such as a script for training, need not run; of other languages all are compiled.
    """
    own = {path.stem: path for path in main.parent.glob("*.py")}
    inside = own.keys() | {path.name for path in main.parent.iterdir() if path.is_dir()} | sys.stdlib_module_names
    waiting = [main, *(() if main.suffix == ".py" else sorted(main.parent.glob(f"[!.]*{main.suffix}")))]
    files: dict[Path, bytes] = {}
    imported: dict[Path, set[str]] = {}
    surely: dict[Path, set[str]] = {}
    seen, left = set(waiting), LARGEST
    for path in waiting:  # which grows
        try:
            files[path] = read_plain(path, most=left)
            left -= len(files[path])
            tree = parse_source(files[path])
        except (SyntaxError, NotPlain, OSError):
            continue
        imported[path], surely[path] = imported_modules(tree), imported_modules(tree, surely=True)
        found = {own[name] for name in imported[path] & own.keys()} - seen
        waiting += sorted(found)
        seen |= found
    is_whole = len(imported) == len(waiting)
    needed: set[str] = set()
    waiting, seen = [main], {main}
    for path in waiting:
        names = surely.get(path, set())
        needed |= names
        found = {own[name] for name in names & own.keys()} - seen
        waiting += found
        seen |= found
    return Sources(files, is_whole, {path: names - inside for path, names in imported.items()}, needed - inside)


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
_PACKAGE: Final = re.compile(rb"^[ \t]*package[ \t]+[\w.]+[ \t]*;", re.M)
_PACKAGE_BYTES: Final = 64 * KIB
"""A package line comes first in a file."""
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

_FULL: Final = re.compile(r"No space left on device|Disk quota exceeded")


class BuildFailed(UsageError):
    """An agent cannot be built because of its files; the message says why."""


class BuildInterrupted(LittleGoError):
    """A build failed because of an error on our side: try again. Not a UsageError, which may be the agent's fault."""


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
    start_seconds: float = 0.0
    """CPU time of each move that is ours and not the agent's: of a class, the start of its driver."""

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
        try:
            copy_tree(building, into, BUILT, leave_out=lambda relative: str(relative) == _INPUT)
        except NotPlain as error:
            raise BuildFailed(f"what the build left is not accepted: {error}") from error
        (into / _OUTPUT).unlink(missing_ok=True)
        for executable in into.glob(_EXECUTABLE):  # which a linker may not say where it may change no modes
            executable.chmod(0o755)
    except OSError as error:  # such as a full disk: not the agent's fault
        raise BuildInterrupted(f"{main}: cannot be copied and built: {error.strerror}: {error.filename}") from error
    finally:
        remove_tree(building)
    return replace(program, files=into, digest=digest, made_with=made_with)


def _built(main: Path, into: Path, supervisor: Supervisor, python: str | None, limits: Limits) -> Program:
    if main.suffix == ".py":
        return _built_python(main, into, supervisor, python, limits)
    if main.suffix == ".cpp":
        options = _cpp_options(main, into)
        _build((str(find_tool("g++")), *options, "-o", _EXECUTABLE), into, supervisor, limits)
        return Program((f"./{_EXECUTABLE}",), into, language="C++")
    if _PACKAGE.search(read_plain(main)[:_PACKAGE_BYTES]):
        raise BuildFailed(f"{main.name}: a package line makes 'java my_player' fail: remove it")
    javac, java = find_tool("javac"), find_tool("java")
    home = java.parent.parent
    # Otherwise javac runs the annotation processors and the plugins that an agent's files name.
    nothing = Path(tempfile.mkdtemp(prefix="no-plugins-", dir=into))
    nothing.chmod(0o755)
    options = ("-proc:none", "-processorpath", nothing.name)
    _build((str(javac), *options, main.name), into, supervisor, limits, readable=(home,))
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
        what = f"{main.name} was compiled with {interpreter}: {hint}"
        # A wrong name is the whole of it: first, so that no short form leaves it out.
        raise BuildFailed(f"{what}\n{error}" if is_old else f"{error}\n{what}") from error
    supplied = _supplied(into / main.name)
    sources = read_sources(into / main.name)
    missing = sorted(sources.wanted - interpreter.modules - interpreter.library)
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
        packages=sources.packages(interpreter),
        remarks=tuple(filter(None, (difference, supplied, lacking))),
        lacking=sources.lacking(interpreter),
    )


STARTER: Final = Path(__file__).parents[1] / "course" / "kits" / "program"
STARTER_FILES: Final = frozenset({"host", "read", "write"})
"""Modules that the course hands out. On its machine they are there for an agent that imports them and has none."""


def _supplied(main: Path) -> str:
    """Copy the starter files that an agent imports and does not have; a remark that names them, or nothing."""
    supplied = []
    while wanted := sorted(read_sources(main).wanted & STARTER_FILES):
        supplied += wanted
        for name in wanted:  # which import others
            shutil.copyfile(STARTER / f"{name}.py", main.with_name(f"{name}.py"))
    files = listed([f"{name}.py" for name in sorted(supplied)])
    return f"it imports the course's {files}, which it has not brought: ours were put beside it" if supplied else ""


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
        result = supervisor.run(MoveRequest(argv, into, b"", limits, readable))
    except SupervisorFailed as error:
        raise BuildInterrupted(f"{tool} was interrupted: {error}") from error
    if result.status == 0 and result.fault in (None, Fault.NO_OUTPUT):
        return
    if result.fault is Fault.CPU_TIME:
        raise BuildFailed(f"{tool} took more than {limits.cpu_seconds:g} s of CPU time, the limit for a build")
    if result.fault is Fault.WALL_TIME:  # on a busy machine it would have had more, or be interrupted
        used = f"having used only {result.cpu_seconds:.0f} s of CPU time"
        raise BuildFailed(f"{tool} timed out after {limits.wall_seconds:g} s, {used}")
    if result.fault is Fault.MEMORY:
        raise BuildFailed(f"{tool} exceeded a limit of builds: {result.message}")
    if result.fault is Fault.BAD_FORMAT:
        raise BuildFailed(f"what the build left is not accepted: {result.message}")
    if result.status is None:
        raise BuildInterrupted(f"{tool} could not be started: {result.message}: try the build again")
    # A message alone proves nothing: an `#error` can say anything. A full disk is believed if the disk is full.
    if _FULL.search(result.stderr) and not has_room(into, BUILD_LIMITS.file_bytes):
        raise BuildInterrupted(f"{tool} found no room on the disk: try the build again")
    raise BuildFailed(f"{tool} failed ({result.status}):\n{(result.stderr or result.message).strip()}")
