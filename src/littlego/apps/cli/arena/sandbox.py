"""`littlego sandbox`: how agents are isolated on this machine, and whether it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import options, output

if TYPE_CHECKING:
    from littlego.sandbox.limits import Level


def sandbox(
    *,
    test: Annotated[
        bool, typer.Option("--test", help="Run small hostile programs at every level, and show how they end.")
    ] = False,
    level: options.LevelOption = None,
    json: options.Json = False,
) -> None:
    """Show how agents are isolated on this machine; with --test, try to break out.

    Exits with 1 if a program escapes from a level that promises to contain it.

      littlego sandbox
      littlego sandbox --test --level linux
    """
    from littlego.sandbox.limits import probe

    found = probe()
    wanted = options.level_of(level)
    if test:
        _test([wanted] if wanted is not None else list(found.levels), json)
        return
    rows = [
        {
            "level": str(each),
            "description": each.description,
            "offered": each in found.levels,
            "default": each is found.default,
            "mechanisms": list(found.mechanisms.get(each, ())),
            "refused": found.refused.get(each, ""),
        }
        for each in ([wanted] if wanted is not None else type(found.default))
    ]
    if json:
        output.print_json(rows)
        return
    output.print_table(["level", "description", "active here"], [_row(row) for row in rows])


def _row(row: dict[str, Any]) -> tuple[str, str, str]:
    name = f"{row['level']} (default)" if row["default"] else row["level"]
    here = ", ".join(row["mechanisms"]) if row["offered"] else f"not available: {row['refused']}"
    return name, row["description"], here


def _test(levels: list[Level], json: bool) -> None:
    from littlego.sandbox.selftest import TRIALS, run_trials, table

    total = sum(level >= trial.lowest for level in levels for trial in TRIALS)
    with output.progress("hostile programs", total) as step:
        outcomes = run_trials(levels, progress=lambda _outcome: step())
    if json:
        output.print_json(
            [
                {
                    "trial": outcome.trial.name,
                    "level": str(outcome.level),
                    "ended": outcome.ended,
                    "message": outcome.message,
                    "ok": outcome.ok,
                }
                for outcome in outcomes
            ]
        )
    else:
        print(table(outcomes), end="")
    if not all(outcome.ok for outcome in outcomes):
        raise typer.Exit(1)
