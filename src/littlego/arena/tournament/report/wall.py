"""A tournament for a screen on the wall: standings that renew themselves, and nothing to click."""

from __future__ import annotations

from typing import Final

from littlego.arena.tournament.report.summary import Summary
from littlego.formats.html.page import Cell, CellValue, Page
from littlego.stats import whole

_EVERY: Final = 10
"""Seconds after which a browser loads it again."""
_SHOWN: Final = 30
"""Players that fit a screen."""


def wall_page(summary: Summary, *, title: str) -> str:
    results = summary.results
    page = Page(title, f"{results.games:,} of {summary.planned:,} games played.", refresh=_EVERY)
    if results.games:
        page.facts([("Leader", results.names[0]), ("Players", str(len(results.names)))])
    measure = "Score" if summary.swiss else "Won"
    rows: list[list[CellValue]] = []
    for place, row in enumerate(summary.standings[:_SHOWN], start=1):
        rated, tally = summary.ratings.get(row.name), row.tally
        score = Cell(f"{100 * tally.win_rate:.0f}%", sort=tally.win_rate, meter=tally.win_rate if tally.games else None)
        if summary.swiss:
            score = Cell(f"{summary.swiss[row.name].score:g}", sort=summary.swiss[row.name].score)
        rows.append([Cell(row.name), place, score, tally.games, "–" if rated is None else whole(rated.rating)])
    page.table(["Player", "Place", measure, "Games", "Elo"], rows)
    if (more := len(summary.standings) - _SHOWN) > 0:
        page.text(f"and {more} more players.")
    return page.html()
