"""Whole SGF files: every game of a collection, every variation, every property, kept as it was read.

`parse_collection` and `write_collection` undo each other; `formats.sgf` makes game records of such trees.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from littlego.core.errors import FormatError

_CHARSET: Final = re.compile(rb"\bCA\s*\[\s*([\w.:-]{1,30})\s*\]")
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
"""Byte order marks, which decide the encoding whatever the file names."""
_NOT_FOR_FILES: Final = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
"""Python codecs that are not encodings of text files."""
_NAME: Final = re.compile(r"[A-Za-z]{1,64}")
_SPACE: Final = re.compile(r"\s*")
_VALUE: Final = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.S)
_DEEPEST: Final = 10_000


@dataclass(slots=True, eq=False)
class SgfNode:
    """A node: its properties as in the file, and the nodes that may follow, the main line first."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    """Values are raw: brackets and backslashes are still escaped. `text` and `set_text` convert them."""
    children: list[SgfNode] = field(default_factory=list)
    line: int = 0
    """Where the node begins in the file; 0 for a node that was not read from one."""
    column: int = 0
    repeated: tuple[str, ...] = ()
    """Properties that the node has more than once in the file; their values are kept together."""

    def raw(self, name: str) -> str | None:
        """The first value of a property, as in the file."""
        values = self.properties.get(name)
        return values[0] if values else None

    def text(self, name: str) -> str | None:
        """The first value of a property as text, or None."""
        raw = self.raw(name)
        return None if raw is None else unescaped(raw)

    def line_of(self, name: str) -> str:
        """The first value of a property as one line of text; empty if there is none."""
        return re.sub(r"\s+", " ", self.text(name) or "").strip()

    def set_text(self, name: str, text: str) -> None:
        """Replace the values of a property by one text."""
        self.properties[name] = [escaped(text)]

    def main_line(self) -> Iterator[SgfNode]:
        """This node and its followers, without variations."""
        node = self
        while True:
            yield node
            if not node.children:
                return
            node = node.children[0]

    def nodes(self) -> Iterator[SgfNode]:
        """This node and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


def unescaped(raw: str) -> str:
    """The text of a raw value: a backslash at a line's end joins lines, elsewhere it escapes the next character."""
    return re.sub(r"\\(\r\n|\n\r|[\r\n]|.)", lambda match: "" if match[1][0] in "\r\n" else match[1], raw, flags=re.S)


def escaped(text: str) -> str:
    return re.sub(r"([\\\]])", r"\\\1", text)


def properties_text(properties: dict[str, list[str]]) -> str:
    return "".join(name + "".join(f"[{value}]" for value in values) for name, values in properties.items())


def is_sgf(data: bytes | str) -> bool:
    """Whether the content of a file begins as SGF does, after any byte order mark and white space."""
    if isinstance(data, str):
        return data.lstrip("\ufeff \t\r\n").startswith("(")
    for mark, _ in _MARKS:
        data = data.removeprefix(mark)
    return data.lstrip(b"\0 \t\r\n").startswith(b"(")


def decoded(data: bytes, *, source: str = "sgf") -> str:
    """The text of a file in the encoding it names, else in UTF-8, else in Latin-1. Raises FormatError."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _in(encoding, data, source)
    if match := _CHARSET.search(data[:4096]):
        return _in(match[1].decode(), data, source)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _in(encoding: str, data: bytes, source: str) -> str:
    try:
        if codecs.lookup(encoding).name in _NOT_FOR_FILES:
            raise LookupError
        return data.decode(encoding)
    except LookupError:
        raise FormatError(f"{source}: unknown encoding {encoding!r}") from None
    except UnicodeError as error:
        raise FormatError(f"{source}: not in the encoding it names, {encoding}: {error}") from error


def parse_collection(text: str, *, source: str = "sgf") -> list[SgfNode]:
    """The first node of every game in a file, at least one. Raises FormatError with line and column.

    Text before the first `(;` and between games is skipped: games were once sent by mail, with headers.
    """
    reader = _Reader(text, source)
    games = []
    while reader.find_game():
        games.append(reader.game())
    if not games:
        raise FormatError(f"{source}: no game found: expected SGF, which begins with '(;'")
    return games


def write_collection(games: list[SgfNode]) -> str:
    """The text of a file, with one line per node."""
    return "".join(_written(game) for game in games)


def _written(root: SgfNode) -> str:
    parts: list[str] = []
    # Still to write: a node that opens a variation or continues one, or None for the end of a variation.
    waiting: list[tuple[SgfNode, bool] | None] = [(root, True)]
    while waiting:
        item = waiting.pop()
        if item is None:
            parts.append(")\n")
            continue
        node, opens = item
        if opens:
            waiting.append(None)
        parts.append(f"{'(' if opens else ''};{properties_text(node.properties)}\n")
        branches = len(node.children) > 1
        waiting.extend((child, branches) for child in reversed(node.children))
    return "".join(parts)


class _Reader:
    """Reads a text in one pass, without recursion: untrusted files may nest variations deeply."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._at = 0
        self._line, self._line_start = 1, 0
        self._counted = 0

    def find_game(self) -> bool:
        """Go to the next `(;`; False if there is none."""
        match = re.compile(r"\(\s*;").search(self._text, self._at)
        if match is None:
            return False
        self._at = match.start()
        return True

    def game(self) -> SgfNode:
        first_line, _ = self._place(self._at)
        root: SgfNode | None = None
        last: SgfNode | None = None
        open_variations: list[SgfNode | None] = []
        while True:
            self._skip()
            char = self._text[self._at : self._at + 1]
            if char == "(":
                open_variations.append(last)
                if len(open_variations) > _DEEPEST:
                    raise self._error(f"variations are nested more than {_DEEPEST} deep")
                self._at += 1
                self._skip()
                if self._text[self._at : self._at + 1] != ";":
                    raise self._error("expected ';' after '('")
            elif char == ";":
                node = self._node()
                if last is not None:
                    last.children.append(node)
                root, last = root or node, node
            elif char == ")":
                self._at += 1
                last = open_variations.pop()
                if not open_variations:
                    assert root is not None
                    return root
            elif not char:
                raise self._error(f"the game that begins on line {first_line} does not end: expected ')'")
            else:
                raise self._error(f"expected ';', '(' or ')', got {char!r}")

    def _node(self) -> SgfNode:
        line, column = self._place(self._at)
        self._at += 1
        node = SgfNode(line=line, column=column)
        while True:
            self._skip()
            match = _NAME.match(self._text, self._at)
            if match is None:
                return node
            # Older files write names in full, such as Black: only the capitals count.
            name = re.sub("[a-z]", "", match[0]) or match[0].upper()
            self._at = match.end()
            if name in node.properties:
                node.repeated += (name,)
            node.properties.setdefault(name, []).extend(self._values(name))

    def _values(self, name: str) -> list[str]:
        values = []
        while True:
            self._skip()
            match = _VALUE.match(self._text, self._at)
            if match is None:
                break
            values.append(match[1])
            self._at = match.end()
        if self._text[self._at : self._at + 1] == "[":
            raise self._error(f"a value of {name} does not end: expected ']'")
        if not values:
            raise self._error(f"expected '[' and a value after {name}")
        return values

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _place(self, at: int) -> tuple[int, int]:
        """Line and column, from 1. Must be called with rising places, so that each line is counted once."""
        newlines = self._text.count("\n", self._counted, at)
        if newlines:
            self._line += newlines
            self._line_start = self._text.rfind("\n", 0, at) + 1
        self._counted = at
        return self._line, at - self._line_start + 1

    def _error(self, message: str) -> FormatError:
        line, column = self._place(self._at)
        return FormatError(f"{self._source}: line {line}, column {column}: {message}")
