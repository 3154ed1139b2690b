"""Building an agent again until it is clear whose fault a failure is."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import Entrant, Prepared
from littlego.arena.entrants.programs import BuildFailed, BuildInterrupted
from littlego.arena.referee.client import Supervisor
from littlego.storage.removal import remove_tree

TRIES: Final = 2
"""Failures of the same files that make it the agent's fault; and failures of ours after which we give up."""


def prepare_surely(entrant: Entrant, workshop: Path, supervisor: Supervisor) -> Prepared:
    """Build an entrant in `workshop`, which must not exist, and again if that fails.

    Raises BuildFailed after `TRIES` failures caused by its files, BuildInterrupted after as many failures of ours, and
    UsageError for something that is not an agent.
    """
    failures: list[Exception] = []
    while True:
        try:
            return entrant.prepare(workshop, supervisor)
        except (BuildFailed, BuildInterrupted) as failure:
            failures.append(failure)
            if sum(isinstance(each, type(failure)) for each in failures) == TRIES:
                raise
            remove_tree(workshop)
            supervisor.close()  # the next try gets a new one
