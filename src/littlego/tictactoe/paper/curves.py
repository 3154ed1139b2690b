"""The paper's five figures, drawn from our own runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from littlego.figures import BLUES, GREENS, ORANGES, Line, Panel, draw_figure, write_csv
from littlego.tictactoe.paper.experiments import CENTRE, EVERY, Experiment, Run
from littlego.tictactoe.paper.temporal import REPLIES


def draw_curves(experiments: Sequence[Experiment], directory: Path) -> list[Path]:
    """Write the five figures (PNG, SVG) and their data (CSV); returns the files."""
    directory.mkdir(parents=True, exist_ok=True)
    low_still, high_still, low_exploring, high_exploring = experiments
    written: list[Path] = []
    for number, pair in ((1, (low_still, high_still)), (2, (low_exploring, high_exploring))):
        title = f"Figure {number}. Share of outcomes so far, {'with' if number == 2 else 'without'} exploration"
        name = directory / f"figure-{number}-outcomes"
        written += draw_figure(name, title, [_outcome_panel(experiment) for experiment in pair], one_legend=True)
        written.append(_outcome_csv(name.with_suffix(".csv"), pair))
    for number, experiment in ((3, low_still), (4, low_exploring), (5, high_exploring)):
        run = experiment.runs[0]
        title = f"Figure {number}. Values of opening states, {experiment.label}, one run"
        name = directory / f"figure-{number}-values"
        panels = [
            _value_panel("First player: its first move", run.openings),
            _value_panel("Second player: the first move, then its answer", run.replies),
        ]
        written += draw_figure(name, title, panels)
        sides = (("X", run.openings), ("O", run.replies))
        columns = {f"{side} {state}": values for side, known in sides for state, values in known.items()}
        known = [["" if math.isnan(value) else value for value in values] for values in columns.values()]
        rows = zip(_sampled(run), *known, strict=True)
        written.append(write_csv(name.with_suffix(".csv"), ["games", *columns], rows))
    return written


def _sampled(run: Run) -> list[int]:
    return list(range(EVERY, len(run.results) + 1, EVERY))


def shares(run: Run, result: int) -> list[float]:
    """The share of games with a result among the first 10, 20, 30, ... games."""
    count, found = 0, []
    for game, got in enumerate(run.results, start=1):
        count += got == result
        if game % EVERY == 0:
            found.append(count / game)
    return found


def _bands(experiment: Experiment, result: int) -> tuple[list[float], list[float], list[float]]:
    """The mean share over the runs, and the range of the middle 80% of them."""
    columns = [sorted(column) for column in zip(*(shares(run, result) for run in experiment.runs), strict=True)]
    edge = len(experiment.runs) // 10
    return [fmean(c) for c in columns], [c[edge] for c in columns], [c[-1 - edge] for c in columns]


_OUTCOMES = ((1, "first player wins", BLUES[1]), (2, "second player wins", ORANGES[1]), (0, "draws", GREENS[1]))


def _outcome_panel(experiment: Experiment) -> Panel:
    xs = _sampled(experiment.runs[0])
    lines = []
    for result, label, colour in _OUTCOMES:
        mean, low, high = _bands(experiment, result)
        lines.append(Line(label, xs, mean, colour, low=low, high=high, width=2.0))
    title = f"{experiment.label}; mean of {len(experiment.runs)} runs, band: middle 80%"
    return Panel(title, "training games", "share of games so far", lines, (0.0, 1.0), percent=True)


def _outcome_csv(path: Path, experiments: Sequence[Experiment]) -> Path:
    columns: list[str] = ["games"]
    data: list[Sequence[float]] = [_sampled(experiments[0].runs[0])]
    for experiment in experiments:
        for result, label, _ in _OUTCOMES:
            for part, values in zip(("mean", "low", "high"), _bands(experiment, result), strict=True):
                columns.append(f"{label}, alpha {experiment.alpha:g}, {part}")
                data.append(values)
    return write_csv(path, columns, zip(*data, strict=True))


def _value_panel(title: str, values: dict[str, list[float]]) -> Panel:
    xs = [EVERY * k for k in range(1, len(next(iter(values.values()))) + 1)]
    order = sorted(values, key=lambda name: (_KINDS.index(_CELLS[name[:3]][0]), name))
    lines = [Line(_label(name), xs, values[name], *_style(name), width=1.3) for name in order]
    return Panel(title, "training games", "value of the state", lines, (-1.05, 1.05))


_DASHES = ("-", "--", ":", "-.")
_KINDS = (
    ("corner", BLUES, ("0,0", "0,2", "2,0", "2,2")),
    ("edge", ORANGES, ("0,1", "1,0", "1,2", "2,1")),
    ("centre", GREENS, (CENTRE,)),
)
_CELLS = {cell: (kind, number) for kind in _KINDS for number, cell in enumerate(kind[2])}
"""The kind of each cell, and its number among the cells of that kind."""


def _style(name: str) -> tuple[str, str]:
    """The colour and dash of a first move or an answer: corners blue, edges orange, the centre green."""
    first, _, answer = name.partition(" then ")
    (_, shades, _), number = _CELLS[first]
    if answer:
        number = [reply for reply in REPLIES if reply.startswith(first)].index(name)
    return shades[number], _DASHES[number]


def _label(name: str) -> str:
    """The name of a first move with the kind of its cell; answers are unchanged."""
    return name if " then " in name else f"{name} {_CELLS[name][0][0]}"
