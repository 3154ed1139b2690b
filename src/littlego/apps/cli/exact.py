"""Exact values and their proofs: `solve` and `verify`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_SIZE, edition_rules
from littlego.formats.text import plural

if TYPE_CHECKING:
    from littlego.core.position import Position
    from littlego.solve.engine import SearchProgress
    from littlego.solve.oracle import Oracle

Source = Annotated[
    Path | None,
    typer.Argument(
        metavar="[POSITION]", help="An input.txt, an SGF game or a board as we print it. Default: an empty board."
    ),
]
Size = Annotated[
    int | None, typer.Option("--size", "-n", metavar="N", help="Size of the empty board, 2 to 5. Default: 5.")
]
After = Annotated[
    int | None, typer.Option(metavar="N", min=0, help="The position after N moves of an SGF game. Default: the last.")
]
Moves = Annotated[int | None, typer.Option(metavar="N", min=1, max=31, help="Moves left. Default: the position's own.")]
Komi = Annotated[float | None, typer.Option(metavar="K", help="Komi. Default: half the size.")]
Memory = Annotated[
    float | None, typer.Option(metavar="GIB", min=0.01, help="GiB for the table. Default: half of the free memory.")
]
Threads = Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Threads, which share one table.")]
NoAtlas = Annotated[
    bool,
    typer.Option("--no-atlas", help="Start from scratch: without the shipped values and the user's cache."),
]
Turn = Annotated[str | None, typer.Option("--to-move", metavar="SIDE", help="black or white, for a diagram.")]


def solve(
    position: Source = None,
    *,
    size: Size = None,
    after: After = None,
    moves: Moves = None,
    komi: Komi = None,
    to_move: Turn = None,
    margin: Annotated[
        bool, typer.Option("--margin", help="Also by how much, if both sides play for the margin.")
    ] = False,
    all_moves: Annotated[bool, typer.Option("--all", help="Also show the value of every legal move.")] = False,
    memory: Memory = None,
    threads: Threads = 2,
    store: options.StoreFile = None,
    no_atlas: NoAtlas = False,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="CERT", help="Also write the winner's strategy, which `littlego verify` checks."),
    ] = None,
    down_to: Annotated[
        int, typer.Option(metavar="N", min=0, max=31, help="Of that only the first part, down to N moves left.")
    ] = 0,
    json: options.Json = False,
) -> None:
    """Who wins a position with best play: exactly, for boards up to 5x5.

    littlego solve --size 4
    littlego solve game.sgf --after 12 --all
    littlego solve input.txt --moves 10 --json
    littlego solve --moves 6 --certificate short.xz
    """
    output.check_writable(certificate)
    where = _position(position, size, after, moves, komi, to_move)
    _check_solvable(where)
    began = time.perf_counter()
    with _opened_oracle(store, memory, threads, no_atlas) as (oracle, show):
        try:
            winner = oracle.value(where)
            winning = oracle.winning_move(where)
            black_margin = oracle.margin(where) if margin else None
            values = oracle.best_moves(where, margins=margin) if all_moves and where.outcome() is None else ()
            if certificate is not None:
                from littlego.solve.proof.certificate import certify

                written = certify(where, certificate, oracle, frontier=down_to, progress=_counted(show))
        except KeyboardInterrupt:
            output.note(f"stopped after {oracle.nodes:,} nodes; {_kept(oracle)}")
            raise
        nodes = oracle.nodes
    seconds = time.perf_counter() - began
    result = {
        "winner": str(winner) if winner else None,
        "winning_move": None if winning is None else where.move_name(winning),
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
    value = f"{winner} wins" if winner else "A tie"
    if where.outcome() is not None:
        print(f"{value}: the game is over")
    else:
        print(f"{value} with best play: {plural(where.plies_left, 'move')} left, {where.to_move} to move")
    if winning is not None and not values:
        print(f"A winning move: {where.move_name(winning)} (--all shows the value of every move)")
    if black_margin is not None:
        print(f"Playing for the margin, Black ends with {black_margin:+d} stones more than White, without komi")
    if values:
        rows = [
            (
                where.move_name(v.move),
                f"{v.winner} wins" if v.winner else "tie",
                "" if v.margin is None else f"{v.margin:+d}",
            )
            for v in values
        ]
        columns = ["move", "value", "margin"] if margin else ["move", "value"]
        output.print_table(columns, [row[: len(columns)] for row in rows])
    if certificate is not None:
        print(f"{certificate}: {written.winner} wins, {written.entries:,} positions, {written.file_bytes:,} bytes")
    if nodes:
        output.note(f"Searched for {seconds:.1f} s.")
    else:
        output.note("Known from the atlas or an earlier search: nothing had to be searched.")


def _counted(show: Callable[[str], None]) -> Callable[[int], None]:
    return lambda written: show(f"{written:,} positions of the strategy so far")


def verify(
    certificate: Annotated[Path, typer.Argument(metavar="CERT", help="What `littlego solve --certificate` wrote.")],
    *,
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Check N random positions instead of all.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, max=256, help="Number of threads.")] = 1,
    slow: Annotated[
        bool, typer.Option("--slow", help="Use the checker built on the rules engine, 100 times slower, in one thread.")
    ] = False,
    seed: options.Seed = None,
    json: options.Json = False,
) -> None:
    """Check a certificate: it must answer every reply of the loser. Shares no code with the solver.

    littlego verify short.xz
    littlego verify game.xz --sample 10000 --jobs 2
    """
    from littlego.core.position import Position
    from littlego.solve.proof.certificate import PART, verify_in_parts
    from littlego.solve.proof.check import CheckFailed, read_certificate

    strategy = read_certificate(certificate)
    start, rules = strategy.start, strategy.start.rules
    entries = len(strategy.keys)
    drawn = options.drawn_seed(seed) if sample else 0
    began = time.perf_counter()
    result: dict[str, object] = {
        "winner": str(strategy.winner),
        "position": {
            "board": start.board.rows(),
            "to_move": str(start.to_move),
            "ko": None if start.ko is None else start.move_name(start.ko),
            "passes": start.passes,
            "plies_left": start.plies_left,
            "komi": rules.komi,
        },
    }
    parts_done = 0
    with output.progress(f"parts of {PART:,} positions", -(-min(sample or entries, entries) // PART)) as step:

        def count() -> None:
            nonlocal parts_done
            parts_done += 1
            step()

        try:
            checked = verify_in_parts(strategy, sample=sample, seed=drawn, jobs=jobs, slow=slow, progress=count)
        except CheckFailed as failure:
            if json:
                output.print_json({**result, "proven": False, "failure": str(failure)})
            else:
                print(f"{certificate}: not proven: {failure}")
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            output.note(f"stopped after {parts_done * PART:,} positions, no error so far")
            raise
    seconds = time.perf_counter() - began
    if json:
        output.print_json(
            {
                **result,
                "proven": checked == entries and not strategy.frontier,
                "positions": entries,
                "checked": checked,
                "seconds": round(seconds, 3),
            }
        )
        return
    claim = f"{strategy.winner} wins {rules.size}x{rules.size}, {rules.max_moves} moves, komi {rules.komi:g}"
    if start != Position.initial(rules):
        claim += f", from this position:\n{start}"
    if checked < entries:
        print(f"{certificate}: no error in a sample, seed {drawn}, of {checked:,} positions: {claim}")
    elif strategy.frontier:
        print(f"{certificate}: correct down to {strategy.frontier} moves left, where the file ends: {claim}")
    else:
        print(f"{certificate}: proven: {claim}")
    output.note(f"{checked:,} of {entries:,} positions checked in {seconds:.1f} s")


def _position(
    path: Path | None, size: int | None, after: int | None, moves: int | None, komi: float | None, to_move: str | None
) -> Position:
    """The position in a file, or the empty board. Raises UsageError."""
    if after is not None and (path is None or path.suffix != ".sgf"):
        raise UsageError("--after N needs an SGF game, a file whose name ends in .sgf")
    if path is not None:
        if size is not None:
            raise UsageError(f"--size {size} is for the empty board: {path} has a board of its own")
        from littlego.review.reading import read_position

        return read_position(path, after=after, moves=moves, komi=komi, to_move=to_move)
    if to_move is not None:
        raise UsageError(f"--to-move {to_move} needs a file with a position: on the empty board Black is to move")
    from littlego.core.position import Position

    return Position.initial(edition_rules(size=size or DEFAULT_SIZE).but(komi=komi, max_moves=moves))


def _kept(oracle: Oracle) -> str:
    if oracle.kept_in is None:
        return "nothing was saved: --store FILE saves proven values"
    return f"proven values are in {oracle.kept_in}: the same command continues from there"


def _check_solvable(where: Position) -> None:
    from littlego.solve.oracle import why_unsolvable

    if why := why_unsolvable(where):
        raise UsageError(f"cannot solve this position: {why}")


@contextmanager
def _opened_oracle(
    store: Path | None, memory: float | None, threads: int, no_atlas: bool
) -> Iterator[tuple[Oracle, Callable[[str], None]]]:
    """An oracle whose search is shown on the terminal, and a function that shows another line there."""
    with output.status() as show:

        def watch(progress: SearchProgress) -> None:
            left = progress.seconds_left
            guess = "" if left is None else f", perhaps {left:,.0f} s left"
            show(
                f"{progress.nodes / 1e6:,.1f} million nodes, {progress.rate:,.0f} a second, "
                f"table {progress.table_used:.0%} full{guess}"
            )

        with options.opened_oracle(store, memory=memory, threads=threads, watch=watch, from_nothing=no_atlas) as oracle:
            yield oracle, show
