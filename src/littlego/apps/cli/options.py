"""What several commands share: options, and how they open the oracle and the executor."""

from __future__ import annotations

import dataclasses
import random
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from littlego.apps.cli import output
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, EDITIONS
from littlego.formats.text import plural
from littlego.storage.scratch import user_cache

if TYPE_CHECKING:
    from littlego.arena.pool import Executor
    from littlego.course.edition import Edition as EditionValue
    from littlego.sandbox.limits import Level, Limits
    from littlego.solve.engine import Watcher
    from littlego.solve.oracle import Oracle


def complete_players(incomplete: str) -> list[tuple[str, str]]:
    """The built-in players, with what they do; without any, a shell offers the files here."""
    from littlego.players.catalogue import PLAYERS

    return [(name, entry.summary) for name, entry in PLAYERS.items() if name.startswith(incomplete)]


Size = Annotated[
    int | None, typer.Option("--size", "-n", metavar="N", help="Board size, 2 to 19. Default: the edition's, 5.")
]


def kit_edition() -> str:
    """The edition of the starter kit that one is in, or else the newest. Raises FormatError for a kit's broken file."""
    if not KIT_EDITION.is_file():
        return DEFAULT_EDITION
    name = edition_of(str(KIT_EDITION)).name
    return name if name in EDITIONS else str(KIT_EDITION)


KIT_EDITION: Final = Path("edition.toml")
"""What a starter kit says of its edition."""
Edition = Annotated[
    str,
    typer.Option(
        metavar="EDITION",
        help=f"An edition of the course: {', '.join(EDITIONS)}, or a file such as mycourse.toml.",
        default_factory=kit_edition,
        show_default=f"that of the kit you are in, else {DEFAULT_EDITION}",
    ),
]
Seed = Annotated[
    int | None, typer.Option(metavar="N", min=0, help="Seed for all random choices. Default: drawn and printed.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

LevelOption = Annotated[
    str | None,
    typer.Option(
        "--level",
        metavar="L",
        help="Isolation of programs: portable, linux or root. Default: the best available.",
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
        help="Python for agents: a path, a command, or a version. Default: the course's 3.7 if it is installed.",
    ),
]

LAST: Final = "last"
"""Names the last game at the terminal, for `littlego review`."""
MatchFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Directory for results. Default: a new one in littlego-matches/.")
]
PlayersSeed = Annotated[int, typer.Option(metavar="N", help="Seed of the built-in players.")]
NewDirectory = Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it; created if missing.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]


def number_of_games(text: str, *names: str, least: int = 1) -> Any:
    """An option with as many games as a plan of them and their results fit into memory."""
    return typer.Option(*(names or ("--games", "-g")), metavar="N", min=least, max=1_000_000, help=text)


def share(metavar: str, text: str) -> Any:
    """An option with a value from 0 to 1."""
    return typer.Option(metavar=metavar, min=0, max=1, help=text)


def was_given(option: str, context: typer.Context) -> bool:
    """Whether an option was on the command line."""
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def edition_of(text: str) -> EditionValue:
    """The edition of this name or in this file. Raises UsageError."""
    from littlego.course.edition import find_edition

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


@contextmanager
def for_one_agent(agent: str | Path, all_of_them: str = "to grade them all", *more: str) -> Iterator[None]:
    """Where one agent is expected, a folder or an archive of a class gets the command that takes all of them."""
    try:
        yield
    except UsageError as error:
        from littlego.course.seats import SeveralAgents

        if not isinstance(error, SeveralAgents) or not Path(agent).exists():
            raise
        command = shlex.join(["littlego", "grade-class", str(agent), *more])
        raise UsageError(f"{error}; {all_of_them}: {command}") from error


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


StoreFile = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help="File for proven values. Default: solved.sqlite in the user's cache."),
]
Seconds = Annotated[float, typer.Option(metavar="S", min=0, help="Time limit of the search; 0: none.")]

MEMORY = 1.0
THREADS = 2


@contextmanager
def opened_oracle(
    store: Path | None,
    *,
    memory: float | None = MEMORY,
    threads: int = THREADS,
    watch: Watcher | None = None,
    from_nothing: bool = False,
) -> Iterator[Oracle]:
    """An oracle with this store, or with the one in the user's cache if possible.

    `memory` is in GiB; None takes half of the free memory, as far as the table needs it. `from_nothing` uses neither
    the atlas nor that cache.
    """
    from littlego.core.errors import UsageError
    from littlego.solve.oracle import MEMORY as LEAST
    from littlego.solve.oracle import Oracle
    from littlego.storage.scratch import free_memory

    new_oracle = partial(
        Oracle,
        memory=max(LEAST, free_memory() // 2) if memory is None else int(memory * (1 << 30)),
        threads=threads,
        watch=watch,
        use_atlas=not from_nothing,
    )
    try:
        oracle = new_oracle(store=store or (None if from_nothing else _solved()))
    except UsageError:
        if store is not None:
            raise
        oracle = new_oracle()
    with closing(oracle):
        try:
            yield oracle
        finally:
            if oracle.store_trouble:
                output.note(f"{oracle.kept_in}: not all proven values could be stored: {oracle.store_trouble}")


def _solved() -> Path | None:
    """The store in the user's cache; None if there can be no such file."""
    folder = user_cache()
    return None if folder is None else folder / "solved.sqlite"
