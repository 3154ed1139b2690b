"""Measures how often the learner throws a won position away, by stage of the game, with intervals.

    python tools/measure_learner.py tests/learn/test-labels.tsv          # the shipped model, one and two moves deep

A label file that is not finished, FILE.part, is read as far as it goes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from littlego.course.own_agent.fallible import values_after
from littlego.learn.labels import STAGES, Labels, parse_labels, read_labels
from littlego.stats import wilson_interval
from measure_agent import position_of


def rows(labels: Labels, depth: int) -> Iterator[tuple[str, int, int]]:
    """For all won positions and for each stage: its name, positions thrown away, positions."""
    won = [label for label in labels if label.wins]
    thrown = {}
    for label in won:
        values = values_after(position_of(label), depth)
        thrown[label] = max(values, key=lambda move: values[move]) not in label.winning
    for name, stage in (("all", range(24)), *((f"{stage[0]}-{stage[-1]} moves", stage) for stage in STAGES)):
        at = [thrown[label] for label in won if label.played in stage]
        if at:
            yield name, sum(at), len(at)


def read(path: Path) -> Labels:
    if path.suffix != ".part":
        return read_labels(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    return parse_labels("\n".join(line.split("\t", 1)[1] for line in lines), str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the shipped model on solved positions.")
    parser.add_argument("labels", type=Path)
    labels = read(parser.parse_args().labels)
    print("| moves ahead | positions | thrown away | share | 95% interval |\n| --- | --- | --- | --- | --- |")
    for depth in (1, 2):
        for name, errors, tried in rows(labels, depth):
            low, high = wilson_interval(errors, tried)
            print(f"| {depth} | {name}: {tried} | {errors} | {errors / tried:.1%} | {low:.1%}-{high:.1%} |")


if __name__ == "__main__":
    main()
