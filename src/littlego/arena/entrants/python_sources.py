"""What an agent's Python files import, read without running them."""

from __future__ import annotations

import ast
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from littlego.arena.entrants.toolchain import Interpreter
from littlego.arena.entrants.trees import NotPlain, read_plain

_LARGEST = 256 << 10
"""Bytes of a file, and of all files of an agent. The parser is ours to wait for, and the time that it takes for an
f-string grows with the square of its length: seconds for this much, minutes for a megabyte."""

_ONE_AT_A_TIME = threading.Lock()
"""Python 3.11 counts the depth of syntax trees for all threads together, and raises SystemError if two build one."""


def parse_source(path: Path) -> ast.Module:
    """The syntax tree of an untrusted file.

    Raises SyntaxError for anything that this Python cannot parse, NotPlain for a large file, and OSError.
    """
    return parse_text(read_source(path))


def read_source(path: Path) -> bytes:
    """An untrusted file, to be parsed. Raises NotPlain for a large one, and OSError."""
    return read_plain(path, most=_LARGEST)


def parse_text(source: bytes | str, *, feature_version: tuple[int, int] | None = None) -> ast.Module:
    """As `parse_source`, for what has been read already."""
    if len(source) > _LARGEST:
        raise SyntaxError("too large to be parsed here")
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an agent's escape sequences
            return ast.parse(source, feature_version=feature_version)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from error


def parsed_sources(folder: Path) -> Iterator[ast.Module]:
    """The Python files of a directory that this Python can parse, which leaves out most of Python 2."""
    left = _LARGEST
    for path in sorted(folder.glob("*.py")):
        try:
            left -= path.lstat().st_size
            if left >= 0:
                yield parse_source(path)
        except (SyntaxError, NotPlain, OSError):
            continue


def imported_modules(tree: ast.AST) -> set[str]:
    """The top-level names of the modules that a file imports anywhere."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def foreign_modules(folder: Path) -> set[str]:
    """The modules imported in a directory that are neither there nor in the standard library of our own Python."""
    own = {path.name.split(".")[0] for path in folder.iterdir()}
    imported = {name for tree in parsed_sources(folder) for name in imported_modules(tree)}
    return imported - own - set(sys.stdlib_module_names)


def missing_modules(folder: Path, interpreter: Interpreter) -> list[str]:
    """The imported modules that this interpreter does not have."""
    return sorted(foreign_modules(folder) - interpreter.modules - interpreter.library)


def needed_modules(main: Path) -> set[str]:
    """The modules from outside that a program cannot do without, as far as its imports tell.

    Those of its main file and of its own files that these import, except in a `try` that catches their absence. Other
    files beside them, such as a script for training, need not run.
    """
    own = {path.stem: path for path in main.parent.glob("*.py")}
    packages = {path.name for path in main.parent.iterdir() if path.is_dir()}
    needed: set[str] = set()
    waiting, seen = [main], {main}
    while waiting:
        try:
            names = _imported_surely(parse_source(waiting.pop()).body)
        except (SyntaxError, NotPlain, OSError):
            continue
        found = {own[name] for name in names if name in own} - seen
        waiting += found
        seen |= found
        needed |= names - own.keys() - packages
    return needed - set(sys.stdlib_module_names)


def lacking_modules(main: Path, interpreter: Interpreter) -> tuple[str, ...]:
    """The modules that a program cannot do without, and that this interpreter does not have."""
    return tuple(sorted(needed_modules(main) - interpreter.modules - interpreter.library))


def _imported_surely(body: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= imported_modules(node)
        elif isinstance(node, ast.Try) and any(_catches_absence(handler) for handler in node.handlers):
            others = [*node.handlers, *node.orelse, *node.finalbody]
            names |= _imported_surely(child for each in others for child in ast.iter_child_nodes(each))
        else:
            names |= _imported_surely(ast.iter_child_nodes(node))
    return names


def _catches_absence(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = {getattr(each, "id", "") for each in ast.walk(handler.type)}
    return bool(caught & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def used_packages(folder: Path, interpreter: Interpreter) -> tuple[str, ...]:
    """What the files import of the interpreter's packages, with versions; all packages if a file cannot be parsed."""
    if len(list(parsed_sources(folder))) < len(list(folder.glob("*.py"))):
        return interpreter.packages
    versions = {package.split()[0].lower(): package for package in interpreter.packages}
    used = foreign_modules(folder) & interpreter.modules
    return tuple(sorted(versions.get(module.lower(), module) for module in used))
