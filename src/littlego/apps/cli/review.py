"""What went wrong, from exact values: `review` games, `drill` the wins thrown away."""

from __future__ import annotations

import random
import shlex
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.formats.text import listed, plural
from littlego.storage.files import write_text, write_whole

if TYPE_CHECKING:
    from littlego.core.game import GameRecord
    from littlego.core.points import Move
    from littlego.core.position import Position
    from littlego.review.drills import Drill
    from littlego.review.regret import Count, Regret
    from littlego.review.values import Values
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
    sgf: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the game as SGF, with verdicts that Go programs show."),
    ] = None,
    seconds: options.Seconds = 60.0,
    store: options.StoreFile = None,
    json: options.Json = False,
) -> None:
    """See which move lost a game: every move judged by who wins with best play, exactly.

    For several games it counts how often each player threw a won position away.

      littlego review game.sgf
      littlego review game.sgf --html review.html
      littlego review game.sgf --sgf reviewed.sgf
      littlego review littlego-matches/me-random-1a2b3c --game 3
    """
    from littlego.review.reading import read_numbered_games, stores_in

    if str(game) == options.LAST and not game.exists():
        from littlego.apps.cli.play import last_game

        game = last_game()
    games = read_numbered_games(game)
    if number is not None and len(stores := stores_in(game)) > 1:
        folders = ", ".join(str(store.parent) for store in stores[:5])
        raise UsageError(f"{game}: holds {len(stores)} runs, each with a game {number}: choose one of {folders}")
    if number is not None and number not in games:
        raise UsageError(f"{game}: there is no game {number}: it has {_span(list(games))}")
    output.check_writable(html)
    output.check_writable(sgf)
    opened = partial(options.opened_oracle, store)
    if number is None and len(games) > 1:
        if html is not None or sgf is not None or margin:
            raise UsageError(f"{game}: has {len(games)} games: choose one with --game N for --html, --sgf and --margin")
        _review_many(game, games, player, opened, seconds or None, json=json)
        return
    number = number or next(iter(games))
    record = games[number]
    if player is not None and player not in (record.black, record.white):
        raise UsageError(
            f"no player is called {player!r} in this game; the players are {record.black} and {record.white}"
        )
    with opened() as oracle:
        from littlego.review.verdicts import MARGINS_LEFT, GameReview

        reviewed = GameReview(record, oracle, margins_left=MARGINS_LEFT if margin else 0, refute=True)
        stopped = _work(reviewed, seconds)
    if html is not None:
        from littlego.review.pages import review_page

        write_text(html, review_page(reviewed).html())
    if sgf is not None:
        from littlego.review.pages import annotated_sgf
        from littlego.review.reading import read_tree

        with output.writing(sgf):
            write_whole(sgf, annotated_sgf(reviewed, read_tree(game, number)))
    if json:
        output.print_json(_review_as_dict(reviewed, player))
    else:
        _show_review(reviewed, player)
    if html is not None:
        output.note(f"Written to {html}: open it in a browser.")
    if sgf is not None:
        output.note(f"Written to {sgf}: open it in any Go program.")
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
            reviewed.work(seconds=seconds or None, watch=partial(update, "reviewing"))
    except KeyboardInterrupt:
        return True
    return False


def _note_what_is_missing(reviewed: GameReview) -> None:
    from littlego.review.verdicts import Judgement

    unknown = sum(move.judgement is Judgement.UNKNOWN for move in reviewed.moves)
    if unknown:
        output.note(
            f"{unknown} of {len(reviewed.moves)} moves are not solved yet. Proven values are stored, so the same "
            f"command continues (--seconds 0: without a limit):\n  {output.same_command()}"
        )


def _review_as_dict(reviewed: GameReview, player: str | None) -> dict[str, Any]:
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


def _show_review(reviewed: GameReview, player: str | None) -> None:
    from littlego.review.words import diagram, diagram_heading, heading, strip, summary

    record = reviewed.record
    print(output.printable(heading(record)))
    if reviewed.moves:
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
    from littlego.core.board import Colour
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


_COACH_SECONDS = 10.0
"""For what follows a wrong move."""
_COACH_MEMORY = 0.25
"""GiB for that."""

drill_app = typer.Typer(help="Drills from wins that were thrown away: make a deck, practise it.", no_args_is_help=True)


@drill_app.command("make")
def make_drills(
    games: Annotated[list[Path], typer.Argument(metavar="GAMES...", help="Files and folders of games, as for review.")],
    *,
    player: Annotated[str | None, typer.Option(metavar="NAME", help="Whose mistakes. Default: everyone's.")] = None,
    out: Annotated[Path, typer.Option(metavar="DECK", help="The deck; drills are added to an existing one.")],
    seconds: options.Seconds = 120.0,
    store: options.StoreFile = None,
    json: options.Json = False,
) -> None:
    """Make a deck of the positions in which players threw a won game away.

    littlego drill make littlego-matches/me-greedy-1a2b3c --out drills.json
    """
    from littlego.review.drills import Deck, make_deck, read_deck
    from littlego.review.reading import read_games
    from littlego.review.regret import names_in, regret_of

    records = [record for path in games for record in read_games(path)]
    names = [player] if player else names_in(records)
    deck = read_deck(out) if out.exists() else Deck(())
    before, left_out, unknown = len(deck), 0, 0
    stopped = False
    with options.opened_oracle(store) as oracle:
        try:
            with output.stages() as update:
                for name in names:
                    regret = regret_of(
                        records,
                        name,
                        oracle,
                        seconds=seconds or None,
                        watch=partial(update, f"{name}: values"),
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
        output.note(f"Left out: {more}, too early: to solve every move would take minutes.")
    if unknown:
        positions = plural(unknown, "position")
        output.note(f"Not solved: {positions}, too early or out of time (--seconds).")
    if deck.drills and not json:
        where = shlex.quote(str(out))
        output.note(f"Next: littlego drill play {where}, or for an agent: littlego check AGENT --deck {where}")
    if stopped:
        output.stop("Stopped. The deck has what was found.")


@drill_app.command("play")
def play_drills(
    deck: Annotated[Path, typer.Argument(metavar="DECK", help="A deck that `littlego drill make` wrote.")],
    *,
    rounds: Annotated[int, typer.Option("--rounds", "-r", metavar="N", min=1, help="Number of drills.")] = 10,
) -> None:
    """Practise a deck: find a move that keeps the win. What you miss comes back.

    littlego drill play drills.json --rounds 5
    """
    from littlego.review.drills import read_deck
    from littlego.review.values import Values

    drills = read_deck(deck).drills
    if not drills:
        raise UsageError(f"{deck}: has no drills")
    waiting = deque(random.sample(drills, len(drills)))
    asked = solved = 0
    with options.opened_oracle(None, memory=_COACH_MEMORY) as oracle:
        values = Values(oracle)
        while waiting and asked < rounds:
            drill = waiting.popleft()
            print(f"\n{asked + 1} of {rounds}. The deck has {plural(len(drills), 'drill')}.")
            right = _ask(drill, values)
            if right is None:
                break
            asked += 1
            solved += right
            if not right:
                waiting.append(drill)
    print(f"\nSolved {solved} of {asked}.")


def _explain(position: Position, move: Move, values: Values) -> None:
    """Show what follows a wrong move."""
    from littlego.review.values import Value, stopping_after
    from littlego.review.verdicts import find_refutation
    from littlego.solve.engine import Stopped

    after = position.play_legal(move)
    try:
        with stopping_after(values.oracle, _COACH_SECONDS):
            if values.value(after) is Value.TIE:
                return
            refutation = find_refutation(after, values)
    except Stopped:
        return
    print(refutation.heading())
    print(refutation.diagram())
    output.print_sentences(refutation.words())


def _ask(drill: Drill, values: Values) -> bool | None:
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
            print(f"Winning: {_winning_moves(drill)}")
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
        others = f" Also: {_winning_moves(drill, but=move)}" if len(drill.accepted) > 1 else ""
        no = f"No: that gives the win away. Winning: {_winning_moves(drill)}"
        print(f"Right: it keeps the win.{others}" if right else no)
        if not right:
            _explain(position, move, values)
        return right


def _winning_moves(drill: Drill, *, but: Move | None = None) -> str:
    return " ".join(drill.position.move_name(move) for move in drill.accepted if move != but)
