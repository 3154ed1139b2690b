"""What a check found."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from littlego.arena.capsule import Capsule
from littlego.core.position import Position


class Status(enum.Enum):
    """The result of a check. Only FAILED makes an agent unfit."""

    PASSED = "passed"
    REMARK = "remark"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the list."""

    title: str
    status: Status
    detail: str = ""
    position: Position | None = None
    """The position in which it failed, if any."""
    capsule: Capsule | None = None
    """Reproduces the failure, if a move failed."""
    advice: str = ""
    """What helps, if there is nothing to debug in the program: a sentence without its full stop."""


Finding = tuple[Status, str, Position | None]
