"""The tables of docs/submission.md, from what `tools/measure_agent.py` and `littlego agent` measured."""

from __future__ import annotations

from typing import Any

from measured_text import measurement, paragraph, table

from littlego.stats import wilson_interval

BLACK_LEVELS, WHITE_LEVELS = range(24, 11, -2), range(23, 12, -2)
"""Plies left where the book has a move."""


def interval(count: int, of: int) -> str:
    low, high = wilson_interval(count, of)
    return f"{low:.0%}-{high:.0%}"


def agent_book() -> str:
    """The positions of the shipped book, as `verify` walks it."""
    found, when = measurement("agent-verify")
    text = ""
    for name, levels in (("black", BLACK_LEVELS), ("white", WHITE_LEVELS)):
        rows = [[f"{name.capitalize()}'s positions", *(f"{found['levels'][name][str(left)]:,}" for left in levels)]]
        lost = [found["lost_levels"][name].get(str(left), 0) for left in levels]
        if any(lost):
            rows.append(["of these lost with best play", *(f"{number:,}" for number in lost)])
        text += table(["plies left", *map(str, levels)], rows) + "\n"
    rows = [
        (name.capitalize(), f"{number:,}", f"{found['lost'][name]:,}") for name, number in found["positions"].items()
    ]
    text += table(["colour", "positions with the agent to move", "lost with best play"], rows)
    return (
        text
        + paragraph(
            f"Won positions that it throws away: {len(found['faults'])}. Below the book {found['searched']:,} searches "
            f"were compared with the oracle; the longest took {found['most_nodes']:,} nodes."
        )
        + when
    )


def agent_build() -> str:
    found, when = measurement("agent-build")
    book, corridor, seconds = found["book"], found["corridor"], found["cpu_seconds"]
    return (
        paragraph(
            f"From nothing, with one process: {seconds['book']:,.0f} s of CPU time for a book of "
            f"{sum(book['entries'].values()):,} positions, {book['entries']['black']:,} with Black and "
            f"{book['entries']['white']:,} with White, and {seconds['corridor']:,.0f} s for a corridor of "
            f"{sum(corridor['lost'].values()):,} lost positions and {corridor['won']:,} won ones that the book lacks."
        ).removeprefix("\n")
        + when
    )


def agent_champion() -> str:
    """The positions that White can bring the champion to."""
    found, when = measurement("agent-champion")
    rows = found["rows"]
    lines = [
        ("positions", *(f"{row['positions']:,}" for row in rows)),
        ("in which it may err", *(str(row["thrown"]) for row in rows)),
    ]
    return table(["plies left", *(str(row["left"]) for row in rows)], lines) + when


def agent_depths() -> str:
    """Learned values on 7x7, by how far a player looks ahead with them."""
    found, when = measurement("agent-depths")
    games = found["games"]
    lines = [
        (f"won with {colour.capitalize()}, of {games}", *(str(row[colour]) for row in found["rows"]))
        for colour in ("black", "white")
    ]
    return table(["moves ahead", *(str(row["depth"]) for row in found["rows"])], lines) + when


def agent_white() -> str:
    """With White, until the opponent has given its win away."""
    found, when = measurement("agent-white")
    tried, games = found["tried"], found["games"]
    rows = [
        (
            row["opponent"],
            f"{row['errors'] / tried:.0%} ({interval(row['errors'], tried)})",
            f"{row['won']} of {row['distinct']}",
            interval(row["won"], row["distinct"]),
        )
        for row in found["rows"]
    ]
    text = f"{games} games against each; `errs` is how often it throws away one of {tried} won positions."
    head = ["opponent", "errs", "lost its win, of distinct games", "95% interval"]
    return table(head, rows) + paragraph(text) + when


def gauntlet_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Both colours of an opponent in one row."""
    found = []
    for black, white in zip(rows[::2], rows[1::2], strict=True):
        both = [black, white]
        wins, games = (sum(row[key] for row in both) for key in ("wins", "games"))
        moves = [row["cpu_seconds"]["mean"] for row in both]
        found.append(
            [
                black["opponent"],
                *(f"{row['wins']} of {row['games']}" for row in both),
                str(sum(row["distinct_games"] for row in both)),
                interval(wins, games),
                f"{sum(moves) / 2:.2f}",
                f"{max(row['cpu_seconds']['most'] for row in both):.2f}",
            ]
        )
    return found


GAUNTLET_HEAD = ["opponent", "won with Black", "with White", "distinct games", "95%, both", "CPU s a move", "at most"]


def agent_referee() -> str:
    found, when = measurement("agent-referee")
    return table(GAUNTLET_HEAD, gauntlet_rows(found["rows"])) + paragraph(f"With {found['python']}.") + when


def agent_class() -> str:
    found, when = measurement("agent-class")
    text = ""
    for each in found["tables"]:
        head = [f"{each['size']}x{each['size']}, {GAUNTLET_HEAD[0]}", *GAUNTLET_HEAD[1:]]
        text += table(head, gauntlet_rows(each["rows"])) + "\n"
    course = found["course"]
    wins, games, seconds = (sum(row[key] for row in course) for key in ("wins", "games", "cpu_seconds"))
    return (
        text.removesuffix("\n")
        + paragraph(
            f"With {found['python']}, through the referee, which starts a process for every move. By the course's own "
            f"`go_play.py`, all in one process, it won {wins} of {games} games ({interval(wins, games)}) against "
            f"{', '.join(row['opponent'] for row in course)}, in {seconds / games:.1f} s of CPU time a game with the "
            f"host and the opponent: {400 * seconds / games / 60:.0f} minutes for the 400 games of stage 1."
        )
        + when
    )


def agent_starts() -> str:
    found, when = measurement("agent-starts")
    seconds, far, openings = found["seconds"], found["far"], found["openings"]
    games = "; ".join(
        f"against `{black['opponent']}` {black['wins'] + white['wins']} of {black['games'] + white['games']} games, "
        f"{interval(black['wins'] + white['wins'], black['games'] + white['games'])} ({black['wins']} as Black, "
        f"{white['wins']} as White, {black['distinct_games'] + white['distinct_games']} distinct games), "
        f"{(black['cpu_seconds']['mean'] + white['cpu_seconds']['mean']) / 2:.2f} s of CPU time a move, at most "
        f"{max(black['cpu_seconds']['most'], white['cpu_seconds']['most']):.2f} s"
        for black, white in zip(openings["rows"][::2], openings["rows"][1::2], strict=True)
    )
    return (
        paragraph(
            f"Started in the {found['positions']} held-back [odd positions](solution.md) with {found['left']} plies "
            f"left, without its file, with {found['python']}, it kept the win in {found['kept']} of the "
            f"{found['won']} that are won, and saw the right number of moves in {found['counted_right']}: "
            f"{seconds['median']:.2f} s of CPU time in the middle, {seconds['mean']:.2f} s on average, "
            f"{seconds['most']:.1f} s at most. Of {far['won']} won positions with {far['left'][0]} or "
            f"{far['left'][1]} plies left, where it looks ahead by learned values if the exact search does not finish, "
            f"it threw {far['thrown']} away ({interval(far['thrown'], far['won'])})."
        ).removeprefix("\n")
        + paragraph(
            f"From {openings['number']} openings of {openings['moves']} random moves, each with both colours, through "
            f"the referee: {games}."
        )
        + when
    )


SUBMISSION = (
    agent_book,
    agent_build,
    agent_champion,
    agent_class,
    agent_depths,
    agent_referee,
    agent_starts,
    agent_white,
)
