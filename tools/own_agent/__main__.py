"""Making our own submission, and trying it: `python tools/own_agent COMMAND`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

sys.path.insert(0, str(Path(__file__).parents[1]))

from littlego.apps.cli import options, output
from littlego.core.board import Colour
from littlego.formats.gtp import parse_colour

app = typer.Typer(help=__doc__, no_args_is_help=True, pretty_exceptions_enable=False)

_GIB = 1 << 30
Memory = Annotated[float, typer.Option(metavar="GIB", min=0.25, help="Memory for the oracle, in GiB.")]


@app.command()
def build(
    *,
    work: Annotated[Path, typer.Option(metavar="DIR", help="Directory for intermediate results.")] = Path("agent-work"),
    out: Annotated[Path, typer.Option(metavar="FILE", help="The book.")] = Path("book.txt"),
    corridor_only: Annotated[
        bool, typer.Option("--corridor-only", help="Keep the book that comes with the package.")
    ] = False,
    jobs: options.Jobs = 2,
    memory: Memory = 4.0,
    json: options.Json = False,
) -> None:
    """Rebuild book.txt, and corridor.txt beside it, from the oracle; continues where it was stopped.

    python tools/own_agent build --jobs 2
    python tools/own_agent build --corridor-only --out book.txt
    """
    from dataclasses import asdict

    from littlego.course.starter import BOOK
    from littlego.solve.oracle import Oracle
    from own_agent.build import build_book
    from own_agent.corridor_book import build_corridor
    from own_agent.decide import STORE

    built = None
    began = _cpu_seconds()
    with output.resumable(f"Intermediate results are in {work}."), output.stages() as watch:
        if not corridor_only:
            built = build_book(work, jobs=jobs, memory=int(memory * _GIB), watch=watch)
            out.write_text(built.text)
        booked = _cpu_seconds()
        work.mkdir(parents=True, exist_ok=True)
        oracle = Oracle(memory=int(memory * _GIB), threads=jobs, store=work / STORE)
        corridor = build_corridor(work, oracle, book=BOOK if corridor_only else out, watch=watch)
    beside = out.with_name("corridor.txt")
    beside.write_text(corridor.text)
    seconds = {"book": booked - began, "corridor": _cpu_seconds() - booked}
    if json:
        found = {"lost": corridor.lost, "won": corridor.won, "survival": corridor.survival}
        book = None if built is None else {**asdict(built), "text": len(built.text)}
        output.print_json({"book": book, "corridor": found, "cpu_seconds": seconds})
        return
    output.print_table(
        ["opponent", "makes no mistake"],
        [(name, f"{chance:.1%}") for name, chance in corridor.survival.items()],
    )
    print(f"{sum(corridor.lost.values()):,} lost and {corridor.won:,} won positions in {beside}.")
    if built is not None:
        rows = [
            (name, str(left), f"{number:,}", f"{built.lost[name][left]:,}")
            for name, levels in built.positions.items()
            for left, number in levels.items()
        ]
        output.print_table(["colour", "plies left", "positions", "lost with best play"], rows)
        print(f"{sum(built.entries.values()):,} positions in {out}, {len(built.text):,} bytes.")
    spent = " and ".join(f"{cpu:.0f} s for the {what}" for what, cpu in seconds.items())
    print(f"CPU time of this run: {spent}.")


def _cpu_seconds() -> float:
    """Of this process and of those that it has started and that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@app.command()
def verify(
    *,
    colour: Annotated[str | None, typer.Option(metavar="COLOUR", help="Only black, or only white.")] = None,
    book: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A book that 'build' wrote, with corridor.txt beside it.")
    ] = None,
    searches: Annotated[int, typer.Option(metavar="N", min=0, help="Searches to compare below the book.")] = 2000,
    store: Annotated[Path | None, typer.Option(metavar="FILE", help="File for the oracle's answers.")] = None,
    memory: Memory = 4.0,
    json: options.Json = False,
) -> None:
    """Verify the book against the oracle, for every reply, and the agent's search on a sample.

    Exits with 1 if the agent would throw a won position away.

      python tools/own_agent verify --searches 20 --json
      python tools/own_agent verify --book book.txt
    """
    from dataclasses import asdict

    from littlego.solve.oracle import Oracle
    from own_agent.verify import verify_agent

    colours = (parse_colour(colour),) if colour else tuple(Colour)
    kept = f"The oracle's answers are in {store}." if store else "Nothing was kept: use --store FILE."
    with output.resumable(kept), output.stages() as watch:
        oracle = Oracle(memory=int(memory * _GIB), store=store)
        found = verify_agent(
            oracle,
            book=book,
            searches=searches,
            colours=colours,
            watch=watch,
        )
    if json:
        output.print_json(asdict(found))
    else:
        for name, number in found.positions.items():
            print(f"{name}: {number:,} positions with the agent to move, {found.lost[name]:,} lost with best play")
        print(f"{found.searched:,} searches below the book, {found.most_nodes:,} nodes at most")
        print("\n".join(found.faults[:20]) if found.faults else "No won position is thrown away.")
    if found.faults:
        raise typer.Exit(1)


@app.command()
def gauntlet(
    *,
    games: Annotated[int, typer.Option("--games", "-g", metavar="N", min=1, help="Games with each colour.")] = 20,
    opponent: Annotated[
        list[str] | None, typer.Option(metavar="PLAYER", help="Only this opponent, a name or a path; may be repeated.")
    ] = None,
    jobs: options.Jobs = 1,
    python: options.Python = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Directory for results.")] = Path(
        "littlego-matches/gauntlet"
    ),
    json: options.Json = False,
) -> None:
    """Play the exported agent through the referee against everyone, with each colour.

    python tools/own_agent gauntlet --games 10 --jobs 2 --python 3.7
    """
    from littlego.arena.games import GamesProgress
    from littlego.arena.pool import LocalPool
    from littlego.course.seats import parse_entrant
    from own_agent.gauntlet import NAME, OPPONENTS, run_gauntlet

    opponents = [parse_entrant(name, python=python) for name in opponent or ()] or OPPONENTS
    progress = GamesProgress(2 * games * len(opponents), workers=jobs, about=NAME)
    with output.resumable(f"The games are in {out}."), output.counted(progress) as count, LocalPool(jobs) as pool:
        rows = run_gauntlet(out, pool, games=games, opponents=opponents, python=python, on_result=count)
    if json:
        output.print_json([row.to_dict() for row in rows])
        return
    output.print_table(
        ["colour, opponent", "games", "wins", "95% interval", "distinct", "CPU: mean 99% maximum", "a game"],
        [
            (
                f"{row.colour}, {row.opponent}",
                str(row.tally.games),
                str(row.tally.wins),
                output.percent_interval(row.tally.interval),
                str(row.distinct),
                " ".join(f"{seconds:.2f}" for seconds in (row.cpu_mean, row.cpu_99, row.cpu_most)),
                f"{row.cpu_game:.1f} s",
            )
            for row in rows
        ],
    )


if __name__ == "__main__":
    app()
