"""Reports as one HTML file: nothing is fetched, it opens from disk, and it can be mailed and printed.

    page = Page("Grade of my_player3", lead="80 games in the edition of 2025.")
    page.facts([("Points", "53.75 of 90"), ("Games won", "59 of 80")])
    page.section("Points").table(["Opponent", "Won", "Points"], [["random", "18 of 20", 25]])
    page.section("Lost games").games([Replay(record, tag="lost", tone="bad")])
    path.write_text(page.html(), encoding="utf-8")

Text that is passed in is not trusted: it is escaped, and its control characters are made visible.
The one exception is `figure`, whose SVG must be our own. A policy in the page lets only the page's own
script run, even if something slipped through.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import littlego
from littlego.core.game import GameRecord
from littlego.core.points import Move, Pass, Point, points_of
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.core.svg import CELL, MARGIN, draw_svg, shared_definitions
from littlego.formats.course import board_rows
from littlego.formats.text import clipped, escaped, verdict_sentence

__all__ = ["THEME", "Cell", "CellValue", "Page", "Replay", "Tone"]

THEME: Final = Path(__file__).with_name("theme.css")
"""Colours and type, which the pages of `littlego web` use too."""
_PRE_LIMIT: Final = 20_000
_CONTENTS_FROM: Final = 4
"""A page with this many sections has a table of contents."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table with more than text."""

    text: str | int | float | None
    href: str = ""
    """Where it links to: `#id` in this page, or a relative path, which the caller has quoted."""
    sort: float | None = None
    """The sort key, where the text is not a number."""
    tone: Tone = "plain"
    meter: float | None = None
    """A share from 0 to 1, drawn as a bar under the text."""
    is_code: bool = False
    """Whether people copy it letter by letter: it is not broken into lines."""


CellValue: TypeAlias = str | int | float | Cell | None


class Page:
    """A report under construction. Every method appends to it and returns the page."""

    def __init__(self, title: str, lead: str = "", *, footer: str = "") -> None:
        self.title = title
        self.lead = lead
        self.footer = footer
        self._parts: list[str] = []
        self._sections: list[tuple[str, str]] = []
        self._sizes: set[int] = set()

    def section(self, title: str, text: str = "", *, level: int = 2) -> Page:
        """Begin a section (level 2) or a subsection (3), with a paragraph."""
        anchor = f"s{len(self._sections) + 1}-{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')[:40]}"
        self._sections.append((anchor, title) if level == 2 else ("", title))
        self._parts.append(f'<h{level} id="{anchor}">{escaped(title)}</h{level}>\n')
        return self.text(text)

    def text(self, text: str, *, tone: Tone = "plain") -> Page:
        """Paragraphs, separated by empty lines; a tone makes them stand out."""
        for paragraph in re.split(r"\n\s*\n", text):
            if paragraph.strip():
                self._parts.append(f'<p class="text {tone}">{escaped(paragraph.strip(), limit=_PRE_LIMIT)}</p>\n')
        return self

    def facts(self, facts: Iterable[tuple[str, str]]) -> Page:
        """The few most important figures, in large type."""
        items = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>" for name, value in facts)
        self._parts.append(f'<dl class="facts">{items}</dl>\n')
        return self

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[CellValue]]) -> Page:
        """A table that can be sorted by any column. Columns of numbers, except the first, are aligned right."""
        cells = [[value if isinstance(value, Cell) else Cell(value) for value in row] for row in rows]
        numeric = [
            bool(number) and any(_shown(row[number]) for row in cells) and all(_is_number(row[number]) for row in cells)
            for number in range(len(columns))
        ]
        head = "".join(
            f'<th scope="col"{_right(right)}><button type="button">{escaped(column)}</button></th>'
            for column, right in zip(columns, numeric, strict=True)
        )
        body = "".join(
            f"<tr>{''.join(_cell_html(row[k], first=not k, right=numeric[k]) for k in range(len(row)))}</tr>\n"
            for row in cells
        )
        label = escaped(" / ".join(columns), limit=120)
        self._parts.append(
            f'<div class="wide" role="region" aria-label="{label}" tabindex="0"><table>'
            f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n"
        )
        return self

    def figure(self, svg: str, caption: str = "") -> Page:
        """An inline SVG, which must be our own: it is not escaped."""
        drawing = svg[max(svg.find("<svg"), 0) :]
        legend = f"<figcaption>{escaped(caption)}</figcaption>" if caption else ""
        self._parts.append(f"<figure><div>{drawing}</div>{legend}</figure>\n")
        return self

    def games(self, replays: Iterable[Replay]) -> Page:
        """One line per game, which opens to a board. Raises IllegalMove for an illegal move."""
        drawn = []
        for replay in replays:
            self._sizes.add(replay.record.start.size)
            drawn.append(replay_html(replay))
        self._parts.append(f'<div class="games">\n{"".join(drawn)}</div>\n')
        return self

    def pre(self, text: str) -> Page:
        """Preformatted text, such as an agent's stderr."""
        plain = text.replace("\r\n", "\n").expandtabs()
        self._parts.append(f'<pre tabindex="0">{escaped(plain, limit=_PRE_LIMIT)}</pre>\n')
        return self

    def html(self) -> str:
        style, script = _asset("theme.css") + _asset("page.css"), _asset("page.js")
        policy = (
            f"default-src 'none'; style-src 'unsafe-inline'; script-src {policy_hash(script)}; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        )
        title, lead = escaped(self.title), escaped(self.lead)
        footer = escaped(self.footer) + " " if self.footer else ""
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
            f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
            f"{boards_html(self._sizes) if self._sizes else ''}"
            f"<main>\n<header><h1>{title}</h1>{f'<p>{lead}</p>' if lead else ''}</header>\n"
            f"{self._contents()}{''.join(self._parts)}</main>\n"
            f"<footer>{footer}Made by Little-Go {littlego.__version__}.</footer>\n"
            f"<script>{script}</script>\n</body>\n</html>\n"
        )

    def _contents(self) -> str:
        listed = [(anchor, title) for anchor, title in self._sections if anchor]
        if len(listed) < _CONTENTS_FROM:
            return ""
        items = "".join(f'<li><a href="#{anchor}">{escaped(title)}</a></li>' for anchor, title in listed)
        return f'<nav aria-label="On this page"><ol>{items}</ol></nav>\n'


def _cell_html(cell: Cell, *, first: bool, right: bool) -> str:
    inner = escaped(_shown(cell))
    if cell.is_code:
        inner = f"<code>{inner}</code>"
    if cell.tone != "plain":
        inner = f'<span class="tag {cell.tone}">{inner}</span>'
    if cell.href:
        inner = f'<a href="{escaped(_safe_href(cell.href))}">{inner}</a>'
    if cell.meter is not None:
        inner += f'<span class="meter"><i style="width:{100 * min(max(cell.meter, 0.0), 1.0):.1f}%"></i></span>'
    key = cell.text if cell.sort is None and isinstance(cell.text, int | float) else cell.sort
    sort = "" if key is None else f' data-sort="{key}"'
    tag = 'th scope="row"' if first else "td"
    return f"<{tag}{_right(right)}{sort}>{inner}</{tag.split()[0]}>"


def _shown(cell: Cell) -> str:
    if cell.text is None:
        return ""
    return f"{round(cell.text, 2):.12g}" if isinstance(cell.text, float) else str(cell.text)


def _is_number(cell: Cell) -> bool:
    text = _shown(cell)
    return not text or text in "–-" or text.lstrip("+-−±")[:1].isdigit()


def _right(right: bool) -> str:
    return ' class="number"' if right else ""


def _safe_href(href: str) -> str:
    """The link, if it is a fragment or a relative path. Raises ValueError."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|[/\\]|.*[\x00-\x20]", href):
        raise ValueError(f"{href!r}: expected '#id' or a quoted relative path")
    return href


@cache
def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def policy_hash(text: str) -> str:
    """Lets a browser run or apply this text, and no other that is written in a document."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


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
