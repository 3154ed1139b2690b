"""Tables of a TOML file, read key by key: an error names the file, the key and what was expected."""

from __future__ import annotations

import enum
import json
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from littlego.core.errors import FormatError, UsageError

_REQUIRED: Final = object()
_Word = TypeVar("_Word", bound=enum.Enum)


class TomlTable:
    """A TOML table whose keys are taken by name and type; keys that are left over are an error."""

    def __init__(self, data: object, source: str) -> None:
        if not isinstance(data, dict):
            raise FormatError(f"{source}: expected a table, got {data!r:.60}")
        self._left = dict(data)
        self.source = source
        """The file and the place in it, for messages."""

    @classmethod
    def read(cls, text: str, source: str) -> TomlTable:
        """The whole of a file's text. Raises FormatError."""
        try:
            return cls(tomllib.loads(text), source)
        except (ValueError, RecursionError) as error:  # a number too long to be read, brackets within brackets
            raise FormatError(f"{source}: not TOML: {error}") from error

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def take(
        self, key: str, kind: Any, default: Any = _REQUIRED, convert: Callable[[Any], Any] = lambda value: value
    ) -> Any:
        """The value of a key. Raises FormatError if it is missing without a default, or not of that kind."""
        if key not in self._left:
            if default is _REQUIRED:
                raise FormatError(f"{self.source}: {key}: missing")
            return default
        value = self._left.pop(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise FormatError(f"{self.source}: {key}: got {value!r:.60}, which is not {_kind_name(kind)}")
        try:
            return convert(value)
        except UsageError as error:
            raise FormatError(f"{self.source}: {key}: {error}") from error

    def take_word(self, key: str, words: type[_Word], default: Any = _REQUIRED) -> _Word:
        """The member of `words` whose value is written. Raises FormatError."""
        word = self.take(key, str, default if default is _REQUIRED else default.value)
        try:
            return words(word)
        except ValueError:
            expected = ", ".join(str(each.value) for each in words)
            raise FormatError(f"{self.source}: {key}: expected one of {expected}, got {word!r:.60}") from None

    def take_number(self, key: str, low: float, high: float, default: Any = _REQUIRED, *, whole: bool = False) -> Any:
        """A number from `low` to `high`. Raises FormatError."""
        value = self.take(key, int if whole else (int, float), default)
        if value is not default and not low <= value <= high:
            raise FormatError(f"{self.source}: {key}: expected {low:g} to {high:g}, got {f'{value}':.60}")
        return value

    def table(self, key: str) -> TomlTable:
        """The table of a key; empty if it is missing."""
        return TomlTable(self.take(key, dict, {}), f"{self.source}: [{key}]")

    def tables(self, key: str) -> Iterator[TomlTable]:
        """The tables of a key, counted from 1 in messages."""
        for number, row in enumerate(self.take(key, list, []), start=1):
            yield TomlTable(row, f"{self.source}: [[{key}]] {number}")

    def error(self, key: str, problem: str) -> FormatError:
        return FormatError(f"{self.source}: {key}: {problem}")

    def end(self) -> None:
        """Raises FormatError if a key was not taken."""
        if self._left:
            raise FormatError(f"{self.source}: {min(self._left)}: unknown key; is it misspelled?")


def toml_text(text: str) -> str:
    """A TOML basic string: as in JSON, but without pairs of surrogates, and with DEL escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _kind_name(kind: Any) -> str:
    names: dict[Any, str] = {int: "a whole number", str: "text", list: "a list", dict: "a table", bool: "true or false"}
    return names.get(kind, "a number")
