"""Queries in the format of KataGo's analysis engine, read into positions of Little-Go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from littlego.core.board import Board
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION, EDITIONS, edition_rules
from littlego.core.vertex import parse_vertex
from littlego.formats.course import fewest_moves

_T = TypeVar("_T")

_LETTERS: Final = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_READ: Final = frozenset(
    {
        "id", "moves", "initialStones", "initialPlayer", "rules", "komi", "boardXSize", "boardYSize", "analyzeTurns",
        "maxTime", "maxMoves", "overrideSettings",
    }
)  # fmt: skip
_MOST_MOVES: Final = 400
_OF_OTHERS: Final = frozenset(
    {"japanese", "chinese", "korean", "aga", "tromp-taylor", "new zealand", "stone_scoring", "chinese-ogs"}
)
"""Rules that Go programs send because they have no others: read as Little-Go's, with a warning."""
_RULES_TEXT: Final = "'little-go', or an edition such as '2025'"


class BadQuery(FormatError):
    """A query that cannot be answered; `field` names the part that is wrong."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Query:
    """A game and the turns whose positions are to be analysed."""

    id: str
    positions: tuple[Position, ...]
    """Before the first move, and after each."""
    turns: tuple[int, ...]
    seconds: float | None
    """For each turn; None: the engine's default."""
    warnings: tuple[tuple[str, str], ...] = ()
    """Field and message, for fields that are ignored."""


def read_query(data: dict[str, Any]) -> Query:
    """The query of a JSON object. Raises BadQuery."""
    name = data.get("id")
    if not isinstance(name, str) or len(name) > 200:
        raise BadQuery("expected a text of up to 200 characters", "id")
    position = _start(data)
    positions = [position]
    for number, (colour, move) in enumerate(_moves(data, "moves", position.size)):
        if colour is not position.to_move:
            raise BadQuery(f"move {number}: {position.to_move} is to move, not {colour}", "moves")
        if position.outcome() is not None:
            raise BadQuery(f"move {number}: the game is over before it", "moves")
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise BadQuery(f"move {number}: {error.why.value}", "moves") from error
        positions.append(position)
    seconds, warnings = _settings(data)
    return Query(name, tuple(positions), _turns(data, len(positions)), seconds, tuple(warnings))


def _start(data: dict[str, Any]) -> Position:
    size = _number(data, "boardXSize", int, default=5)
    if _number(data, "boardYSize", int, default=size) != size:
        raise BadQuery(f"the board must be square: boardXSize is {size}", "boardYSize")
    edition = _edition(data.get("rules", DEFAULT_EDITION))
    rules = _checked("boardXSize", lambda: edition_rules(edition, size))
    komi = float(_number(data, "komi", (int, float), default=rules.komi))
    rules = _checked("komi", lambda: rules.but(komi=komi))
    length = _number(data, "maxMoves", int, default=rules.max_moves)
    rules = _checked("maxMoves", lambda: rules.but(max_moves=length))
    stones = dict.fromkeys(Colour, 0)
    for colour, point in _moves(data, "initialStones", size):
        if not isinstance(point, int):
            raise BadQuery("expected a point, got a pass", "initialStones")
        stones[colour] |= 1 << point
    board = _checked("initialStones", lambda: Board(size, stones[BLACK], stones[WHITE]).checked())
    turn = _to_move(data)
    position = Position(rules, board, turn, moves_played=fewest_moves(board, turn))
    if position.plies_left == 0:
        raise BadQuery(f"the game is over: this many stones take {rules.max_moves} moves", "initialStones")
    return position


def _edition(value: object) -> str:
    if isinstance(value, str):
        word = value.lower().removeprefix("little-go").strip(" :-") or DEFAULT_EDITION
        if word in EDITIONS:
            return word
        if value.lower() in _OF_OTHERS:
            return DEFAULT_EDITION
    if isinstance(value, dict):  # KataGo's rules one by one
        return DEFAULT_EDITION
    raise BadQuery(f"only Little-Go is solved: expected {_RULES_TEXT}, got {value!r:.60}", "rules")


def _rules_warning(data: dict[str, Any]) -> list[tuple[str, str]]:
    rules = data.get("rules")
    if isinstance(rules, dict) or (isinstance(rules, str) and rules.lower() in _OF_OTHERS):
        return [("rules", f"not used: the values are those of Little-Go, edition {DEFAULT_EDITION}")]
    return []


def _to_move(data: dict[str, Any]) -> Colour:
    if "initialPlayer" in data:
        return _colour(data["initialPlayer"], "initialPlayer")
    moves = data.get("moves")
    if isinstance(moves, list) and moves and isinstance(moves[0], list) and moves[0]:
        return _colour(moves[0][0], "moves")
    return BLACK


def _moves(data: dict[str, Any], field: str, size: int) -> list[tuple[Colour, Move]]:
    listed = data.get(field, [])
    if not isinstance(listed, list) or len(listed) > _MOST_MOVES:
        raise BadQuery(f'expected a list of up to {_MOST_MOVES} pairs such as ["B", "C3"]', field)
    found = []
    for number, pair in enumerate(listed):
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], str):
            raise BadQuery(f'{number}: expected a pair such as ["B", "C3"], got {pair!r:.60}', field)
        try:
            found.append((_colour(pair[0], field), parse_vertex(pair[1], size)))
        except BadQuery:
            raise
        except FormatError as error:
            raise BadQuery(f"{number}: {error}", field) from error
    return found


def _colour(value: object, field: str) -> Colour:
    if not isinstance(value, str) or value.lower() not in _LETTERS:
        raise BadQuery(f"expected 'B' or 'W', got {value!r:.40}", field)
    return _LETTERS[value.lower()]


def _turns(data: dict[str, Any], count: int) -> tuple[int, ...]:
    if "analyzeTurns" not in data:
        return (count - 1,)
    turns = data["analyzeTurns"]
    if not isinstance(turns, list) or not all(isinstance(t, int) and not isinstance(t, bool) for t in turns):
        raise BadQuery("expected a list of turn numbers", "analyzeTurns")
    if wrong := [turn for turn in turns if not 0 <= turn < count]:
        raise BadQuery(f"no turn {wrong[0]}: expected 0 to {count - 1}", "analyzeTurns")
    return tuple(dict.fromkeys(turns))


def _settings(data: dict[str, Any]) -> tuple[float | None, list[tuple[str, str]]]:
    """The time for each turn, and a warning for every field that is ignored."""
    warnings = _rules_warning(data) + [
        (field, "not used: values are exact and do not depend on visits" if field == "maxVisits" else "not used here")
        for field in data
        if field not in _READ
    ]
    settings = data.get("overrideSettings", {})
    if not isinstance(settings, dict):
        raise BadQuery("expected an object", "overrideSettings")
    warnings += [(f"overrideSettings.{field}", "not used here") for field in settings if field != "maxTime"]
    field = "maxTime" if "maxTime" in data else "overrideSettings"
    seconds = data.get("maxTime", settings.get("maxTime"))
    if seconds is None:
        return None, warnings
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds <= 1e6:
        raise BadQuery(f"maxTime: expected seconds, got {seconds!r:.40}", field)
    return float(seconds), warnings


def _number(data: dict[str, Any], field: str, kind: Any, *, default: Any) -> Any:
    value = data.get(field, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadQuery(f"expected a number, got {value!r:.40}", field)
    return value


def _checked(field: str, make: Callable[[], _T]) -> _T:
    try:
        return make()
    except (UsageError, OverflowError) as error:
        raise BadQuery(str(error), field) from error
