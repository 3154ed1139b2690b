"""The analysis call: JSON in, JSON out, in the format that KataGo's users know, with exact values.

Win rates and leads are Black's. A win rate is 1, 0, or 0.5 for a tie; if the value was not found in time
it is 0.5 with `exact` false. Leads are worked out late in the game only; before, a lead is the least by which the game
can be won, with `exactLead` false, or 0 if the value is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import littlego
from littlego.core.colour import BLACK
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.vertex import vertex_name
from littlego.formats.records import Json
from littlego.review.analysis.query import BadQuery, read_query
from littlego.review.values import Value, Values, stopping_after
from littlego.review.verdicts import MARGINS_LEFT
from littlego.solve.engine import Stopped
from littlego.solve.oracle import Oracle, why_unsolvable

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
