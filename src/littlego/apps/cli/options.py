"""Options shared by several commands."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import completion, output
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, EDITIONS
from littlego.formats.text import plural

if TYPE_CHECKING:
    from littlego.arena.pool import Executor
    from littlego.course.editions.edition import Edition as EditionValue
    from littlego.sandbox.limits import Level, Limits

Size = Annotated[
    int | None, typer.Option("--size", "-n", metavar="N", help="Board size, 2 to 19. Default: the edition's, 5.")
]
Edition = Annotated[
    str,
    typer.Option(
        metavar="EDITION",
        help=f"An edition of the course: {', '.join(EDITIONS)}, or a file such as mycourse.toml.",
        autocompletion=completion.editions,
    ),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Seed for all random choices. Default: drawn and printed.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

LevelOption = Annotated[
    str | None,
    typer.Option(
        "--level",
        metavar="L",
        help="Isolation of programs: portable, linux or root. Default: the best available.",
        autocompletion=completion.levels,
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, max=256, help="Games played at once.")]
ClusterAddress = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Play on this Dask cluster, such as tcp://127.0.0.1:8786."),
]
CpuSeconds = Annotated[
    float | None,
    typer.Option(metavar="S", min=0.01, help="CPU seconds a move, of all its processes. Default: the edition's, 10."),
]
WallSeconds = Annotated[
    float | None, typer.Option(metavar="S", min=0.01, help="Real seconds a move. Default: the edition's, 30.")
]
MemoryMiB = Annotated[
    int | None,
    typer.Option(metavar="MIB", min=16, help="Memory of the whole process tree, in MiB. Default: the edition's, 1024."),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Enforce the course's written rules exactly: '2, 3' or text after the move loses."),
]
Python = Annotated[
    str | None,
    typer.Option(
        metavar="PYTHON",
        help="Python for agents: a path, a command, or a version. Default: the course's 3.7 if it is here.",
    ),
]

MatchFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Directory for results. Default: a new one in littlego-matches/.")
]
PlayersSeed = Annotated[int, typer.Option(metavar="N", help="Seed of the built-in players.")]
NewDirectory = Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it; created if missing.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]

EDITION = DEFAULT_EDITION


def share(metavar: str, text: str) -> Any:
    """An option with a value from 0 to 1."""
    return typer.Option(metavar=metavar, min=0, max=1, help=text)


def edition_of(text: str) -> EditionValue:
    """The edition of this name or in this file. Raises UsageError."""
    from littlego.course.editions.find import find_edition

    return find_edition(text)


def limits_of(
    edition: EditionValue,
    *,
    cpu: float | None = None,
    wall: float | None = None,
    memory: int | None = None,
    strict: bool = False,
) -> Limits:
    """The edition's limits, with those that were given on the command line."""
    from littlego.sandbox.limits import MIB

    usual = edition.limits
    return dataclasses.replace(
        usual,
        cpu_seconds=usual.cpu_seconds if cpu is None else cpu,
        wall_seconds=usual.wall_seconds if wall is None else wall,
        memory_bytes=usual.memory_bytes if memory is None else memory * MIB,
        strict=strict,
    )


def level_of(text: str | None) -> Level | None:
    """Raises LevelRefused, and UsageError if this machine does not offer the level."""
    if text is None:
        return None
    from littlego.sandbox.limits import parse_level, probe

    level = parse_level(text)
    if level not in probe().levels:
        raise UsageError(f"{level} is not available on this machine: {', '.join(map(str, probe().levels))} are")
    return level


def colours_of(text: str | None) -> tuple[Colour, ...]:
    """Both colours for None. Raises UsageError."""
    if text is None:
        return tuple(Colour)
    if text.upper() not in Colour.__members__:
        raise UsageError(f"colour {text!r}: expected black or white")
    return (Colour[text.upper()],)


def drawn_seed(seed: int | None) -> int:
    return random.SystemRandom().randrange(2**31) if seed is None else seed


@contextmanager
def executor(jobs: int, cluster: str | None) -> Iterator[Executor]:
    """The cluster at an address, or a local pool. Raises UsageError."""
    if cluster is None:
        from littlego.arena.pool import LocalPool

        with LocalPool(jobs) as pool:
            yield pool
        return
    from littlego.arena.cluster import Cluster

    with Cluster(cluster, tell=output.note) as connected:
        output.note(f"Cluster {cluster}: {plural(connected.workers, 'worker')}.")
        yield connected
