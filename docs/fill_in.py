"""Figures of the documentation, filled in from files that the measurements wrote.

    python docs/measure.py NAME                     measures, writes docs/measured/NAME.json, and does this
    python docs/fill_in.py                          writes the figures into the pages

A page has tables and paragraphs between two comments, `<!-- measured NAME -->` and `<!-- end -->`; NAME is a function
below or in `submission_tables`. A test compares the pages with the files, so that no such figure is typed by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from measured_text import DOCS, MEASURED, measurement, number, paragraph, read, share, table
from submission_tables import SUBMISSION

from littlego.players.catalogue import PLAYERS
from littlego.players.strengths import FILE as STRENGTHS

BLOCK = re.compile(r"(<!-- measured ([\w-]+) -->\n).*?(<!-- end -->)", re.S)


def filled(text: str) -> str:
    """The text of a page with every table as it was measured."""
    return BLOCK.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


def players() -> str:
    """The built-in players with their Elo, and what `tools/measure_players.py` played for it."""
    data = read(STRENGTHS)
    course, *others = data["tables"]
    elo = {row["name"]: row for row in course["players"]}
    rows = []
    for name, entry in PLAYERS.items():
        low, high = elo[name]["interval_95"] if name in elo else (0, 0)
        measured = (f"{elo[name]['rating']:+d}", f"{low:+d} to {high:+d}") if name in elo else ("", "")
        rows.append((f"`{name}`", entry.summary, *measured))
    games = sum(pair["games"] for pair in course["pairs"])
    exact = " ".join(
        f"`{name}` won {row['black_wins']} of {row['black_games']} with Black and {row['white_wins']} of "
        f"{row['white_games']} with White."
        for name, row in elo.items()
        if name in ("agent", "perfect")
    )
    best = "; ".join(
        f"`{row['name']}` with {row['black_wins'] + row['white_wins']} of {row['black_games'] + row['white_games']} "
        "games "
        f"on {each['size']}x{each['size']} by the rules of {each['edition']}"
        for each in others
        for row in each["players"][:1]
    )
    return table(["name", "what it does", "Elo", "95%"], rows) + paragraph(
        f"Elo was measured on {data['measured']} in {games:,} games on 5x5 (`{data['command']}`) from openings of "
        f"{course['opening_moves']} moves, each with both colours. `agent` and `perfect` are the exception: they met "
        "only "
        f"`learner` and `champion`, from the empty board. {exact} Where intervals overlap, nothing says who is "
        "stronger. "
        f"`strongest` goes by the same file, `players/strengths.json`, which has more; the best elsewhere: {best}."
    )


def fidelity() -> str:
    found, _ = measurement("fidelity")
    moves = {name: tuple(counts) for name, counts in found["moves"].items()}
    every = [f"`{name}`" for name, (possible, logged) in moves.items() if possible == logged]
    rest = [
        f"{possible:,} of {logged:,} of `{name}`'s" for name, (possible, logged) in moves.items() if possible < logged
    ]
    qlearning = found["qlearning"]
    return paragraph(
        f"They are written to play as the course's own did in {found['games']:,} logged games (`tests/data/`). Every "
        "logged "
        f"move of {', '.join(every[:-1])} and {every[-1]} is one that ours could make, {' and '.join(rest)}. Solved "
        "exactly, "
        f"the course's Q-learning player threw away {qlearning['thrown']} of its {qlearning['won']} won positions "
        "with at "
        f"most {qlearning['plies_left']} moves left; in the same positions ours throws away {qlearning['ours']:.1f} on "
        f"average."
    ).removeprefix("\n")


def greedy() -> str:
    found, _ = measurement("greedy")
    black = next(row for row in found["standings"] if row["player"] == "greedy")
    return paragraph(
        f"One figure does not fit: the 2019 document shows `greedy` winning 83 of 100 games as Black against "
        "`random`, where "
        f"ours wins {share(black['wins'], black['games'])}. The rule behind the example was not found. The logged "
        "greedy "
        f"player plays as ours does, and ours follows the logs."
    ).removeprefix("\n")


def environments() -> str:
    found, when = measurement("environments")
    rows = [(row["what"], number(row["moves_per_second"]), number(row["ratio"])) for row in found["rows"]]
    return table(["", "moves/s", "ratio"], rows) + when


def referee() -> str:
    found, when = measurement("referee")
    moves = [("bare fork and exec", f"{found['bare_ms']:.0f}")]
    moves += [(level, f"{ms:.0f}") for level, ms in found["level_ms"].items()]
    games = [("shell loop", number(found["loop_games_per_second"]), "1")]
    games += [
        (f"match at {level}, one game at a time", number(rate), number(found["ratio"][level]))
        for level, rate in found["games_per_second"].items()
    ]
    games += [(f"match with {found['jobs']} jobs", number(found["jobs_games_per_second"]), number(found["jobs_ratio"]))]
    return table(["", "ms a move"], moves) + "\n" + table(["", "games/s", "ratio"], games) + when


def learning() -> str:
    found, when = measurement("learning")
    rows = [
        ("tic-tac-toe: dictionary and numpy", number(found["plain_games_per_second"]), "1"),
        ("tic-tac-toe: ours", number(found["compiled_games_per_second"]), number(found["ratio"])),
        ("Little-Go: patterns", number(found["patterns_games_per_second"]), ""),
        ("Little-Go: table", number(found["table_games_per_second"]), ""),
    ]
    return table(["training", "games/s", "ratio"], rows) + when


def tournaments() -> str:
    found, when = measurement("tournaments")
    rates = [
        (rate["players"], rate["where"], str(rate["workers"]), number(rate["games_per_second"]), f"{rate['ratio']:.2f}")
        for rate in found["rates"]
    ]
    spent, sizes, large = found["cpu_seconds_per_game"], found["bytes_per_game"], found["standings"]
    rest = [
        ("CPU time a game", " ".join(f"{number(seconds)} s of {who}." for who, seconds in spent.items())),
        ("a game more on the cluster than in a worker process", f"{number(found['cluster_overhead_ms'])} ms"),
        (
            "tasks that do nothing, through one client and scheduler",
            f"{number(found['cluster_tasks_per_second'])} a second",
        ),
        ("games kept by the store, a transaction each", f"{number(found['kept_per_second'])} a second"),
        ("bytes a game in the store", " ".join(f"{size:,.0f} of {who}." for who, size in sizes.items())),
        (
            f"`tournament show --json` of {large['players']} players and {large['results']:,} results",
            f"{number(large['cpu_seconds'])} s of CPU time ({number(large['seconds'])} s), {large['peak_mib']:.0f} "
            "MiB, "
            f"from {large['store_mib']:.0f} MiB",
        ),
    ]
    head = ["games of", "where", "workers", "games/s", "ratio"]
    return table(head, rates) + "\n" + table(["", ""], rest) + when


def arithmetic() -> str:
    """What tournaments of three sizes cost, from the seconds and bytes of a game as measured."""
    found, _ = measurement("tournaments")
    start, size = found["cpu_seconds_per_game"]["programs"], found["bytes_per_game"]["programs"]
    seconds = (start, 24, 180)
    label = f"core hours at {number(start)} / 24 / 180 s"
    columns = []
    for players in (200, 2_000, 100_000):
        rounds = math.ceil(math.log2(players)) + 1
        columns.append(
            [
                f"{players * (players - 1):,}",
                " / ".join(hours(players * (players - 1), each) for each in seconds),
                bytes_of(players * (players - 1) * size),
                f"{2 * (players - 1):,}, ±{interval(2 * (players - 1)):.0f} Elo",
                f"{rounds}, {rounds * players:,}",
                " / ".join(hours(rounds * players, each) for each in seconds),
                bytes_of(rounds * players * size),
                f"{2 * rounds}, ±{interval(2 * rounds):.0f} Elo",
                f"{hours(players * 120, 12)} core hours",
            ]
        )
    names = [
        "round robin, games",
        label,
        "storage",
        "games a player, interval",
        "Swiss, rounds and games",
        label,
        "storage",
    ]
    names += ["games a player, interval", "grading of 120 games each, 12 s a game"]
    head = ["", "class of 200", "course of 2,000", "arena of 100,000"]
    return table(head, ([name, *row] for name, *row in zip(names, *columns, strict=True)))


def hours(games: int, seconds: float) -> str:
    return number(games * seconds / 3600)


def bytes_of(size: float) -> str:
    unit = next(unit for unit in (1e12, 1e9, 1e6) if size >= unit)
    return f"{size / unit:.2g} { {1e12: 'TB', 1e9: 'GB', 1e6: 'MB'}[unit] }"


def interval(games: int) -> float:
    """Half of the 95% interval of a rating, in Elo, after so many games against equals."""
    return 1.96 * 400 / math.log(10) / math.sqrt(games / 4)


def web() -> str:
    """Medians of single requests, which other processes disturb least."""
    found, when = measurement("web")
    smallest = found["costs"][0]["median_ms"]
    rows = [
        (cost["what"], number(cost["median_ms"]), number(cost["median_ms"] / smallest), number(cost["p99_ms"]))
        for cost in found["costs"]
    ]
    crowd = found["crowd"]
    known, solved = (
        f"{hints['known']:,} of {hints['moves']:,} moves in {hints['positions']} positions are known in the first "
        "answer, "
        f"after {number(hints['median_ms'])} ms"
        for hints in (found["hints_known"], found["hints_solved"])
    )
    return (
        table(["", "median, ms", "ratio", "99%, ms"], rows)
        + paragraph(
            f"New hints: in the first two plies {known}; with ten plies left {solved}. {crowd['people']} people who "
            "play "
            f"against `random` at once and never stop to think: {crowd['games']} games, {crowd['errors']} errors, "
            f"{number(crowd['cpu_ms'])} ms of the server's CPU time a move."
        )
        + when
    )


def ratings() -> str:
    found, _ = measurement("ratings")
    covered = [each["ratings"] for each in found]
    fields = [each["field"] for each in found]

    def span(key: str) -> str:
        values = [field[key] for field in fields]
        return f"{min(values):g} to {max(values):g}"

    return paragraph(
        f"In simulated tournaments the intervals contained the truth in {min(covered):.1%} to {max(covered):.1%} of "
        "cases: "
        f"{span('players')} players, {span('games')} games a pair, spreads of {span('spread')} Elo "
        f"(`littlego bench ratings --trials 400`). A shorter simulation is part of the test suite."
    ).removeprefix("\n")


def solver() -> str:
    """Games from the empty board."""
    found, where = measurement("solver")
    rows = [[line["what"].split()[2], f"{line['nodes']:,}", f"{line['seconds']:.2f}"] for line in found["games"]]
    return table(["moves", "nodes", "processor seconds, one thread"], rows) + where


def solver_odd() -> str:
    """The odd positions: how many plies are left, and for both halves nodes and seconds a position."""
    found, where = measurement("solver")
    rows = []
    for held_back, tuning in zip(found["odd"][::2], found["odd"][1::2], strict=True):
        row = [held_back["what"].split()[3]]
        for line in (tuning, held_back):
            each = line["positions"]
            row += [f"{line['nodes'] / each:,.0f}", f"{line['seconds'] / each:.3f}, at most {line['slowest']:.2f}"]
        rows.append(row)
    head = ["plies left", "tuning: nodes", "processor seconds", "held back: nodes", "processor seconds"]
    return table(head, rows) + where


def outside() -> str:
    """Values that the solver in C++ agrees with."""
    found, where = measurement("outside")
    asked = {"moves": "every move", "winner": "the winner, and our winning move"}
    rows = [
        [
            str(row["left"]),
            asked[row["question"]],
            *(str(row["positions"][source]) for source in ("odd", "random", "atlas")),
            f"{row['values']:,}",
            str(len(row["wrong"])),
            f"{row['each']['seconds']:.1f}",
        ]
        for row in found["rows"]
    ]
    head = [
        "plies left",
        "asked",
        "odd openings",
        "random games",
        "atlas",
        "values",
        "differ",
        "processor seconds each",
    ]
    return table(head, rows) + where


def waits() -> str:
    """What users wait for: questions, what they took at first, the aims, and what they take now."""
    found, where = measurement("waits")
    solve, at_first = found["solve"], {18: "1.3"}
    positions = found["positions"]
    now = f"{solve['seconds']:.1f}; {solve['megabytes']:.0f} MB"
    rows = [
        ["`littlego solve`, the empty board, start included", "3.9; 1,300 MB", "200 MB", now, "", "", ""],
        ["who wins, 24 to 20 plies left", "11 or more", "1", "in the atlas", "", "", ""],
        *(
            [f"who wins, {each['left']} left", at_first.get(each["left"], ""), "1", *spread_of(each["winner"])]
            for each in positions
        ),
        *(
            [f"by how much, {each['left']} left", "", "1", *spread_of(each["margin"])]
            for each in positions
            if each["margin"]
        ),
        *(
            [f"who wins after each move, {left} left", "", "", *spread_of(each)]
            for left, each in found["all_moves"].items()
        ),
        ["review of a game", "", "2", *spread_of(found["reviews"])],
        ["`regret` of 20 games", "", "20", f"{found['regret']:.1f}", "", "", ""],
    ]
    head = ["question", "at first", "aim", "on average", "19 of 20 within", "longest", "above a second"]
    return table(head, rows) + where


def spread_of(seconds: dict[str, Any]) -> list[str]:
    """Of some questions: what one took on average, and how long the slow ones were."""
    late = f"{seconds['above_a_second']} of {seconds['count']}"
    return [*(f"{seconds[key]:.2f}" for key in ("mean", "of_20_at_most", "most")), late]


def tictactoe() -> str:
    found, when = measurement("tictactoe")
    games = found["seeds"] * found["test_games"]
    rows = []
    for row in found["rows"]:
        shares = (share(row[key], games) for key in ("won_as_x", "won_as_o", "lost_as_x", "lost_as_o"))
        beaten = f"{row['seeds_beaten']['x']} and {row['seeds_beaten']['o']}"
        rows.append((f"{row['games']:,}", row["setting"], *shares, beaten, str(row["perfect_seeds"])))
    head = ["games as each side", "settings", "won as X", "won as O", "lost as X", "lost as O"]
    head += ["seeds that lose to the perfect player as X and as O", "seeds without a mistake"]
    text = f"{found['seeds']} seeds, {found['test_games']} games of each side against the random player, 95% intervals."
    return table(head, rows) + paragraph(text) + when


def curves() -> str:
    found, when = measurement("curves")
    rows = [
        (row["claim"], "yes" if row["shown"] else "no", row["numbers"].replace("|", "/")) for row in found["findings"]
    ]
    text = f"{found['runs']} runs of {found['games']:,} games for each setting."
    return table(["the paper reports that", "our runs show it", "by these numbers"], rows) + paragraph(text) + when


def systems() -> str:
    """What `tools/try_installed.py` found, and how long a newcomer waits; with --install from `pip install` on."""
    rows = []
    for path in sorted(MEASURED.glob("try-*.json")):
        found = read(path)
        works = f"{found['commands'] - len(found['wrong'])} of {found['commands']} commands"
        used = found.get("processor_seconds_to_first_review")
        wait = f"{found['seconds_to_first_review']:.0f} s" + (f" ({used:.0f} s)" if used else "")
        load = "" if found.get("load") is None else str(found["load"])
        rows.append((found["what"], found["machine"], works, wait, load, found["date"]))
    whole = read(MEASURED / "try-new-3.13.json")
    heads = ["what", "where", "work", "to the first reviewed game (processor time)", "load before", "tried"]
    return table(heads, rows) + paragraph(
        f"From `pip install` to a first reviewed game, compilation included, took "
        f"{whole['seconds_to_first_review']:.0f} s by the clock, {whole['seconds_to_install']:.0f} s of it for the "
        f"installation; {whole['processor_seconds_to_first_review']:.0f} s were processor time."
    )


def tutorial() -> str:
    """The second agent of the student's tutorial against its first, on openings that it was not chosen by."""
    found, _ = measurement("tutorial")
    games, wins = found["games"], found["wins"]
    return paragraph(
        f"Such an answer flatters a version that was picked by the same games, as this one was, among a dozen. From "
        f"{found['openings']} openings of three moves, which had no part in that, it wins {share(wins, games)} of "
        f"{games:,} games against the old version: {share(found['wins_as_black'], games // 2)} with Black, "
        f"{share(wins - found['wins_as_black'], games // 2)} with White; both games of {found['both']} openings, "
        f"neither of {found['neither']}."
    ).removeprefix("\n")


def pages() -> str:
    """Each view once, as a phone and as a desktop."""
    found, when = measurement("pages")
    views = {row["view"]: {other["form"]: other for other in found if other["view"] == row["view"]} for row in found}
    rows = []
    for view, forms in views.items():
        marks = [" / ".join(map(str, forms[form]["scores"])) if form in forms else "" for form in ("phone", "desktop")]
        phone = forms["phone"]
        first, largest = (
            f"{phone['numbers'][name] / 1000:.1f}" for name in ("first-contentful-paint", "largest-contentful-paint")
        )
        sizes = [str(phone["requests"]), f"{phone['kilobytes']:.0f}", f"{phone['cpu']:.0f}"]
        rows.append((f"`{view}`", *marks, first, largest, *sizes))
    head = ["view", "phone", "desktop", "first paint, s", "largest, s", "requests", "kB", "CPU, ms"]
    loads = [row["load"] for row in found]
    lowest = min(min(row["scores"]) for row in found)
    return (
        table(head, rows)
        + paragraph(
            f"The lowest mark is {lowest}. During the runs {min(loads):.0f} to {max(loads):.0f} processes were at work."
        )
        + when
    )


TABLES: dict[str, Callable[[], str]] = {
    each.__name__: each
    for each in (
        *SUBMISSION,
        *(arithmetic, curves, environments, fidelity, greedy, learning, outside, pages, players, ratings),
        *(referee, solver, solver_odd, systems, tictactoe, tournaments, tutorial, waits, web),
    )
}


def main() -> None:
    for page in [DOCS.parent / "README.md", *DOCS.glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        page.write_text(filled(text), encoding="utf-8")


if __name__ == "__main__":
    main()
