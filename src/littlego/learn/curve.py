"""Learning curves, as figures and data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from littlego.figures import CYCLE, GREY, Line, Panel, draw_figure, write_csv
from littlego.learn.labels import STAGES, Labels, random_regret
from littlego.learn.trainer import Measure, TrainingSettings
from littlego.stats import wilson_interval

SIDES = ("Black", "White")
X_LABEL = "training games"


def draw_training(
    curve: Sequence[Measure], settings: TrainingSettings, directory: Path, *, labels: Labels = ()
) -> list[Path]:
    """Write the figures of a training and `curve.csv`; returns the files, none if nothing was measured.

    `labels` are the positions that it was measured against.
    """
    if not curve:
        return []
    written = [_csv(curve, settings, directory / "curve.csv")]
    trained = f"{' + '.join(dict.fromkeys(settings.opponents))}, seed {settings.seed}"
    panels = [_win_panel(curve, settings, side) for side in range(2)]
    written += draw_figure(directory / "win-rates", f"Win rates while learning ({trained})", panels, one_legend=True)
    written += draw_figure(directory / "coverage", f"What it has met ({trained})", [_coverage_panel(curve)])
    judged = [measure for measure in curve if measure.value_error is not None]
    if judged:
        title = f"Against the truth ({trained})"
        written += draw_figure(directory / "truth", title, _truth_panels(judged, labels))
        written += draw_figure(directory / "stages", title, [_stage_panel(judged)])
    return written


def _win_panel(curve: Sequence[Measure], settings: TrainingSettings, side: int) -> Panel:
    games = [measure.games for measure in curve]
    lines = []
    for colour, opponent in zip(CYCLE, curve[0].wins, strict=False):
        wins = [measure.wins[opponent][side] for measure in curve]
        low, high = zip(*(wilson_interval(won, settings.test_games) for won in wins), strict=True)
        rates = [won / settings.test_games for won in wins]
        lines.append(Line(f"against {opponent}", games, rates, colour, low=low, high=high))
    title = f"As {SIDES[side]}: {settings.test_games} test games, band: 95% interval"
    return Panel(title, X_LABEL, "games won", lines, (0.0, 1.02), percent=True, log_x=True)


def _coverage_panel(curve: Sequence[Measure]) -> Panel:
    what = "weights that were ever changed"
    line = Line(what, [measure.games for measure in curve], [measure.coverage for measure in curve])
    return Panel(what.capitalize(), X_LABEL, what, [line], log_x=True)


def _truth_panels(judged: Sequence[Measure], labels: Labels) -> list[Panel]:
    games = [measure.games for measure in judged]
    error = Line("its own values", games, [measure.value_error or 0.0 for measure in judged])
    even = Line("knowing nothing", games, [0.5] * len(games), GREY, ":")
    guess = Line("a random move", games, [random_regret(labels)] * len(games), GREY, ":")
    regret = Line("its own move", games, [measure.regret or 0.0 for measure in judged], CYCLE[1])
    distance, given_away = "Distance of its values from who really wins", "Won positions it gives away with its move"
    return [
        Panel(distance, X_LABEL, "mean error", [error, even], (0.0, 0.6), log_x=True),
        Panel(given_away, X_LABEL, "share", [regret, guess], (0.0, 0.8), percent=True, log_x=True),
    ]


def _stage_panel(judged: Sequence[Measure]) -> Panel:
    lines = []
    for k, (stage, colour) in enumerate(zip(STAGES, CYCLE, strict=False)):
        met = [
            (measure.games, *measure.by_stage[k]) for measure in judged if measure.by_stage and measure.by_stage[k][1]
        ]
        if met:
            low, high = zip(*(wilson_interval(thrown, won) for _, thrown, won in met), strict=True)
            shares = [thrown / won for _, thrown, won in met]
            name = f"after {stage[0]} to {stage[-1]} moves"
            lines.append(Line(name, [games for games, *_ in met], shares, colour, low=low, high=high))
    title = "Won positions given away, by stage; band: 95% interval"
    return Panel(title, X_LABEL, "share", lines, (0.0, 0.8), percent=True, log_x=True)


def _csv(curve: Sequence[Measure], settings: TrainingSettings, path: Path) -> Path:
    opponents = list(curve[0].wins)
    columns = ["games", *(f"wins as {side} against {name}" for name in opponents for side in SIDES)]
    rows = [
        (
            measure.games,
            *(measure.wins[name][side] / settings.test_games for name in opponents for side in range(2)),
            measure.coverage,
            "" if measure.value_error is None else measure.value_error,
            "" if measure.regret is None else measure.regret,
        )
        for measure in curve
    ]
    return write_csv(path, [*columns, "coverage", "value error", "wins given away"], rows)
