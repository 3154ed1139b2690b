"""A tournament for people elsewhere: one HTML page with charts and lost games to step through; games as files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from littlego.arena.games import write_capsule
from littlego.arena.store import result_to_dict
from littlego.arena.tournament.folder import FinishedGame, TournamentStore
from littlego.arena.tournament.plan import Format
from littlego.arena.tournament.summary import Summary, against
from littlego.formats.html.charts import Estimate, heat_map, interval_chart
from littlego.formats.html.page import Cell, Page, Replay
from littlego.formats.sgf import write_sgf
from littlego.stats import whole, wins_and_losses
from littlego.storage.files import writing


def game_name(game: FinishedGame) -> str:
    """For file names: the order in which it ended, and the players."""
    record = game.result.record
    return f"{game.finished:06d}-{record.black}-{record.white}".replace(" ", "_")


def write_sgf_files(games: Iterable[FinishedGame], folder: Path) -> int:
    """Write one file a game; returns how many. Raises UsageError."""
    count = 0
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for game in games:
            (folder / f"{game_name(game)}.sgf").write_text(write_sgf(game.result.record), encoding="utf-8")
            count += 1
    return count


def write_games_json(games: Iterable[FinishedGame], path: Path) -> int:
    """Write all games as one JSON list, a line each, so that files of any size can be streamed; returns how many."""
    count = 0
    with writing(path), path.open("w", encoding="utf-8") as file:
        file.write("[")
        for game in games:
            fields = {"finished": game.finished, "number": game.key.number, **result_to_dict(game.result)}
            file.write(",\n" if count else "\n")
            file.write(json.dumps(fields, separators=(",", ":")))
            count += 1
        file.write("\n]\n")
    return count


def write_capsules(store: TournamentStore, folder: Path) -> int:
    """Write the capsule of every forfeit; returns how many `littlego replay` reproduces: engines' are to be read.

    Raises OSError.
    """
    count = 0
    for game in store.stream(forfeits_only=True):
        if capsule := game.result.capsule:
            count += capsule["language"] != "gtp"
            write_capsule(folder / f"{game_name(game)}.json", capsule)
    return count


_MOST_IN_CHART: Final = 40
_FORFEITS: Final = 20
_LAST_GAMES: Final = 20

_FORMATS: Final = {
    Format.ROUND_ROBIN: "Everyone met everyone.",
    Format.GAUNTLET: "The challengers met everyone else.",
    Format.SWISS: "A Swiss: every round paired players with about equal scores who had not met before.",
    Format.COURSE_2019: "The competition of 2019: matches between all who had 80 points from stage 1.",
}


def report_page(summary: Summary, store: TournamentStore, *, title: str) -> str:
    """Long lists are shortened, and say so."""
    page = Page(title, lead=f"{_FORMATS[Format(summary.format)]} {_state(summary)}", footer=f"Seed {summary.seed}.")
    page.facts(_facts(summary))
    if summary.competition:
        _competition(page, summary)
    page.section("Standings", _about_ratings(summary))
    swiss = ["Score", "Buchholz", "Byes"] if summary.format == Format.SWISS.value else []
    columns = ["Player", "Place", "Rating", "Rating, 95%", "Better than the next", *swiss, "Games", "Distinct"]
    page.table([*columns, "Won", "Won, 95%", "Black", "White", "Forfeits"], _standings_rows(summary))
    if not summary.games:
        return page.text("No games have been played yet.").html()
    rated = [
        Estimate(row.player, row.rating, *row.rating_interval_95)
        for row in summary.standings
        if row.rating is not None and row.rating_interval_95 is not None
    ]
    best = rated[:_MOST_IN_CHART]
    page.section("Ratings", _cut(len(best), len(rated)))
    page.figure(
        interval_chart(best, unit="rating in Elo, with 95% intervals", title="Ratings with intervals"),
        "Dots are ratings; bars are their 95% intervals.",
    )
    _crosstable(page, summary, len(best), len(rated))
    _games(page, store)
    return page.html()


def _state(summary: Summary) -> str:
    played, planned = summary.games, summary.planned_games
    return (
        f"All {played:,} games have been played." if played >= planned else f"{played:,} of {planned:,} games played."
    )


def _facts(summary: Summary) -> list[tuple[str, str]]:
    size, edition = summary.rules["size"], summary.rules["edition"]
    leader = [("Leader", summary.standings[0].player)] if summary.games else []
    return [
        *leader,
        ("Players", f"{len(summary.standings)}"),
        ("Games", f"{summary.games:,}"),
        ("Distinct games", f"{summary.distinct_games:,}"),
        ("Forfeits", f"{summary.forfeits:,}"),
        ("Board", f"{size}x{size}, {edition}"),
    ]


def _about_ratings(summary: Summary) -> str:
    if not summary.games:
        return ""
    low, high = summary.black_advantage_interval_95
    apart = (
        f" {summary.groups} groups have not met: ratings of different groups cannot be compared."
        if summary.groups > 1
        else ""
    )
    return (
        "Ratings are a Bradley-Terry fit in Elo around 0, with a term for the colour: having Black is worth "
        f"{whole(summary.black_advantage)} ({whole(low)} to {whole(high)}) here. Games that deterministic players "
        f"repeat count together as one of each; the number of distinct games stands beside them.{apart}"
    )


def _standings_rows(summary: Summary) -> Iterator[list[str | int | float | Cell | None]]:
    for place, row in enumerate(summary.standings, start=1):
        cells: list[str | int | float | Cell | None] = [row.player, place]
        if row.rating is None or row.rating_interval_95 is None:
            cells += [None, None, None]
        else:
            low, high = row.rating_interval_95
            sure = row.superiority
            cells += [
                round(row.rating),
                Cell(f"{whole(low)} to {whole(high)}", sort=low),
                None if sure is None else Cell(f"{100 * sure:.0f}%", sort=sure),
            ]
        if row.score is not None:
            cells += [row.score, row.buchholz, row.byes]
        low, high = row.interval_95
        cells += [
            row.games,
            row.distinct_games,
            Cell(f"{100 * row.win_rate:.1f}%", sort=row.win_rate, meter=row.win_rate) if row.games else None,
            Cell(f"{100 * low:.0f}-{100 * high:.0f}%", sort=low) if row.games else None,
            Cell(wins_and_losses(row.as_black), sort=row.as_black.win_rate),
            Cell(wins_and_losses(row.as_white), sort=row.as_white.win_rate),
            Cell(row.forfeits, tone="bad") if row.forfeits else 0,
        ]
        yield cells


def _competition(page: Page, summary: Summary) -> None:
    out = summary.not_qualified
    below = f"\n\nBelow 80 points in stage 1, and not in it: {', '.join(out)}." if out else ""
    rule = "Ranks 1-2 get 20 points, 3-5 get 15, 6-10 get 10, the rest 5."
    page.section("Leaderboard", f"By matches won; equal numbers share the better rank. {rule}{below}")
    page.table(
        ["Player", "Rank", "Points", "Matches won", "Lost", "Open", "Games won"],
        [
            [
                one.player,
                one.rank or "guest",
                one.points,
                one.matches_won,
                one.matches_lost,
                one.matches_open,
                one.games_won,
            ]
            for one in summary.competition
        ],
    )


def _cut(shown: int, total: int) -> str:
    return f"The best {shown} of {total}." if shown < total else ""


def _crosstable(page: Page, summary: Summary, count: int, of: int) -> None:
    results = against(summary.crosstable)
    names = [row.player for row in summary.standings[:count]]
    shares: list[list[float | None]] = []
    labels: list[list[str]] = []
    for name in names:
        tallies = [results[name, other] for other in names]
        shares.append([t.share if t.games else None for t in tallies])
        labels.append(
            [
                f"{name} against {other}: {wins_and_losses(t)}" if t.games else ""
                for other, t in zip(names, tallies, strict=True)
            ]
        )
    page.section("Crosstable", _cut(count, of))
    page.figure(
        heat_map(names, shares, labels, title="Crosstable"),
        "The percentage of games that the row's player won against the column's; "
        "green is high, red is low, grey means they did not meet.",
    )


def _games(page: Page, store: TournamentStore) -> None:
    forfeits = store.last_games(_FORFEITS, forfeits_only=True)
    if forfeits:
        page.section("Forfeits", f"The last {len(forfeits)}." if len(forfeits) == _FORFEITS else "")
        page.games(Replay(game.result.record, tag="forfeit", tone="bad", remark=_last_words(game)) for game in forfeits)
    last = store.last_games(_LAST_GAMES)
    page.section("Games", f"The last {len(last)}, Black named first; export all of them with --sgf or --games-json.")
    page.games(Replay(game.result.record) for game in last)


def _last_words(game: FinishedGame) -> str:
    words = (game.result.capsule or {}).get("stderr", "").strip()
    return f"The end of its stderr: {words.splitlines()[-1]}" if words else ""
