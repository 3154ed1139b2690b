"""The command `littlego`, assembled from its groups.

These modules are imported on every start, so they keep their heavy imports inside functions.
"""

from __future__ import annotations

import inspect
import signal
import sys
from typing import Annotated

import typer

from littlego import __version__
from littlego.apps.cli import agents, exact, games, grade, learn, output, play, review, server, tournament
from littlego.apps.cli.agents import why_missing
from littlego.arena.processes import stay_out_of_the_current_directory
from littlego.core.errors import LittleGoError
from littlego.sandbox import SandboxError
from littlego.storage.scratch import command_scratch

app = typer.Typer(
    help="Little-Go: Go on 5x5 with a 24-move limit. Play it, watch it, measure it.",
    epilog=(
        "Also, each with --help: agent, analyze, autograder, certify, cluster, doctor, edition, gtp, sandbox, sgf, "
        "verify."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
PLAY, AGENT, COURSE, LEARNING = "Play", "Your own agent", "The course", "Learning"

app.command(rich_help_panel=PLAY)(play.play)
app.command(rich_help_panel=PLAY)(play.players)
app.command(rich_help_panel=PLAY)(server.web)
app.command(rich_help_panel=PLAY)(review.review)
app.add_typer(review.drill_app, name="drill", rich_help_panel=PLAY)
app.command(rich_help_panel=PLAY)(exact.solve)
app.command(rich_help_panel=AGENT)(agents.new)
app.command(rich_help_panel=AGENT)(agents.check)
app.command(rich_help_panel=AGENT)(games.match)
app.command(rich_help_panel=AGENT)(games.compare)
app.command(rich_help_panel=AGENT)(agents.replay)
app.command(rich_help_panel=COURSE)(grade.grade)
app.command("grade-class", rich_help_panel=COURSE)(grade.cohort)
app.add_typer(tournament.app, name="tournament", rich_help_panel=COURSE)
app.command(rich_help_panel=LEARNING)(learn.train)
app.add_typer(learn.tictactoe_app, name="tictactoe", rich_help_panel=LEARNING)
# Nobody misses these in a first week; the epilogue names them.
app.add_typer(agents.agent_app, name="agent", hidden=True)
app.command(hidden=True)(grade.autograder)
app.command(hidden=True)(exact.analyze)
app.command(hidden=True)(exact.certify)
app.add_typer(server.cluster_app, name="cluster", hidden=True)
app.command(hidden=True)(agents.doctor)
app.add_typer(agents.edition_app, name="edition", hidden=True)
app.command(hidden=True)(server.gtp)
app.command(hidden=True)(agents.sandbox)
app.add_typer(review.sgf_app, name="sgf", hidden=True)
app.command(hidden=True)(exact.verify)


def _fit_help(group: typer.Typer) -> None:
    """Let typer wrap the paragraphs of docstrings; examples stay one a line."""
    for sub in group.registered_groups:
        if sub.typer_instance is not None:
            _fit_help(sub.typer_instance)
    for command in (*group.registered_commands, group.registered_callback):
        if command is not None and command.callback is not None and command.callback.__doc__:
            paragraphs = inspect.cleandoc(command.callback.__doc__).split("\n\n")
            command.help = "\n\n".join(map(_fit_paragraph, paragraphs))


def _fit_paragraph(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    if any(line.startswith("littlego ") or "| littlego " in line for line in lines):
        return "\n".join(lines)
    return " ".join(lines)


_fit_help(app)


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
    """Exit status: 0 done, 1 a check failed, 2 wrong usage, 130 interrupted by Ctrl-C or SIGTERM."""
    stay_out_of_the_current_directory()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with command_scratch(tell=_complain):
            app(prog_name="littlego")
    except ModuleNotFoundError as error:
        if (why := why_missing(error.name)) is None:
            raise
        _complain(why)
        sys.exit(2)
    except (LittleGoError, SandboxError) as error:
        _complain(str(error))
        sys.exit(2)
    except OSError as error:  # a full disk, a closed terminal: a traceback would not help
        _complain(str(error))
        sys.exit(1)


def _complain(text: str) -> None:
    """Errors quote compilers, and so an agent's files, which may contain anything."""
    print(f"littlego: {output.printable(text)}", file=sys.stderr)
