"""Makes labels: positions from games of mixed players, with the truth about them from the solver.

    python tools/make_labels.py labels.tsv                                       # learn/labels.tsv, for tuning
    python tools/make_labels.py test.tsv --seed 22 --without labels.tsv          # tests/learn/test-labels.tsv

Training compares the learner with the first; what is claimed is measured on the second, which has none of the first.
It is a tool of its own because the learner does not know the solver.
The shipped files were drawn when the players drew otherwise by the same seeds: today other positions of the same kind
are found. Whatever is found, the solver's answers can be tested.
What is finished is in FILE.part, so that the same command continues after a kill, and ends with the same file.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from littlego.core.points import Move
from littlego.core.position import Position
from littlego.learn.labels import COLUMNS, Label, parse_labels, read_labels
from littlego.players.catalogue import make_player
from littlego.solve.oracle import Oracle

PLAYERS: Final = ("greedy", "aggressive", "smart", "alphabeta")
AT_RANDOM: Final = 0.2
"""The share of moves made at random, so that not all positions come from good play."""
AGES: Final = range(8, 23)
"""Moves played in the positions. Earlier ones take the solver too long."""
MEMORY: Final = 400_000_000


def make_labels(work: Path, *, seed: int, each: int) -> list[Label]:
    """Positions that leave something to decide, the oldest first: `each` of every age, two thirds of them won."""
    oracle = Oracle(memory=MEMORY)
    found: list[Label] = []
    for age in reversed(AGES):
        found += labels_of(age, work, oracle, seed=seed, each=each)
    return found


def labels_of(age: int, work: Path, oracle: Oracle, *, seed: int, each: int) -> list[Label]:
    """The labels of one age, from `work` as far as it goes; new ones are appended to it with the number of the draw."""
    found, number = kept(age, work)
    seen = {label.position.canonical()[0] for label in found}
    wanted = {True: 2 * each // 3, False: each - 2 * each // 3}
    for label in found:
        wanted[label.wins] -= 1
    with work.open("a", encoding="utf-8") as file:
        while any(wanted.values()):
            number += 1
            position = drawn_position(age, _seed_of(seed, age, number))
            if position is None or position.canonical()[0] in seen:
                continue
            won = oracle.value(position) is position.to_move
            if not wanted[won]:
                continue
            winning = oracle.winning_moves(position) if won else ()
            if len(winning) < len(position.legal_moves()):
                wanted[won] -= 1
                seen.add(position.canonical()[0])
                found.append(labelled(position, winning))
                file.write(f"{number}\t{row_of(found[-1])}\n")
                file.flush()
    return found


def kept(age: int, work: Path) -> tuple[list[Label], int]:
    """The labels of an age in `work`, without a last line that a kill cut short, and the number of the last draw."""
    if not work.exists():
        return [], 0
    whole = work.read_text(encoding="utf-8").rpartition("\n")[0].splitlines()
    work.write_text("".join(f"{line}\n" for line in whole), encoding="utf-8")
    rows = [line.split("\t", 1) for line in whole]
    labels = [(int(number), parse_labels(row, str(work))[0]) for number, row in rows]
    found = [(number, label) for number, label in labels if label.position.moves_played == age]
    return [label for _, label in found], max((number for number, _ in found), default=0)


def _seed_of(seed: int, age: int, number: int) -> int:
    """Of 64 bits."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{age}/{number}".encode()).digest()[:8])


def drawn_position(age: int, seed: int) -> Position | None:
    """A position of a game between two of the players, `age` moves old; None if a pass went before."""
    line = drawn_line(age, seed)
    return None if line is None else played(line)


def drawn_line(age: int, seed: int) -> tuple[Move, ...] | None:
    """The moves to such a position."""
    rng = random.Random(seed)
    sides = [make_player(rng.choice(PLAYERS), seed=rng.getrandbits(32)) for _ in range(2)]
    position, line = Position.initial(), list[Move]()
    while position.moves_played < age:
        move = sides[position.moves_played % 2].choose(position)
        if rng.random() < AT_RANDOM:
            move = rng.choice(position.legal_moves()[:-1] or position.legal_moves())
        position = position.play(move)
        line.append(move)
        if position.passes:
            return None
    return tuple(line)


def played(line: tuple[Move, ...]) -> Position:
    position = Position.initial()
    for move in line:
        position = position.play(move)
    return position


def labelled(position: Position, winning: tuple[Move, ...]) -> Label:
    """A position and its winning moves as a label."""
    return Label(position, frozenset(winning))


def write_labels(path: Path, labels: Iterable[Label]) -> None:
    lines = ["# " + "\t".join(COLUMNS), *map(row_of, labels)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def row_of(label: Label) -> str:
    """A label's line in the file."""
    position = label.position
    board = "".join(position.board.rows()).translate(str.maketrans(".XO", "012"))
    ko = "-" if position.ko is None else position.move_name(position.ko)
    winning = " ".join(position.move_name(move) for move in position.legal_moves() if move in label.winning) or "-"
    cells = (board, position.to_move.value, position.moves_played, ko, int(label.wins), winning)
    return "\t".join(map(str, cells))


def main() -> None:
    parser = argparse.ArgumentParser(description="Make labels: positions with the truth about them from the solver.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--each", type=int, default=167, help="positions of each age; two thirds of them won")
    parser.add_argument("--without", type=Path, metavar="FILE", help="leave out what is in these labels")
    asked = parser.parse_args()
    work = asked.file.with_name(asked.file.name + ".part")
    left_out = {label.position.canonical()[0] for label in read_labels(asked.without)} if asked.without else set()
    found = make_labels(work, seed=asked.seed, each=asked.each)
    write_labels(asked.file, [label for label in found if label.position.canonical()[0] not in left_out])
    work.unlink()


if __name__ == "__main__":
    main()
