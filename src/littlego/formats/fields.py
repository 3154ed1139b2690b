"""Values that others wrote, as TOML or as JSON: read by name and type, with messages that say where they are."""

from __future__ import annotations

import enum
import json
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, Final, Self, TypeVar

from littlego.core.errors import FormatError, UsageError

_REQUIRED: Final = object()
_Word = TypeVar("_Word", bound=enum.Enum)


def parse_json(text: object, source: str) -> Any:
    """The values of a JSON text. Raises FormatError, including for a value that is not text."""
    if not isinstance(text, str | bytes):
        raise FormatError(f"{source}: not JSON: expected text, got {text!r:.60}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{source}: not JSON: {error}") from error


class Fields:
    """A table whose values are taken by name and type; null is no value. Every method raises FormatError."""

    def __init__(self, data: object, source: str) -> None:
        if not isinstance(data, dict):
            raise FormatError(f"{source}: expected a table, got {data!r:.60}")
        self._left = {key: value for key, value in data.items() if value is not None}
        self.source = source
        """The file and the place in it, for messages."""

    @classmethod
    def of_toml(cls, text: str, source: str) -> Self:
        """The whole of a file's text."""
        try:
            return cls(tomllib.loads(text), source)
        except (ValueError, RecursionError) as error:  # a number too long to be read, brackets within brackets
            raise FormatError(f"{source}: not TOML: {error}") from error

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def take(
        self, key: str, kind: Any, default: Any = _REQUIRED, convert: Callable[[Any], Any] = lambda value: value
    ) -> Any:
        """A value of a kind; if it is missing, the default."""
        if key not in self._left:
            if default is _REQUIRED:
                raise self.error(key, "missing")
            return default
        value = self._left.pop(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(key, f"expected {_kind_name(kind)}, got {value!r:.60}")
        try:
            return convert(value)
        except (UsageError, ValueError) as error:
            raise self.error(key, str(error)) from error

    def take_word(self, key: str, words: type[_Word], default: Any = _REQUIRED) -> _Word:
        """The member of `words` whose value is written."""
        word = self.take(key, str, default if default is _REQUIRED else default.value)
        try:
            return words(word)
        except ValueError:
            expected = ", ".join(str(each.value) for each in words)
            raise self.error(key, f"expected one of {expected}, got {word!r:.60}") from None

    def take_number(self, key: str, low: float, high: float, default: Any = _REQUIRED, *, whole: bool = False) -> Any:
        """A number from `low` to `high`."""
        value = self.take(key, int if whole else (int, float), default)
        if value is not default and not low <= value <= high:
            raise self.error(key, f"expected {low:g} to {high:g}, got {f'{value}':.60}")
        return value

    def table(self, key: str) -> Self:
        """The table of a key; empty if it is missing."""
        return type(self)(self.take(key, dict, {}), f"{self.source}: {key}")

    def tables(self, key: str) -> Iterator[Self]:
        """Those of a list, counted from 1 in messages."""
        for number, row in enumerate(self.take(key, list, []), start=1):
            yield type(self)(row, f"{self.source}: [[{key}]] {number}")

    def numbers(self, key: str) -> list[float]:
        values = self.take(key, list)
        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            raise self.error(key, "expected numbers")
        return [float(value) for value in values]

    def error(self, key: str, problem: str) -> FormatError:
        return FormatError(f"{self.source}: {key}: {problem}")

    def end(self) -> None:
        """Refuses a key that was not taken."""
        if self._left:
            raise self.error(min(self._left), "unknown key; is it misspelled?")


def _kind_name(kind: Any) -> str:
    names: dict[Any, str] = {int: "a whole number", str: "text", list: "a list", dict: "a table", bool: "true or false"}
    return names.get(kind, "a number")
