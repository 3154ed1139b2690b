"""`littlego bench all`: every measurement in one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlego.apps.cli import options, output


def bench_all(
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Directory for bench.json and bench.html.")] = Path("bench"),
    quick: Annotated[bool, typer.Option("--quick", help="Small and noisy, to see that everything works.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="PART", help="engine, referee, solve, agent, learn, tournament or web; may be repeated."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Measure everything in one run, and write a JSON file and a page with figures.

    littlego bench all --out before
    littlego bench all --quick
    littlego bench all --only engine --only solve
    """
    from json import dumps

    from littlego_bench.suite import PARTS, run_suite, suite_json
    from littlego_bench.suite_page import shown, suite_page

    names = list(dict.fromkeys(only or ()))
    total, begun = len(names) or len(PARTS), list[str]()
    out.mkdir(parents=True, exist_ok=True)
    with output.stages() as update:

        def begin(name: str) -> None:
            update("benchmarks", len(begun), total)
            begun.append(name)

        suite = run_suite(names, quick=quick, begin=begin)
        update("benchmarks", total, total)
    data = suite_json(suite)
    (out / "bench.json").write_text(dumps(data, indent=1) + "\n", encoding="utf-8")
    (out / "bench.html").write_text(suite_page(suite).html(), encoding="utf-8")
    if json:
        output.print_json(data)
        return
    output.print_table(
        ["part", "what", "ratio", "over"],
        [(part.name, ratio.what, shown(ratio.value), ratio.over) for part in suite.parts for ratio in part.ratios],
    )
    for part in suite.parts:
        if part.missing:
            print(f"  {part.name}: not measured, {part.missing}.")
    print(f"  Written to {out / 'bench.json'} and {out / 'bench.html'}.")
