"""`make bench`: measurements as ratios in one run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_SIZE

app = typer.Typer(help="Measure speed, as ratios within one run.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Measure speed, as ratios within one run."""


@app.command()
def engine(
    *,
    size: Annotated[int, typer.Option("--size", "-n", metavar="N", help="Board size, 2 to 19.")] = DEFAULT_SIZE,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.1, max=600, help="How long to measure.")] = 4.0,
    json: options.Json = False,
) -> None:
    """Moves per second of random games: the rules engine against a naive referee.

    python tools/bench.py engine --seconds 2
    """
    from littlego_bench.engine import ROUNDS, bench_engine

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
def env(
    *,
    games: Annotated[int, typer.Option(metavar="N", min=1, max=1_000_000, help="Games at once.")] = 1024,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.1, max=600, help="How long to measure.")] = 6.0,
    json: options.Json = False,
) -> None:
    """Moves per second of random 5x5 games in the research environments, against a naive referee.

    python tools/bench.py env --games 256 --seconds 2
    """
    from littlego_bench.env import ROUNDS, bench_env

    with output.progress("random games", ROUNDS) as step:
        result = bench_env(games=games, seconds=seconds, progress=step)
    if json:
        output.print_json(asdict(result))
        return
    output.print_table(
        ["random 5x5 games", "moves/s", "ratio"],
        [(row.what, f"{row.moves_per_second:,.0f}", f"{row.ratio:.1f}") for row in result.rows],
    )
    for what in result.missing:
        output.note(f"Not measured, because it is not installed: {what}.")


@app.command()
def referee(
    *,
    moves: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Moves per round.")] = 20,
    games: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Games per round.")] = 1,
    json: options.Json = False,
) -> None:
    """The referee's cost per move at each level, and games per second against a shell loop.

    python tools/bench.py referee --moves 5
    """
    from littlego_bench.referee import ROUNDS, bench_referee

    with output.progress("moves and games", 2 * ROUNDS) as step:
        result = bench_referee(moves=moves, games=games, progress=step)
    if json:
        output.print_json(asdict(result))
        return
    output.print_table(
        ["one move of a Python program", "ms", "over a bare exec"],
        [
            ("bare fork and exec", f"{result.bare_ms:.1f}", ""),
            *(
                (f"referee at {level}", f"{ms:.1f}", f"{ms - result.bare_ms:+.1f} ms, {ms / result.bare_ms:.2f}x")
                for level, ms in result.level_ms.items()
            ),
        ],
    )
    output.print_table(
        ["games between two such programs", "games/s", "ratio"],
        [
            ("shell loop, agent and host started each move", f"{result.loop_games_per_second:.2f}", "1.0"),
            *(
                (f"littlego match at {level}", f"{rate:.2f}", f"{result.ratio[level]:.1f}")
                for level, rate in result.games_per_second.items()
            ),
            (f"littlego match --jobs {result.jobs}", f"{result.jobs_games_per_second:.2f}", f"{result.jobs_ratio:.1f}"),
        ],
    )
    best = list(result.moves_per_second)[-1]
    print(f"  {result.moves_per_second[best]:.0f} moves per second at {best}, one game at a time.")


@app.command()
def solve(
    *,
    odd: Annotated[
        int,
        typer.Option(
            metavar="LEFT",
            help="Odd openings instead, with at most LEFT plies left, 14 to 22: seconds for 14, minutes for 20.",
        ),
    ] = 0,
    json: options.Json = False,
) -> None:
    """Nodes of the solver on fixed positions (its signature), and its rate against a scalar loop.

    python tools/bench.py solve --json
    python tools/bench.py solve --odd 18
    """
    from littlego_bench.solve import LENGTHS, ODD_LEFT, RANDOM, bench_solve

    if odd and odd not in ODD_LEFT:
        raise UsageError(f"--odd {odd}: expected one of {', '.join(map(str, ODD_LEFT))}")
    sets = 2 * (ODD_LEFT.index(odd) + 1) if odd else len(LENGTHS) + len(RANDOM)
    with output.progress("sets of positions", sets) as step:
        result = bench_solve(odd_left=odd, progress=step)
    if json:
        output.print_json(asdict(result))
        return
    output.print_table(
        ["positions", "number", "nodes each", "CPU s each", "slowest, s"],
        [
            (
                line.what,
                f"{line.positions}",
                f"{line.nodes / line.positions:,.0f}",
                f"{line.seconds / line.positions:.3f}",
                f"{line.slowest:.3f}",
            )
            for line in result.lines
        ],
    )
    print(f"signature {result.signature}")
    print(
        f"{result.nodes_per_second:,.0f} nodes a second, "
        f"{result.nodes_per_million_steps:,.0f} in the time of a million steps of a scalar loop"
    )


@app.command()
def learn(
    *,
    seconds: Annotated[float, typer.Option(metavar="S", min=1, max=600, help="How long to measure.")] = 10.0,
    json: options.Json = False,
) -> None:
    """Training games per second: a plain Q-learner against ours, and Little-Go self-play.

    python tools/bench.py learn --seconds 2
    """
    from littlego_bench.learn import ROUNDS, bench_learn

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
            ("Little-Go self-play", f"{result.self_play_games_per_second:,.0f}", ""),
        ],
    )
    print(f"  100,000 tic-tac-toe games as each side took {result.seconds_for_both_sides:.1f} s.")


@app.command()
def tournament(
    *,
    games: Annotated[
        int, typer.Option(metavar="N", min=3, max=10_000, help="Games of built-in players per round.")
    ] = 60,
    program_games: Annotated[int, typer.Option(metavar="N", min=0, max=1000, help="Games of programs per round.")] = 4,
    players: Annotated[int, typer.Option(metavar="N", min=2, max=2000, help="Players in the large standings.")] = 500,
    results: Annotated[
        int, typer.Option(metavar="N", min=1, max=10_000_000, help="Stored results in the large standings.")
    ] = 1_000_000,
    json: options.Json = False,
) -> None:
    """Games per second here and on a cluster, bytes per game, and standings with very many results.

    python tools/bench.py tournament --games 100
    """
    from littlego_bench.tournament import STEPS, bench_tournament

    with output.progress("rounds", STEPS) as step:
        result = bench_tournament(
            games=games, program_games=program_games, players=players, results=results, progress=step
        )
    if json:
        output.print_json(asdict(result))
        return
    output.print_table(
        ["games", "workers", "where", "games/s", "ratio"],
        [
            (rate.players, str(rate.workers), rate.where, f"{rate.games_per_second:,.2f}", f"{rate.ratio:.2f}")
            for rate in result.rates
        ],
    )
    spent = ", ".join(f"{seconds:.3f} s for {kind}" for kind, seconds in result.cpu_seconds_per_game.items())
    print(f"  CPU time per game: {spent}.")
    if result.cluster_overhead_ms is None:
        print("  No cluster: Dask is not installed.")
    else:
        print(
            f"  A game costs {result.cluster_overhead_ms:.1f} ms more on the cluster than in a worker process;"
            f" {result.cluster_tasks_per_second:,.0f} games per second at most."
        )
    sizes = ", ".join(f"{size:,.0f} bytes per game of {kind}" for kind, size in result.bytes_per_game.items())
    print(f"  The store takes {result.kept_per_second:,.0f} games per second: {sizes}.")
    large = result.standings
    print(
        f"  Standings of {large.players} players and {large.results:,} results: {large.seconds:.1f} s"
        f" ({large.cpu_seconds:.1f} s of CPU time), {large.peak_mib:.0f} MiB, from {large.store_mib:.0f} MiB."
    )


@app.command()
def ratings(
    *,
    trials: Annotated[int, typer.Option(metavar="N", min=10, help="Tournaments simulated of each kind.")] = 1000,
    json: options.Json = False,
) -> None:
    """How often 95% intervals of ratings contain the truth, in simulated tournaments.

    python tools/bench.py ratings --trials 400
    """
    from littlego_bench.coverage import FIELDS, simulate

    with output.progress("simulating", trials * len(FIELDS)) as step:
        found = [simulate(field, trials=trials, progress=step) for field in FIELDS]
    if json:
        output.print_json([asdict(each) for each in found])
        return
    output.print_table(
        ["players", "games a pair", "spread", "Black's worth", "ratings covered", "Black's covered", "width"],
        [
            (
                str(each.field.players),
                str(each.field.games),
                f"{each.field.spread:g}",
                f"{each.field.black:g}",
                output.percent(each.ratings),
                output.percent(each.black),
                f"{each.width:.0f}",
            )
            for each in found
        ],
        title=f"Coverage of 95% intervals, {trials} tournaments of each kind, strengths in Elo",
    )


@app.command()
def web(
    *,
    people: Annotated[int, typer.Option(metavar="N", min=1, max=2000, help="How many people visit at once.")] = 200,
    results: Annotated[
        int, typer.Option(metavar="N", min=1, max=10_000_000, help="Stored results in the standings.")
    ] = 100_000,
    json: options.Json = False,
) -> None:
    """What visitors cost a server who open all pages at once, and large standings.

    python tools/bench.py web --json
    """
    from littlego_bench.web import STEPS, bench_web

    with output.progress("measurements", STEPS) as step:
        result = bench_web(people=people, results=results, progress=step)
    if json:
        output.print_json(asdict(result))
        return
    for what, visits in (("first visit", result.first), ("cached", result.again)):
        cpu = "" if visits.cpu_ms is None else f"; {visits.cpu_ms:.0f} ms of the server's CPU time each"
        print(
            f"  {visits.visitors} visitors at once, {what}: {visits.files} files each, {visits.sent / 1e6:,.1f} MB in"
            f" {visits.seconds:.1f} s, {visits.errors} errors{cpu}."
        )
    print(f"  Standings of {result.results:,} results after a new game: {result.standings_first_ms:,.0f} ms.")
