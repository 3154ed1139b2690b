"""KataGo's analysis protocol: queries read, checked, and answered with exact values.

Win rates and leads are Black's. A win rate is 1, 0, or 0.5 for a tie; if the value was not found in time
it is 0.5 with `exact` false. Leads are worked out late in the game only; before, a lead is the least by which the game
can be won, with `exactLead` false, or 0 if the value is not known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import littlego
from littlego.core.board import BLACK, WHITE, Board, Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.points import Move, parse_vertex, vertex_name
from littlego.core.position import Position, fewest_moves
from littlego.core.rules import DEFAULT_EDITION, EDITIONS, edition_rules
from littlego.formats.records import Json
from littlego.review.values import Value, Values, stopping_after
from littlego.review.verdicts import MARGINS_LEFT
from littlego.solve.engine import Stopped
from littlego.solve.oracle import Oracle, why_unsolvable

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


SECONDS: Final = 10.0
"""For each turn, unless the query says otherwise."""
_PV_LENGTH: Final = 8
_LEAST: Final = {Value.BLACK: 1, Value.WHITE: -1, Value.TIE: 0, None: 0}
_WINRATE: Final = {Value.BLACK: 1.0, Value.WHITE: 0.0, Value.TIE: 0.5, None: 0.5}


@dataclass(slots=True)
class _MoveInfo:
    """What is known about a move."""

    move: Move
    after: Position
    value: Value | None = None
    margin: int | None = None
    nodes: int = 0

    def order(self, root: Position) -> tuple[int, int]:
        """A sort key, best first for the side to move: won, a tie, not known, lost; then by the margin."""
        rank = 1 if self.value is None else (0, 2, 3)[self.value.rank(root.to_move)]
        sign = 1 if root.to_move is BLACK else -1
        return -rank, -sign * (self.margin or 0)


class AnalysisEngine:
    """Answers queries, one after the other, with one oracle."""

    def __init__(self, oracle: Oracle, *, seconds: float | None = SECONDS) -> None:
        """`seconds` limits the work on each turn."""
        self.values = Values(oracle)
        self.seconds = seconds

    def answer_line(self, line: str) -> Iterator[Json]:
        """The answers to a line of JSON: errors, warnings, and one answer per turn."""
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield {"error": f"not JSON: {error}"}
            return
        yield from self.answer(data)

    def answer(self, data: object) -> Iterator[Json]:
        """The same, for JSON values."""
        if not isinstance(data, dict):
            yield {"error": f"expected a JSON object, got {data!r:.60}"}
            return
        name = data.get("id")
        head: Json = {"id": name} if isinstance(name, str) else {}
        if "action" in data:
            yield {**_action(data), **head}
            return
        try:
            query = read_query(data)
            if why := why_unsolvable(query.positions[0]):
                raise BadQuery(f"this game cannot be solved: {why}", "rules" if "history" in why else "boardXSize")
        except BadQuery as error:
            yield {"error": str(error), "field": error.field, **head}
            return
        for field, message in query.warnings:
            yield {"warning": message, "field": field, **head}
        seconds = self.seconds if query.seconds is None else query.seconds
        for turn in query.turns:
            yield {"id": query.id, "turnNumber": turn, **self.look(query.positions[turn], seconds=seconds)}

    def look(self, root: Position, *, seconds: float | None) -> Json:
        """What can be found within `seconds` (None: no limit) about a position that must be solvable.

        A further call continues where this one stopped.
        """
        infos = [_MoveInfo(move, root.play_legal(move)) for move in root.legal_moves()] if not root.outcome() else []
        before = self.values.oracle.nodes
        value, margin = self._work(root, infos, seconds)
        infos.sort(key=lambda info: info.order(root))
        return {
            "isDuringSearch": False,
            "exact": value is not None and all(info.value is not None for info in infos),
            "rootInfo": {
                "currentPlayer": "B" if root.to_move is BLACK else "W",
                "winrate": _WINRATE[value],
                **_lead(root, value, margin),
                "visits": self.values.oracle.nodes - before,
                "exact": value is not None,
            },
            "moveInfos": [self._move_answer(root, info, order) for order, info in enumerate(infos)],
        }

    def _work(self, root: Position, infos: list[_MoveInfo], seconds: float | None) -> tuple[Value | None, int | None]:
        """Fill in what can be found in time, known values first; the root's value and margin."""
        values, oracle = self.values, self.values.oracle
        root_value = values.known(root)
        # In a lost position there is nothing to search: every move loses.
        lost = root_value if root_value is not None and not root_value.rank(root.to_move) else None
        for info in infos:
            info.value = lost or values.known(info.after, plies=0)
        margin = None
        with stopping_after(oracle, seconds) as late:
            try:
                for info in (info for info in infos if info.value is None):
                    if late.is_set():
                        raise Stopped("out of time")
                    before = oracle.nodes
                    info.value = values.value(info.after)
                    info.nodes = oracle.nodes - before
                root_value = root_value or values.value(root)
                if root.plies_left <= MARGINS_LEFT:
                    margin = values.margin(root)
                    for info in infos:
                        info.margin = values.margin(info.after)
            except Stopped:
                pass
        # A winning move proves the position won, even if other moves are not known.
        if root_value is None and any(info.value is not None and info.value.winner is root.to_move for info in infos):
            root_value = Value.of(root.to_move)
        return root_value, margin

    def _move_answer(self, root: Position, info: _MoveInfo, order: int) -> Json:
        size = root.size
        return {
            "move": vertex_name(info.move, size),
            "order": order,
            "winrate": _WINRATE[info.value],
            **_lead(root, info.value, info.margin),
            "visits": info.nodes,
            "exact": info.value is not None,
            "pv": [vertex_name(move, size) for move in (info.move, *self._line(info.after, info.value))],
        }

    def _line(self, position: Position, value: Value | None) -> list[Move]:
        """How the game may continue with best play, as far as is known without searching."""
        line: list[Move] = []
        while value is not None and position.outcome() is None and len(line) < _PV_LENGTH - 1:
            for move in position.legal_moves():
                after = position.play_legal(move)
                if self.values.known(after, plies=0) is value:
                    line.append(move)
                    position = after
                    break
            else:
                break
        return line


def _action(data: dict[str, Any]) -> Json:
    """Queries are answered in turn, so that there is never one to terminate, and proven values stay true."""
    action = data["action"]
    if action == "query_version":
        return {"action": action, "version": f"littlego {littlego.__version__}"}
    if action == "query_models":
        return {"action": action, "models": [{"name": "littlego", "internalName": "exact", "version": 1}]}
    if action in ("terminate", "terminate_all", "clear_cache"):
        return {field: data[field] for field in ("action", "terminateId", "turnNumbers") if field in data}
    known = "query_version, query_models, terminate, terminate_all or clear_cache"
    return {"error": f"no such action: expected {known}, got {action!r:.40}", "field": "action"}


def _lead(root: Position, value: Value | None, margin: int | None) -> Json:
    komi = root.rules.komi
    if margin is not None:
        return {"scoreLead": margin - komi, "exactLead": True}
    least = 0.5 if komi % 1 else 1.0  # komi is a multiple of a half
    return {"scoreLead": _LEAST[value] * least, "exactLead": False}
