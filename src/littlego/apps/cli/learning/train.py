"""`littlego train`: Q-learning of Little-Go."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.core.rules import Rules

if TYPE_CHECKING:
    from littlego.learn.labels import Labels
    from littlego.learn.trainer import Measure, Training

MAX_GAMES = 1_000_000_000


def train(
    *,
    games: Annotated[int, typer.Option(metavar="N", min=1, max=MAX_GAMES, help="Number of training games.")] = (
        800_000
    ),
    alpha: Annotated[
        float, typer.Option(metavar="A", min=0, max=10, help="Learning rate; falls during training.")
    ] = 1.0,
    gamma: Annotated[float, options.share("G", "Discount per move.")] = 1.0,
    epsilon: Annotated[float, options.share("E", "Share of random moves.")] = 0.1,
    opponents: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Opponents, equally often: self, random, greedy, aggressive, alphabeta."),
    ] = "self",
    stages: Annotated[
        int, typer.Option(metavar="N", min=1, max=24, help="Parts of a game with weights of their own.")
    ] = 6,
    features: Annotated[
        str, typer.Option(metavar="KINDS", help="What it sees beside small blocks: any of the default.")
    ] = "proofs,margins,groups,strips,oblongs,liberties",
    edition: options.Edition = options.EDITION,
    size: Annotated[
        int | None, typer.Option("--size", "-n", metavar="N", help="Board size, 3 to 7. Default: the edition's, 5.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed for all random choices.")] = 1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Directory for checkpoints, model and figures.")] = Path(
        "training"
    ),
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Solved positions to compare with, 5x5. Default: the package's.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Teach a player Little-Go by Q-learning, from games alone.

    Up to forty times along the way it is tested and a checkpoint is written. After an interruption
    the same command continues from there, with the same result.

      littlego train --out mine
      littlego play learner:mine alphabeta --games 20 --swap
      littlego train --opponents self,greedy --games 1000000 --seed 2 --out other
      littlego train --features margins --stages 4 --out simple
      littlego train --edition 2019 --size 7 --games 40000 --out large
    """
    from littlego.learn import trainer
    from littlego.learn.curve import draw_training

    settings = trainer.TrainingSettings.for_games(
        games,
        alpha=alpha,
        gamma=gamma,
        epsilon=epsilon,
        opponents=_names(opponents),
        stages=stages,
        features=_names(features),
        seed=seed,
        rules=options.edition_of(edition).rules(size),
    )
    known = _labels(labels, settings.rules)
    try:
        with output.stages(transient=True) as update, output.writing(out):
            update("games", 0, games)
            training = trainer.train(settings, out, labels=known, progress=partial(_show_progress, update))
    except KeyboardInterrupt:
        output.note(f"\nStopped. The same command continues from the last checkpoint in {out}.")
        raise
    written = draw_training(training.curve, settings, out, labels=known)
    _show(training, out, json=json)
    output.note(f"Figures and data: {', '.join(path.name for path in written)} in {out}.")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _labels(path: Path | None, rules: Rules) -> Labels:
    """The solved positions to compare with: none for games that are not the course's on 5x5. Raises UsageError."""
    from littlego.learn.labels import are_for, read_labels, shipped_labels

    if not are_for(rules):
        if path is not None:
            raise UsageError(
                f"--labels: solved positions are for 5x5 with komi 2.5 and 24 moves, not for {rules.edition}"
            )
        return ()
    return shipped_labels() if path is None else read_labels(path)


def _show_progress(update: output.Update, training: Training, seconds: float) -> None:
    """Show the rate and the win rates of the last test; `seconds` is 0 before the first."""
    done, games = training.games_done, training.settings.games
    if seconds:
        rate = training.settings.chunk(training.chunks_done - 1)[1] / seconds
        update("games", done, games, remark=f"{rate:,.0f}/s  {_rates(training.curve[-1], training)}")
    elif done:
        output.note(f"Continuing after {done} games.")
        update("games", done, games)


def _rates(measure: Measure, training: Training) -> str:
    """`random 98% greedy 95% ...`, with both colours."""
    tested = 2 * training.settings.test_games
    return " ".join(f"{name} {sum(wins) / tested:.0%}" for name, wins in measure.wins.items())


def _show(training: Training, out: Path, *, json: bool) -> None:
    last, tested = training.curve[-1], training.settings.test_games
    if json:
        from dataclasses import asdict

        from littlego.learn.trainer import settings_to_dict

        curve = [asdict(measure) for measure in training.curve]
        output.print_json({"settings": settings_to_dict(training.settings), "out": str(out), "curve": curve})
        return
    rows = [
        (name, output.percent(black / tested), output.percent(white / tested))
        for name, (black, white) in last.wins.items()
    ]
    title = f"After {last.games:,} games, seed {training.settings.seed}; {tested} test games a colour"
    output.print_table(["opponent", "won as Black", "won as White"], rows, title=title)
    if last.value_error is not None and last.regret is not None:
        print(f"  Compared with exact values: mean error {last.value_error:.3f}, wins given away {last.regret:.1%}.")
    print(f"  The model is in {out}. Play it:  littlego play manual learner:{out}")
