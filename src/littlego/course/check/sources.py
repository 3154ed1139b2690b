"""What can be seen in an agent's files without running them: their kinds, their paths, their Python."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import Final

from littlego.arena.entrants.programs import MAIN_FILES, OURS
from littlego.arena.entrants.python_sources import (
    foreign_modules,
    imported_modules,
    parse_source,
    parse_text,
    read_source,
)
from littlego.arena.entrants.toolchain import Interpreter
from littlego.arena.entrants.trees import NotPlain
from littlego.course.check.finding import Finding, Status
from littlego.course.check.newer_python import newer_uses
from littlego.course.editions.find import EDITION_FILE
from littlego.course.missing_module import STARTER_FILES, what_helps
from littlego.formats.phrases import listed

ACCEPTED_SUFFIXES: Final = (".py", ".cpp", ".java", ".json", ".txt")
_SCRIPTS: Final = (".sh",)
"""The documents, 5.1: "or scripts are acceptable"."""
_HEADERS: Final = (".h", ".hpp", ".hh")
_BUILT: Final = (".class", ".o", ".pyc", ".exe")
_NOT_SUBMITTED: Final = OURS | {"init", EDITION_FILE}
_KINDS_RULE: Final = (
    '6: "Only submit the source code files (in .java, .py or .cpp) and helper files (if any, in .json or .txt)"'
)
_VERSION_RULE: Final = '6: "the highest version of Python that is offered is Python 3.7.5"'
_ABSOLUTE_PATH: Final = re.compile(r"""["'](/(?:home|Users|root|content|mnt|tmp|work|usr|var)/|[A-Za-z]:\\)""")


def accepted_files(folder: Path) -> Finding:
    """Fails what the documents exclude; what a build or a system leaves there is only to be left out."""
    excluded, headers, left_over = [], [], []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if not path.is_file() or path.suffix in (*ACCEPTED_SUFFIXES, *_SCRIPTS):
            continue
        if not _NOT_SUBMITTED.isdisjoint(relative.parts):
            continue
        if path.suffix in _HEADERS:
            headers.append(str(relative))
        elif path.suffix in _BUILT or path.name == "exe" or any(part.startswith(".") for part in relative.parts):
            left_over.append(str(relative))
        else:
            excluded.append(str(relative))
    if excluded:
        return Status.FAILED, f"the course does not accept {listed(excluded)} ({_KINDS_RULE})", None
    remarks = [f"{listed(headers)}: found by the build, though not named by the documents"] if headers else []
    remarks += [f"leave out {listed(left_over)}"] if left_over else []
    return (Status.REMARK, f"{'; '.join(remarks)} ({_KINDS_RULE})", None) if remarks else (Status.PASSED, "", None)


def no_absolute_paths(sources: list[Path]) -> Finding:
    for path in sources:
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            if found := _ABSOLUTE_PATH.search(line):
                where = f"{path.name}, line {number}"
                return Status.FAILED, f"{where}: {found[1]}... does not exist on other machines", None
    return Status.PASSED, "", None


def newest_python(sources: list[Path], interpreter: Interpreter, course: str | None = "3.7") -> Finding:
    """Whether Python files keep to the course's version, as far as they can be read; None takes any.

    A newer function may be in a branch that is never reached: it fails an agent that cannot be tried with the course's
    version here.
    """
    if course is None or not re.match(r"3\.\d", course):
        return Status.PASSED, "", None
    newest = _numbers(course)
    is_course = _numbers(interpreter.version) == newest
    rule = _VERSION_RULE if newest == (3, 7) else f"the edition has Python {course}"
    for path in sources:
        try:
            source = read_source(path)
            tree = parse_text(source, feature_version=newest)
        except NotPlain:
            continue  # too large to be parsed here; the interpreter itself has compiled it
        except SyntaxError as error:
            if b"\0" in source:
                return Status.FAILED, f"{path.name}: is no plain text: save it as UTF-8, not as UTF-16", None
            newer = f" ({rule})" if _is_python(source) else ""
            line = _line(path, error)
            where = path.name if line is None else f"{path.name}, line {line}"
            return Status.FAILED, f"{where}: {error.msg}{newer}", None
        if (line := _undecodable_line(source)) is not None:
            return Status.FAILED, f"{path.name}, line {line}: is not UTF-8, and no coding line says what it is", None
        uses = (use for use in newer_uses(tree, source) if _numbers(use.since) > newest)
        if (use := next(uses, None)) is not None:
            words = f"{path.name}, line {use.line}: {use.what} is new in Python {use.since} ({rule})"
            return Status.REMARK if is_course else Status.FAILED, words, None
    return Status.PASSED, f"nothing newer than Python {course} was seen", None


def _undecodable_line(source: bytes) -> int | None:
    """The first line, from 1, that is not written in the file's encoding. The parser reads over it in a comment."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError:  # the line is one of the first two, which name the encoding
        encoding = "utf-8"
    for number, line in enumerate(source.splitlines(), start=1):
        try:
            line.decode(encoding)
        except UnicodeDecodeError:
            return number
    return None


def _is_python(source: bytes) -> bool:
    """Whether our own, newer Python can parse it: otherwise an error has nothing to do with the version."""
    try:
        parse_text(source)
    except SyntaxError:
        return False
    return True


def _numbers(version: str) -> tuple[int, int]:
    """Of a version that begins with two numbers."""
    major, minor = re.findall(r"\d+", version)[:2]
    return int(major), int(minor)


def foreign_imports(sources: list[Path]) -> Finding | None:
    """Of the main file first: others may not be used."""
    for path in sorted(sources, key=lambda path: path.name not in MAIN_FILES):
        try:
            tree = parse_source(path)
        except (SyntaxError, NotPlain):
            continue
        foreign = imported_modules(tree) & foreign_modules(path.parent)
        if foreign == {"numpy"}:
            return Status.REMARK, f"{path.name} imports numpy, which the course was seen to have", None
        if forgotten := sorted(foreign & STARTER_FILES):
            return Status.REMARK, f"{path.name} imports {forgotten[0]}: {what_helps(forgotten[0])}", None
        if foreign:
            return Status.REMARK, f"{path.name} imports {listed(sorted(foreign))}, which the course may not have", None
    return None


def _line(path: Path, error: SyntaxError) -> int | None:
    """Where the fault is. Python names the end of a `match` statement that it considers too new."""
    if "match" in error.msg.lower():
        try:
            return min(node.lineno for node in ast.walk(parse_source(path)) if isinstance(node, ast.Match))
        except (SyntaxError, ValueError):  # no such statement
            pass
    return error.lineno
