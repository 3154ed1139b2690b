"""The measured figures of these pages, from what `docs/measured/` keeps.

    python docs/measured.py                 writes every block into its page
    python docs/measured.py solver waits    measures these two again first, by the commands in their files

A block stands between `<!-- measured NAME -->` and `<!-- end -->`; NAME is a function below. A test compares the pages
with the files. Measure on a quiet machine: rates depend on what else runs there.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from littlego.players.catalogue import FILE as STRENGTHS
from littlego.players.catalogue import PLAYERS
from littlego.stats import wilson_interval

DOCS = Path(__file__).parent
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
BLOCK = re.compile(r"(<!-- measured (\w+) -->\n).*?(<!-- end -->)", re.S)


def filled(text: str) -> str:
    """The text of a page with every block as its file has it."""
    return BLOCK.sub(lambda found: f"{found[1]}{globals()[found[2]]()}{found[3]}", text)


def file_of(name: str) -> Path:
    return DOCS / "measured" / f"{name}.json"


def result(name: str) -> Any:
    return json.loads(file_of(name).read_text(encoding="utf-8"))["result"]


def source(name: str) -> str:
    """When, and by which command; the file also has the machine."""
    found = json.loads(file_of(name).read_text(encoding="utf-8"))
    return "\n" + paragraph(f"Measured on {found['date']} by `{found['command']}`.")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def paragraph(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def number(value: float) -> str:
    """With three significant digits, and commas."""
    return f"{round(value, -len(str(int(value))) + 3):,.0f}" if value >= 100 else f"{value:.3g}"


def interval(count: int, of: int) -> str:
    low, high = wilson_interval(count, of)
    return f"{low:.0%}-{high:.0%}"


def share(count: int, of: int) -> str:
    """A percentage with its 95% interval."""
    low, high = wilson_interval(count, of)
    return f"{100 * count / of:.1f}% ({100 * low:.1f}-{100 * high:.1f})"


def players() -> str:
    data = json.loads(STRENGTHS.read_text(encoding="utf-8"))
    course = data["tables"][0]
    elo = {row["name"]: row for row in course["players"]}
    rows = []
    for name, entry in PLAYERS.items():
        low, high = elo[name]["interval_95"] if name in elo else (0, 0)
        measured = (f"{elo[name]['rating']:+d}", f"{low:+d} to {high:+d}") if name in elo else ("", "")
        rows.append((f"`{name}`", entry.summary, *measured))
    games = sum(pair["games"] for pair in course["pairs"])
    text = (
        f"Elo from {games:,} games on 5x5 (`{data['command']}`, {data['measured']}); `agent` and `perfect` met only "
        "`learner` and `champion`. Where intervals overlap, nothing says who is stronger."
    )
    return table(["name", "what it does", "Elo", "95%"], rows) + "\n" + paragraph(text)


def tutorial() -> str:
    found = result("tutorial")
    games, wins = found["games"], found["wins"]
    return paragraph(
        "Such an answer flatters a version that was picked by the same games, as this one was, among a dozen. From "
        f"{found['openings']} openings of three moves, which had no part in that, it wins {share(wins, games)} of "
        f"{games:,} games against the old version: {share(found['wins_as_black'], games // 2)} with Black, "
        f"{share(wins - found['wins_as_black'], games // 2)} with White."
    )


def fidelity() -> str:
    found = result("fidelity")
    every = [f"`{name}`" for name, (possible, logged) in found["moves"].items() if possible == logged]
    rest = [f"{possible:,} of {logged:,} of `{name}`'s" for name, (possible, logged) in found["moves"].items()
            if possible < logged]  # fmt: skip
    qlearning, distinct = found["qlearning"], found["distinct"]
    counts = ", ".join(f"`{name.replace('championship', 'champion')}` {count}" for name, count in distinct.items())
    return paragraph(
        f"They are written to play as the course's own did in {found['games']:,} logged games (`tests/data/`). Every "
        f"logged move of {', '.join(every[:-1])} and {every[-1]} is one that ours could make, {' and '.join(rest)}. "
        f"Solved exactly, the course's Q-learning player threw away {qlearning['thrown']} of its {qlearning['won']} "
        f"won positions with at most {qlearning['plies_left']} moves left; in the same positions ours throws away "
        f"{qlearning['ours']:.1f} on average. Many logged games repeat, move for move. Distinct ones: {counts}. So "
        "`alphabeta` rests on least."
    )


def greedy() -> str:
    black = next(row for row in result("greedy")["standings"] if row["player"] == "greedy")
    return paragraph(
        "One figure does not fit: the 2019 document shows `greedy` winning 83 of 100 games as Black against `random`, "
        f"where ours wins {share(black['wins'], black['games'])}. The rule behind the example was not found. The "
        "logged greedy player plays as ours does, and ours follows the logs."
    )


def class_time() -> str:
    seconds = result("tournaments")["cpu_seconds_per_game"]["programs"] / 2

    def hours(each: float) -> str:
        return number(200 * 120 * each / 3600)

    return paragraph(
        f"Stages 1 and 2 are 120 games. An agent that only starts Python takes {number(seconds)} s of CPU time a game, "
        "one that thinks for a second a move 12 s, one that uses all of the course's budget 90 s. So a class of 200 "
        f"takes {hours(seconds)}, {hours(12)} or {hours(90)} core hours, divided by the number of cores; 2025 repeats "
        "it three times. 80 core hours are one night on 8 cores."
    )


def ratings() -> str:
    found = result("ratings")
    covered = [each["ratings"] for each in found]

    def span(key: str) -> str:
        values = [each["field"][key] for each in found]
        return f"{min(values):g} to {max(values):g}"

    return paragraph(
        f"In simulated tournaments the intervals contained the truth in {min(covered):.1%} to {max(covered):.1%} of "
        f"cases: {span('players')} players, {span('games')} games a pair, spreads of {span('spread')} Elo. A shorter "
        "simulation is part of the test suite."
    )


def tournaments() -> str:
    found = result("tournaments")
    return paragraph(
        f"A game of the starter kit's random player takes {number(found['cpu_seconds_per_game']['programs'])} s of CPU "
        "time, nearly all of it the start of Python 24 times; a cluster adds "
        f"{number(found['cluster_overhead_ms'])} ms."
    ) + source("tournaments")


def outside() -> str:
    asked = {"moves": "every move", "winner": "the winner, and our winning move"}
    rows = [
        (
            str(row["left"]),
            asked[row["question"]],
            f"{sum(row['positions'].values()):,}",
            f"{row['values']:,}",
            str(len(row["wrong"])),
            f"{row['each']['seconds']:.1f}",
        )
        for row in result("outside")["rows"]
    ]
    head = ["plies left", "asked", "positions", "values compared", "differ", "CPU seconds each"]
    return table(head, rows) + source("outside")


def solver() -> str:
    rows = [(line["what"].split()[2], f"{line['nodes']:,}", f"{line['seconds']:.2f}")
            for line in result("solver")["games"]]  # fmt: skip
    return table(["moves", "nodes", "CPU seconds, one thread"], rows) + source("solver")


def kernel() -> str:
    """What was measured of it, with what it was when numba compiled on each machine."""
    found = result("kernel")

    def seconds(name: str) -> str:
        return ", ".join(f"{each:.2f}" for each in found[name])

    def times(name: str) -> str:
        return f"{statistics.median(found[name]):.2f}"

    rows = {
        "mebibytes": ("`pip install .` into an empty environment, MiB", "308", lambda name: f"{found[name]:.0f}"),
        "reviews": ("`littlego review`, the first on a fresh install and the second, s", "9.0, 0.77", seconds),
        "solve": ("`littlego solve`, from the atlas, s", "0.62", seconds),
        "whole": ("`littlego solve --no-atlas`, one thread and two, s", "24.3, 18.9", seconds),
        "search": ("the search, CPU seconds for each of numba's", "1", times),
        "search_in_node": ("the search in node, likewise", "1", times),
        "training": ("training, CPU seconds for each of numba's", "1", times),
        "help": ("`littlego --help`, heavy modules loaded", "0", lambda name: str(len(found[name]))),
    }
    shown = ((what, before, value(name)) for name, (what, before, value) in rows.items() if name in found)
    return table(["", "with numba", "`kernel.wasm`"], shown) + source("kernel")


def outside_node() -> str:
    """The page's values through node."""
    rows = result("outside-node")["rows"]
    positions, values = sum(sum(row["positions"].values()) for row in rows), sum(row["values"] for row in rows)
    return paragraph(
        f"The page's kernel, run by node, was asked for {positions:,} positions with {rows[0]['left']} to "
        f"{rows[-1]['left']} plies left: of {values:,} values, each with its margin, "
        f"{sum(len(row['wrong']) for row in rows)} differ."
    ) + source("outside-node")


def waits() -> str:
    found = result("waits")

    def row(question: str, seconds: dict[str, Any]) -> list[str]:
        return [question, *(f"{seconds[key]:.2f}" for key in ("mean", "of_20_at_most", "most"))]

    rows = [
        ["`littlego solve`, the empty board, start included", f"{found['solve']['seconds']:.1f}", "", ""],
        *(row(f"who wins, {each['left']} plies left", each["winner"]) for each in found["positions"][:4]),
        *(row(f"by how much, {each['left']} left", each["margin"]) for each in found["positions"] if each["margin"]),
        *(row(f"who wins after each move, {left} left", each) for left, each in found["all_moves"].items()),
        row("review of a game", found["reviews"]),
    ]
    head = ["question", "CPU seconds on average", "19 of 20 within", "longest"]
    return table(head, rows) + source("waits")


def agent_book() -> str:
    found = result("agent-verify")
    rows = [
        (name.capitalize(), f"{count:,}", f"{found['lost'][name]:,}", str(len(found["faults"])))
        for name, count in found["positions"].items()
    ]
    head = ["colour", "positions with the agent to move", "lost with best play", "won positions thrown away"]
    return table(head, rows) + source("agent-verify")


def agent_referee() -> str:
    found = result("agent-referee")
    rows = found["rows"]
    black, white = (
        {row["opponent"]: (row["wins"], row["games"]) for row in rows[side::2]} for side in (0, 1)
    )  # fmt: skip
    assert all(wins == games for wins, games in black.values())
    lost = {name: f"{wins} of {games}" for name, (wins, games) in white.items() if wins < games}
    return paragraph(
        f"With {found['python']} it won all its games with Black, {next(iter(black.values()))[1]} against each of "
        f"{len(black)} opponents: the built-in players, alpha-beta of many depths, playouts. With White it won all but "
        "some against "
        + "; ".join(f"{name} ({count})" for name, count in lost.items())
        + f". A move took at most {max(row['cpu_seconds']['most'] for row in rows):.2f} s of CPU time."
    ) + source("agent-referee")


def agent_white() -> str:
    """Opponents of one kind together."""
    found = result("agent-white")
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in found["rows"]:
        kind = row["opponent"].split()[0]
        built_in = kind in PLAYERS and kind != "champion"
        name = "other built-in players" if built_in else kind if kind in ("alpha-beta", "playouts") else row["opponent"]
        kinds.setdefault(name, []).append(row)
    rows = []
    for name, group in kinds.items():
        errors = [row["errors"] / found["tried"] for row in group]
        won, distinct = (sum(row[key] for row in group) for key in ("won", "distinct"))
        errs = f"{min(errors):.0%}" if len(group) == 1 else f"{min(errors):.0%}-{max(errors):.0%}"
        many = f" ({len(group)})" if len(group) > 1 else ""
        rows.append((name + many, errs, f"{won} of {distinct}", interval(won, distinct)))
    head = ["opponent", "errs", "gave its win away, of distinct games", "95% interval"]
    return table(head, rows) + source("agent-white")


def champion() -> str:
    found, logged = result("agent-champion"), result("fidelity")["champion"]
    thrown, won = (sum(row[key] for row in found["errors"]) for key in ("thrown", "won"))
    learner = [row for row in found["rows"] if row["opponent"] == "learner"]
    others = [row for row in found["rows"] if row["opponent"] != "learner"]

    def lost(rows: list[dict[str, Any]]) -> str:
        counts = [sum(row[key] for row in rows) for key in ("lost", "games", "distinct")]
        return f"{counts[0]} of {counts[1]} games ({counts[2]} distinct; {interval(*counts[:2])})"

    stage_2 = found["stage_2"]
    wins, games = (sum(row["champion"][key] for row in stage_2) for key in ("wins", "games"))
    return paragraph(
        f"Of {won:,} won positions that nothing was chosen by, it throws {share(thrown, won)} away; the course's own "
        f"threw {logged['thrown']} of {logged['won']} logged ones away, {share(logged['thrown'], logged['won'])}. "
        f"Alpha-beta of depth 2 to 4, with three evaluations, beat it in {lost(others)}, `learner` in {lost(learner)}. "
        f"[Our submission](solution.md#the-submission) beat it in {wins} of {games} games: stage 2 of 2022, 2024 and "
        f"2025 with three seeds each, {min(row['champion']['wins'] for row in stage_2)} of 20 or more in every one, "
        f"{min(row['champion']['distinct'] for row in stage_2)} of them distinct or more."
    ) + source("agent-champion")


def agent_starts() -> str:
    found = result("agent-starts")
    openings = found["openings"]
    games = "; ".join(
        f"against `{black['opponent']}` {black['wins'] + white['wins']} of {black['games'] + white['games']} games, "
        f"{interval(black['wins'] + white['wins'], black['games'] + white['games'])}"
        for black, white in zip(openings["rows"][::2], openings["rows"][1::2], strict=True)
    )
    return paragraph(
        f"Started in odd positions with {found['left']} plies left, without its file, it kept the win in "
        f"{found['kept']} of the {found['won']} that are won. From {openings['number']} openings of "
        f"{openings['moves']} random moves, each with both colours, it won {games}. Of two such games, one with each "
        "colour, a perfect player is sure of one."
    ) + source("agent-starts")


def agent_class() -> str:
    """With Black and with White on both sizes; opponents that lost every game in one row."""
    found = result("agent-class")
    won: dict[str, list[str]] = {}
    lost = set()
    for row in (row for each in found["tables"] for row in each["rows"]):
        won.setdefault(row["opponent"], []).append(f"{row['wins']} of {row['games']}")
        lost |= {row["opponent"]} if row["wins"] < row["games"] else set()
    beaten = [name for name in won if name not in lost]
    rows = [(", ".join(beaten), *won[beaten[0]]), *((name, *won[name]) for name in won if name in lost)]
    head = ["opponent"] + [f"{size}x{size}, {side}" for size in (5, 7) for side in ("Black", "White")]
    wins, games, seconds = (sum(row[key] for row in found["course"]) for key in ("wins", "games", "cpu_seconds"))
    text = (
        f"Through the referee, with {found['python']}. By the course's `go_play.py` it won {wins} of {games} games, "
        f"in {seconds / games:.1f} s of CPU time a game: {400 * seconds / games / 60:.0f} minutes for stage 1."
    )
    return table(head, rows) + "\n" + paragraph(text) + source("agent-class")


def tictactoe() -> str:
    found = result("tictactoe")
    games = found["seeds"] * found["test_games"]
    rows = [
        (
            f"{row['games']:,}",
            row["setting"],
            *(share(row[key], games) for key in ("won_as_x", "won_as_o")),
            f"{row['seeds_beaten']['x']} and {row['seeds_beaten']['o']}",
            str(row["perfect_seeds"]),
        )
        for row in found["rows"]
    ]
    head = ["games as each side", "settings", "won as X", "won as O", "seeds that lose to the perfect player, X and O"]
    text = f"{found['seeds']} seeds, {found['test_games']} games of each side against the random player."
    head += ["seeds without a mistake"]
    return table(head, rows) + "\n" + paragraph(text) + source("tictactoe")


def curves() -> str:
    found = result("curves")
    rows = [(row["claim"], "yes" if row["shown"] else "no") for row in found["findings"]]
    text = f"{found['runs']} runs of {found['games']:,} games for each setting; the command prints the numbers."
    return table(["the paper reports that", "our runs show it"], rows) + "\n" + paragraph(text) + source("curves")


def learning() -> str:
    found = result("learning")
    return paragraph(
        f"Training plays {number(found['self_play_games_per_second'])} games a second of Little-Go, and "
        f"{number(found['compiled_games_per_second'])} of tic-tac-toe, where a plainly written learner plays "
        f"{number(found['plain_games_per_second'])}."
    ) + source("learning")


def environments() -> str:
    rows = [(row["what"], number(row["moves_per_second"]), number(row["ratio"]))
            for row in result("environments")["rows"]]  # fmt: skip
    return table(["random 5x5 games on one thread", "moves a second", "ratio"], rows) + source("environments")


def pages() -> str:
    rows = result("pages")["rows"]
    kinds = {"odd": "hints, odd openings", "random": "hints, random games", "game": "reviews, whole games"}
    counted = []
    for kind, name in kinds.items():
        mine = [row for row in rows if row["kind"] == kind]
        left = [row["left"] for row in mine]
        of = f"{min(left)} to {max(left)}" if kind != "game" else f"up to 15, {sum(row['cases'] for row in mine)} games"
        sums = (sum(row[key] for row in mine) for key in ("positions", "values"))
        counted.append((name, of, *(f"{found:,}" for found in sums), str(sum(len(row["wrong"]) for row in mine))))
    head = ["what is shown", "plies left", "positions", "marks, counts and verdicts compared", "differ"]
    return table(head, counted) + source("pages")


def page_agents() -> str:
    found = result("page_agents")
    first, again, games = found["first"], found["again"], found["games_a_minute"]
    rows = [
        (name, *(number(each[side]["cpu_seconds"]) for side in ("page", "command"))) for name, each in games.items()
    ]
    text = (
        f"From the address to the first move of a dropped agent: {first['bytes'] / 1e6:.1f} MB and "
        f"{first['cpu_seconds']:.1f} s of CPU time on the first visit, {again['bytes'] / 1e3:.0f} kB and "
        f"{again['cpu_seconds']:.1f} s on the next. A game in the page costs less than by the command, which starts a "
        "process a move. Games a minute of CPU time, of two agents:"
    )
    head = ["agent", "in the page", "`littlego grade`"]
    return paragraph(text) + "\n" + table(head, rows) + source("page_agents")


def visitors() -> str:
    found = result("visitors")
    first, again = found["first"], found["again"]
    assert not first["errors"] + again["errors"]
    return paragraph(
        f"Visitors cost it files only: {first['visitors']} who open the pages at once, and fetch all {first['files']} "
        f"files ({first['sent'] / first['visitors'] / 1e6:.1f} MB), take {first['cpu_ms']:.0f} ms of its CPU time "
        f"each; {again['cpu_ms']:.0f} ms when they come back, since nothing has changed."
    ) + source("visitors")


def measure(name: str) -> None:
    """Runs the command of a file again; DIR in it is a directory that is thrown away."""
    command = json.loads(file_of(name).read_text(encoding="utf-8"))["command"]
    program, *options = command.split()
    own = ["-m", "littlego"] if program == "littlego" else []
    with tempfile.TemporaryDirectory() as scratch:
        words = [sys.executable, *own, *(option.replace("DIR", scratch) for option in options)]
        done = subprocess.run(words, cwd=DOCS.parent, stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    if isinstance(found, dict):
        found.pop("records", None)  # the games themselves
    kept = {
        "command": command,
        "date": date.today().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "result": found,
    }
    file_of(name).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for each in sys.argv[1:]:
        measure(each)
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
