"""Games in a page: one line per game, which opens to a board to step through.

The boards are worked out here and sent as changes (a stone placed, stones removed), so that the
page's script knows no rule of Go, and a game takes a few hundred bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

from littlego.core.game import GameRecord
from littlego.core.points import Move, Pass, Point, points_of
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.core.svg import CELL, MARGIN, draw_svg, shared_definitions
from littlego.formats.course import board_rows
from littlego.formats.text import clipped, escaped, verdict_sentence

Tone: TypeAlias = Literal["plain", "good", "bad", "doubt"]
"""How something is coloured; the words beside it always say the same."""

_NAME_LIMIT: Final = 80
_SENTENCE_LIMIT: Final = 600


@dataclass(frozen=True)
class Replay:
    """A game to show, with remarks and notes."""

    record: GameRecord
    title: str = ""
    """Default: the two players."""
    tag: str = ""
    """A word or two before the title, such as "lost"."""
    tone: Tone = "plain"
    """The colour of the tag."""
    remark: str = ""
    """A sentence under the verdict, such as the line of a rubric or an agent's last words."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """Notes on positions: 0 is the first, k the one after k moves."""
    marks: Mapping[int, Tone] = field(default_factory=dict)
    """Colours in the list of moves: k is the k-th move, counted from 1."""
    points: Mapping[int, Mapping[Tone, Sequence[Point]]] = field(default_factory=dict)
    """Points marked on the board, by position as for `notes`: better moves, or the one that was illegal."""
    shown_first: int | None = None
    """The position shown when the game is opened; default: the last."""
    opened: bool = False
    id: str = ""
    """A link to `#id` opens the game: letters, digits and dashes."""


def replay_html(replay: Replay) -> str:
    """One game, closed or opened. Raises IllegalMove for a record with an illegal move."""
    record = replay.record
    title = replay.title or f"{record.black} – {record.white}"
    tag = f'<span class="tag {replay.tone}">{escaped(replay.tag, limit=40)}</span> ' if replay.tag else ""
    anchor = f' id="{escaped(replay.id)}"' if replay.id else ""
    start = record.start
    moves = " ".join(start.move_name(move) for move in record.moves) or "none"
    verdict = verdict_sentence(record)
    return (
        f'<details class="game"{anchor}{" open" if replay.opened else ""}>'
        f'<summary>{tag}<span class="players">{escaped(title, limit=2 * _NAME_LIMIT)}</span> '
        f'<span class="verdict">{escaped(verdict, limit=_SENTENCE_LIMIT)}</span></summary>'
        f'<p class="moves">Moves: {moves}</p>'
        f'<script type="application/json">{_json(_data(replay, verdict))}</script></details>\n'
    )


def boards_html(sizes: Iterable[int]) -> str:
    """What all games of a page share: the style of stones, and an empty board of each size for the script to copy."""
    empty = {size: Position.initial(edition_rules(size=size)) for size in sorted(set(sizes))}
    templates = "".join(
        f'<template data-size="{size}" data-cell="{CELL}" data-margin="{MARGIN}">{draw_svg(position)}</template>\n'
        for size, position in empty.items()
    )
    shared = f'<svg class="littlego shared" width="0" height="0" aria-hidden="true">{shared_definitions()}</svg>'
    return f"{shared}\n{templates}"


def _data(replay: Replay, verdict: str) -> dict[str, Any]:
    record, start = replay.record, replay.record.start
    data: dict[str, Any] = {
        "size": start.size,
        "komi": start.rules.komi,
        "black": clipped(record.black, _NAME_LIMIT),
        "white": clipped(record.white, _NAME_LIMIT),
        "first": start.to_move.value,
        "changes": " ".join(_changes(record)),
        "verdict": clipped(verdict, _SENTENCE_LIMIT),
    }
    if start.board.black or start.board.white:
        data["start"] = "".join(board_rows(start.board))
    if start.moves_played:
        data["before"] = start.moves_played
    if record.seconds:
        data["hundredths"] = [round(100 * seconds) for seconds in record.seconds]
    if replay.remark:
        data["remark"] = clipped(replay.remark, _SENTENCE_LIMIT)
    if replay.notes:
        data["notes"] = {ply: clipped(note, _SENTENCE_LIMIT) for ply, note in replay.notes.items()}
    if replay.marks:
        data["marks"] = dict(replay.marks)
    if replay.points:
        data["points"] = {
            ply: {tone: "".join(_letters(point, start.size) for point in points) for tone, points in marked.items()}
            for ply, marked in replay.points.items()
        }
    if replay.shown_first is not None:
        data["shown"] = replay.shown_first
    return data


def _changes(record: GameRecord) -> Iterable[str]:
    """For each move two letters (row, column; `--` a pass), then two for each captured stone."""
    for (before, _), move in zip(pairwise(record.positions()), record.moves, strict=True):
        taken = 0 if isinstance(move, Pass) else before.board.captured_by(before.to_move, move)
        yield _letters(move, before.size) + "".join(_letters(point, before.size) for point in points_of(taken))


def _letters(move: Move | Point, size: int) -> str:
    if isinstance(move, Pass):
        return "--"
    return chr(ord("a") + move // size) + chr(ord("a") + move % size)


def _json(data: object) -> str:
    """JSON that is safe in a script element: nothing in it can end the element or begin a comment."""
    escapes = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}
    return json.dumps(data, separators=(",", ":")).translate(escapes)
