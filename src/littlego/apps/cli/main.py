"""The command `littlego`, assembled from its groups.

These modules are imported on every start, so they keep their heavy imports inside functions.
"""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from littlego import __version__
from littlego.apps.cli import bench, gtp, output, play, web
from littlego.apps.cli.arena import cluster, compare, match, sandbox, tournament
from littlego.apps.cli.course import agent, check, doctor, edition, grade, new, replay
from littlego.apps.cli.exact import analyze, drill, review, sgf, solve
from littlego.apps.cli.extras import why_missing
from littlego.apps.cli.learning import tictactoe, train
from littlego.arena.own_process import stay_out_of_the_current_directory
from littlego.core.errors import LittleGoError
from littlego.kernel.first_use import tell_of_compiling
from littlego.storage.scratch import command_scratch

app = typer.Typer(
    help="Little-Go: Go on 5x5 with a 24-move limit. Play it, watch it, measure it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
PLAY, COURSE, GAMES, EXACT, LEARNING = "Play", "The course", "Many games", "Exact values", "Learning"

app.command(rich_help_panel=PLAY)(play.play)
app.command(rich_help_panel=PLAY)(play.players)
app.command(rich_help_panel=PLAY)(web.web)
app.command(rich_help_panel=PLAY)(gtp.gtp)
app.command(rich_help_panel=COURSE)(new.new)
app.command(rich_help_panel=COURSE)(check.check)
app.command(rich_help_panel=COURSE)(grade.grade)
app.command(rich_help_panel=COURSE)(replay.replay)
app.command(rich_help_panel=COURSE)(doctor.doctor)
app.add_typer(edition.app, name="edition", rich_help_panel=COURSE)
app.add_typer(agent.app, name="agent", rich_help_panel=COURSE)
app.command(rich_help_panel=GAMES)(match.match)
app.command(rich_help_panel=GAMES)(compare.compare)
app.add_typer(tournament.app, name="tournament", rich_help_panel=GAMES)
app.add_typer(cluster.app, name="cluster", rich_help_panel=GAMES)
app.command(rich_help_panel=GAMES)(sandbox.sandbox)
app.command(rich_help_panel=EXACT)(review.review)
app.add_typer(drill.app, name="drill", rich_help_panel=EXACT)
app.command(rich_help_panel=EXACT)(solve.solve)
app.command(rich_help_panel=EXACT)(solve.certify)
app.command(rich_help_panel=EXACT)(solve.verify)
app.command(rich_help_panel=EXACT)(analyze.analyze)
app.add_typer(sgf.app, name="sgf", rich_help_panel=EXACT)
app.command(rich_help_panel=LEARNING)(train.train)
app.add_typer(tictactoe.app, name="tictactoe", rich_help_panel=LEARNING)
bench.add_benchmarks(app, "Measuring")


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
    """Exit status: 0 done, 1 a check failed, 2 wrong usage, 130 interrupted (by typer), 143 ended by SIGTERM."""
    stay_out_of_the_current_directory()
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that temporary files go
    tell_of_compiling(output.note if sys.stderr.isatty() else None)
    try:
        with command_scratch(tell=_complain):
            app(prog_name="littlego")
    except ModuleNotFoundError as error:
        if (why := why_missing(error.name)) is None:
            raise
        _complain(why)
        sys.exit(2)
    except LittleGoError as error:
        _complain(str(error))
        sys.exit(2)
    except OSError as error:  # a full disk, a closed terminal: a traceback would not help
        _complain(str(error))
        sys.exit(1)


def _complain(text: str) -> None:
    print(f"littlego: {text}", file=sys.stderr)
