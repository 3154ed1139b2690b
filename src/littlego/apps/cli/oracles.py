"""The oracle as commands open it: with a persistent store, so that nothing is solved twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import output
from littlego.storage.scratch import user_cache

if TYPE_CHECKING:
    from littlego.solve.engine import Watcher
    from littlego.solve.oracle import Oracle

StoreFile = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help="File for proven values. Default: solved.sqlite in the user's cache."),
]
Seconds = Annotated[float, typer.Option(metavar="S", min=0, help="Time limit of the search; 0: none.")]

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


def limit(seconds: float) -> float | None:
    """0 means no limit."""
    return seconds or None


def _solved() -> Path | None:
    """The store in the user's cache; None if there can be no such file."""
    folder = user_cache()
    return None if folder is None else folder / "solved.sqlite"
