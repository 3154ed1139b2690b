"""Game records as JSON. `SCHEMA` grows by one whenever an older reader would misread a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from littlego.core.board import Board, Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import parse_move, parse_point, point_name
from littlego.core.position import Position
from littlego.core.rules import Ending, Ko, Outcome, Rules, Score, Verdict
from littlego.formats.course import board_rows, parse_board_rows

SCHEMA: Final = 1

Json = dict[str, Any]


def record_to_dict(record: GameRecord) -> Json:
    return {
        "schema": SCHEMA,
        "black": record.black,
        "white": record.white,
        "rules": rules_to_dict(record.start.rules),
        "start": _position_to_dict(record.start),
        "moves": [record.start.move_name(move) for move in record.moves],
        "seconds": list(record.seconds),
        "outcome": _outcome_to_dict(record.outcome) if record.outcome else None,
        "seed": record.seed,
        "final": board_rows(record.final().board),
    }


def write_record(record: GameRecord) -> str:
    """The JSON text of a record.

    >>> lg.write_record(lg.play_game("greedy", "random", seed=1))[:12]
    '{\\n "schema":'
    """
    return json.dumps(record_to_dict(record), indent=1) + "\n"


def parse_record(text: str, *, source: str = "record") -> GameRecord:
    """The record of a JSON text, replayed as a check. Raises FormatError.

    >>> record = lg.play_game("greedy", "random", seed=1)
    >>> lg.parse_record(lg.write_record(record)) == record
    True
    """
    return record_from_dict(parse_json(text, source), source=source)


def parse_json(text: object, source: str) -> Any:
    """The values of a JSON text. Raises FormatError, including for a value that is not text."""
    try:
        return json.loads(text)  # type: ignore[arg-type]
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"{source}: not JSON: {error}") from error


def read_json(path: Path) -> Any:
    """The values of a JSON file. Raises FormatError."""
    try:
        return parse_json(path.read_bytes(), str(path))
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error


def record_from_dict(data: object, *, source: str = "record") -> GameRecord:
    """The record of JSON values, replayed as a check. Raises FormatError."""
    fields = Fields(data, source)
    if (schema := fields.get("schema", int)) != SCHEMA:
        raise FormatError(f"{source}: schema: expected {SCHEMA}, got {schema}; a newer littlego may read it")
    rules = _rules_from(fields.inside("rules"))
    start = _position_from(fields.inside("start"), rules)
    moves = fields.get("moves", list)
    record = GameRecord(
        black=fields.get("black", str),
        white=fields.get("white", str),
        start=start,
        moves=tuple(
            parse_text(parse_move, text, rules.size, fields.name(f"moves[{k}]")) for k, text in enumerate(moves)
        ),
        seconds=tuple(fields.numbers("seconds")),
        outcome=None if fields.get("outcome", object) is None else _outcome_from(fields.inside("outcome")),
        seed=fields.get("seed", int, None),
    )
    _check_replay(record, fields)
    return record


def _check_replay(record: GameRecord, fields: Fields) -> None:
    position = record.start
    for k, move in enumerate(record.moves):
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise FormatError(f"{fields.name(f'moves[{k}]')}: {error}") from error
    if fields.get("final", list) != board_rows(position.board):
        raise FormatError(f"{fields.name('final')}: the moves lead to another board")
    if len(record.seconds) not in (0, len(record.moves)):
        raise FormatError(f"{fields.name('seconds')}: expected one per move or none, got {len(record.seconds)}")
    if record.outcome and record.outcome.score != position.score():
        raise FormatError(f"{fields.name('outcome.score')}: expected {position.score()}, got {record.outcome.score}")


def rules_to_dict(rules: Rules) -> Json:
    return {
        "edition": rules.edition,
        "size": rules.size,
        "komi": rules.komi,
        "max_moves": rules.max_moves,
        "ko": rules.ko.value,
        "ending": rules.ending.value,
        "attempts": rules.attempts,
    }


def _rules_from(fields: Fields) -> Rules:
    try:
        return Rules(
            edition=fields.get("edition", str),
            size=fields.get("size", int),
            komi=float(fields.get("komi", (int, float))),
            max_moves=fields.get("max_moves", int),
            ko=fields.member("ko", Ko),
            ending=fields.member("ending", Ending),
            attempts=fields.get("attempts", int),
        )
    except FormatError:
        raise
    except UsageError as error:
        raise FormatError(f"{fields.where}: {error}") from error


def _position_to_dict(position: Position) -> Json:
    return {
        "board": board_rows(position.board),
        "to_move": position.to_move.word,
        "ko": None if position.ko is None else point_name(position.ko, position.size),
        "passes": position.passes,
        "moves_played": position.moves_played,
        "earlier": sorted(board_rows(board) for board in position.earlier),
    }


def _position_from(fields: Fields, rules: Rules) -> Position:
    text = fields.get("ko", str, None)
    ko = None if text is None else parse_text(parse_point, text, rules.size, fields.name("ko"))
    board = _board_from(fields.get("board", list), rules.size, fields.name("board"))
    if ko is not None and (board.black | board.white) >> ko & 1:
        raise FormatError(f"{fields.name('ko')}: expected an empty point, got {text}, where a stone is")
    return Position(
        rules,
        board,
        fields.colour("to_move"),
        ko,
        fields.count("passes", 2),
        fields.count("moves_played", rules.max_moves),
        frozenset(
            _board_from(rows, rules.size, fields.name(f"earlier[{k}]"))
            for k, rows in enumerate(fields.get("earlier", list))
        ),
    )


def _board_from(rows: object, size: int, where: str) -> Board:
    if not isinstance(rows, list) or len(rows) != size or not all(isinstance(row, str) for row in rows):
        raise FormatError(f"{where}: expected {size} rows of digits, got {rows!r:.60}")
    return parse_board_rows(rows, source=where)


def _outcome_to_dict(outcome: Outcome) -> Json:
    return {
        "winner": outcome.winner.word if outcome.winner else None,
        "verdict": outcome.verdict.value,
        "score": {"black": outcome.score.black, "white": outcome.score.white},
        "reason": outcome.reason,
    }


def _outcome_from(fields: Fields) -> Outcome:
    score = fields.inside("score")
    return Outcome(
        winner=None if fields.get("winner", object) is None else fields.colour("winner"),
        verdict=fields.member("verdict", Verdict),
        score=Score(float(score.get("black", (int, float))), float(score.get("white", (int, float)))),
        reason=fields.get("reason", str),
    )


def parse_text(parse: Any, text: object, size: int, where: str) -> Any:
    """The point or move of a JSON value. Raises FormatError, which says where."""
    if not isinstance(text, str):
        raise FormatError(f"{where}: expected text such as '2,3', got {text!r:.60}")
    try:
        return parse(text, size)
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from error


class Fields:
    """A JSON object whose fields are read by name and type. Raises FormatError, which says where."""

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, dict):
            raise FormatError(f"{where}: expected a JSON object, got {data!r:.60}")
        self.data = data
        self.where = where

    def name(self, field: str) -> str:
        """Where a field is, for messages."""
        return f"{self.where}: {field}"

    def get(self, field: str, kind: Any, *default: Any) -> Any:
        """A field of a kind; if it is missing, the default, if there is one."""
        value = self.data.get(field)
        if field not in self.data or (value is None and kind is not object):
            if default:
                return default[0]
            raise FormatError(f"{self.name(field)}: missing")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not object):
            raise FormatError(f"{self.name(field)}: expected {_kind_name(kind)}, got {value!r:.60}")
        return value

    def count(self, field: str, most: int) -> int:
        """A whole number from 0 to `most`."""
        value: int = self.get(field, int)
        if not 0 <= value <= most:
            raise FormatError(f"{self.name(field)}: expected a whole number from 0 to {most}, got {value}")
        return value

    def inside(self, field: str) -> Fields:
        return Fields(self.get(field, object), self.name(field))

    def numbers(self, field: str) -> list[float]:
        values = self.get(field, list)
        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            raise FormatError(f"{self.name(field)}: expected numbers")
        return [float(value) for value in values]

    def colour(self, field: str) -> Colour:
        word = self.get(field, str)
        if word not in ("black", "white"):
            raise FormatError(f"{self.name(field)}: expected 'black' or 'white', got {word!r}")
        return Colour[word.upper()]

    def member(self, field: str, kind: Any) -> Any:
        word = self.get(field, str)
        try:
            return kind(word)
        except ValueError:
            words = ", ".join(member.value for member in kind)
            raise FormatError(f"{self.name(field)}: expected one of {words}, got {word!r}") from None


def _kind_name(kind: Any) -> str:
    names = {int: "a whole number", str: "text", list: "a list", dict: "a JSON object"}
    return names.get(kind, "a number")
