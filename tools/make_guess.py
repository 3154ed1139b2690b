"""Make the weights of the solver's guess: `make_guess.py examples FILE`, then `fit FILE --model DIR`.

An example is a won position with every move: how good it looks to the search, whether it wins, and how many nodes its
proof takes. The positions are those that a search visits, from openings that are half random. The fit begins with the
values of a learner (`learn/`) that sees the same blocks, and raises the chance that a move which wins, and is cheaply
proven, is tried first. One example in eight is held back to judge by.
"""

from __future__ import annotations

import argparse
import gzip
import math
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from compiling import allocating
from littlego.core.position import Position
from littlego.kernel.words import (
    FRAME,
    KEY_BITS,
    NO_MOVE,
    VALUE_BITS,
    Spot,
    Words,
    best_move,
    find_groups,
    image,
    least,
    plies_left,
    spot_of,
    unpack_key,
)
from littlego.learn.features import SMALL_BLOCKS
from littlego.learn.model import Model, read_model
from littlego.solve import guess, search, table
from littlego.solve.engine import Engine, OutOfNodes
from littlego.solve.oracle import least_win
from littlego.solve.table import MOST_EFFORT

OPENINGS: Final = (15, 16, 17, 18)
"""Plies left where the searches begin."""
SAMPLES: Final = {11: 24, 12: 20, 13: 16, 14: 5, 15: 2}
"""Positions taken from a search, by plies left: labels are dear far from the end."""
MOST_NODES: Final = 3_000_000
MOST_NODES_A_MOVE: Final = 300_000
SMALL_TABLE: Final = 1 << 22

SCALE: Final = 100
"""Units of `search`'s scores in one unit of the learner's values: chosen by the nodes of odd openings."""
RATE, EPOCHS, CHEAP, PULL = 0.01, 4, 0.6, 0.001
"""Of the fit: step, passes, how much a cheap proof counts, and the pull back to the learner."""


@dataclass(frozen=True, slots=True)
class Example:
    """A move of a position: stones and plies left after it, its score, whether it wins, and the nodes of the proof."""

    number: int
    """Of the position: all its moves have the same."""
    own: int
    other: int
    left: int
    score: int
    won: int
    nodes: int


def opening(left: int, rng: random.Random) -> Position:
    """A position of a game in which every other move is random, and the others are drawn by how good they look."""
    work: Words = np.zeros(search.WORK_WORDS, dtype=np.int64)
    position = Position.initial()
    while position.plies_left > left:
        moves = position.legal_moves()[:-1] or position.legal_moves()
        after = [spot_of(position.play_legal(move)) for move in moves]
        looks = [search.standing_after(spot.theirs, spot.mine, FRAME, work) / 25 for spot in after]
        likely = [math.exp(look - max(looks)) for look in looks]
        position = position.play_legal(
            rng.choice(moves) if rng.random() < 0.5 else rng.choices(moves, weights=likely)[0]
        )
    return position


_KEY: Final = (1 << KEY_BITS) - 1
_UNDO_1: Final = pow(table.ODD_1, -1, 1 << KEY_BITS)
_UNDO_2: Final = pow(table.ODD_2, -1, 1 << KEY_BITS)


def unmix(mixed: int) -> int:
    """The key that `mix` turned into this."""
    key = mixed ^ mixed >> 29 ^ mixed >> 58
    key = key * _UNDO_2 & _KEY
    key ^= key >> 31
    return key * _UNDO_1 & _KEY


def all_keys(known: table.Table) -> tuple[Words, Words]:
    """Every key in a table, and its value with the effort above its bits."""
    slots = np.flatnonzero(known.words)
    words = known.words[slots]
    mixed = words >> table.TAG_SHIFT << known.bits & _KEY | slots // table.SLOTS
    return np.array([unmix(int(key)) for key in mixed], dtype=np.int64), words & (1 << table.TAG_SHIFT) - 1


def packed(weights: guess.Weights) -> bytes:
    """The bytes of the file, which browsers read, too: a byte a weight, the same weight of all sets in a row."""
    small = weights.astype(np.int8)
    assert (small == weights).all(), "a weight does not fit into a byte"
    data: bytes = small.reshape(guess.SETS, guess.SET_SIZE).T.tobytes()
    return gzip.compress(data, mtime=0)


def visited(engine: Engine, left: int, target: int, rng: random.Random) -> list[tuple[Spot, int]]:
    """Positions that a search for `target` with `left` plies left found to be won, and their targets."""
    keys, values = all_keys(engine.table)
    found: list[tuple[Spot, int]] = []
    for level, most in SAMPLES.items():
        goal = target if (left - level) % 2 == 0 else 1 - target
        searched = ((values >> VALUE_BITS & MOST_EFFORT) > 0) & (best_move(values) != NO_MOVE)
        wanted = searched & (plies_left(keys) == level) & (least(values) >= goal)
        chosen = keys[wanted].tolist()
        spots = [Spot(*unpack_key(key)) for key in rng.sample(chosen, min(most, len(chosen)))]
        found += [(spot, goal) for spot in spots]
    return found


def examples_of(spot: Spot, target: int, number: int) -> list[Example]:
    """Every move of a position; none if it takes too long, or if all of them win."""
    line = search.new_line(FRAME)
    line.frames[:4] = (spot.mine, spot.theirs, spot.ko, target)
    empty = FRAME & ~(spot.mine | spot.theirs)
    mine = find_groups(spot.mine, empty, line.work, search.MY_GROUPS)
    theirs = find_groups(spot.theirs, empty, line.work, search.THEIR_GROUPS)
    if search.expand(line.frames, 0, spot.left, NO_MOVE, mine, theirs, FRAME, 1, line.work) == search.WON:
        return []
    found = []
    for i in range(int(line.frames[search.COUNT])):
        parts = (search.SCORE, search.CHILD_MINE, search.CHILD_THEIRS, search.CHILD_KO)
        score, other, own, ko = (int(line.frames[part + i]) for part in parts)
        engine = Engine(5, memory=SMALL_TABLE)
        try:
            won = not engine.reaches(Spot(other, own, ko, spot.left - 1), 1 - target, most_nodes=MOST_NODES_A_MOVE)
        except OutOfNodes:
            return []
        found.append(Example(number, own, other, spot.left - 1, score, won, engine.nodes))
    return found if 0 < sum(example.won for example in found) < len(found) else []


def examples(seconds: float, seed: int) -> Iterator[Example]:
    """Examples for so many seconds of processor time."""
    rng = random.Random(seed)
    number = 0
    while time.process_time() < seconds:
        position = opening(rng.choice(OPENINGS), rng)
        target = least_win(position.rules, position.to_move)
        engine = Engine(5, memory=1 << 28)
        try:
            engine.reaches(spot_of(position), target, most_nodes=MOST_NODES)
        except OutOfNodes:
            continue
        for spot, goal in visited(engine, position.plies_left, target, rng):
            yield from examples_of(spot, goal, number)
            number += 1


def over_stabilisers(weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """For every weight the sum of those that stand for the same block, read in each order a symmetry gives."""
    summed = weights.copy()
    for rows, columns, contents, start in ((2, 2, 7, 0), (2, 3, 5, guess.END_7), (3, 3, 3, guess.END_5)):
        size = contents ** (rows * columns)
        for number, points in dict(reversed(guess.blocks(rows, columns))).items():
            part = slice(start + size * number, start + size * (number + 1))
            table = weights[part].reshape((contents,) * len(points))
            images = [[int(image(point, symmetry)) for point in points] for symmetry in range(8)]
            same = [turned for turned in images if set(turned) == set(points)]
            orders = [[points.index(point) for point in turned] for turned in same]
            summed[part] = np.sum([table.transpose(axes) for axes in orders], axis=0).ravel()
    return summed


@allocating
def features_of(own: Words, other: Words, left: Words) -> Words:
    work = np.zeros(guess.SCRATCH_WORDS, dtype=np.int64)
    found = np.zeros((own.shape[0], guess.FEATURES), dtype=np.int64)
    for i in range(own.shape[0]):
        guess.write_features(own[i], other[i], left[i], work, 0)
        found[i] = work[: guess.FEATURES]
    return found


@allocating
def improve(
    weights: npt.NDArray[Any],
    first: npt.NDArray[Any],
    steps: npt.NDArray[Any],
    features: Words,
    scores: npt.NDArray[Any],
    wanted: npt.NDArray[Any],
    begin: int,
    end: int,
) -> None:
    """One step for one position: towards a greater chance, by the softmax of the scores, of a wanted move."""
    n = end - begin
    chance = np.empty(n)
    for i in range(n):
        total = scores[begin + i]
        for index in features[begin + i]:
            total += weights[index]
        chance[i] = total
    chance = np.exp(chance - chance.max())
    good = chance * wanted[begin:end]
    slope = chance / chance.sum() - good / good.sum()
    for i in range(n):
        if abs(slope[i]) > 1e-5:
            for index in features[begin + i]:
                downhill = slope[i] + PULL * (weights[index] - first[index])
                steps[index] += downhill * downhill
                weights[index] -= RATE * downhill / math.sqrt(steps[index])


def cost(weights: npt.NDArray[Any], features: Words, table: npt.NDArray[Any], bounds: Words, scores: Any) -> float:
    """The nodes of all moves tried until one wins, as the mean of their logarithm to base 2."""
    worth = scores + weights[features].sum(axis=1)
    won, nodes = table[:, 5], table[:, 6]
    taken = []
    for begin, end in pairwise(bounds):
        tried = begin + np.argsort(-worth[begin:end])
        taken.append(math.log2(nodes[tried[: 1 + int(np.argmax(won[tried]))]].sum()))
    return sum(taken) / len(taken)


def fitted(table: npt.NDArray[Any], model: Model) -> npt.NDArray[Any]:
    """Weights for examples, whose fields are the columns, in the learner's units; they begin as the model's."""
    learned = model.scale * np.array(model.weights, dtype=np.float64)[: guess.SETS * guess.SET_SIZE]
    weights = np.concatenate([over_stabilisers(part) for part in learned.reshape(guess.SETS, -1)])
    first, steps = weights.copy(), np.full(len(weights), 1e-3)
    bounds: Words = np.append(np.unique(table[:, 0], return_index=True)[1], len(table))
    features = features_of(table[:, 1], table[:, 2], table[:, 3])
    scores = table[:, 4] / SCALE
    wanted = table[:, 5] * (table[:, 6] + 1.0) ** -CHEAP
    held = (len(bounds) - 1) // 8
    rng = np.random.default_rng(1)
    print(f"{len(bounds) - 1:,} positions; nodes of one held back, as a power of two:")
    print(f"by the order alone  {cost(0 * weights, features, table, bounds[: held + 1], scores):.3f}")
    print(f"with the learner    {cost(weights, features, table, bounds[: held + 1], scores):.3f}")
    for epoch in range(EPOCHS):
        for number in rng.permutation(np.arange(held, len(bounds) - 1)):
            improve(weights, first, steps, features, scores, wanted, bounds[number], bounds[number + 1])
        print(f"after {epoch + 1} passes      {cost(weights, features, table, bounds[: held + 1], scores):.3f}")
    same = over_stabilisers(np.ones(guess.SET_SIZE))
    return np.concatenate([over_stabilisers(part) / same for part in weights.reshape(guess.SETS, -1)])


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the weights of the solver's guess.")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("examples", help="work out examples with the solver")
    make.add_argument("file", type=Path, metavar="FILE")
    make.add_argument("--seconds", type=float, default=600.0, help="of processor time")
    make.add_argument("--seed", type=int, default=1)
    fit = commands.add_parser("fit", help="fit the weights to examples")
    fit.add_argument("file", type=Path, metavar="FILE")
    fit.add_argument("--model", type=Path, required=True, help="of trainer.train, without features, 4 stages")
    fit.add_argument("--out", type=Path, default=Path(guess.__file__).with_name(guess.FILE))
    options = parser.parse_args()
    if options.command == "examples":
        rows = [astuple(example) for example in examples(options.seconds, options.seed)]
        np.save(options.file, np.array(rows, dtype=np.int64))
        print(f"{options.file}: {len(rows):,} moves")
    else:
        model = read_model(options.model)
        if model.view != SMALL_BLOCKS:
            sys.exit(f"{options.model}: expected a model of small blocks alone, in four stages")
        weights = np.rint(fitted(np.load(options.file), model) * SCALE / guess.UNIT)
        data = packed(weights.astype(np.int16))
        options.out.write_bytes(data)
        print(f"{options.out}: {np.count_nonzero(weights):,} weights that are not nil, {len(data):,} bytes")


if __name__ == "__main__":
    main()
