"""The oracle as commands open it: with a store that outlives them, so that nothing is worked out twice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import output

if TYPE_CHECKING:
    from littlego.solve.engine import Watcher
    from littlego.solve.oracle import Oracle

StoreFile = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help="Keeps what is proven. Default: solved.sqlite in the user's cache."),
]
Seconds = Annotated[
    float, typer.Option(metavar="S", min=0, help="Search at most so long, then tell what is known; 0: no limit.")
]
Memory = Annotated[float, typer.Option(metavar="GIB", min=0.01, help="GiB for the table.")]
Threads = Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Threads of the search.")]

MEMORY = 1.0
THREADS = 2


@contextmanager
def opened(
    store: Path | None,
    *,
    memory: float | None = MEMORY,
    threads: int = THREADS,
    watch: Watcher | None = None,
    from_nothing: bool = False,
) -> Iterator[Oracle]:
    """An oracle with the store asked for, or the one in the user's cache if it can be had.

    `memory` is in GiB; None takes half of what is free. `from_nothing` goes without the atlas and that cache.
    """
    from littlego.core.errors import UsageError
    from littlego.solve.engine import is_compiled
    from littlego.solve.oracle import Oracle

    if not is_compiled():
        output.note("first use: compiling the kernel, which takes about half a minute and is kept for later")
    new_oracle = partial(
        Oracle,
        memory=None if memory is None else int(memory * (1 << 30)),
        threads=threads,
        watch=watch,
        use_atlas=not from_nothing,
    )
    try:
        oracle = new_oracle(store=store or (None if from_nothing else _cache()))
    except UsageError:
        if store is not None:
            raise
        oracle = new_oracle()
    try:
        yield oracle
    finally:
        oracle.close()


def limit(seconds: float) -> float | None:
    """The limit that a number stands for: 0 is none."""
    return seconds or None


def _cache() -> Path | None:
    """The store in the user's cache; None where there can be no such file."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - never raises
    folder = Path(root) / "littlego"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / "solved.sqlite"
