"""`littlego gtp`: any player as an engine for Go programs."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack
from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, oracles, output
from littlego.core.errors import UsageError
from littlego.players.catalogue import MANUAL, STRONGEST

_ENDLESS = 1000
"""More moves than any program plays on a small board."""

if TYPE_CHECKING:
    from littlego.core.colour import Colour
    from littlego.core.game import Player


def gtp(
    player: Annotated[str, typer.Argument(help="A name from 'littlego players', or an agent's directory.")] = STRONGEST,
    *,
    size: options.Size = None,
    edition: options.Edition = options.EDITION,
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
    from littlego.apps.gtp.engine import GtpEngine, Lines, serve
    from littlego.apps.gtp.game import GtpGame
    from littlego.arena.participants import preparing
    from littlego.core.game import derive_seed
    from littlego.course.spelling import parse_entrant

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
        analyst = GtpAnalyst(lambda: oracles.opened(None))
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
