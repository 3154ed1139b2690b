"""Makes the puzzles that ship with the pages: won positions in which one quiet move wins and all others lose.

    python tools/make_puzzles.py puzzles.tsv

The file grows by a line at a time, and a second run continues it. Candidates come from games of mixed players. For each
age of a game (moves played) there are as many as `WANTED` says, from the easiest to the hardest of those that were
found: how often `learner` and `alphabeta` fail, over the eight images of the position. For the file that ships the
learner was that of 600,000 games; a later one fails less often.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlego.core.game import derive_seed
from littlego.core.points import Move, Pass, symmetries
from littlego.core.position import Position
from littlego.players.catalogue import make_player
from littlego.solve.oracle import Oracle
from make_labels import drawn_line, played

FAILING: Final = ("learner", "alphabeta")
WANTED: Final = {22: 1, **dict.fromkeys(range(21, 5, -1), 3), 0: 1}
"""By moves played, how many puzzles: the latest first, which are the cheapest to find."""
TRIED: Final = 3
"""Found for each puzzle that is wanted, so that there are easy and hard ones to choose from."""
MEMORY: Final = 1 << 29


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A line of moves to a won position, its only winning move, and how often players fail in it."""

    line: tuple[Move, ...]
    answer: Move
    failures: int
    """Of `len(FAILING)` players in eight images of the position."""

    def text(self) -> str:
        name = Position.initial().move_name
        return f"{' '.join(map(name, self.line))}\t{name(self.answer)}\t{self.failures}"


def make_puzzles(age: int, oracle: Oracle, *, seed: int = 1) -> list[Puzzle]:
    """The puzzles of an age, from the easiest to the hardest."""
    wanted = WANTED[age]
    found: dict[Position, Puzzle] = {}
    for line in candidates(age, seed):
        position = played(line)
        image = position.canonical()[0]
        if image not in found and (answer := only_quiet_win(position, oracle)) is not None:
            found[image] = Puzzle(line, answer, failures(position, answer))
            if len(found) == (1 if wanted == 1 else TRIED * wanted):
                break
    by_difficulty = sorted(found.values(), key=lambda puzzle: puzzle.failures)
    if wanted == 1:
        return by_difficulty
    return [by_difficulty[k * (len(by_difficulty) - 1) // (wanted - 1)] for k in range(wanted)]


def candidates(age: int, seed: int) -> Iterator[tuple[Move, ...]]:
    """Lines of `age` moves, none of them a pass, from games of mixed players."""
    if not age:
        yield ()
        return
    number = 0
    while True:
        number += 1
        if (line := drawn_line(age, derive_seed(seed, age, number))) is not None:
            yield line


def only_quiet_win(position: Position, oracle: Oracle) -> Move | None:
    """The only move that wins, if there is one and it is a stone that captures nothing."""
    mover, only = position.to_move, None
    for move in position.legal_moves():
        if oracle.value(position.play_legal(move)) is mover:
            if only is not None:
                return None
            only = move
    if only is None or isinstance(only, Pass):
        return None
    theirs = position.board.stones(mover.opponent)
    return only if position.play_legal(only).board.stones(mover.opponent) == theirs else None


def failures(position: Position, answer: Move, names: tuple[str, ...] = FAILING) -> int:
    """How many of the players' choices in the eight images of a position are not the answer."""
    images = [(position.transformed(symmetry), symmetry.move(answer)) for symmetry in symmetries(position.size)]
    players = [make_player(name, seed=1) for name in names]
    return sum(player.choose(image) != move for image, move in images for player in players)


def main(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    done = {len(line.partition("\t")[0].split()) for line in lines}
    oracle = Oracle(memory=MEMORY)
    with path.open("a", encoding="utf-8") as file:
        for age in WANTED:
            if age not in done:
                file.writelines(f"{puzzle.text()}\n" for puzzle in make_puzzles(age, oracle))
                file.flush()
                print(f"{age} moves: {oracle.nodes:,} nodes so far", file=sys.stderr, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/make_puzzles.py FILE")
    main(Path(sys.argv[1]))
