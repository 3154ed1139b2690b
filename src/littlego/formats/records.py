"""Game records as JSON. `SCHEMA` grows by one whenever an older reader would misread a file."""

from __future__ import annotations

import json
from typing import Any, Final

from littlego.core.board import Board, Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import parse_move, parse_point, point_name
from littlego.core.position import Position
from littlego.core.rules import Ending, Ko, Outcome, Rules, Score, Verdict
from littlego.formats.course import board_rows, parse_board_rows
from littlego.formats.fields import Fields, parse_json

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


def record_from_dict(data: object, *, source: str = "record") -> GameRecord:
    """The record of JSON values, replayed as a check. Raises FormatError."""
    fields = Fields(data, source)
    if (schema := fields.take("schema", int)) != SCHEMA:
        raise FormatError(f"{source}: schema: expected {SCHEMA}, got {schema}; a newer littlego may read it")
    rules = _rules_from(fields.table("rules"))
    start = _position_from(fields.table("start"), rules)
    moves = fields.take("moves", list)
    record = GameRecord(
        black=fields.take("black", str),
        white=fields.take("white", str),
        start=start,
        moves=tuple(parse_text(parse_move, text, rules.size, f"{source}: moves[{k}]") for k, text in enumerate(moves)),
        seconds=tuple(fields.numbers("seconds")),
        outcome=_outcome_from(fields.table("outcome")) if "outcome" in fields else None,
        seed=fields.take("seed", int, None),
    )
    _check_replay(record, fields)
    return record


def _check_replay(record: GameRecord, fields: Fields) -> None:
    position = record.start
    for k, move in enumerate(record.moves):
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise fields.error(f"moves[{k}]", str(error)) from error
    if fields.take("final", list) != board_rows(position.board):
        raise fields.error("final", "the moves lead to another board")
    if len(record.seconds) not in (0, len(record.moves)):
        raise fields.error("seconds", f"expected one per move or none, got {len(record.seconds)}")
    if record.outcome and record.outcome.score != position.score():
        raise fields.error("outcome.score", f"expected {position.score()}, got {record.outcome.score}")


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
            edition=fields.take("edition", str),
            size=fields.take("size", int),
            komi=float(fields.take("komi", (int, float))),
            max_moves=fields.take("max_moves", int),
            ko=fields.take_word("ko", Ko),
            ending=fields.take_word("ending", Ending),
            attempts=fields.take("attempts", int),
        )
    except FormatError:
        raise
    except UsageError as error:
        raise FormatError(f"{fields.source}: {error}") from error


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
    ko = fields.take("ko", str, None, lambda text: parse_point(text, rules.size))
    board = _board_from(fields.take("board", list), rules.size, f"{fields.source}: board")
    if ko is not None and (board.black | board.white) >> ko & 1:
        text = point_name(ko, rules.size)
        raise fields.error("ko", f"expected an empty point, got {text}, where a stone is")
    return Position(
        rules,
        board,
        _colour(fields, "to_move"),
        ko,
        fields.take_number("passes", 0, 2, whole=True),
        fields.take_number("moves_played", 0, rules.max_moves, whole=True),
        frozenset(
            _board_from(rows, rules.size, f"{fields.source}: earlier[{k}]")
            for k, rows in enumerate(fields.take("earlier", list))
        ),
    )


def _colour(fields: Fields, key: str) -> Colour:
    if (word := fields.take(key, str)) not in ("black", "white"):
        raise fields.error(key, f"expected 'black' or 'white', got {word!r}")
    return Colour[word.upper()]


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
    score = fields.table("score")
    return Outcome(
        winner=_colour(fields, "winner") if "winner" in fields else None,
        verdict=fields.take_word("verdict", Verdict),
        score=Score(float(score.take("black", (int, float))), float(score.take("white", (int, float)))),
        reason=fields.take("reason", str),
    )


def parse_text(parse: Any, text: object, size: int, where: str) -> Any:
    """The point or move of a JSON value. Raises FormatError, which says where."""
    if not isinstance(text, str):
        raise FormatError(f"{where}: expected text such as '2,3', got {text!r:.60}")
    try:
        return parse(text, size)
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from error
