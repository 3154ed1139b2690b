"""What went wrong, from exact values: `review` games, `drill` the wins thrown away, `sgf` files with verdicts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.formats.text import listed, plural
from littlego.storage.files import write_whole

if TYPE_CHECKING:
    from littlego.core.game import GameRecord
    from littlego.core.points import Move
    from littlego.core.position import Position
    from littlego.formats.sgf import SgfNode
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
    seconds: options.Seconds = 60.0,
    store: options.StoreFile = None,
    json: options.Json = False,
) -> None:
    """See which move lost a game: every move judged by who wins with best play, exactly.

    For several games it counts how often each player threw a won position away.

      littlego review game.sgf
      littlego review game.sgf --html review.html
      littlego review littlego-matches/me-random-1a2b3c --game 3
    """
    from littlego.review.reading import read_numbered_games, stores_below

    if str(game) == options.LAST and not game.exists():
        from littlego.apps.cli.play import last_game

        game = last_game()
    games = read_numbered_games(game)
    if number is not None and len(stores := stores_below(game)) > 1:
        folders = ", ".join(str(store.parent) for store in stores[:5])
        raise UsageError(f"{game}: holds {len(stores)} runs, each with a game {number}: choose one of {folders}")
    if number is not None and number not in games:
        raise UsageError(f"{game}: there is no game {number}: it has {_span(list(games))}")
    output.check_writable(html)
    opened = partial(options.opened_oracle, store)
    if number is None and len(games) > 1:
        if html is not None or margin:
            raise UsageError(f"{game}: has {len(games)} games: choose one with --game N for --html and --margin")
        _review_many(game, games, player, opened, options.time_limit(seconds), json=json)
        return
    record = games[number or next(iter(games))]
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

        html.write_text(review_page(reviewed).html(), encoding="utf-8")
    if json:
        output.print_json(_review_as_dict(reviewed, player))
    else:
        _show_review(reviewed, player)
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
            reviewed.work(seconds=options.time_limit(seconds), watch=partial(update, "reviewing"))
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

drill_app = typer.Typer(
    help="Drills from wins that were thrown away: make a deck, practise it, export it.", no_args_is_help=True
)

DeckFile = Annotated[Path, typer.Argument(metavar="DECK", help="A deck that `littlego drill make` wrote.")]


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
    from functools import partial

    from littlego.review.drills import Deck, make_deck, read_deck
    from littlego.review.reading import read_games
    from littlego.review.regret import names_in, regret_of

    records = [record for path in games for record in read_games(path)]
    names = [player] if player else names_in(records)
    deck = read_deck(out) if out.exists() else Deck((), out.stem)
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
                        seconds=options.time_limit(seconds),
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
        output.note(f"Left out: {more}, so early that solving every move would take minutes.")
    if unknown:
        positions = plural(unknown, "position")
        output.note(f"Not solved: {positions}, too early or out of time (--seconds).")
    if deck.drills and not json:
        where = shlex.quote(str(out))
        output.note(f"Next: littlego drill play {where}, or for an agent: littlego check AGENT --deck {where}")
    if stopped:
        output.stop("Stopped. The deck has what was found.")


@drill_app.command("export")
def export_drills(
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


@drill_app.command("play")
def play_drills(
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
            self._values = Values(self._closing.enter_context(options.opened_oracle(None, memory=_COACH_MEMORY)))
        after = position.play_legal(move)
        try:
            with stopping_after(self._values.oracle, _COACH_SECONDS):
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
            coach.explain(position, move)
        return right


def _winning_moves(drill: Drill, *, but: Move | None = None) -> str:
    return " ".join(drill.position.move_name(move) for move in drill.accepted if move != but)


_Game = TypeVar("_Game")
sgf_app = typer.Typer(help="Convert and review SGF files.", no_args_is_help=True)

_File = Annotated[Path, typer.Argument(metavar="FILE", help="A file with one or more games.")]
_Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write here. Default: print.")]
_FORMATS = ("sgf", "json", "diagram")


@sgf_app.command()
def convert(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="SGF, JSON records, or a diagram of a board.")],
    *,
    to: Annotated[str, typer.Option(metavar="FORMAT", help="sgf, json or diagram.")] = "sgf",
    game: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only this game. Default: all.")] = None,
    move: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="For diagrams: after N moves. Default: the end.")
    ] = None,
    out: _Out = None,
) -> None:
    """Convert between SGF, JSON records and diagrams.

    SGF to SGF keeps everything: games, variations, setup, comments, properties of other programs. JSON
    records and diagrams have the main line only.

      littlego sgf convert game.sgf --to json --out game.json
      littlego sgf convert game.json --out game.sgf
      littlego sgf convert game.sgf --to diagram --move 10
    """
    if to not in _FORMATS:
        raise UsageError(f"format {to!r}: expected one of {', '.join(_FORMATS)}")
    data = _bytes_of(file)
    from littlego.formats.sgf import is_sgf, write_collection

    if to == "sgf" and is_sgf(data):
        _deliver(write_collection(_with_charset(_chosen(_trees(data, file), game, file))), out)
        return
    records = _chosen(_records(data, file), game, file)
    if to == "sgf":
        from littlego.formats.sgf import write_sgf

        _deliver("".join(write_sgf(record) for record in records), out)
    elif to == "json":
        _deliver(_records_as_json(records), out)
    else:
        _deliver("\n\n".join(_diagram(record, move) for record in records) + "\n", out)


@sgf_app.command("review")
def review_sgf(
    file: _File,
    *,
    in_place: Annotated[bool, typer.Option("--in-place", "-i", help="Write the review into the file itself.")] = False,
    out: _Out = None,
    seconds: options.Seconds = 60.0,
    store: options.StoreFile = None,
) -> None:
    """Write verdicts on the main line of every game into its SGF, as comments and marks that Go programs show.

    Variations and other comments stay; an earlier review is replaced.

      littlego sgf review game.sgf --out reviewed.sgf
      littlego sgf review game.sgf --in-place
    """
    from littlego.formats.sgf import record_of, write_collection
    from littlego.review.pages import annotate

    if in_place and out is not None:
        raise UsageError("choose either --in-place or --out")
    games = _trees(_bytes_of(file), file)
    several = len(games) > 1
    records = [
        record_of(root, source=f"{file}: game {number}" if several else str(file))
        for number, root in enumerate(games, start=1)
    ]
    unknown = 0
    with options.opened_oracle(store) as oracle, output.stages() as update:
        from littlego.review.verdicts import GameReview, Judgement
        from littlego.review.words import summary

        for number, (root, record) in enumerate(zip(games, records, strict=True), start=1):
            reviewed = GameReview(record, oracle)
            watch = partial(update, f"game {number} of {len(games)}")
            reviewed.work(seconds=options.time_limit(seconds), watch=watch)
            annotate(root, reviewed)
            unknown += sum(move.judgement is Judgement.UNKNOWN for move in reviewed.moves)
            output.note(output.printable(f"game {number}: {summary(reviewed)}"))
    _deliver(write_collection(_with_charset(games)), file if in_place else out)
    if unknown:
        output.note(
            f"{plural(unknown, 'move')} not solved yet: proven values are kept, and the same command continues "
            f"(--seconds 0: to the end):\n  {output.same_command()}"
        )


def _bytes_of(file: Path) -> bytes:
    from littlego.review.reading import read_bytes

    return read_bytes(file)


def _trees(data: bytes, file: Path) -> list[SgfNode]:
    from littlego.formats.sgf import decoded, parse_collection

    return parse_collection(decoded(data, source=str(file)), source=str(file))


def _records(data: bytes, file: Path) -> list[GameRecord]:
    """The games of SGF or JSON, or a game without moves that starts from a diagram."""
    from littlego.formats.sgf import decoded, is_sgf
    from littlego.review.reading import parse_games

    if is_sgf(data) or data.lstrip()[:1] in (b"{", b"["):
        return parse_games(data, source=str(file))
    text = decoded(data, source=str(file))
    from littlego.core.board import Colour, parse_board
    from littlego.core.game import GameRecord
    from littlego.core.position import shortest_game_to

    board = parse_board(text, source=str(file))
    to_move = Colour.BLACK if board.black.bit_count() <= board.white.bit_count() else Colour.WHITE
    return [GameRecord("Black", "White", shortest_game_to(board, to_move))]


def _chosen(games: list[_Game], number: int | None, file: Path) -> list[_Game]:
    if number is None:
        return games
    if number > len(games):
        raise UsageError(f"{file}: there is no game {number}: it has {len(games)}")
    return [games[number - 1]]


def _with_charset(games: list[SgfNode]) -> list[SgfNode]:
    """Marked as UTF-8, in which we write them, whatever they were read in."""
    for root in games:
        if "CA" in root.properties or not all(
            value.isascii() for node in root.nodes() for values in node.properties.values() for value in values
        ):
            root.set_text("CA", "UTF-8")
    return games


def _records_as_json(records: list[GameRecord]) -> str:
    import json

    from littlego.formats.records import record_to_dict

    rows = [record_to_dict(record) for record in records]
    return json.dumps(rows[0] if len(rows) == 1 else {"records": rows}, indent=1) + "\n"


def _diagram(record: GameRecord, move: int | None) -> str:
    from littlego.core.board import draw_board
    from littlego.formats.text import printable

    positions = list(record.positions())
    if move is not None and move >= len(positions):
        raise UsageError(f"there is no move {move}: the game has {len(record.moves)}")
    position = positions[-1 if move is None else move]
    board = draw_board(position.board)
    if not record.moves:
        return board
    played = len(record.moves) if move is None else move
    return f"{printable(record.black)} (X) against {printable(record.white)} (O), after {played} moves\n{board}"


def _deliver(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    with output.writing(out):
        write_whole(out, text)
    output.note(f"Written to {out}.")
