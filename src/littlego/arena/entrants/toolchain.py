"""Finding interpreters and compilers once, behind the shims that make every start slow."""

from __future__ import annotations

import errno
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError

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
    names = [f"python{wanted}"] if wanted[:1].isdigit() else [wanted]
    others = [*_pyenv_candidates(wanted), *_windows_candidates(wanted)]
    for candidate in [*filter(None, map(shutil.which, names)), *others]:
        if found := _asked(candidate):
            return found
    raise PythonMissing(f"no working Python called {wanted!r} was found: give a path, or a version such as 3.7")


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
    return [str(folder / "bin" / "python") for folder in sorted(matching, key=_version_order, reverse=True)]


def _windows_candidates(wanted: str) -> list[str]:
    """What the launcher of python.org finds for a version; for `python3`, the Python that runs this."""
    if sys.platform != "win32":
        return []
    if wanted == "python3":
        return [sys.executable]
    found = _output(["py", f"-{wanted}", "-c", "import sys; print(sys.executable)"]) if wanted[:1].isdigit() else None
    return found.split("\n")[:1] if found else []


def _version_order(folder: Path) -> tuple[list[int], str]:
    """Sorts 3.13 after 3.9, and a final version after `3.14.0rc1`."""
    release = re.match(r"[\d.]*", folder.name)
    numbers = [int(number) for number in re.findall(r"\d+", release[0] if release else "")]
    suffix = folder.name[len(release[0]) if release else 0 :]
    return numbers, "" if suffix else "final"


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
