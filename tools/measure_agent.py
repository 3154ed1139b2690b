"""Measures the submission; each part prints JSON for `docs/measured.py`.

    python tools/measure_agent.py white --games 40       with White, until opponents of many kinds give their win away
    python tools/measure_agent.py referee --games 10     whole games through the referee, both colours, and CPU times
    python tools/measure_agent.py starts                 started in mid-game, in odd positions, without its file
    python tools/measure_agent.py class                  the class of 2019, on 5x5 and 7x7
    python tools/measure_agent.py champion               how often the champion errs, and who beats it

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

from imperfect import EVALUATIONS, ImperfectAgent, imperfect_opponents
from littlego.arena.building import find_python
from littlego.arena.games import Opening
from littlego.arena.participants import BuiltIn, CourseAgent, Entrant
from littlego.arena.pool import InProcess
from littlego.core.board import BLACK, WHITE, Board, Colour
from littlego.core.game import GameRecord, Player, derive_seed, play
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.classes import ClassAgent
from littlego.course.contests import grade_agent
from littlego.course.starter import KIT_2019, MODEL, MODEL_7X7, export_agent, export_class, export_learner
from littlego.formats.course import CourseInput, parse_output, write_input
from littlego.learn.labels import read_labels, shipped_labels
from littlego.players.catalogue import make_player
from littlego.players.exact import AgentPlayer, shared_oracle
from littlego.players.learned import Champion
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
TEST_LABELS: Final = Path(__file__).parents[1] / "tests" / "learn" / "test-labels.tsv"
"""Solved positions that nothing was chosen by."""
RIVALS: Final = ("learner", *(f"alpha-beta {depth}, {value}" for depth, value in product((2, 3, 4), EVALUATIONS)))
"""Whom the champion is to beat."""
STAGE_2_EDITIONS: Final = ("2022", "2024", "2025")
STAGE_2_SEEDS: Final = (1, 2, 3)
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
            errors = sum(player.choose(label.position) not in label.winning for label in chosen)
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
    far = [label for label in shipped_labels() if label.wins and label.position.plies_left in FAR_LEFT]
    thrown = sum(AgentPlayer().choose(label.position) not in label.winning for label in far)
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


def measure_champion(out: Path, *, games: int) -> dict[str, Any]:
    """Its errors in won positions that nothing was chosen by, games against weaker players, and the agent's stage 2."""
    won = [label for label in read_labels(TEST_LABELS) if label.wins]
    champion = Champion(1)
    thrown = [label for label in won if champion.choose(label.position) not in label.winning]
    errors = [
        {
            "colour": colour.word,
            "won": sum(label.position.to_move is colour for label in won),
            "thrown": sum(label.position.to_move is colour for label in thrown),
        }
        for colour in Colour
    ]
    rivals = {name: maker for name, maker in opponents().items() if name in RIVALS}
    rows = [
        {"opponent": name, "colour": colour.word, **beaten(maker, colour, games=games)}
        for name, maker in rivals.items()
        for colour in Colour
    ]
    with tempfile.TemporaryDirectory() as folder:
        export_agent(Path(folder) / NAME)
        stage_2 = [stage_2_of(Path(folder) / NAME, *which, out) for which in product(STAGE_2_EDITIONS, STAGE_2_SEEDS)]
    return {"errors": errors, "rows": rows, "stage_2": stage_2}


def stage_2_of(folder: Path, edition: str, seed: int, out: Path) -> dict[str, Any]:
    """Wins, games and distinct games of one grading against the champion, and the points of the whole stage."""
    report = grade_agent(folder, edition=edition, stage="2", repeats=1, seed=seed, out=out / f"{edition}-{seed}")
    against = report.batches[0].opponents
    return {
        "edition": edition,
        "seed": seed,
        "points": report.points,
        **{
            grade.opponent: {"wins": grade.tally.wins, "games": grade.tally.games, "distinct": grade.distinct}
            for grade in against
        },
    }


def beaten(maker: Maker, colour: Colour, *, games: int) -> dict[str, int]:
    """How many games the champion loses, with a colour, from the empty board."""
    lost, lines = 0, set()
    for number in range(games):
        other = maker(derive_seed(2, "champion", colour.name, number))
        record = play({colour: Champion(derive_seed(1, "champion", colour.name, number)), colour.opponent: other})
        lost += winner_of(record) is colour.opponent
        lines.add(record.moves)
    return {"games": games, "lost": lost, "distinct": len(lines)}


def winner_of(record: GameRecord) -> Colour | None:
    assert record.outcome is not None
    return record.outcome.winner


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the submission.")
    parser.add_argument("part", choices=("white", "referee", "starts", "class", "champion"))
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
    elif asked.part == "champion":
        found = measure_champion(asked.out, games=asked.games)
    else:
        found = measure_class(asked.only, asked.out, games=asked.games, python=asked.python)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
