"""The rules of a game in TOML, as editions and tournaments have them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_SIZE, Ending, Ko, Rules
from littlego.formats.fields import Fields


def toml_text(text: str) -> str:
    """A TOML basic string: as in JSON, but without pairs of surrogates, and with DEL escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


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


def parse_rules_table(table: Fields) -> RulesTable:
    """The inverse of `format_rules_table`. Raises FormatError."""
    if (ending := table.take("ending", str, "two passes")) not in _ENDINGS:
        raise table.error("ending", f"expected one of {', '.join(_ENDINGS)}, got {ending!r:.60}")
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


def _number_or(table: Fields, key: str, formula: str, *, whole: bool = False) -> Any:
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
        f"ending = {toml_text(ending)}",
        f"attempts = {rules.attempts}",
    ]
