"""What the paper reports, and whether our own runs show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from littlego.stats import wilson_interval
from littlego.tictactoe.paper.experiments import CENTRE, EVERY, Experiment, Run


@dataclass(frozen=True)
class Finding:
    """Something the paper reports, whether our runs show it, and the numbers."""

    claim: str
    shown: bool
    numbers: str


def findings(experiments: Sequence[Experiment]) -> list[Finding]:
    """The paper's claims, each compared with all our runs."""
    low_still, high_still, low_exploring, high_exploring = experiments
    early = [fmean(_draws(run, last=False) for run in e.runs) for e in experiments]
    late = [fmean(_draws(run, last=True) for run in e.runs) for e in experiments]
    moving_still = fmean(_moving(run) for e in (low_still, high_still) for run in e.runs)
    moving_exploring = fmean(_moving(run) for e in (low_exploring, high_exploring) for run in e.runs)
    low_jitter = fmean(_jitter(run) for run in low_exploring.runs)
    high_jitter = fmean(_jitter(run) for run in high_exploring.runs)
    centre, runs = sum(_best_opening(run) == CENTRE for run in low_exploring.runs), len(low_exploring.runs)
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
        Finding(
            "draws grow faster with the lower alpha",
            early[0] > early[1] and early[2] > early[3],
            f"in the first sixth of the games {early[0]:.0%} against {early[1]:.0%} without exploration,"
            f" {early[2]:.0%} against {early[3]:.0%} with it",
        ),
        Finding(
            "the results are similar with and without exploration",
            all(abs(still - exploring) < 0.1 for still, exploring in zip(late[:2], late[2:], strict=True)),
            f"draws in the last sixth: {late[0]:.0%} and {late[2]:.0%} at alpha 0.2, {late[1]:.0%} and {late[3]:.0%}"
            " at alpha 0.8",
        ),
        _centre_answer((low_exploring, high_exploring)),
    ]


def _centre_answer(experiments: Sequence[Experiment]) -> Finding:
    """Whether the second player answers a corner in the centre rather than beside it."""
    runs = [run for experiment in experiments for run in experiment.runs]
    better = sum(run.replies["0,0 then 1,1"][-1] > run.replies["0,0 then 0,1"][-1] for run in runs)
    low, high = wilson_interval(better, len(runs))
    return Finding(
        "the second player learns to answer a corner in the centre, not next to it",
        low > 1 / 2,
        f"the centre has the higher value in {better} of {len(runs)} runs with exploration"
        f" (95% interval {low:.0%} to {high:.0%})",
    )


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
