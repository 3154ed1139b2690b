"""Settings in TOML: tables whose every key is checked, and the rules of a game in one."""

from __future__ import annotations

import enum
import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from littlego.core.errors import FormatError, UsageError
from littlego.core.rules import DEFAULT_SIZE, Ending, Ko, Rules

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
        except (UsageError, ValueError) as error:
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


HALF_THE_SIZE: Final = "n/2"
ALL_POINTS_BUT_ONE: Final = "n*n-1"
_ENDINGS: Final = {"two passes": Ending.TWO_PASSES, "no move": Ending.NO_MOVE}
_MOST_MOVES: Final = 100_000
_MOST_KOMI: Final = 1000


@dataclass(frozen=True, slots=True)
class RulesTable:
    """Rules whose komi and length may follow the size of the board."""

    size: int = DEFAULT_SIZE
    """Unless another is asked for."""
    komi: float | None = None
    """None for half the size of the board."""
    length: int | None = None
    """Moves of a game; None for the points of the board but one."""
    ko: Ko = Ko.SIMPLE
    ending: Ending = Ending.TWO_PASSES
    attempts: int = 1

    def rules(self, edition: str, size: int | None = None) -> Rules:
        """The rules on a board of this size, or of the table's own. Raises UsageError."""
        if size not in (None, self.size) and not (self.komi is None and self.length is None):
            raise UsageError(
                f"edition {edition} has a komi or a length for {self.size}x{self.size} only: it cannot be played on "
                f"{size}x{size}"
            )
        size = size or self.size
        return Rules(
            size,
            size / 2 if self.komi is None else self.komi,
            size * size - 1 if self.length is None else self.length,
            self.ko,
            self.ending,
            self.attempts,
            edition,
        )

    @classmethod
    def of(cls, rules: Rules) -> RulesTable:
        """The table of rules that are played on their own size only."""
        return cls(rules.size, rules.komi, rules.max_moves, rules.ko, rules.ending, rules.attempts)


def parse_rules_table(table: TomlTable) -> RulesTable:
    """The inverse of `format_rules_table`. Raises FormatError."""
    ending, passing = table.take("ending", str, None), table.take("passing", bool, None)
    if ending is None:
        ending = "no move" if passing is False else "two passes"
    if ending not in _ENDINGS:
        raise table.error("ending", f"expected one of {', '.join(_ENDINGS)}, got {ending!r:.60}")
    if passing is not None and passing is not (_ENDINGS[ending] is Ending.TWO_PASSES):
        fitting = "two passes" if passing else "no move"
        raise table.error("passing", f"{'with' if passing else 'without'} passing, a game ends by {fitting!r}")
    found = RulesTable(
        table.take_number("size", 2, 19, DEFAULT_SIZE, whole=True),
        _number_or(table, "komi", HALF_THE_SIZE),
        _number_or(table, "length", ALL_POINTS_BUT_ONE, whole=True),
        table.take_word("ko", Ko, Ko.SIMPLE),
        _ENDINGS[ending],
        table.take_number("attempts", 1, 1000, 1, whole=True),
    )
    table.end()
    try:
        found.rules("checked")
    except UsageError as error:
        raise table.error("rules", str(error)) from error
    return found


def _number_or(table: TomlTable, key: str, formula: str, *, whole: bool = False) -> Any:
    """A number, or None for the formula, which is also the default."""
    value = table.take(key, (int, float, str), formula)
    if value == formula:
        return None
    if isinstance(value, str) or (whole and not isinstance(value, int)):
        kind = "a whole number" if whole else "a number"
        raise table.error(key, f"expected {kind} or {formula!r}, got {value!r:.60}")
    if whole and not 1 <= value <= _MOST_MOVES:
        raise table.error(key, f"expected 1 to {_MOST_MOVES}, got {f'{value}':.60}")
    if not whole and abs(value) > _MOST_KOMI:
        raise table.error(key, f"expected -{_MOST_KOMI} to {_MOST_KOMI}, got {f'{value}':.60}")
    return value if whole else float(value)


def format_rules_table(rules: RulesTable) -> list[str]:
    """Lines of TOML, with the heading."""
    ending = next(word for word, each in _ENDINGS.items() if each is rules.ending)
    return [
        "[rules]",
        f"size = {rules.size}",
        f"komi = {toml_text(HALF_THE_SIZE) if rules.komi is None else float(rules.komi)}",
        f"length = {toml_text(ALL_POINTS_BUT_ONE) if rules.length is None else rules.length}",
        f"ko = {toml_text(rules.ko.value)}",
        f"passing = {'true' if rules.ending is Ending.TWO_PASSES else 'false'}",
        f"ending = {toml_text(ending)}",
        f"attempts = {rules.attempts}",
    ]
