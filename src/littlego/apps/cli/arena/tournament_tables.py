"""The tables that `littlego tournament` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlego.apps.cli import output
from littlego.stats import whole, wins_and_losses

if TYPE_CHECKING:
    from littlego.arena.tournament.report.summary import Summary
    from littlego.arena.tournament.standings import Results, Standing
    from littlego.stats import Tally

_WIDEST_CROSSTABLE = 12
"""The most players whose crosstable fits a terminal."""


def print_summary(summary: Summary) -> None:
    """The standings, the ranking of a competition, and the crosstable if it fits."""
    plan, results = summary.plan, summary.results
    title = (
        f"{plan.format.value}: {results.games} of {summary.planned} games, {plan.size}x{plan.size}, "
        f"edition {plan.edition}, seed {plan.seed}"
    )
    _print_standings(summary, title)
    if summary.places:
        _print_places(summary)
    if 2 < len(results.names) <= _WIDEST_CROSSTABLE:
        _print_crosstable(results)
    forfeits = sum(results.forfeits)
    print(f"  {results.distinct_games} distinct games, {forfeits} forfeits.")
    if results.games:
        fit = summary.fit
        low, high = fit.black_advantage_interval
        print(
            f"  Ratings are in Elo around 0. Having Black is worth {whole(fit.black_advantage)} "
            f"({whole(low)} to {whole(high)}). Under '> next': how likely a player is stronger than the next."
        )
    if byes := [name for name, score in summary.swiss.items() if score.byes]:
        print(f"  Had a bye, worth {plan.games} won games: {', '.join(byes)}.")
    if len(fit_groups := summary.fit.groups) > 1:
        print(f"  Ratings cannot be compared between {len(fit_groups)} groups that have not met.")


def _print_standings(summary: Summary, title: str) -> None:
    forfeits = any(row.forfeits for row in summary.standings)
    measure = ["score", "Buchholz"] if summary.swiss else ["win rate (95%)"]
    columns = ["", "player", "rating (95%)", "> next", "games", *measure, "Black", "White"]
    rows = []
    for place, row in enumerate(summary.standings, start=1):
        sure = summary.superiority(row.name)
        surer = "" if sure is None else f"{100 * sure:.0f}%"
        cells = [str(place), row.name, _rating(summary, row.name), surer, _games(row)]
        if summary.swiss:
            score = summary.swiss[row.name]
            cells += [f"{score.score:g}", f"{score.buchholz:g}"]
        else:
            cells.append(_rate(row.tally))
        cells += [wins_and_losses(row.black), wins_and_losses(row.white)]
        rows.append([*cells, str(row.forfeits)] if forfeits else cells)
    output.print_table([*columns, "forfeits"] if forfeits else columns, rows, title=title)


def _rating(summary: Summary, name: str) -> str:
    """In Elo, with its interval."""
    if name not in summary.ratings:
        return "-"
    rated = summary.ratings[name]
    low, high = rated.interval
    return f"{whole(rated.rating)} ({whole(low)}..{whole(high)})"


def _games(row: Standing) -> str:
    """The number of games, and of distinct ones if some were repeated."""
    games = row.tally.games
    return str(games) if row.distinct == games else f"{games} ({row.distinct} distinct)"


def _rate(tally: Tally) -> str:
    if not tally.games:
        return "-"
    low, high = tally.interval
    return f"{output.percent(tally.win_rate)} ({100 * low:.0f}-{100 * high:.0f})"


def _print_places(summary: Summary) -> None:
    rows = [
        (
            str(place.rank),
            place.name,
            *map(str, (place.points, place.matches_won, place.matches_lost, place.matches_open, place.games_won)),
        )
        for place in summary.places
    ]
    columns = ["rank", "player", "points", "matches won", "lost", "open", "games won"]
    output.print_table(columns, rows, title="The competition")
    if out := summary.not_qualified:
        print(f"  Not qualified, with fewer than 80 points from stage 1: {', '.join(out)}.\n")


def _print_crosstable(results: Results) -> None:
    count = len(results.names)
    rows = []
    for k, name in enumerate(results.names):
        cells = [_cell(results.against(k, other)) if k != other else "" for other in range(count)]
        rows.append((f"{k + 1} {name}", *cells))
    output.print_table(["wins-losses", *(str(other + 1) for other in range(count))], rows)


def _cell(tally: Tally) -> str:
    return wins_and_losses(tally) if tally.games else "."
