"""`littlego drill`: learn from the wins that were thrown away."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, oracles, output
from littlego.core.errors import UsageError
from littlego.formats.text import plural

if TYPE_CHECKING:
    from littlego.core.points import Move
    from littlego.core.position import Position
    from littlego.review.drills import Drill
    from littlego.review.values import Values

_SECONDS = 10.0
"""For what follows a wrong move."""
_MEMORY = 0.25
"""GiB for that."""

app = typer.Typer(
    help="Drills from wins that were thrown away: make a deck, practise it, export it.", no_args_is_help=True
)

DeckFile = Annotated[Path, typer.Argument(metavar="DECK", help="A deck that `littlego drill make` wrote.")]


@app.command()
def make(
    games: Annotated[list[Path], typer.Argument(metavar="GAMES...", help="Files and folders of games, as for review.")],
    *,
    player: Annotated[str | None, typer.Option(metavar="NAME", help="Whose mistakes. Default: everyone's.")] = None,
    out: Annotated[Path, typer.Option(metavar="DECK", help="The deck; drills are added to an existing one.")],
    seconds: oracles.Seconds = 120.0,
    store: oracles.StoreFile = None,
    json: options.Json = False,
) -> None:
    """Make a deck of the positions in which players threw a won game away.

    littlego drill make littlego-matches/me-greedy-1a2b3c --out drills.json
    """
    from functools import partial

    from littlego.review.drills import Deck, make_deck, read_deck
    from littlego.review.reading import read_games
    from littlego.review.regret import names_in, regret_of

    records = [record for path in games for record in read_games(path)]
    names = [player] if player else names_in(records)
    deck = read_deck(out) if out.exists() else Deck((), out.stem)
    before, left_out, unknown = len(deck), 0, 0
    stopped = False
    with oracles.opened(store) as oracle:
        try:
            with output.stages() as update:
                for name in names:
                    regret = regret_of(
                        records, name, oracle, seconds=oracles.limit(seconds), watch=partial(update, f"{name}: values")
                    )
                    made, expensive = make_deck(records, regret, oracle, watch=partial(update, f"{name}: drills"))
                    deck, left_out, unknown = deck.merged(made), left_out + expensive, unknown + regret.total.unknown
        except KeyboardInterrupt:
            stopped = True
    deck.write(out)
    if json:
        output.print_json(
            {"deck": str(out), "drills": len(deck), "new": len(deck) - before, "left_out": left_out, "unknown": unknown}
        )
    else:
        print(f"{out}: {plural(len(deck), 'drill')}, {len(deck) - before} new, from {plural(len(records), 'game')}.")
    if left_out:
        more = plural(left_out, "more position")
        output.note(f"Left out: {more}, so early that solving every move would take minutes.")
    if unknown:
        positions = plural(unknown, "position")
        output.note(f"Not solved: {positions}, too early or out of time (--seconds).")
    if deck.drills and not json:
        where = shlex.quote(str(out))
        output.note(f"Next: littlego drill play {where}, or for an agent: littlego check AGENT --deck {where}")
    if stopped:
        output.stop("Stopped. The deck has what was found.")


@app.command()
def export(
    deck: DeckFile,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write a directory for each drill.")],
) -> None:
    """Write each drill as `input.txt`, with `accepted.txt` beside it: every output that keeps the win.

    littlego drill export drills.json drills
    """
    from littlego.review.drills import read_deck

    drills = read_deck(deck)
    drills.export(directory)
    print(f"{directory}: {plural(len(drills), 'drill')}, each with input.txt and accepted.txt.")


@app.command()
def play(
    deck: DeckFile,
    *,
    rounds: Annotated[int, typer.Option("--rounds", "-r", metavar="N", min=1, help="Number of drills.")] = 10,
) -> None:
    """Practise a deck: find a move that keeps the win. What you miss comes back.

    littlego drill play drills.json --rounds 5
    """
    from littlego.review.drills import read_deck, read_score

    drills = read_deck(deck)
    if not drills.drills:
        raise UsageError(f"{deck}: has no drills")
    path = deck.with_suffix(".score.json")
    kept = read_score(path)
    coach = _Coach()
    for number in range(1, rounds + 1):
        drill = kept.next_drill(drills)
        assert drill is not None
        print(f"\n{number} of {rounds}. The deck has {plural(len(drills), 'drill')}.")
        right = _ask(drill, coach)
        if right is None:
            break
        kept.answer(drill, right)
        kept.write(path)
    coach.close()
    untried = len(drills) - kept.tried(drills)
    print(f"\nSolved {kept.solved(drills)} of {len(drills)}, {untried} not tried yet. Score: {path}")


class _Coach:
    """Shows what follows a wrong move. The solver starts when it is first needed."""

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._values: Values | None = None

    def explain(self, position: Position, move: Move) -> None:
        from littlego.review.values import Value, Values, stopping_after
        from littlego.review.verdicts import find_refutation
        from littlego.solve.engine import Stopped

        if self._values is None:
            self._values = Values(self._closing.enter_context(oracles.opened(None, memory=_MEMORY)))
        after = position.play_legal(move)
        try:
            with stopping_after(self._values.oracle, _SECONDS):
                if self._values.value(after) is Value.TIE:
                    return
                refutation = find_refutation(after, self._values)
        except Stopped:
            return
        print(refutation.heading())
        print(refutation.diagram())
        output.print_sentences(refutation.words())

    def close(self) -> None:
        self._closing.close()


def _ask(drill: Drill, coach: _Coach) -> bool | None:
    """Show a drill and judge the answer; None if the user quits."""
    from littlego.core.errors import FormatError
    from littlego.core.points import parse_move
    from littlego.formats.text import draw_game

    position = drill.position
    print(draw_game(drill.record, colour=output.has_colours()))
    print(
        f"{position.to_move} ({position.to_move.symbol}) to move, {plural(position.plies_left, 'move')} left, "
        f"komi {position.rules.komi:g}. Find a move that keeps the win."
    )
    while True:
        try:
            text = input("row,column, PASS, ? for the answer, q to end: ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return None
        if text.lower() in ("q", "quit"):
            return None
        if text == "?":
            print(f"Winning: {_names(drill)}")
            return False
        if text.lower() == "help":
            print("Type a move such as 2,3, or PASS. '?' shows the answer and counts as missed, 'q' ends.")
            continue
        try:
            move = parse_move("PASS" if text.lower() == "pass" else text.replace(" ", ""), position.size)
        except FormatError as error:
            print(error)
            continue
        if why := position.why_illegal(move):
            print(f"{text}: {why.value}")
            continue
        right = drill.is_right(move)
        others = f" Also: {_names(drill, but=move)}" if len(drill.accepted) > 1 else ""
        no = f"No: that gives the win away. Winning: {_names(drill)}"
        print(f"Right: it keeps the win.{others}" if right else no)
        if not right:
            coach.explain(position, move)
        return right


def _names(drill: Drill, *, but: Move | None = None) -> str:
    return " ".join(drill.position.move_name(move) for move in drill.accepted if move != but)
