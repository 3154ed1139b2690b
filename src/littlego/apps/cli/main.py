"""The command `littlego`, assembled from its groups.

These modules are imported on every start, so they keep their heavy imports inside functions.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from littlego import __version__
from littlego.apps.cli import (
    agent,
    analyze,
    bench,
    check,
    cluster,
    drill,
    grade,
    gtp,
    match,
    new,
    play,
    review,
    sandbox,
    sgf,
    solve,
    tictactoe,
    tournament,
    train,
    web,
)
from littlego.arena.pool.own_process import stay_out_of_the_current_directory
from littlego.core.errors import LittleGoError
from littlego.storage.scratch import command_scratch

app = typer.Typer(
    help="Little-Go: Go on 5x5 with a 24-move limit. Play it, watch it, measure it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(play.play)
app.command()(play.players)
app.command()(new.new)
app.command()(check.check)
app.command()(match.match)
app.command()(grade.grade)
app.command()(check.replay)
app.command()(review.review)
app.command()(analyze.analyze)
app.command()(gtp.gtp)
app.command()(sandbox.sandbox)
app.command()(solve.solve)
app.command()(solve.certify)
app.command()(solve.verify)
app.command()(train.train)
app.command()(web.web)
app.add_typer(drill.app, name="drill")
app.add_typer(sgf.app, name="sgf")
app.add_typer(tournament.app, name="tournament")
app.add_typer(tictactoe.app, name="tictactoe")
app.add_typer(agent.app, name="agent")
app.add_typer(cluster.app, name="cluster")
bench.add_benchmarks(app)


def _version(value: bool) -> None:
    if value:
        print(f"littlego {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def run() -> None:
    """Exit status: 0 done, 1 a check failed, 2 wrong usage, 130 interrupted (by typer)."""
    stay_out_of_the_current_directory()
    try:
        with command_scratch(tell=_complain):
            app(prog_name="littlego")
    except LittleGoError as error:
        _complain(str(error))
        sys.exit(2)
    except OSError as error:  # a full disk, a closed terminal: a traceback would not help
        _complain(str(error))
        sys.exit(1)


def _complain(text: str) -> None:
    print(f"littlego: {text}", file=sys.stderr)
