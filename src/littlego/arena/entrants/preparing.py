"""Building an agent until it is known whose fault a failure is."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import Entrant, Prepared
from littlego.arena.entrants.programs import BuildFailed, BuildInterrupted
from littlego.arena.referee.client import Supervisor
from littlego.storage.removal import remove_tree

TRIES: Final = 2
"""How often the same files must fail before that is the agent's fault; and how often we may fail before we give up."""


def prepare_surely(entrant: Entrant, workshop: Path, supervisor: Supervisor) -> Prepared:
    """Build an entrant in `workshop`, which is not there yet, anew each time that it fails.

    Raises BuildFailed when it failed `TRIES` times for a reason that lies in its files, and BuildInterrupted when it
    was our failure that often; UsageError for what is no agent at all.
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
