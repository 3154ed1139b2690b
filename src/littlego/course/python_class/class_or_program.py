"""Telling a 2019 class from a program that reads `input.txt` and writes `output.txt`.

Both may be called `my_player.py`, and both may have a class `MyPlayer`: later programs often keep it, and call it at
the end of the file. What counts is what the file does when it is run, not what it mentions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from littlego.arena.entrants.python_sources import parse_text

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
    except (SyntaxError, RecursionError):
        return False


def is_no_program(text: str) -> bool:
    """Whether a Python file plays no move through files when it is run. False for a file that is not Python."""
    try:
        return not _plays_through_files(parse_text(text))
    except (SyntaxError, RecursionError):
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
    for node in nodes:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_docstring or isinstance(node, _Function | ast.Lambda):
            continue
        yield node
        yield from _run_at_once(ast.iter_child_nodes(node))


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _is_of_the_protocol(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.endswith(_FILES)
    return _called(node) in _HELPERS
