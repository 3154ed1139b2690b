"""A score of drills: which were solved, how often, and which should come next.

Drills are repeated at growing intervals: one that was missed comes back two answers later, before new ones;
one that was solved once, twice, ... in a row is due after 3, 8, 20, 50 answers, if there is nothing new. Time is
counted in answers, so that the order does not depend on the calendar.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from littlego.core.errors import FormatError
from littlego.formats.records import read_json
from littlego.review.drills.deck import Deck, Drill
from littlego.storage.whole_files import write_whole, writing

SCHEMA: Final = 1
_WAIT: Final = (2, 3, 8, 20, 50)
"""How many answers later a drill is due, by how many times in a row it was solved."""


@dataclass(slots=True)
class Memory:
    """The answers to one drill so far."""

    tries: int = 0
    solved: int = 0
    in_a_row: int = 0
    due: int = 0
    """The number of the answer after which it should be asked again."""


@dataclass(slots=True)
class DrillScore:
    """The answers to all drills, by their ids, so that it stays valid when a deck is remade."""

    answers: int = 0
    drills: dict[str, Memory] = field(default_factory=dict)

    def answer(self, drill: Drill, right: bool) -> None:
        memory = self.drills.setdefault(drill.id, Memory())
        self.answers += 1
        memory.tries += 1
        memory.solved += right
        memory.in_a_row = memory.in_a_row + 1 if right else 0
        memory.due = self.answers + _WAIT[min(memory.in_a_row, len(_WAIT) - 1)]

    def next_drill(self, deck: Deck) -> Drill | None:
        """The drill to ask now: one that was missed a while ago, else a new one, else the one due first."""

        def urgency(drill: Drill) -> tuple[int, int]:
            memory = self.drills.get(drill.id)
            if memory is None:
                return 1, 0
            again = not memory.in_a_row and memory.due <= self.answers
            return 0 if again else 2, memory.due

        return min(deck.drills, key=urgency, default=None)

    def solved(self, deck: Deck) -> int:
        """How many of a deck's drills were solved the last time they were asked."""
        return sum(drill.id in self.drills and self.drills[drill.id].in_a_row > 0 for drill in deck.drills)

    def tried(self, deck: Deck) -> int:
        return sum(drill.id in self.drills for drill in deck.drills)

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": "littlego score",
            "answers": self.answers,
            "drills": {name: asdict(memory) for name, memory in self.drills.items()},
        }

    def write(self, path: Path) -> None:
        """Write the score's file atomically. Raises UsageError if that fails."""
        with writing(path):
            write_whole(path, json.dumps(self.to_dict(), indent=1) + "\n")


def read_score(path: Path) -> DrillScore:
    """The score in a file; a new one if there is no file yet. Raises FormatError."""
    try:
        data = read_json(path)
    except FormatError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return DrillScore()
        raise
    try:
        if data["kind"] != "littlego score" or data["schema"] != SCHEMA:
            raise ValueError("of another kind or schema")
        drills = {
            str(name): Memory(*(_count(entry[key]) for key in ("tries", "solved", "in_a_row", "due")))
            for name, entry in data["drills"].items()
        }
        return DrillScore(_count(data["answers"]), drills)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"{path}: not a score of drills ({error!r}): move it away to start again") from error


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"expected a count, got {value!r:.40}")
    return value
