"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import random
from typing import Annotated

import typer

from littlego.core.rules import DEFAULT_EDITION, EDITIONS

Size = Annotated[int, typer.Option("--size", "-n", metavar="N", help="Board size, 2 to 19.")]
Edition = Annotated[
    str, typer.Option(metavar="YEAR", help=f"Rules of this edition of the course: {', '.join(EDITIONS)}.")
]
Seed = Annotated[
    int | None, typer.Option(metavar="N", help="Makes every random choice repeatable. Drawn and printed if not given.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

EDITION = DEFAULT_EDITION


def drawn_seed(seed: int | None) -> int:
    """The seed given, or a new one."""
    return random.SystemRandom().randrange(2**31) if seed is None else seed
