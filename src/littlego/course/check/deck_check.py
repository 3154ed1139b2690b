"""A deck of drills given to an agent through the referee: does it keep the wins that were thrown away?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlego.arena.building import Program, build_program
from littlego.arena.participants import PreparedProgram
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.points import Move
from littlego.review.drills import Deck, Drill
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.storage.scratch import temporary_directory


@dataclass(frozen=True, slots=True)
class DeckAnswer:
    """An agent's answer to a drill: a move or a fault."""

    drill: Drill
    move: Move | None
    fault: str = ""
    cpu_seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Whether it keeps the win."""
        return self.move is not None and self.drill.is_right(self.move)

    def to_dict(self) -> dict[str, Any]:
        name = self.drill.position.move_name
        return {
            "id": self.drill.id,
            "title": self.drill.title,
            "right": self.right,
            "move": None if self.move is None else name(self.move),
            "fault": self.fault,
            "accepted": [name(move) for move in self.drill.accepted],
            "input": self.drill.input.split("\n"),
            "cpu_seconds": self.cpu_seconds,
        }


def answers(
    deck: Deck, agent: Path, supervisor: Supervisor, *, limits: Limits, python: str | None = None
) -> Iterator[DeckAnswer]:
    """The answer to each drill, each from a fresh copy of the agent's files. Raises UsageError if it does not build."""
    if not deck.drills:
        raise UsageError("the deck has no drills: nothing to check")
    with temporary_directory("littlego-deck-") as workshop:
        program = build_program(agent, workshop / "agent", supervisor, python=python)
        for drill in deck.drills:
            yield _answer(drill, program, supervisor, limits)


def _answer(drill: Drill, program: Program, supervisor: Supervisor, limits: Limits) -> DeckAnswer:
    with PreparedProgram(program).seated(0, supervisor, limits) as player:
        player.resume(drill.own_board)
        try:
            move = player.choose(drill.position)
        except PlayerFault as fault:
            return DeckAnswer(drill, None, f"{fault.verdict.value}: {fault}", sum(player.cpu_seconds))
        return DeckAnswer(drill, move, "", sum(player.cpu_seconds))
