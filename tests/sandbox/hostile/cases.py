"""The hostile cases, by group."""

from __future__ import annotations

import importlib
from typing import Final

from littlego.core.rules import Verdict
from tests.sandbox.hostile.against_builds import BUILDS
from tests.sandbox.hostile.agents import agent
from tests.sandbox.hostile.case import EVERY, SANDBOXED, Case

_MODULES: Final = (
    "against_limits",
    "against_host",
    "against_keeper",
    "against_memory",
    "against_files",
    "against_kernel",
    "against_attribution",
)
"""In the order of their groups."""


def _declared() -> dict[str, agent.Declared]:
    for module in _MODULES:
        importlib.import_module(f"tests.sandbox.hostile.agents.{module}")
    return agent.CASES


CASES: tuple[Case, ...] = (
    *(
        Case(
            name,
            declared.proves,
            frozenset(None if word == agent.PLAYS else Verdict(word) for word in declared.verdicts),
            SANDBOXED if declared.sandboxed else EVERY,
            declared.moves,
            declared.output.encode(),
            declared.group,
            declared.module,
        )
        for name, declared in _declared().items()
    ),
    *BUILDS,
)
