"""What an agent's Python files import, read without running them."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from littlego.arena.entrants.toolchain import Interpreter
from littlego.arena.entrants.trees import NotPlain, read_plain

_LARGEST = 1 << 20
"""Larger files are tables, and parsing them takes a hundred times their size."""


def parsed_sources(folder: Path) -> Iterator[ast.Module]:
    """The Python files of a directory that this Python can parse, which leaves out most of Python 2."""
    for path in sorted(folder.glob("*.py")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of an agent's escape sequences
                tree = ast.parse(read_plain(path, most=_LARGEST))
        except (SyntaxError, ValueError, RecursionError, MemoryError, NotPlain, OSError):
            continue
        yield tree


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
    """The modules imported in a directory that are neither there nor in the standard library."""
    own = {path.name.split(".")[0] for path in folder.iterdir()}
    imported = {name for tree in parsed_sources(folder) for name in imported_modules(tree)}
    return imported - own - set(sys.stdlib_module_names)


def missing_modules(folder: Path, interpreter: Interpreter) -> list[str]:
    """The imported modules that this interpreter does not have."""
    return sorted(foreign_modules(folder) - interpreter.modules)


def used_packages(folder: Path, interpreter: Interpreter) -> tuple[str, ...]:
    """What the files import of the interpreter's packages, with versions; all packages if a file cannot be parsed."""
    if len(list(parsed_sources(folder))) < len(list(folder.glob("*.py"))):
        return interpreter.packages
    versions = {package.split()[0].lower(): package for package in interpreter.packages}
    used = foreign_modules(folder) & interpreter.modules
    return tuple(sorted(versions.get(module.lower(), module) for module in used))
