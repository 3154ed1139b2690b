"""The standings that `littlego match` and `littlego play` print."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from littlego.apps.cli import output

if TYPE_CHECKING:
    from littlego.core.game import GameRecord
    from littlego.core.rules import Rules


def print_standings(rules: Rules, seed: int, records: list[GameRecord]) -> None:
    """A row for every player and colour; ties have a column where the rules allow them."""
    from littlego.arena.match.standings import distinct_games, standings

    can_tie = float(rules.komi).is_integer()
    rows = [
        (
            f"{row.player} ({row.colour})",
            str(row.tally.wins),
            str(row.tally.losses),
            *([str(row.tally.ties)] if can_tie else []),
            str(row.forfeits),
            output.percent(row.tally.win_rate),
            output.percent_interval(row.tally.interval),
        )
        for row in standings(records)
    ]
    columns = ["player", "wins", "losses", *(["ties"] if can_tie else []), "forfeits", "win rate", "95% interval"]
    title = f"{len(records)} games, {rules.size}x{rules.size}, edition {rules.edition}, seed {seed}"
    output.print_table(columns, rows, title=title)
    print(f"  {distinct_games(records)} of them distinct.")


def standings_as_dicts(records: list[GameRecord]) -> list[dict[str, Any]]:
    from littlego.arena.match.standings import standings

    return [
        {
            "player": row.player,
            "colour": row.colour.word,
            "games": row.tally.games,
            **asdict(row.tally),
            "forfeits": row.forfeits,
            "win_rate": row.tally.win_rate,
            "interval_95": list(row.tally.interval),
        }
        for row in standings(records)
    ]
