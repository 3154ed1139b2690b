"""Decks of drills: one that ships, others made by a job from lost games and stored as files; one score for all decks.

Each student has a directory of this form in `people/`.

decks/ID.json    as `littlego drill` writes them
decks/kept.json  the mistakes that were added to it one by one, in reviews
decks/score      how often each drill was answered

The deck that ships has fifty puzzles: won positions with one winning move, which captures nothing.
`tools/make_puzzles.py` made `puzzles.tsv`, a line for each: the moves that lead to the position, the answer, and
how many of 16 choices of `learner` and `alphabeta` (in the eight images of the position) were not the answer.
"""

from __future__ import annotations

import datetime
import io
import threading
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from littlego.apps.web.services.store import NotFound, new_id
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.core.points import parse_move
from littlego.core.position import Position
from littlego.formats.records import parse_json
from littlego.review.drills import Deck, Drill, DrillScore, deck_from_json, read_deck, read_score
from littlego.storage.files import write_whole
from littlego.storage.scratch import temporary_directory

FILE: Final = Path(__file__).with_name("puzzles.tsv")
NAME: Final = "Fifty puzzles"
Difficulty = Literal["easy", "medium", "hard"]

_STRIDE: Final = 37
"""Has no factor in common with fifty, so that every puzzle has its day before one comes back."""


@cache
def shipped_deck() -> Deck:
    """All puzzles, from easy to hard."""
    return Deck(tuple(_rated()), NAME)


def difficulty(drill: str) -> Difficulty | None:
    """How hard the puzzle with an id is; None if there is none."""
    failures = {each.id: failed for each, failed in _rated().items()}.get(drill)
    if failures is None:
        return None
    return "easy" if failures < 4 else "medium" if failures < 10 else "hard"


def puzzle_of(day: datetime.date) -> Drill:
    """The puzzle of a day, the same on every server."""
    drills = shipped_deck().drills
    return drills[day.toordinal() * _STRIDE % len(drills)]


@cache
def _rated() -> dict[Drill, int]:
    rows = (line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines())
    rated = [(_drill(moves.split(), answer), int(failures)) for moves, answer, failures in rows]
    return dict(sorted(rated, key=lambda pair: (pair[1], pair[0].position.plies_left)))


def _drill(moves: list[str], answer: str) -> Drill:
    record = GameRecord("Black", "White", Position.initial())
    size = record.start.size
    line = tuple(parse_move(move, size) for move in moves)
    return Drill(replace(record, moves=line), (parse_move(answer, size),))


_FOLDER: Final = "decks"
_SCORE: Final = "score"
SHIPPED: Final = "fifty"
"""The id of the deck that ships."""
KEPT: Final = "kept"
"""The id of the deck of mistakes that were added one by one."""


def persons_folder(data: Path, person: str) -> Path:
    """The directory in which `decks/` of a person is: a student's key, or empty for the owner."""
    return data / "people" / person if person else data


class Decks:
    """The decks of one person. All methods read files or replay games: call them in a thread."""

    def __init__(self, data: Path, most: int | None = None) -> None:
        """At most `most` decks, not counting the one that ships; None: no limit."""
        self._folder = data / _FOLDER
        self._most = most
        self._scoring = threading.Lock()

    def all(self) -> list[dict[str, Any]]:
        """Every deck with its score: the one that ships, then the newest first."""
        paths = sorted(self._folder.glob("*.json"), key=lambda path: -path.stat().st_mtime)
        score = self.score()
        decks = [(SHIPPED, shipped_deck()), *((path.stem, read_deck(path)) for path in paths)]
        return [{"id": name, "name": deck.name, **standing(score, deck)} for name, deck in decks]

    def find(self, deck: str) -> Deck:
        """Raises NotFound."""
        if deck == SHIPPED:
            return shipped_deck()
        path = self._folder / f"{deck}.json"
        if not path.is_file():
            raise NotFound(deck)
        return read_deck(path)

    def take_in(self, text: str) -> str:
        """Store a deck from its file's text, and return its id. Raises FormatError, UsageError, OSError."""
        self.check_room()
        source = "the deck"
        return write_deck(self._folder.parent, deck_from_json(parse_json(text, source), source=source))

    def check_room(self) -> None:
        """Raises UsageError if there may be no further deck."""
        if self._most is not None and len(list(self._folder.glob("*.json"))) >= self._most:
            raise UsageError(f"you have {self._most} decks here: delete one first")

    def delete(self, deck: str) -> None:
        """Delete a deck; the score of its drills stays. Raises NotFound, UsageError."""
        if deck == SHIPPED:
            raise UsageError("this deck comes with the program and cannot be deleted")
        self.find(deck)
        (self._folder / f"{deck}.json").unlink()

    def add(self, drill: Drill) -> Deck:
        """Add a drill to those that were kept one by one. Raises OSError."""
        with self._scoring:
            path = self._folder / f"{KEPT}.json"
            before = read_deck(path) if path.is_file() else Deck((), "My mistakes, one by one")
            deck = before.merged(Deck((drill,)))
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, deck.text())
        return deck

    def score(self) -> DrillScore:
        """How often each drill was answered, right and wrong."""
        return read_score(self._folder / _SCORE)

    def answer(self, drill: Drill, *, right: bool) -> DrillScore:
        with self._scoring:
            score = self.score()
            score.answer(drill, right)
            self._folder.mkdir(parents=True, exist_ok=True)
            score.write(self._folder / _SCORE)
        return score


def standing(score: DrillScore, deck: Deck) -> dict[str, int]:
    """How many drills a deck has, and how many were tried and solved."""
    return {"drills": len(deck), "tried": score.tried(deck), "solved": score.solved(deck)}


def write_deck(data: Path, deck: Deck) -> str:
    """Write a deck into the data directory, and return its id. Raises OSError."""
    folder = data / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    name = new_id()
    write_whole(folder / f"{name}.json", deck.text())  # half a deck would make the whole list unreadable
    return name


def deck_files(deck: Deck) -> bytes:
    """A deck as `input.txt` and `accepted.txt` files in a .zip, for other programs."""
    with temporary_directory("littlego-deck-") as scratch:
        deck.export(scratch)
        return zipped(scratch)


def zipped(folder: Path) -> bytes:
    """The files of a folder as a .zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(path, path.relative_to(folder))
    return out.getvalue()
