"""`littlego web`: the arena in the browser."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Final

import typer

from littlego.apps.cli import output
from littlego.apps.web.settings import DATA, EVERYWHERE, HOST, PORT, ServerSettings
from littlego.formats.text import plural

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
    from littlego.apps.web.editions import Editions
    from littlego.apps.web.settings import address_of
    from littlego.core.errors import UsageError
    from littlego.storage.locks import locked

    token = owners_token(data)
    for file in edition or []:
        output.note(f"Edition {Editions(data).add(file).name} is also offered.")
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
        print(terminal_text(qr_code(address)), file=sys.stderr)


def _end_cleanly() -> None:
    """Clean up after SIGTERM as after Ctrl-C, without warnings about what a killed process left."""
    import os
    import signal
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
    import os
    import sys

    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
