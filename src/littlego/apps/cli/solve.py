"""`littlego solve`, `certify` and `verify`: exact values and their proofs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE, edition_rules

if TYPE_CHECKING:
    from littlego.solve.engine import Progress, Watcher
    from littlego.solve.oracle import Oracle

Source = Annotated[
    Path | None,
    typer.Argument(
        metavar="[POSITION]", help="An input.txt, an SGF game or a diagram of a board. Default: an empty board."
    ),
]
Moves = Annotated[
    int | None, typer.Option(metavar="N", min=1, max=31, help="Plies left. Default: what the position says.")
]
Komi = Annotated[float | None, typer.Option(metavar="K", help="Komi. Default: half the size.")]
Memory = Annotated[
    float | None, typer.Option(metavar="GIB", min=0.01, help="GiB for the table. Default: half of what is free.")
]
Threads = Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Threads, sharing one table.")]
StoreFile = Annotated[
    Path | None, typer.Option("--store", metavar="FILE", help="Keep what is proven here, and begin from it.")
]
NoAtlas = Annotated[bool, typer.Option("--no-atlas", help="Do not use the opening values that ship with the package.")]
Turn = Annotated[str | None, typer.Option("--to-move", metavar="SIDE", help="black or white, for a diagram.")]


def solve(
    position: Source = None,
    *,
    size: options.Size = DEFAULT_SIZE,
    moves: Moves = None,
    komi: Komi = None,
    to_move: Turn = None,
    margin: Annotated[bool, typer.Option("--margin", help="Also by how much, if both play for the margin.")] = False,
    all_moves: Annotated[
        bool, typer.Option("--all", help="The value of every legal move, not the winner alone.")
    ] = False,
    memory: Memory = None,
    threads: Threads = 2,
    store: StoreFile = None,
    no_atlas: NoAtlas = False,
    json: options.Json = False,
) -> None:
    """Who wins a position with best play: exactly, for boards up to 5x5."""
    where = read_position(position, size=size, moves=moves, komi=komi, to_move=to_move)
    began = time.perf_counter()
    with _watched() as watch:
        oracle = _oracle(watch, memory, threads, store, no_atlas)
        try:
            winner = oracle.value(where)
            black_margin = oracle.margin(where) if margin else None
            values = oracle.best_moves(where, margins=margin) if all_moves and where.outcome() is None else ()
        except KeyboardInterrupt:
            kept = f"what was proven is kept in {store}: the same command goes on" if store else "--store FILE keeps it"
            output.note(f"stopped after {oracle.nodes:,} nodes; {kept}")
            raise
        nodes = oracle.nodes
        oracle.close()
    seconds = time.perf_counter() - began
    result = {
        "winner": str(winner) if winner else None,
        "margin": black_margin,
        "plies_left": where.plies_left,
        "komi": where.rules.komi,
        "moves": [
            {"move": where.move_name(v.move), "winner": str(v.winner) if v.winner else None, "margin": v.margin}
            for v in values
        ],
        "nodes": nodes,
        "seconds": round(seconds, 3),
    }
    if json:
        output.print_json(result)
        return
    print(
        f"{winner} wins" if winner else "A tie",
        f"with best play: {where.plies_left} plies left, {where.to_move} to move",
    )
    if black_margin is not None:
        print(f"Playing for the margin, Black ends with {black_margin:+d} stones against White's, komi not counted")
    if values:
        rows = [
            (
                where.move_name(v.move),
                f"{v.winner} wins" if v.winner else "tie",
                "" if v.margin is None else f"{v.margin:+d}",
            )
            for v in values
        ]
        output.print_table(["move", "value", "margin"], rows if margin else [(*row[:2], "-") for row in rows])
    output.note(f"{nodes:,} nodes in {seconds:.1f} s, {nodes / max(seconds, 1e-9):,.0f} a second")


def certify(
    certificate: Annotated[Path, typer.Argument(metavar="CERT", help="Where to write it.")],
    position: Source = None,
    *,
    size: options.Size = DEFAULT_SIZE,
    moves: Moves = None,
    komi: Komi = None,
    to_move: Turn = None,
    memory: Memory = None,
    threads: Threads = 2,
    store: StoreFile = None,
    no_atlas: NoAtlas = False,
    down_to: Annotated[
        int, typer.Option(metavar="N", min=0, max=31, help="Write the first part only, down to N plies left.")
    ] = 0,
    entries: Annotated[int, typer.Option(metavar="N", min=1, help="Give up beyond so many positions.")] = 1 << 25,
) -> None:
    """Write the winner's strategy for a position, so that `littlego verify` can check it."""
    from littlego.solve.certificate import certify as write

    where = read_position(position, size=size, moves=moves, komi=komi, to_move=to_move)
    with _watched() as watch:
        oracle = _oracle(watch, memory, threads, store, no_atlas)
        summary = write(where, certificate, oracle, most_entries=entries, frontier=down_to)
    print(f"{certificate}: {summary.winner} wins, {summary.entries:,} positions, {summary.bytes:,} bytes")


def verify(
    certificate: Annotated[Path, typer.Argument(metavar="CERT", help="A file that `littlego certify` wrote.")],
    *,
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Check N positions drawn at random, not all.")
    ] = None,
    jobs: options.Jobs = 1,
    seed: options.Seed = None,
    json: options.Json = False,
) -> None:
    """Check a certificate with the rules engine alone: every reply of the loser is met."""
    from littlego.solve.check import CheckFailed, read_certificate
    from littlego.solve.check_jobs import PART, verify_in_parts

    strategy = read_certificate(certificate)
    entries = len(strategy.keys)
    drawn = options.drawn_seed(seed) if sample else 0
    began = time.perf_counter()
    with output.progress("parts checked", -(-min(sample or entries, entries) // PART)) as step:
        try:
            checked = verify_in_parts(certificate, strategy, sample=sample, seed=drawn, jobs=jobs, progress=step)
        except CheckFailed as failure:
            print(f"{certificate}: not proven: {failure}")
            raise typer.Exit(1) from None
    seconds = time.perf_counter() - began
    rules = strategy.start.rules
    if json:
        output.print_json(
            {
                "winner": str(strategy.winner),
                "proven": checked == entries and not strategy.frontier,
                "positions": entries,
                "checked": checked,
                "seconds": round(seconds, 3),
            }
        )
        return
    game = f"{rules.size}x{rules.size}, {rules.max_moves} moves, komi {rules.komi:g}"
    claim = f"{strategy.winner} wins {game}"
    if checked == entries and not strategy.frontier:
        print(f"{certificate}: proven: {claim}")
    elif checked == entries:
        print(f"{certificate}: right down to {strategy.frontier} plies left, where the file ends: {claim}")
    else:
        print(f"{certificate}: nothing wrong in a sample, seed {drawn}, of {checked:,} positions: {claim}")
    output.note(f"{checked:,} of {entries:,} positions checked in {seconds:.1f} s")


def read_position(
    path: Path | None, *, size: int, moves: int | None, komi: float | None, to_move: str | None
) -> Position:
    """The position of a file (its last one, if it is a game), or the empty board. Raises UsageError."""
    if path is None:
        rules = edition_rules(size=size)
        return Position.initial(rules.but(komi=komi, max_moves=moves))
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: expected a text file with a position: {error}") from None
    if text.lstrip().startswith("("):
        from littlego.formats.sgf import parse_sgf

        position = parse_sgf(text, source=str(path)).final()
    elif text[:1] in ("1", "2") and text[1:2] in ("\n", "\r"):
        from littlego.formats.course import parse_input

        position = parse_input(text, source=str(path)).position()
    else:
        from littlego.formats.course import fewest_moves
        from littlego.formats.diagram import parse_board

        board = parse_board(text, source=str(path))
        turn = _side(to_move) or Colour.BLACK
        position = Position(edition_rules(size=board.size), board, turn, moves_played=fewest_moves(board, turn))
    rules = position.rules.but(komi=komi)
    if moves is not None:
        rules = rules.but(max_moves=position.moves_played + moves)
    return position._replace(rules=rules, to_move=_side(to_move) or position.to_move)


def _side(text: str | None) -> Colour | None:
    if text is None:
        return None
    for colour in Colour:
        if text.lower() == colour.name.lower():
            return colour
    raise UsageError(f"--to-move {text!r}: expected black or white")


def _oracle(watch: Watcher, memory: float | None, threads: int, store: Path | None, no_atlas: bool) -> Oracle:
    from littlego.solve.engine import is_compiled
    from littlego.solve.oracle import Oracle

    if not is_compiled():
        output.note("first use: compiling the kernel, which takes about half a minute and is kept for later")
    return Oracle(
        memory=None if memory is None else int(memory * (1 << 30)),
        threads=threads,
        store=store,
        watch=watch,
        use_atlas=not no_atlas,
    )


@contextmanager
def _watched() -> Iterator[Watcher]:
    """A line on the terminal that tells how far a search is."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def watch(progress: Progress) -> None:
            if console.is_terminal:
                left = progress.seconds_left
                guess = "" if left is None else f", perhaps {left:,.0f} s left"
                live.update(
                    f"{progress.nodes / 1e6:,.1f} million nodes, {progress.rate / 1e6:.2f} a microsecond, "
                    f"table {progress.table_used:.0%} full{guess}",
                    refresh=True,
                )

        yield watch
