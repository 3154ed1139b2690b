"""`littlego cluster`: a Dask cluster on this machine."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from typing import Annotated

import typer

from littlego.apps.cli import output
from littlego.core.errors import UsageError
from littlego.formats.text import plural

app = typer.Typer(help="Play on a Dask cluster.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Play on a Dask cluster."""


@app.command()
def local(
    workers: Annotated[int, typer.Argument(metavar="N", min=1, help="Workers; each plays one game at a time.")],
    *,
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The scheduler's port. Default: any free port.")
    ] = 0,
) -> None:
    """Start a scheduler and N workers on this machine, until Ctrl-C.

    littlego cluster local 2
    littlego match smart greedy --cluster tcp://127.0.0.1:PORT
    """
    from littlego.arena.cluster import local_cluster

    cores = os.cpu_count() or 1
    if workers > cores:
        raise UsageError(
            f"{workers} workers: this machine has {cores} cores, and more workers would make clocks unfair"
        )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that stopping us stops them all
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(local_cluster(workers, port=port))
            print(
                f"The scheduler is at {cluster.address}, with {plural(workers, 'worker')}. In another terminal:",
                flush=True,
            )
            print(f"  littlego match smart greedy --games 100 --cluster {cluster.address}", flush=True)
            print("Ctrl-C stops them all.", flush=True)
            cluster.wait(output.note)
        except KeyboardInterrupt:
            output.note("\nStopped.")
            return
    output.note("The scheduler ended, or workers end as soon as they start: the rest was stopped.")
    raise typer.Exit(1)
