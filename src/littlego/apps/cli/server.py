"""What runs until it is stopped: `web` for browsers, `gtp` for Go programs."""

from __future__ import annotations

import os
import signal
from contextlib import AbstractContextManager, ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from littlego.apps.cli import options, output
from littlego.apps.web.settings import DATA, EVERYWHERE, HOST, PORT, ServerSettings
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION
from littlego.formats.text import plural
from littlego.players.catalogue import MANUAL, STRONGEST

if TYPE_CHECKING:
    from littlego.core.board import Colour
    from littlego.core.game import Player

_LOCK: Final = "server.lock"
"""Held in the data directory while a server uses it."""


def web(
    *,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on; 0.0.0.0, which is the default for a class, lets others visit.",
            show_default=HOST,
        ),
    ] = None,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 takes any free one.")] = PORT,
    data: Annotated[Path, typer.Option(metavar="DIR", help="Directory for games, jobs and agents.")] = DATA,
    edition: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Also offer the course in this edition's file; kept in the data directory."),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            "--class",
            metavar="FILE",
            help="A server for a class: a roster of Canvas, Moodle or Gradescope, or a CSV with a column 'name'."
            " Makes a token for each student, and a sheet to print.",
        ),
    ] = None,
    due: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="When the class must have handed in, such as '2025-11-01 23:59'; by the last --edition, else 2025.",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open it in your browser.")] = False,
) -> None:
    """Play, watch, review and rank in the browser.

    littlego web --open
    """
    import socket
    import webbrowser

    from littlego.apps.web.app import create_app, serve
    from littlego.apps.web.auth import TOKEN_FILE, others_can_read, owners_token, write_doorway
    from littlego.apps.web.cohort import enrol, read_students, write_sheet
    from littlego.apps.web.homework import HANDED_IN, set_homework
    from littlego.apps.web.settings import address_of
    from littlego.apps.web.store import Editions
    from littlego.course.grading.cohort.roster import parse_due
    from littlego.storage.files import locked

    token = owners_token(data)
    added = [Editions(data).add(file).name for file in edition or []]
    for name in added:
        output.note(f"Edition {name} is also offered.")
    if due is not None:
        moment = parse_due(due)
        set_homework(data, moment, added[-1] if added else DEFAULT_EDITION)
        output.note(f"The homework is due {moment:%Y-%m-%d %H:%M}. What is handed in is in {data / HANDED_IN}.")
    if roster is not None:
        enrolled = enrol(roster, data)
        output.note(f"{plural(len(enrolled.students), 'student')}, {len(enrolled.new)} new.")
        if enrolled.gone:
            output.note(f"No longer in the class: {', '.join(enrolled.gone)}. Their tokens are no longer valid.")
    students = read_students(data)
    host = host or (EVERYWHERE if students else HOST)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        # asyncio sets this only on sockets that name their protocol; without it answers wait 40 ms for an ACK.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        raise UsageError(
            f"{host}:{port}: cannot listen there: {error.strerror}; choose another --port or --host"
        ) from error
    port = listener.getsockname()[1]
    settings = ServerSettings(
        data,
        host,
        port,
        token,
        students=students,
    )
    address = address_of(host, port)
    app = create_app(settings)
    link = address.rstrip("/") + app.state.access.new_link()
    output.note(f"Open Little-Go with this link, which works once: {link}")
    output.note(f"From then on it is at {address} in that browser. Ctrl-C stops it; everything is stored in {data}.")
    if students:
        sheet = write_sheet(data, students, address)
        output.note(f"A server for {len(students)} students: print {sheet}, and give each of them one line.")
    if not settings.is_local:
        output.note(f"Visitors open {address}, without a token.")
        _show_code(address)
    output.note(f"Other browsers and programs need the token in {data / TOKEN_FILE}.")
    if others_can_read(data):
        output.note(f"Other users of this machine can read {data}: keep them out with 'chmod 700 {data}'.")
    if show and _has_screen():
        webbrowser.open(write_doorway(data, link).absolute().as_uri())
    _end_cleanly()
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(data / _LOCK, wait=False))
        except BlockingIOError:
            output.note(f"Another server uses {data}: stop one of the two, or they work on the same jobs.")
        serve(app, listener)


def _show_code(address: str) -> None:
    """In a terminal, print the address for the cameras of phones."""
    import sys

    from littlego.apps.web.qr import qr_code, terminal_text

    if sys.stderr.isatty():
        with suppress(ValueError):  # a name so long that nobody types it
            print(terminal_text(qr_code(address)), file=sys.stderr)


def _end_cleanly() -> None:
    """Clean up after SIGTERM as after Ctrl-C, without warnings about what a killed process left."""
    import sys
    from multiprocessing import resource_tracker

    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore:resource_tracker"
    try:
        resource_tracker.ensure_running()  # it takes its warnings from the environment it starts in
    finally:
        del os.environ["PYTHONWARNINGS"]
        if before is not None:
            os.environ["PYTHONWARNINGS"] = before


def _has_screen() -> bool:
    """Whether a browser would open in a window: a text browser would hide our messages."""
    import sys

    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))


_ENDLESS = 1000
"""More moves than any program plays on a small board."""


def gtp(
    player: Annotated[str, typer.Argument(help="A name from 'littlego players', or an agent's directory.")] = STRONGEST,
    *,
    size: options.Size = None,
    edition: options.Edition,
    komi: Annotated[
        float | None, typer.Option(metavar="K", help="Komi at the start; the GTP command `komi` changes it.")
    ] = None,
    max_moves: Annotated[
        str | None, typer.Option(metavar="N|none", help="Length of a game, for programs that play on after 24 moves.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Engine name to report; Lizzie needs one like KataGo-1."),
    ] = None,
    seed: options.Seed = None,
) -> None:
    """Use any player as an engine in Go programs (GoGui, Sabaki, Lizzie, ...), in GTP on stdin and stdout.

    Set this command as the program's engine. The default is 5x5, 24 moves and komi 2.5.

      littlego gtp
      littlego gtp greedy --seed 1
      littlego gtp --max-moves none --komi 0.5
      littlego gtp my_agent
      littlego gtp --name KataGo-Little-Go
    """
    from littlego.apps.gtp.analysis import GtpAnalyst
    from littlego.apps.gtp.engine import GtpEngine, GtpGame, Lines, serve
    from littlego.arena.participants import preparing
    from littlego.core.game import derive_seed
    from littlego.course.seats import parse_entrant

    if player == MANUAL:
        raise UsageError("a person cannot be an engine: play in the Go program itself")
    found = options.edition_of(edition)
    entrant = parse_entrant(player, python=found.default_python, edition=found.like)
    drawn = options.drawn_seed(seed)
    with ExitStack() as stack:
        # Answers have their own descriptor: a stray print anywhere goes to stderr, not between them.
        out = os.dup(1)
        stack.callback(os.close, out)
        stack.callback(os.dup2, out, 1)
        os.dup2(2, 1)
        (prepared,), supervisor = stack.enter_context(preparing([entrant]))
        numbers = count()

        def seated(colour: Colour) -> AbstractContextManager[Player]:
            return prepared.seated(derive_seed(drawn, next(numbers), colour.name), supervisor, found.limits)

        game = GtpGame(seated, rules_on=found.rules, size=size, komi=komi, max_moves=_length(max_moves))
        stack.callback(game.close)
        analyst = GtpAnalyst(lambda: options.opened_oracle(None))
        stack.callback(analyst.close)
        output.note(f"{entrant.name} speaks GTP, seed {drawn}.")
        serve(GtpEngine(name or f"Little-Go {entrant.name}", game, analyst), Lines(0), out)


def _length(text: str | None) -> int | None:
    """Raises UsageError."""
    if text == "none":
        return _ENDLESS
    if text is not None and not (text.isascii() and text.isdigit() and 0 < int(text) <= _ENDLESS):
        raise UsageError(f"--max-moves {text}: expected a number of moves up to {_ENDLESS}, or none")
    return None if text is None else int(text)
