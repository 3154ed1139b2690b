"""The command `littlego`, assembled from the chapters beside this file: all of them for its help, one for a command.

`--help` and completion import every chapter, so these keep their heavy imports inside functions.
"""

from __future__ import annotations

import functools
import inspect
import math
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Final

import typer

from littlego import __version__
from littlego.apps.cli import output
from littlego.arena.processes import stay_out_of_the_current_directory
from littlego.core.errors import LittleGoError, UsageError
from littlego.sandbox import SandboxError
from littlego.storage.scratch import command_scratch


def _with_finite_numbers(command: Callable[..., object]) -> Callable[..., object]:
    """The command, which refuses `nan`, `inf` and 1e400: no minimum and no maximum does."""

    @functools.wraps(command)
    def checked(*args: object, **given: object) -> object:
        for name, value in given.items():
            if isinstance(value, float) and not math.isfinite(value):
                option = f"--{name.replace('_', '-')}"
                raise typer.BadParameter(f"expected a finite number, got {value}", param_hint=option)
        return command(*args, **given)

    return command if hasattr(command, "__wrapped__") else checked


def _fit(group: typer.Typer) -> None:
    """Refuse what is no number, and let typer wrap the paragraphs of docstrings; examples stay one a line."""
    for sub in group.registered_groups:
        if sub.typer_instance is not None:
            _fit(sub.typer_instance)
    for command in (*group.registered_commands, group.registered_callback):
        if command is not None and command.callback is not None and command.callback.__doc__:
            paragraphs = inspect.cleandoc(command.callback.__doc__).split("\n\n")
            command.help = "\n\n".join(map(_fit_paragraph, paragraphs))
            command.callback = _with_finite_numbers(command.callback)


def _fit_paragraph(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    if any(line.startswith("littlego ") or "| littlego " in line for line in lines):
        return "\n".join(lines)
    return " ".join(lines)


def _version(value: bool) -> None:
    if value:
        print(f"littlego {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


PLAY, AGENT, COURSE, LEARNING = "Play", "Your own agent", "The course", "Learning"

COMMANDS: Final = {
    "play": ("play.play", PLAY),
    "players": ("play.players", PLAY),
    "web": ("server.web", PLAY),
    "review": ("review.review", PLAY),
    "drill": ("review.drill_app", PLAY),
    "solve": ("exact.solve", PLAY),
    "new": ("agents.new", AGENT),
    "check": ("agents.check", AGENT),
    "match": ("games.match", AGENT),
    "compare": ("games.compare", AGENT),
    "replay": ("agents.replay", AGENT),
    "grade": ("grade.grade", COURSE),
    "grade-class": ("grade.cohort", COURSE),
    "tournament": ("tournament.app", COURSE),
    "train": ("learn.train", LEARNING),
    "tictactoe": ("learn.tictactoe_app", LEARNING),
    # Nobody misses these in a first week: `--help` names them at its end, without a panel.
    "agent": ("agents.agent_app", None),
    "autograder": ("grade.autograder", None),
    "doctor": ("agents.doctor", None),
    "edition": ("agents.edition_app", None),
    "gtp": ("server.gtp", None),
    "sandbox": ("agents.sandbox", None),
    "verify": ("exact.verify", None),
}
"""Each command: the chapter of this package that holds it, and the panel of `--help` that shows it."""


def assembled(only: str | None = None) -> typer.Typer:
    """The command `littlego` with all its commands; for speed with `only` one, if there is one of that name."""
    app = typer.Typer(
        help="Little-Go: Go on 5x5 with a 24-move limit. Play it, watch it, measure it.",
        epilog=f"Also, each with --help: {', '.join(name for name, (_, panel) in COMMANDS.items() if panel is None)}.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in (only,) if only is not None and only in COMMANDS else COMMANDS:
        where, panel = COMMANDS[name]
        chapter, _, attribute = where.partition(".")
        command = getattr(import_module(f"littlego.apps.cli.{chapter}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel, hidden=panel is None)
        else:
            app.command(name, rich_help_panel=panel, hidden=panel is None)(command)
    _fit(app)
    return app


def interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """Ctrl-C that came while Python was freeing something, which ignores every exception, comes again in a moment."""
    if ignored.exc_type is KeyboardInterrupt:
        threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()
    else:
        sys.__unraisablehook__(ignored)


def run() -> None:
    """Exit status: 0 done, 1 a check failed, 2 wrong usage, 130 interrupted by Ctrl-C or SIGTERM."""
    stay_out_of_the_current_directory()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.unraisablehook = interrupt_again
    try:
        if "" in sys.argv[1:]:
            raise UsageError("an argument is empty, perhaps an unset shell variable: write . for the current directory")
        with command_scratch(tell=_complain):
            assembled(sys.argv[1] if len(sys.argv) > 1 else None)(prog_name="littlego")
    except ModuleNotFoundError as error:
        from littlego.apps.cli.agents import why_missing

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
