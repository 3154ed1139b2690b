"""Measures the submission; each part prints JSON for `docs/measured.py`.

    python tools/measure_agent.py white --games 40       with White, until opponents of many kinds give their win away
    python tools/measure_agent.py referee --games 10     whole games through the referee, both colours, and CPU times
    python tools/measure_agent.py starts                 started in mid-game, in odd positions, without its file
    python tools/measure_agent.py class                  the class of 2019, on 5x5 and 7x7
    python tools/measure_agent.py depths --games 40      learned values on 7x7, 1 to 5 moves ahead, by the rules of 2019
    python tools/measure_agent.py champion               whether any moves of White make the champion lose its win

`--only NAME` takes one opponent; it may be repeated. Games through the referee are kept in `--out DIR`, and the same
command continues.

`white`: every position is won or lost with best play, and the agent keeps a won one to the end: `own_agent verify`
proves that. So a game is over as soon as the opponent has given the win away. `errors` are won labelled positions, of
`tried`, that the opponent throws away: how fallible it is in ordinary games.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final

from imperfect import ImperfectAgent, imperfect_opponents
from littlego.arena.building import find_python
from littlego.arena.openings import Opening
from littlego.arena.participants import BuiltIn, CourseAgent, Entrant
from littlego.arena.pool import InProcess
from littlego.core.board import Board
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.game import Player, derive_seed
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.export import MODEL, MODEL_7X7, export_agent, export_class, export_learner
from littlego.course.kits.starter import KIT_2019
from littlego.course.python_class.agent import ClassAgent
from littlego.formats.course import CourseInput, parse_output, write_input
from littlego.learn.labels import Label, shipped_labels
from littlego.players.catalogue import make_player
from littlego.players.learned import Champion, LearnerPlayer
from littlego.players.perfect import shared_oracle
from littlego.players.strongest import AgentPlayer
from littlego_bench.solve import odd_sets
from own_agent.gauntlet import NAME, OPPONENTS, challenge, run_gauntlet

BUILT_IN: Final = ("random", "greedy", "aggressive", "smart", "qlearning", "alphabeta", "learner", "champion")
LABELS: Final = 100
"""Won labels that an opponent is tried on."""
ODD_LEFT: Final = 14
"""With so many plies left the agent is to be exact."""
FAR_LEFT: Final = (15, 16)
"""With so many it looks ahead by learned values."""
STRANGE_OPENINGS, STRANGE_MOVES = 10, 4
"""Games from strange openings: so many, each with both colours, of so many random moves."""
CLASS_OPPONENTS: Final = ("random", "greedy", "aggressive", "smart", "alphabeta", "champion")
COURSE_OPPONENTS: Final = ("random", "greedy", "aggressive", "smart")
COURSE_TIMES: Final = 10
"""Those of the course's own commands for stage 1, and how many games with each colour; the course plays 50."""
LOOKS: Final = (1, 2, 3, 4, 5)
"""How many moves ahead players look on 7x7."""
WALKED: Final = 14
"""The champion's moves are tried with at least this many plies left."""
BEFORE: Final = "learner's class"
"""The class that looks one move ahead, which the submission was before."""

Maker = Callable[[int], Player]


def opponents() -> dict[str, Maker]:
    built_in: dict[str, Maker] = {name: partial(_built_in, name) for name in BUILT_IN}
    return built_in | imperfect_opponents()


def _built_in(name: str, seed: int) -> Player:
    return make_player(name, seed=seed)


def measure_white(only: Sequence[str], *, games: int, labels: int = LABELS) -> dict[str, Any]:
    rows = []
    chosen = random.Random(1).sample([label for label in shipped_labels() if label.wins], labels)
    for name, maker in opponents().items():
        if not only or name in only:
            results: dict[str, bool] = {}
            for number in range(games):
                won, line = agent_wins(maker(derive_seed(1, name, number)), AgentPlayer(derive_seed(2, name, number)))
                results[line] = won
            player = maker(1)
            errors = sum(player.choose(position_of(label)) not in label.winning for label in chosen)
            # The same game played twice proves no more than once.
            rows.append({"opponent": name, "errors": errors, "won": sum(results.values()), "distinct": len(results)})
    return {"games": games, "tried": labels, "rows": rows}


def agent_wins(black: Player, agent: Player) -> tuple[bool, str]:
    """Whether the agent wins with White, and the moves until that was certain."""
    position = Position.initial()
    moves: list[str] = []
    while (outcome := position.outcome()) is None:
        if position.to_move is WHITE and shared_oracle().value(position) is WHITE:
            return True, " ".join(moves)
        move = (agent if position.to_move is WHITE else black).choose(position)
        moves.append(position.move_name(move))
        position = position.play(move)
    return outcome.winner is WHITE, " ".join(moves)


def position_of(label: Label) -> Position:
    board = Board(5, label.black, label.white)
    return Position(edition_rules(), board, Colour(label.to_move + 1), label.ko, 0, label.played)


def measure_referee(only: Sequence[str], out: Path, *, games: int, python: str) -> dict[str, Any]:
    everyone: list[Entrant] = [*OPPONENTS, *map(ImperfectAgent, imperfect_opponents())]
    chosen = [opponent for opponent in everyone if not only or opponent.name in only]
    rows = run_gauntlet(out, InProcess(), games=games, opponents=chosen, python=python)
    return {"python": str(find_python(python)), "games": games, "rows": [row.to_dict() for row in rows]}


def measure_starts(out: Path, *, python: str) -> dict[str, Any]:
    """The exact search, the look ahead where the end is too far away, and games from strange openings."""
    held_back = next(positions for what, positions in odd_sets(ODD_LEFT) if "held-back" in what)
    with tempfile.TemporaryDirectory() as folder:
        export_agent(Path(folder), force=True)
        odd = [answered(position, Path(folder), python) for position in held_back]
    far = [label for label in shipped_labels() if label.wins and 24 - label.played in FAR_LEFT]
    thrown = sum(AgentPlayer().choose(position_of(label)) not in label.winning for label in far)
    openings = strange_openings()
    with tempfile.TemporaryDirectory() as folder:
        export_agent(Path(folder) / NAME)
        agent = CourseAgent(Path(folder) / NAME, python)
        rivals = [BuiltIn("learner"), BuiltIn("champion")]
        rows = challenge(agent, rivals, out, InProcess(), games=len(openings), openings=openings)
    return {
        "python": str(find_python(python)),
        "left": ODD_LEFT,
        "positions": len(odd),
        "counted_right": sum(row["counted_right"] for row in odd),
        "won": sum(row["won"] for row in odd),
        "kept": sum(row["kept"] for row in odd),
        "seconds": {
            "mean": fmean(row["seconds"] for row in odd),
            "median": median(row["seconds"] for row in odd),
            "most": max(row["seconds"] for row in odd),
        },
        "far": {"left": list(FAR_LEFT), "won": len(far), "thrown": thrown},
        "openings": {"number": len(openings), "moves": STRANGE_MOVES, "rows": [row.to_dict() for row in rows]},
    }


def answered(position: Position, folder: Path, python: str) -> dict[str, Any]:
    """What the program does in a position that it is started in, with a board before that fits and no file."""
    for name in ("moves.txt", "output.txt"):
        (folder / name).unlink(missing_ok=True)
    mover = position.to_move
    # Its own board before is that of the last move taken back, as far as one can see it: the stones that are there now,
    # without one of the opponent's.
    theirs = position.board.stones(mover.opponent)
    mine, less = position.board.stones(mover), theirs & (theirs - 1)
    before = Board(5, mine, less) if mover is BLACK else Board(5, less, mine)
    (folder / "input.txt").write_text(write_input(CourseInput(mover, before, position.board)))
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(find_python(python).path), "my_player3.py"], cwd=folder, check=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
    move = parse_output((folder / "output.txt").read_text(), size=5).move
    won = shared_oracle().value(position) is mover
    counted = int((folder / "moves.txt").read_text().split()[0]) == position.moves_played + 1
    return {
        "won": won,
        "kept": won and shared_oracle().value(position.play(move)) is mover,
        "seconds": seconds,
        "counted_right": counted,
    }


def strange_openings() -> tuple[Opening, ...]:
    rng = random.Random(1)
    found = []
    for _ in range(STRANGE_OPENINGS):
        position, moves = Position.initial(), []
        for _ in range(STRANGE_MOVES):
            moves.append(rng.choice(position.legal_moves()[:-1]))
            position = position.play(moves[-1])
        found.append(tuple(moves))
    return tuple(found)


def measure_class(only: Sequence[str], out: Path, *, games: int, python: str) -> dict[str, Any]:
    """Games through the referee by the rules of 2019, half as many on 7x7; and the course's own commands."""
    tables = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / NAME
        export_class(folder)
        agent = ClassAgent(folder / "my_player.py", python=python)
        for size, model, number in ((5, MODEL, games), (7, MODEL_7X7, (games + 1) // 2)):
            before = Path(scratch) / f"{size}" / BEFORE
            export_learner(model, before, edition="2019")
            rivals: list[Entrant] = [*map(BuiltIn, CLASS_OPPONENTS), ClassAgent(before / "my_player.py", python=python)]
            chosen = [rival for rival in rivals if not only or rival.name in only]
            rules = edition_rules("2019", size)
            rows = challenge(agent, chosen, out, InProcess(), games=number, rules=rules)
            tables.append({"size": size, "games": number, "rows": [row.to_dict() for row in rows]})
        kit = Path(scratch) / "kit"
        shutil.copytree(KIT_2019, kit)
        export_class(kit, force=True)
        course = [
            stage_1(kit, opponent, python, COURSE_TIMES)
            for opponent in COURSE_OPPONENTS
            if not only or opponent in only
        ]
    return {"python": str(find_python(python)), "tables": tables, "course": course}


def stage_1(kit: Path, opponent: str, python: str, times: int) -> dict[str, Any]:
    """The course's commands for one opponent, with fewer games: who won, and the CPU time of both and of the host."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    wins = []
    for sides in (("my", opponent), (opponent, "my")):
        command = ["go_play.py", "-n=5", f"-p1={sides[0]}", f"-p2={sides[1]}", f"-t={times}"]
        done = subprocess.run([str(find_python(python).path), *command], cwd=kit, check=True, capture_output=True)
        line = done.stdout.decode().splitlines()[sides.index("my")]
        wins.append(round(times * float(line.split("Wins:")[1].split("%")[0]) / 100))
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
    return {"opponent": opponent, "games": 2 * times, "wins": sum(wins), "cpu_seconds": seconds}


def measure_depths(*, games: int) -> dict[str, Any]:
    """Players by learned values, each against the one that looks one move ahead, with each colour."""
    rows = []
    for depth in LOOKS:
        won = dict.fromkeys(Colour, 0)
        for number, mine in product(range(games), Colour):
            seeds = derive_seed(1, "depths", depth, number), derive_seed(2, "depths", depth, number)
            looking = LearnerPlayer(seeds[0]) if depth == 1 else Champion(seeds[0], depth=depth)
            sides = {mine: looking, mine.opponent: LearnerPlayer(seeds[1])}
            position = Position.initial(edition_rules("2019", 7))
            while (outcome := position.outcome()) is None:
                position = position.play(sides[position.to_move].choose(position))
            won[mine] += outcome.winner is mine
        rows.append({"depth": depth, "black": won[BLACK], "white": won[WHITE]})
    return {"games": games, "rows": rows}


def measure_champion(*, least: int = WALKED) -> dict[str, Any]:
    """Every position, up to symmetry, that White can bring the champion to as long as it makes no mistake.

    `thrown` are those in which a move that it might draw gives the win away.
    """
    champion, oracle = Champion(), shared_oracle()
    rows = []
    level = {Position.initial()}
    while level and (left := next(iter(level)).plies_left) >= least:
        following: set[Position] = set()
        thrown = 0
        for position in level:
            after = [position.play_legal(move) for move in champion.choices(position)]
            kept = [found for found in after if oracle.value(found) is BLACK]
            thrown += len(kept) < len(after)
            following |= {found.play_legal(reply).canonical()[0] for found in kept for reply in found.legal_moves()}
        rows.append({"left": left, "positions": len(level), "thrown": thrown})
        level = {position for position in following if position.outcome() is None}
    return {"rows": rows}


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the submission.")
    parser.add_argument("part", choices=("white", "referee", "starts", "class", "depths", "champion"))
    parser.add_argument("--games", type=int, default=20, help="against each opponent; with a referee, as each colour")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="one opponent; may be repeated")
    parser.add_argument("--python", default="3.7", help="the interpreter of the agent, where it is a program")
    parser.add_argument("--out", type=Path, default=Path("littlego-matches/measured"), help="games that were played")
    asked = parser.parse_args(None if arguments is None else list(arguments))
    if asked.part == "white":
        found = measure_white(asked.only, games=asked.games)
    elif asked.part == "referee":
        found = measure_referee(asked.only, asked.out, games=asked.games, python=asked.python)
    elif asked.part == "starts":
        found = measure_starts(asked.out, python=asked.python)
    elif asked.part == "depths":
        found = measure_depths(games=asked.games)
    elif asked.part == "champion":
        found = measure_champion()
    else:
        found = measure_class(asked.only, asked.out, games=asked.games, python=asked.python)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
