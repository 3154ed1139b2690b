"""What a graded submission leaves for the pages about its class: its program's shape, and a line for each game."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from littlego.course.grading.cohort.similarity import shingles, sources_below
from littlego.course.grading.cohort.submissions import Opened
from littlego.course.grading.html import game_anchor
from littlego.course.grading.report import GradeReport, agent_won
from littlego.course.grading.words import all_losses, all_wins
from littlego.storage.scratch import temporary_directory
from littlego.storage.whole_files import write_whole

FILE: Final = "trace.json"
_SHORTEST: Final = 4
"""Moves of a game that says something about who played it."""


@dataclass(frozen=True, slots=True)
class TracedGame:
    """A game, and where its board is."""

    number: int
    opponent: str
    title: str
    colour: str
    won: bool
    result: str
    moves: int
    anchor: str
    """On the student's page."""
    hash: int
    """Of its moves; 0 for a game that is too short to tell players apart."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What similarity and links need of one submission."""

    shingles: frozenset[int] = frozenset()
    games: tuple[TracedGame, ...] = ()


def sources_of(opened: Opened) -> list[str]:
    """The texts of the source files of all its agents. Raises UsageError if they cannot be read."""
    texts: list[str] = []
    for agent in opened.agents:
        with temporary_directory("littlego-look-") as look:
            agent.copy_files(look / "files")
            texts += sources_below(look)
    return texts


def trace_of(opened: Opened, report: GradeReport) -> Trace:
    """Raises UsageError if the agent's files cannot be read."""
    lines = []
    for story in (*all_losses(report), *all_wins(report)):
        for game, number in zip((story.game, *story.same), story.numbers, strict=True):
            record = game.result.record
            moves = ",".join(record.start.move_name(move) for move in record.moves)
            lines.append(
                TracedGame(
                    game.key.number,
                    story.opponent,
                    f"game {number}",
                    f"{story.colour}",
                    bool(agent_won(game)),
                    f"{record.outcome}",
                    len(record.moves),
                    game_anchor(story),
                    zlib.crc32(moves.encode()) if len(record.moves) >= _SHORTEST else 0,
                )
            )
    return Trace(shingles(sources_of(opened)), tuple(sorted(lines, key=lambda line: line.number)))


def write_trace(place: Path, trace: Trace) -> None:
    """Raises OSError."""
    data = {"shingles": sorted(trace.shingles), "games": [asdict(line) for line in trace.games]}
    write_whole(place / FILE, json.dumps(data) + "\n")


def read_trace(place: Path) -> Trace:
    """An empty one if there is none."""
    try:
        data = json.loads((place / FILE).read_text(encoding="utf-8"))
        return Trace(frozenset(data["shingles"]), tuple(TracedGame(**line) for line in data["games"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Trace()
