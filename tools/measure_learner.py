"""Measures how often the learner and the champion throw a won position away, by stage, with intervals.

    python tools/measure_learner.py tests/learn/test-labels.tsv                 # the shipped model
    python tools/measure_learner.py tests/learn/test-labels.tsv --model mine    # of `littlego train --out mine`

A label file that is not finished, FILE.part, is read as far as it goes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from littlego.core.points import Move
from littlego.core.position import Position
from littlego.learn.labels import STAGES, Labels, parse_labels, read_labels
from littlego.learn.model import read_model
from littlego.players.learned import Champion, LearnerPlayer
from littlego.stats import wilson_interval


def rows(labels: Labels, choose: Callable[[Position], Move]) -> Iterator[tuple[str, int, int]]:
    """For all won positions and for each stage: its name, positions thrown away, positions."""
    won = [label for label in labels if label.wins]
    thrown = {label: choose(label.position) not in label.winning for label in won}
    for name, stage in (("all", range(24)), *((f"{stage[0]}-{stage[-1]} moves", stage) for stage in STAGES)):
        at = [thrown[label] for label in won if label.position.moves_played in stage]
        if at:
            yield name, sum(at), len(at)


def best_move(learner: LearnerPlayer, position: Position) -> Move:
    """The first move of the highest value; the player itself draws among those that look alike."""
    values = learner.values(position)
    return max(values, key=lambda move: values[move])


def read(path: Path) -> Labels:
    if path.suffix != ".part":
        return read_labels(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    return parse_labels("\n".join(line.split("\t", 1)[1] for line in lines), str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure a model on solved positions.")
    parser.add_argument("labels", type=Path)
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="what `littlego train` wrote; default: the shipped one"
    )
    asked = parser.parse_args()
    labels, learner = read(asked.labels), LearnerPlayer(1, model=asked.model and read_model(asked.model))
    players = {"learner": partial(best_move, learner)} | ({} if asked.model else {"champion": Champion(1).choose})
    print("| player | positions | thrown away | share | 95% interval |\n| --- | --- | --- | --- | --- |")
    for player, choose in players.items():
        for name, errors, tried in rows(labels, choose):
            low, high = wilson_interval(errors, tried)
            print(f"| {player} | {name}: {tried} | {errors} | {errors / tried:.1%} | {low:.1%}-{high:.1%} |")


if __name__ == "__main__":
    main()
