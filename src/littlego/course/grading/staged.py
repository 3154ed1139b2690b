"""A submission with an agent of its own for each stage: "the agent submitted to stage 1 is used in stage 1"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from littlego.arena.entrants.kinds import CourseAgent
from littlego.course.python_class.agent import ClassAgent


@dataclass(frozen=True)
class StagedAgent:
    """The agents of a submission, by the folder of their stage. A stage without an agent scores nothing."""

    path: Path
    agents: Mapping[str, CourseAgent | ClassAgent]

    @property
    def spelling(self) -> str:
        """Of the folder with all of them; a stage's agent has its own folder added."""
        return str(self.path.absolute())

    @property
    def name(self) -> str:
        return self.path.absolute().name

    def made_with(self) -> str:
        """The tools of all of them; needs no build. Raises UsageError."""
        return json.dumps({folder: agent.made_with() for folder, agent in self.agents.items()})
