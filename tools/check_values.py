"""Exact values against a solver of another make: `python tools/check_values.py --left 14 16 --seconds 600`.

What `littlego solve --json` prints, with the shipped atlas and a fresh store for each position, is compared with
`outside_solver.cpp`, which is built with g++ and shares nothing with the package. Positions come in turn from two
sources: the held-back half of `littlego_bench/odd_positions.txt`, and random games of the naive referee, with passes,
captures and ko. With `--source atlas` they are positions of the atlas. With `--node` it is the page's kernel that is
compared, as node runs it, with one table for all positions. Prints a row for each number of plies left, and
every difference; exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from littlego.apps.cli.exact import solve
from littlego.apps.web.settings import STATIC
from littlego.apps.web.site import elsewhere
from littlego.kernel.words import plies_left, unpack_key
from littlego.solve import atlas
from littlego_bench.naive import Cells, NaiveGame, Place

HERE: Final = Path(__file__).parent
SIDES: Final = ("Black", "White")
TRIES: Final = 100
"""Random games until one is taken that is not of the kind wanted."""
KO_LEFT: Final = 16
"""With more plies left there is hardly ever a ko."""
EVERY_MOVE: Final = 16
"""With more plies left the other solver would take too long for the value of every move."""
CHOICE: Final = 3
"""A random move is the first of so many legal ones that captures; else the first."""


@dataclass(frozen=True, slots=True)
class Game:
    """The moves that lead to a position, and the rules they were made by."""

    moves: tuple[str, ...]
    size: int = 5
    komi: float = 2.5
    length: int = 24

    @property
    def left(self) -> int:
        return self.length - len(self.moves)

    @property
    def to_move(self) -> str:
        return SIDES[len(self.moves) % 2]

    def sgf(self) -> str:
        letters = "abcde"
        nodes = [";B[]" if k % 2 == 0 else ";W[]" for k in range(len(self.moves))]
        for k, move in enumerate(self.moves):
            if move != "PASS":
                row, column = map(int, move.split(","))
                nodes[k] = nodes[k].replace("[]", f"[{letters[column]}{letters[row]}]")
        return f"(;GM[1]FF[4]SZ[{self.size}]KM[{self.komi}]{''.join(nodes)})"


EMPTY: Final = Game(())


class OutsideSolver:
    """The other solver, as a process that answers one question after the other. Closed at the end of `with`."""

    def __init__(self, program: Path, *, mebibytes: int = 64) -> None:
        self._process = subprocess.Popen(
            [program, str(mebibytes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, game: Game, question: str) -> dict[str, Any]:
        """`question` is `winner`, `moves` or `margins`: see the program."""
        assert self._process.stdin and self._process.stdout
        print(game.size, game.komi, game.length, question, *game.moves, file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def __enter__(self) -> OutsideSolver:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def built(folder: Path) -> Path:
    """The compiled program."""
    program = folder / "outside_solver"
    subprocess.run(["g++", "-O2", "-o", program, HERE / "outside_solver.cpp"], check=True)
    return program


def shown(game: Game, folder: Path, question: str, **options: Any) -> dict[str, Any]:
    """What `littlego solve` prints about the position after a game: as JSON, with a store of its own by default."""
    file, store = folder / "game.sgf", folder / "store.sqlite"
    file.write_text(game.sgf())
    for old in folder.glob("store.sqlite*"):
        old.unlink()
    every, margins = question != "winner", question == "margins"
    settings: dict[str, Any] = {"komi": game.komi, "moves": game.left, "threads": 1, "memory": 0.5}
    settings |= {"store": store} | options
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()):
        solve(file, all_moves=every, margin=margins, json=True, **settings)
    found: dict[str, Any] = json.loads(printed.getvalue())
    return found


class PageSolver:
    """The page's kernel, in a node process that answers one question after the other. Closed at the end of `with`."""

    def __init__(self) -> None:
        command = ["node", *map(str, (HERE / "solve_in_node.mjs", STATIC / "js", *elsewhere().values()))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def shown(self, game: Game, question: str) -> dict[str, Any]:
        """Like `shown`."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps(asdict(game) | {"question": question}), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def __enter__(self) -> PageSolver:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def differences(game: Game, ours: dict[str, Any], outside: dict[str, Any]) -> list[str]:
    """In what the two answers differ, in words; also a winning move that does not win."""
    asked = [what for what in ("winner", "margin") if what in outside]
    found = [f"{what}: {ours[what]}, outside {outside[what]}" for what in asked if ours[what] != outside[what]]
    if (ours["winning_move"] is not None) != (outside["winner"] == game.to_move):
        found.append(f"winning move: {ours['winning_move']}, outside the winner is {outside['winner']}")
    if "moves" in outside:
        moves = {row["move"]: row["winner"] for row in ours["moves"]}
        if "margin" in outside:
            moves = {row["move"]: [row["winner"], row["margin"]] for row in ours["moves"]}
        for move in sorted(moves.keys() | outside["moves"].keys()):
            one, other = moves.get(move, "illegal"), outside["moves"].get(move, "illegal")
            if one != other:
                found.append(f"after {move}: {one}, outside {other}")
        if ours["winning_move"] is not None and game.to_move not in str(outside["moves"].get(ours["winning_move"])):
            found.append(f"winning move: {ours['winning_move']}, which does not win")
    return found


def odd_games(left: int, seed: int) -> Iterator[Game]:
    """The held-back odd positions, in another order for each seed; where there are none, a random move after them."""
    rng = random.Random(seed)
    lines = (HERE / "littlego_bench" / "odd_positions.txt").read_text(encoding="utf-8").splitlines()
    games = [Game(tuple(line.split()[2:])) for line in lines if line.startswith((f"{left} held", f"{left + 1} held"))]
    rng.shuffle(games)
    for game in games:
        row, column = rng.choice(refereed(game).legal())
        yield game if game.left == left else replace(game, moves=(*game.moves, f"{row},{column}"))


def refereed(game: Game) -> NaiveGame:
    """The game with the naive referee."""
    found = NaiveGame(size=game.size, length=game.length)
    for move in game.moves:
        found.play(None if move == "PASS" else (int(move[0]), int(move[2])))
    return found


def is_ko(game: Game) -> bool:
    """Whether the ko forbids a move."""
    now = refereed(game)
    return any(now.why_not(i, j) == "ko" for i in range(game.size) for j in range(game.size))


def random_game(left: int, rng: random.Random, start: Game) -> Game:
    """A game at random until so many plies are left: one move in twelve is a pass, many are captures."""
    while True:
        now, moves = NaiveGame(size=start.size, length=start.length), list[str]()
        while len(moves) < start.length - left and now.passes < 2:
            place = _random_move(now, rng)
            moves.append("PASS" if place is None else f"{place[0]},{place[1]}")
            now.play(place)
        if now.passes < 2:
            return replace(start, moves=tuple(moves))


def _random_move(now: NaiveGame, rng: random.Random) -> Place | None:
    places = [(i, j) for i, row in enumerate(now.cells) for j, cell in enumerate(row) if not cell]
    rng.shuffle(places)
    if rng.randrange(12) == 0:
        return None
    legal = [place for place in places[:CHOICE] if now.why_not(*place) is None]
    captures = [place for place in legal if _stones(now.after(*place)) <= _stones(now.cells)]
    return next(iter(captures or legal), None)


def _stones(cells: Cells) -> int:
    return sum(cell != 0 for row in cells for cell in row)


def random_games(left: int, seed: int, start: Game = EMPTY) -> Iterator[Game]:
    """Random games until so many plies are left: one in four ends with a pass, and with few plies left one in ko."""
    rng = random.Random(seed * 100 + left)
    while True:
        yield random_game(left, rng, start)
        for wanted in (lambda game: game.moves[-1:] == ("PASS",), bool, is_ko if left <= KO_LEFT else bool):
            game = random_game(left, rng, start)
            for _ in range(TRIES):
                if wanted(game):
                    break
                game = random_game(left, rng, start)
            yield game


def atlas_games(left: int, seed: int) -> Iterator[Game]:
    """Games that lead to positions of the atlas without ko: their stones in some order, and passes between them."""
    rng = random.Random(seed * 100 + left)
    keys = [int(key) for key in atlas.load()[0] if plies_left(int(key)) == left and key >> 50 & 31 == 0]
    rng.shuffle(keys)
    for key in keys:
        mine, theirs, _, _ = unpack_key(key)
        played = EMPTY.length - left
        black, white = (theirs, mine) if played % 2 else (mine, theirs)
        games = (_placed(black, white, played, rng) for _ in range(TRIES))
        if game := next(filter(None, games), None):
            yield game


def _placed(black: int, white: int, played: int, rng: random.Random) -> Game | None:
    """A game of `played` moves, the last one a stone, that puts these stones on the board; None if this order fails."""
    turns = []
    for stones, number in ((black, -(-played // 2)), (white, played // 2)):
        places = [(point // 5, point % 5) for point in range(25) if stones >> point & 1]
        mine: list[Place | None] = [*places, *[None] * (number - len(places))]
        rng.shuffle(mine)
        turns.append(mine)
    now = NaiveGame()
    for k in range(played):
        place = turns[k % 2][k // 2]
        if now.passes > 0 if place is None else now.why_not(*place):
            return None
        now.play(place)
    cells = [[1 if black >> p & 1 else 2 if white >> p & 1 else 0 for p in range(i, i + 5)] for i in range(0, 25, 5)]
    if now.cells != cells or now.passes:
        return None
    moves = [turns[k % 2][k // 2] for k in range(played)]
    return replace(EMPTY, moves=tuple("PASS" if place is None else f"{place[0]},{place[1]}" for place in moves))


def report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def seconds_used() -> float:
    """Processor seconds of the children so far; they count when they end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compare(left: int, program: Path, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Compare positions with this many plies left."""
    question = options.question or ("moves" if left <= EVERY_MOVE else "winner")
    until = time.monotonic() + options.seconds
    before = seconds_used()
    sources = {name: SOURCES[name](left, options.seed) for name in options.source}
    counts = dict.fromkeys(sources, 0)
    values = nodes = 0
    wrong: list[str] = []
    with contextlib.ExitStack() as closing:
        outside = closing.enter_context(OutsideSolver(program, mebibytes=options.mebibytes))
        page = closing.enter_context(PageSolver()) if options.node else None
        while sources and sum(counts.values()) < options.positions and time.monotonic() < until:
            name = min(sources, key=lambda name: counts[name])
            if (game := next(sources[name], None)) is None:
                del sources[name]
                continue
            ours = page.shown(game, question) if page else shown(game, folder, question)
            truth = outside.ask(game, question)
            if question == "winner" and (move := ours["winning_move"]):
                after = outside.ask(replace(game, moves=(*game.moves, move)), "winner")
                truth |= {"moves": {move: after["winner"]}, "nodes": truth["nodes"] + after["nodes"]}
                ours["moves"] = [{"move": move, "winner": game.to_move}]
            counts[name] += 1
            values += 1 + len(truth.get("moves", ()))
            nodes += truth["nodes"]
            wrong += [f"{' '.join(game.moves)}: {line}" for line in differences(game, ours, truth)]
            report(f"{left} plies left, {name}: {truth['nodes']:,} nodes, {truth['winner']}")
    positions = max(sum(counts.values()), 1)
    each = {"nodes": nodes / positions, "seconds": (seconds_used() - before) / positions}
    return {"left": left, "question": question, "positions": counts, "values": values, "wrong": wrong, "each": each}


def in_words(row: dict[str, Any]) -> str:
    by_source = ", ".join(f"{number} {name}" for name, number in row["positions"].items())
    summary = (
        f"{row['left']} plies left, {row['question']}: {by_source} positions, {row['values']:,} values, "
        f"{len(row['wrong'])} differ; outside {row['each']['nodes']:,.0f} nodes and "
        f"{row['each']['seconds']:.1f} processor seconds each"
    )
    return "\n".join([*row["wrong"], summary])


SOURCES: Final = {"odd": odd_games, "random": random_games, "atlas": atlas_games}


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare exact values with a solver that shares no code.")
    parser.add_argument("--left", type=int, nargs="+", default=[14], metavar="LEFT", help="plies left, in order")
    parser.add_argument(
        "--question",
        choices=["winner", "moves", "margins"],
        help=f"default: all moves with up to {EVERY_MOVE} plies left, else the winner and our winning move",
    )
    parser.add_argument("--source", choices=SOURCES, nargs="+", default=["odd", "random"])
    parser.add_argument("--positions", type=int, default=1 << 30, help="at most so many for each number of plies")
    parser.add_argument("--seconds", type=float, default=60.0, help="begin no position after so long, for each number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mebibytes", type=int, default=1024, help="of the other solver's hash table")
    parser.add_argument("--node", action="store_true", help="compare the page's kernel, run by node")
    parser.add_argument("--json", action="store_true", help="print JSON, for docs/measured.py")
    options = parser.parse_args()
    if shutil.which("g++") is None:
        sys.exit("there is no g++ to build the other solver with")
    with tempfile.TemporaryDirectory() as name:
        program = built(Path(name))
        rows = []
        for left in options.left:
            rows.append(compare(left, program, options, Path(name)))
            if not options.json:
                print(in_words(rows[-1]), flush=True)
    if options.json:
        print(json.dumps({"rows": rows}))
    sys.exit(1 if any(row["wrong"] for row in rows) else 0)


if __name__ == "__main__":
    main()
