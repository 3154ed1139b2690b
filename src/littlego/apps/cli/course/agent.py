"""`littlego agent`: our own submission."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlego.apps.cli import options
from littlego.core.errors import UsageError
from littlego.core.rules import EDITIONS

app = typer.Typer(help="Export our own solution as a submission.", no_args_is_help=True)


@app.command()
def export(
    directory: options.NewDirectory,
    *,
    learner: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Instead, an agent that plays from a model of 'littlego train'."),
    ] = None,
    edition: Annotated[
        str, typer.Option(metavar="YEAR", help="2019 writes a class MyPlayer, not a program.")
    ] = options.EDITION,
    force: options.Force = False,
) -> None:
    """Write the files to submit: my_player3.py and what it reads.

    littlego agent export my-submission
    littlego agent export my-learner --learner trained
    littlego agent export my-class --edition 2019
    """
    from littlego.course.export import export_agent, export_class, export_learner

    if edition not in EDITIONS:
        raise UsageError(f"edition {edition!r}: expected one of {', '.join(EDITIONS)}")
    if learner is not None:
        written = export_learner(learner, directory, edition=edition, force=force)
    elif edition == "2019":
        written = export_class(directory, force=force)
    else:
        written = export_agent(directory, force=force)
    for path in written:
        print(f"{path}  {path.stat().st_size:,} bytes")
