"""`littlego review`: the exact value of each move of a game, or the wins thrown away in many games."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import options, oracles, output
from littlego.apps.cli.play import LAST, last_game
from littlego.core.errors import UsageError
from littlego.formats.text import listed, plural

if TYPE_CHECKING:
    from littlego.core.game import GameRecord
    from littlego.review.regret import Count, Regret
    from littlego.review.verdicts import GameReview, MoveReview
    from littlego.solve.oracle import Oracle

_MISTAKES_SHOWN = 10
_MOST_PLAYERS = 20


def review(
    game: Annotated[
        Path,
        typer.Argument(metavar="GAME", help="An SGF file, a JSON record, a capsule, the folder of a match, or 'last'."),
    ],
    *,
    number: Annotated[
        int | None, typer.Option("--game", metavar="N", min=1, help="Which game, if there are several. Default: all.")
    ] = None,
    player: Annotated[str | None, typer.Option(metavar="NAME", help="Only this player's moves.")] = None,
    margin: Annotated[
        bool, typer.Option("--margin", help="Also show how many stones each late move gave away.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page with a graph and a replay.")
    ] = None,
    seconds: oracles.Seconds = 60.0,
    store: oracles.StoreFile = None,
    json: options.Json = False,
) -> None:
    """See which move lost a game: every move judged by who wins with best play, exactly.

    For several games it counts how often each player threw a won position away.

      littlego review game.sgf
      littlego review game.sgf --html review.html
      littlego review littlego-matches/me-random-1a2b3c --game 3
    """
    from littlego.review.reading import read_numbered_games, stores_below

    if str(game) == LAST and not game.exists():
        game = last_game()
    games = read_numbered_games(game)
    if number is not None and len(stores := stores_below(game)) > 1:
        folders = ", ".join(str(store.parent) for store in stores[:5])
        raise UsageError(f"{game}: holds {len(stores)} runs, each with a game {number}: choose one of {folders}")
    if number is not None and number not in games:
        raise UsageError(f"{game}: there is no game {number}: it has {_span(list(games))}")
    output.check_writable(html)
    opened = partial(oracles.opened, store)
    if number is None and len(games) > 1:
        if html is not None or margin:
            raise UsageError(f"{game}: has {len(games)} games: choose one with --game N for --html and --margin")
        _review_many(game, games, player, opened, oracles.limit(seconds), json=json)
        return
    record = games[number or next(iter(games))]
    if player is not None and player not in (record.black, record.white):
        raise UsageError(f"{player!r} does not play in this game: {record.black} and {record.white} do")
    with opened() as oracle:
        from littlego.review.verdicts import MARGINS_LEFT, GameReview

        reviewed = GameReview(record, oracle, margins_left=MARGINS_LEFT if margin else 0, refute=True)
        stopped = _work(reviewed, seconds)
    if html is not None:
        from littlego.review.pages import review_page

        html.write_text(review_page(reviewed).html(), encoding="utf-8")
    if json:
        output.print_json(_as_dict(reviewed, player))
    else:
        _show(reviewed, player)
    if html is not None:
        output.note(f"Written to {html}: open it in a browser.")
    _note_what_is_missing(reviewed)
    if not json and (losing := reviewed.losing_move) is not None:
        loser = shlex.quote(record.player(losing.colour))
        output.note(
            f"Next, such moves as exercises: littlego drill make {shlex.quote(str(game))} --player {loser} "
            f"--out drills.json"
        )
    if stopped:
        raise typer.Exit(output.INTERRUPTED)


def _span(numbers: list[int]) -> str:
    if numbers == list(range(1, len(numbers) + 1)):
        return str(len(numbers))
    return f"{len(numbers)}, from {numbers[0]} to {numbers[-1]}"


def _work(reviewed: GameReview, seconds: float) -> bool:
    """Shows a progress bar; True if Ctrl-C ended it."""
    try:
        with output.stages() as update:
            reviewed.work(seconds=oracles.limit(seconds), watch=partial(update, "reviewing"))
    except KeyboardInterrupt:
        return True
    return False


def _note_what_is_missing(reviewed: GameReview) -> None:
    from littlego.review.verdicts import Judgement

    unknown = sum(move.judgement is Judgement.UNKNOWN for move in reviewed.moves)
    if unknown:
        output.note(
            f"{unknown} of {len(reviewed.moves)} moves are not solved yet: proven values are kept, and the same "
            f"command continues (--seconds 0: to the end):\n  {output.same_command()}"
        )


def _as_dict(reviewed: GameReview, player: str | None) -> dict[str, Any]:
    from littlego.formats.records import record_to_dict

    fields = reviewed.to_dict()
    if player is not None:
        fields["moves"] = [
            row
            for row, move in zip(fields["moves"], reviewed.moves, strict=True)
            if reviewed.record.player(move.colour) == player
        ]
    refutation = reviewed.refutation.to_dict() if reviewed.refutation else None
    return {**fields, "refutation": refutation, "record": record_to_dict(reviewed.record)}


def _show(reviewed: GameReview, player: str | None) -> None:
    from littlego.review.words import diagram, diagram_heading, heading, strip, summary

    record = reviewed.record
    print(output.printable(heading(record)))
    print()
    for move in reviewed.moves:
        if player is None or record.player(move.colour) == player:
            print(_line(move))
    print()
    print("\n".join(strip(reviewed)))
    losing = reviewed.losing_move
    if losing is not None:
        print(f"\n{diagram_heading(losing)}")
        print(diagram(losing))
    if reviewed.refutation is not None:
        print(f"\n{reviewed.refutation.heading()}")
        print(reviewed.refutation.diagram())
        output.print_sentences(reviewed.refutation.words())
    print()
    output.print_sentences(output.printable(summary(reviewed)))


def _line(move: MoveReview) -> str:
    from littlego.review.words import sentence

    mark = "!!" if move.judgement.is_mistake else "  "
    return f"{move.number:4} {move.colour.symbol} {move.position.move_name(move.move):<5} {mark} {sentence(move)}"


def _review_many(
    where: Path,
    numbered: dict[int, GameRecord],
    player: str | None,
    opened: Callable[[], AbstractContextManager[Oracle]],
    seconds: float | None,
    *,
    json: bool,
) -> None:
    from littlego.review.regret import names_in, regret_of

    numbers, games = list(numbered), list(numbered.values())
    names = [player] if player is not None else names_in(games)
    if len(names) > _MOST_PLAYERS:
        raise UsageError(f"{where}: {len(names)} players: choose one with --player, such as {names[0]}")
    with output.resumable("Proven values are kept."), opened() as oracle, output.stages() as update:
        regrets = [regret_of(games, name, oracle, seconds=seconds, watch=partial(update, name)) for name in names]
    if json:
        output.print_json([regret.to_dict() for regret in regrets])
        return
    for regret in regrets:
        _show_regret(regret, numbers)
    first = next((mistake for regret in regrets for mistake in regret.mistakes), None)
    if first is not None:
        print(f"\nTo see a game: littlego review {where} --game {numbers[first.game]}")


def _show_regret(regret: Regret, numbers: list[int]) -> None:
    from littlego.core.colour import Colour
    from littlego.review.regret import Phase

    rows = [
        (f"{colour}, {phase.value}", *_cells(regret.counts[colour, phase]))
        for colour in Colour
        for phase in Phase
        if regret.counts[colour, phase].won or regret.counts[colour, phase].unknown
    ]
    rows.append(("all", *_cells(regret.total)))
    columns = ["won positions", "won", "thrown away", "rate", "95% interval", "unknown"]
    title = f"{regret.player}: {plural(regret.games, 'game')}, {regret.distinct_games} distinct"
    output.print_table(columns, rows, title=output.printable(title))
    shown = [f"game {numbers[mistake.game]} move {mistake.position.moves_played + 1}" for mistake in regret.mistakes]
    if shown:
        print(f"  Thrown away: {listed(shown, most=_MISTAKES_SHOWN)}.")


def _cells(count: Count) -> tuple[str, ...]:
    if not count.won:
        return "0", "0", "-", "-", str(count.unknown)
    rate, interval = output.percent(count.rate), output.percent_interval(count.interval)
    return str(count.won), str(count.thrown), rate, interval, str(count.unknown)
