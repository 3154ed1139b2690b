"""The paper's experiments: pairs of learners trained with its settings, its five figures, and what it reports."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, pstdev
from typing import NamedTuple, TypeVar

from littlego.figures import BLUES, GREENS, ORANGES, Line, Panel, draw_figure, write_csv
from littlego.stats import wilson_interval
from littlego.tictactoe.board import DRAW, O, X
from littlego.tictactoe.paper import OPENINGS, REPLIES, Pair

_Seen = TypeVar("_Seen")

GAMES = 3000
RUNS = 20
ALPHAS = (0.2, 0.8)
"""The paper's lower and higher learning rate."""
EPSILON = 0.02
"""Its share of exploring moves; the other half of its experiments has none."""
CENTRE = "1,1"

EVERY = 10
"""Values are recorded once in this many games, which is enough for a figure."""


@dataclass(frozen=True)
class Run:
    """One pair of learners from nothing to the last game."""

    results: bytes
    """For each game: 0 a draw, 1 X won, 2 O won."""
    openings: dict[str, list[float]]
    """The value of each first move to X, every `EVERY` games; NaN before it was first considered."""
    replies: dict[str, list[float]]
    """The value of each answer to O."""


@dataclass(frozen=True)
class Experiment:
    """Many runs with the same settings."""

    alpha: float
    epsilon: float
    runs: tuple[Run, ...]

    @property
    def label(self) -> str:
        return f"α = {self.alpha:g}, ε = {self.epsilon:g}"


def record_run(alpha: float, epsilon: float, games: int, seed: int) -> Run:
    """Train a pair and record the data of the figures. The same seed gives the same run."""
    rng = random.Random(seed)
    pair = Pair.new(alpha=alpha, epsilon=epsilon)
    openings: dict[str, list[float]] = {name: [] for name in OPENINGS}
    replies: dict[str, list[float]] = {name: [] for name in REPLIES}
    results = bytearray()
    for game in range(1, games + 1):
        results.append(pair.play_game(rng))
        if game % EVERY == 0:
            for name, code in OPENINGS.items():
                openings[name].append(pair.x.values.get(code, math.nan))
            for name, code in REPLIES.items():
                replies[name].append(pair.o.values.get(code, math.nan))
    return Run(bytes(results), openings, replies)


def record_experiments(
    *,
    games: int = GAMES,
    runs: int = RUNS,
    alphas: tuple[float, float] = ALPHAS,
    epsilon: float = EPSILON,
    seed: int = 1,
    progress: Callable[[], None] | None = None,
) -> list[Experiment]:
    """All runs of four settings: both learning rates without exploration, then both with it.

    `progress` is called after each of the 4 x `runs`.
    """
    experiments = []
    for alpha, exploring in [(alpha, exploring) for exploring in (0.0, epsilon) for alpha in alphas]:
        recorded = []
        for number in range(runs):
            recorded.append(record_run(alpha, exploring, games, seed * 1_000_003 + number))
            if progress:
                progress()
        experiments.append(Experiment(alpha, exploring, tuple(recorded)))
    return experiments


def draw_curves(experiments: Sequence[Experiment], directory: Path) -> list[Path]:
    """Write the five figures (SVG) and their data (CSV); returns the files."""
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


@dataclass(frozen=True)
class Finding:
    """Something the paper reports, whether our runs show it, and the numbers."""

    claim: str
    shown: bool
    numbers: str


def findings(experiments: Sequence[Experiment]) -> list[Finding]:
    """Every sentence of the paper's section 5 about its figures, in its order, compared with all our runs."""
    still = [run for e in experiments[:2] for run in e.runs]
    exploring = [run for e in experiments[2:] for run in e.runs]
    low, high = (f"alpha {e.alpha:g}" for e in experiments[:2])

    def means(measure: Callable[[Run], float]) -> list[float]:
        """Over the runs of each experiment."""
        return [fmean(map(measure, e.runs)) for e in experiments]

    def of_each(before: Sequence[float], after: Sequence[float]) -> str:
        return "; ".join(f"{e.label}: {a:.0%} to {b:.0%}" for e, a, b in zip(experiments, before, after, strict=True))

    draws = [means(partial(_share, result=DRAW, sixth=sixth)) for sixth in range(6)]
    early, late = draws[0], draws[5]
    x_wins = means(lambda run: run.results.count(X) / len(run.results))
    o_wins = means(lambda run: run.results.count(O) / len(run.results))
    x_late = means(lambda run: _share(run, X, 5))
    spread, jitter = means(_draw_spread), means(_jitter)
    moving = [
        (fmean(_moving(run.openings) for run in runs), fmean(_moving(run.replies) for run in runs))
        for runs in (still, exploring)
    ]
    best = [_often(e.runs, lambda run: _best_opening(run) == CENTRE) for e in experiments[2:]]
    in_centre = [_mean_reply(run, CENTRE) for run in exploring]
    elsewhere = [fmean(_mean_reply(run, first) for first in ("0,0", "0,1")) for run in exploring]
    worse = _often(list(zip(in_centre, elsewhere, strict=True)), lambda pair: pair[0] < pair[1])
    answered = _often(exploring, lambda run: run.replies["0,0 then 1,1"][-1] > run.replies["0,0 then 0,1"][-1])
    sixths = [" ".join(f"{share[number]:.0%}" for share in draws) for number in (2, 3)]
    return [
        Finding(
            "the share of draws grows with training",
            all(after > before for before, after in zip(early, late, strict=True)),
            f"from the first to the last sixth of the games: {of_each(early, late)}",
        ),
        Finding(
            "draws grow faster with the lower alpha",
            early[0] > early[1] and early[2] > early[3],
            f"in the first sixth of the games {early[0]:.0%} against {early[1]:.0%} without exploration,"
            f" {early[2]:.0%} against {early[3]:.0%} with it",
        ),
        Finding(  # figure 1; for figure 5 the paper says the opposite of values
            "without exploration, outcomes are less volatile with the higher alpha",
            spread[1] < spread[0],
            f"standard deviation of the share of draws in a hundredth of the games, last third:"
            f" {spread[0]:.3f} at {low}, {spread[1]:.3f} at {high}",
        ),
        Finding(
            "without exploration most values stop changing for both players; with it they keep changing",
            all(without < with_it / 2 for without, with_it in zip(*moving, strict=True)),
            f"still changing in the last third, without and with exploration: {moving[0][0]:.1f} and"
            f" {moving[1][0]:.1f} of the nine first moves, {moving[0][1]:.1f} and {moving[1][1]:.1f} of nine answers",
        ),
        Finding(
            "without exploration the first player comes to win most of the games",
            min(x_late[:2]) > 1 / 2,
            f"it wins {x_late[0]:.0%} of the last sixth at {low}, {x_late[1]:.0%} at {high}",
        ),
        Finding(
            "the first player wins more often than the second",
            all(first > second for first, second in zip(x_wins, o_wins, strict=True)),
            f"over all games: {of_each(x_wins, o_wins)}",
        ),
        Finding(
            "the results are similar with and without exploration",
            all(abs(still - explored) < 0.1 for still, explored in zip(late[:2], late[2:], strict=True)),
            f"draws in the last sixth: {late[0]:.0%} and {late[2]:.0%} at {low},"
            f" {late[1]:.0%} and {late[3]:.0%} at {high}",
        ),
        Finding(
            "the centre is the best opening",
            all(one.low > 1 / 9 for one in best),
            f"with exploration it has the highest value in {best[0].words} at {low} ({best[0].interval}),"
            f" {best[1].words} at {high} ({best[1].interval}); by chance 11%",
        ),
        Finding(
            "states after a first move in the centre are bad for the second player",
            worse.low > 1 / 2,
            f"their mean value is {fmean(in_centre):.2f}, after a corner or an edge {fmean(elsewhere):.2f}; lower in"
            f" {worse.words} with exploration (95% interval {worse.interval})",
        ),
        Finding(
            "the second player learns to answer a corner in the centre, not next to it",
            answered.low > 1 / 2,
            f"the centre has the higher value in {answered.words} with exploration (95% interval {answered.interval})",
        ),
        Finding(
            "with exploration, values are more volatile with the higher alpha",
            jitter[3] > jitter[2],
            f"mean step of a first move's value in {EVERY} games, last third:"
            f" {jitter[2]:.3f} at {low}, {jitter[3]:.3f} at {high}",
        ),
        Finding(  # settled: the last sixths have equally many draws, within 2 points
            "with the higher alpha winning rates do not stabilise, and convergence is slower",
            max(abs(late[3] - draws[4][3]), abs(draws[4][3] - draws[3][3])) > 0.02,
            f"draws by sixths of the games: {sixths[1]} at {high}, {sixths[0]} at {low}",
        ),
    ]


class _Often(NamedTuple):
    """How many runs show something."""

    low: float
    """The lower end of the interval of their share."""
    words: str
    interval: str


def _often(runs: Sequence[_Seen], shows: Callable[[_Seen], bool]) -> _Often:
    count = sum(map(shows, runs))
    low, high = wilson_interval(count, len(runs))
    return _Often(low, f"{count} of {len(runs)} runs", f"{low:.0%} to {high:.0%}")


def _share(run: Run, result: int, sixth: int) -> float:
    """The share of a result in one sixth of the games, counted from 0."""
    width = max(1, len(run.results) // 6)
    start = len(run.results) - (6 - sixth) * width if sixth else 0
    part = run.results[start : start + width]
    return part.count(result) / len(part)


def _draw_spread(run: Run) -> float:
    games = run.results[-max(2, len(run.results) // 3) :]
    width = max(1, len(run.results) // 100)
    parts = [games[start : start + width] for start in range(0, len(games) - width + 1, width)]
    return pstdev(part.count(0) / len(part) for part in parts)


def _mean_reply(run: Run, first: str) -> float:
    """The mean last value of the answers to a first move that the second player has met; 0 without any."""
    known = [
        values[-1] for name, values in run.replies.items() if name.startswith(first) and not math.isnan(values[-1])
    ]
    return fmean(known) if known else 0.0


def _last_third(values: list[float]) -> list[float]:
    return values[-max(2, len(values) // 3) :]


def _moving(values: dict[str, list[float]]) -> int:
    """How many states still change their value in the last third of the games."""
    return sum(len(set(_last_third(known))) > 1 for known in values.values() if not math.isnan(known[-1]))


def _jitter(run: Run) -> float:
    steps = [
        abs(after - before)
        for values in run.openings.values()
        for before, after in zip(_last_third(values), _last_third(values)[1:], strict=False)
    ]
    return fmean(steps)


def _best_opening(run: Run) -> str:
    """The first move of the highest mean value over the last third of the games."""
    return max(run.openings, key=lambda name: fmean(_last_third(run.openings[name])))
