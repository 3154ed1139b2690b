"""`littlego sgf`: convert games, write reviews into them."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from littlego.apps.cli import oracles, output
from littlego.core.errors import UsageError
from littlego.formats.text import plural
from littlego.storage.files import write_whole

if TYPE_CHECKING:
    from littlego.core.game import GameRecord
    from littlego.formats.sgf import SgfNode

_Game = TypeVar("_Game")
app = typer.Typer(help="Convert and review SGF files.", no_args_is_help=True)

_File = Annotated[Path, typer.Argument(metavar="FILE", help="A file with one or more games.")]
_Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write here. Default: print.")]
_FORMATS = ("sgf", "json", "diagram")


@app.command()
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
    data = _read(file)
    from littlego.formats.sgf import is_sgf, write_collection

    if to == "sgf" and is_sgf(data):
        _deliver(write_collection(_with_charset(_chosen(_trees(data, file), game, file))), out)
        return
    records = _chosen(_records(data, file), game, file)
    if to == "sgf":
        from littlego.formats.sgf import write_sgf

        _deliver("".join(write_sgf(record) for record in records), out)
    elif to == "json":
        _deliver(_as_json(records), out)
    else:
        _deliver("\n\n".join(_diagram(record, move) for record in records) + "\n", out)


@app.command()
def review(
    file: _File,
    *,
    in_place: Annotated[bool, typer.Option("--in-place", "-i", help="Write the review into the file itself.")] = False,
    out: _Out = None,
    seconds: oracles.Seconds = 60.0,
    store: oracles.StoreFile = None,
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
    games = _trees(_read(file), file)
    several = len(games) > 1
    records = [
        record_of(root, source=f"{file}: game {number}" if several else str(file))
        for number, root in enumerate(games, start=1)
    ]
    unknown = 0
    with oracles.opened(store) as oracle, output.stages() as update:
        from littlego.review.verdicts import GameReview, Judgement
        from littlego.review.words import summary

        for number, (root, record) in enumerate(zip(games, records, strict=True), start=1):
            reviewed = GameReview(record, oracle)
            watch = partial(update, f"game {number} of {len(games)}")
            reviewed.work(seconds=oracles.limit(seconds), watch=watch)
            annotate(root, reviewed)
            unknown += sum(move.judgement is Judgement.UNKNOWN for move in reviewed.moves)
            output.note(output.printable(f"game {number}: {summary(reviewed)}"))
    _deliver(write_collection(_with_charset(games)), file if in_place else out)
    if unknown:
        output.note(
            f"{plural(unknown, 'move')} not solved yet: proven values are kept, and the same command continues "
            f"(--seconds 0: to the end):\n  {output.same_command()}"
        )


def _read(file: Path) -> bytes:
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
    from littlego.core.board import parse_board
    from littlego.core.colour import Colour
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


def _as_json(records: list[GameRecord]) -> str:
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
