"""`littlego bench`: measures as ratios in one run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.rules import DEFAULT_SIZE

app = typer.Typer(help="Measure speed, as ratios in one run.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Measure speed, as ratios in one run."""


@app.command()
def engine(
    *,
    size: options.Size = DEFAULT_SIZE,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.1, max=600, help="How long to measure.")] = 4.0,
    json: options.Json = False,
) -> None:
    """Moves per second of random games: the rules engine against a naive referee."""
    from littlego.apps.bench.engine import ROUNDS, bench_engine

    with output.progress("random games", ROUNDS) as step:
        result = bench_engine(size=size, seconds=seconds, progress=step)
    if json:
        output.print_json(asdict(result))
        return
    output.print_table(
        [f"random {size}x{size} games", "moves/s", "ratio"],
        [
            ("naive referee (lists of lists)", f"{result.naive_moves_per_second:,.0f}", "1.0"),
            ("littlego.core (bit masks)", f"{result.core_moves_per_second:,.0f}", f"{result.ratio:.1f}"),
        ],
    )


@app.command()
def learn(
    *,
    seconds: Annotated[float, typer.Option(metavar="S", min=1, max=600, help="How long to measure.")] = 10.0,
    json: options.Json = False,
) -> None:
    """Training games per second: a plainly written Q-learner against ours, and Little-Go self-play."""
    from littlego.apps.bench.learn import ROUNDS, bench_learn

    with output.progress("training games", ROUNDS) as step:
        result = bench_learn(seconds=seconds, progress=step)
    if json:
        output.print_json(asdict(result))
        return
    output.print_table(
        ["training", "games/s", "ratio"],
        [
            ("tic-tac-toe, dictionary and numpy", f"{result.plain_games_per_second:,.0f}", "1.0"),
            ("tic-tac-toe, ours", f"{result.compiled_games_per_second:,.0f}", f"{result.ratio:,.0f}"),
            ("Little-Go self-play, patterns", f"{result.patterns_games_per_second:,.0f}", ""),
            ("Little-Go self-play, table", f"{result.table_games_per_second:,.0f}", ""),
        ],
    )
    print(f"  100,000 tic-tac-toe games as each side took {result.seconds_for_both_sides:.1f} s.")
