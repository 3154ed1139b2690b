"""The paper's five figures, made from runs of our own, and whether they show what the paper reports."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from littlego.figures import BLUES, GREENS, ORANGES, Line, Panel, draw_figure, write_csv
from littlego.stats import wilson_interval
from littlego.tictactoe.temporal import OPENINGS, REPLIES, Pair

GAMES = 3000
RUNS = 20
SETTINGS = ((0.2, 0.0), (0.8, 0.0), (0.2, 0.02), (0.8, 0.02))
"""Alpha and epsilon of the paper's experiments."""

EVERY = 10
"""Values are kept every so many games: a figure shows no more."""

_CENTRE = "1,1"


@dataclass(frozen=True)
class Run:
    """One pair of learners from nothing to the last game."""

    results: bytes
    """Of each game 0 a draw, 1 X won, 2 O won."""
    openings: dict[str, list[float]]
    """Of each first move, its value to X, every `EVERY` games."""
    replies: dict[str, list[float]]
    """Of each answer, its value to O."""


@dataclass(frozen=True)
class Experiment:
    """Many runs with the same settings."""

    alpha: float
    epsilon: float
    runs: tuple[Run, ...]

    @property
    def label(self) -> str:
        """The settings as a figure names them."""
        return f"α = {self.alpha:g}, ε = {self.epsilon:g}"


def record_run(alpha: float, epsilon: float, games: int, seed: int) -> Run:
    """Train a pair and keep what the figures need. The same seed gives the same run."""
    rng = random.Random(seed)
    pair = Pair.new(alpha=alpha, epsilon=epsilon)
    openings: dict[str, list[float]] = {name: [] for name in OPENINGS}
    replies: dict[str, list[float]] = {name: [] for name in REPLIES}
    results = bytearray()
    for game in range(1, games + 1):
        results.append(pair.play_game(rng))
        if game % EVERY == 0:
            for name, code in OPENINGS.items():
                openings[name].append(pair.x.values.get(code, 0.0))
            for name, code in REPLIES.items():
                replies[name].append(pair.o.values.get(code, 0.0))
    return Run(bytes(results), openings, replies)


def record_experiments(
    *, games: int = GAMES, runs: int = RUNS, seed: int = 1, progress: Callable[[], None] | None = None
) -> list[Experiment]:
    """All runs of the paper's four settings; `progress` is called after each of the 4 x `runs`."""
    experiments = []
    for alpha, epsilon in SETTINGS:
        recorded = []
        for number in range(runs):
            recorded.append(record_run(alpha, epsilon, games, seed * 1_000_003 + number))
            if progress:
                progress()
        experiments.append(Experiment(alpha, epsilon, tuple(recorded)))
    return experiments


def draw_curves(experiments: Sequence[Experiment], directory: Path) -> list[Path]:
    """Write the five figures (PNG, SVG) and their data (CSV); the files."""
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
            _value_panel("First player: its first move", run.openings, _opening_style),
            _value_panel("Second player: the first move, then its answer", run.replies, _reply_style),
        ]
        written += draw_figure(name, title, panels)
        columns = {
            **{f"X {key}": v for key, v in run.openings.items()},
            **{f"O {k}": v for k, v in run.replies.items()},
        }
        rows = zip(_sampled(run), *columns.values(), strict=True)
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
    """Over the runs: the mean share, and where the middle eight tenths of the runs lie."""
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


def _value_panel(title: str, values: dict[str, list[float]], style: Callable[[str], tuple[str, str]]) -> Panel:
    xs = [EVERY * k for k in range(1, len(next(iter(values.values()))) + 1)]
    order = sorted(values, key=lambda name: (_FAMILIES.index(_family(name[:3])), name))
    lines = [Line(_spelt(name), xs, values[name], *style(name), width=1.3) for name in order]
    return Panel(title, "training games", "value of the state", lines, (-1.05, 1.05))


_DASHES = ("-", "--", ":", "-.")
_KINDS = {"0,0": 0, "0,2": 1, "2,0": 2, "2,2": 3, "0,1": 0, "1,0": 1, "1,2": 2, "2,1": 3, "1,1": 0}


def _opening_style(name: str) -> tuple[str, str]:
    """Corners blue, edges orange, the centre green."""
    kind = _KINDS[name]
    return _family(name)[min(kind, len(_family(name)) - 1)], _DASHES[kind]


def _spelt(name: str) -> str:
    """The name of a first move with the kind of its cell; an answer as it is."""
    if " then " in name:
        return name
    return f"{name} {('corner', 'edge', 'centre')[_FAMILIES.index(_family(name))]}"


def _reply_style(name: str) -> tuple[str, str]:
    first = name.split(" then ")[0]
    kind = [reply for reply in REPLIES if reply.startswith(first)].index(name)
    return _family(first)[kind], _DASHES[kind]


_FAMILIES = (BLUES, ORANGES, GREENS)


def _family(cell: str) -> tuple[str, ...]:
    if cell == _CENTRE:
        return GREENS
    return BLUES if cell in ("0,0", "0,2", "2,0", "2,2") else ORANGES


@dataclass(frozen=True)
class Finding:
    """Something the paper reports, whether our runs show it, and the numbers."""

    claim: str
    shown: bool
    numbers: str


def findings(experiments: Sequence[Experiment]) -> list[Finding]:
    """The paper's claims, each held against all our runs."""
    low_still, high_still, low_exploring, high_exploring = experiments
    early = [fmean(_draws(run, last=False) for run in e.runs) for e in experiments]
    late = [fmean(_draws(run, last=True) for run in e.runs) for e in experiments]
    moving_still = fmean(_moving(run) for e in (low_still, high_still) for run in e.runs)
    moving_exploring = fmean(_moving(run) for e in (low_exploring, high_exploring) for run in e.runs)
    low_jitter = fmean(_jitter(run) for run in low_exploring.runs)
    high_jitter = fmean(_jitter(run) for run in high_exploring.runs)
    centre, runs = sum(_best_opening(run) == _CENTRE for run in low_exploring.runs), len(low_exploring.runs)
    low, high = wilson_interval(centre, runs)
    wins = [
        [fmean(run.results.count(side) / len(run.results) for run in e.runs) for side in (1, 2)] for e in experiments
    ]
    growth = "; ".join(f"{e.label}: {a:.0%} to {b:.0%}" for e, a, b in zip(experiments, early, late, strict=True))
    return [
        Finding(
            "the share of draws grows with training",
            all(after > before for before, after in zip(early, late, strict=True)),
            f"from the first to the last sixth of the games: {growth}",
        ),
        Finding(
            "without exploration the learners get stuck",
            moving_still < moving_exploring / 2,
            f"of the nine first moves, {moving_still:.1f} still change their value in the last third without"
            f" exploration, {moving_exploring:.1f} with it",
        ),
        Finding(
            "values are more volatile with the higher alpha",
            high_jitter > low_jitter,
            f"mean step of a first move's value in {EVERY} games, last third:"
            f" {low_jitter:.3f} at alpha 0.2, {high_jitter:.3f} at alpha 0.8",
        ),
        Finding(
            "the first player wins more often than the second",
            all(first > second for first, second in wins),
            "over all games: "
            + "; ".join(f"{e.label}: {a:.0%} to {b:.0%}" for e, (a, b) in zip(experiments, wins, strict=True)),
        ),
        Finding(
            "the centre is the best opening",
            low > 1 / 9,
            f"it has the highest value in {centre} of {runs} runs at alpha 0.2 with exploration"
            f" (95% interval {low:.0%} to {high:.0%}; by chance 11%)",
        ),
    ]


def _draws(run: Run, *, last: bool) -> float:
    sixth = max(1, len(run.results) // 6)
    part = run.results[-sixth:] if last else run.results[:sixth]
    return part.count(0) / len(part)


def _last_third(values: list[float]) -> list[float]:
    return values[-max(2, len(values) // 3) :]


def _moving(run: Run) -> int:
    """How many of the nine first moves still change their value in the last third of the games."""
    return sum(len(set(_last_third(values))) > 1 for values in run.openings.values())


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
