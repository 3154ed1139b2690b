"""Q-learning: `train` a player of Little-Go, and `tictactoe`, the course's teaching example."""

from __future__ import annotations

import random
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import FormatError, UsageError
from littlego.storage.files import reading

if TYPE_CHECKING:
    from littlego.learn.trainer import Measure, Training
    from littlego.tictactoe.learner import SolvedCheck
    from littlego.tictactoe.paper import Pair

_MOST_TRAINING = 1_000_000_000


def train(
    *,
    games: Annotated[int, typer.Option(metavar="N", min=1, max=_MOST_TRAINING, help="Number of training games.")] = (
        800_000
    ),
    alpha: Annotated[
        float,
        typer.Option(metavar="A", min=0, max=10, help="Learning rate, 1 for the usual step; falls during training."),
    ] = 1.0,
    gamma: Annotated[float, options.share("G", "Discount per move.")] = 1.0,
    epsilon: Annotated[float, options.share("E", "Share of random moves.")] = 0.1,
    opponents: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Opponents, equally often: self, random, greedy, aggressive, alphabeta."),
    ] = "self",
    edition: options.Edition,
    size: Annotated[
        int | None, typer.Option("--size", "-n", metavar="N", help="Board size, 3 to 7. Default: the edition's, 5.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed for all random choices.")] = 1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Directory for checkpoints, model and figures.")] = Path(
        "training"
    ),
    json: options.Json = False,
) -> None:
    """Teach a player Little-Go by Q-learning, from games alone.

    Up to forty times along the way it is tested and a checkpoint is written. After an interruption
    the same command continues from there, with the same result.

      littlego train --out mine
      littlego play learner:mine alphabeta --games 20 --swap
      littlego train --opponents self,greedy --games 1000000 --seed 2 --out other
      littlego train --edition 2019 --size 7 --games 40000 --out large
    """
    from littlego.learn import trainer
    from littlego.learn.curve import draw_training
    from littlego.learn.labels import are_for, shipped_labels

    settings = trainer.TrainingSettings.for_games(
        games,
        alpha=alpha,
        gamma=gamma,
        epsilon=epsilon,
        opponents=tuple(name.strip() for name in opponents.split(",") if name.strip()),
        seed=seed,
        rules=options.edition_of(edition).rules(size),
    )
    known = shipped_labels() if are_for(settings.rules) else ()
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


tictactoe_app = typer.Typer(invoke_without_command=True, no_args_is_help=False)

_MOST_GAMES = 100_000_000


@tictactoe_app.callback(invoke_without_command=True)
def tictactoe(
    context: typer.Context,
    *,
    games: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=_MOST_GAMES, help="Training games as each side. Default: GAME_NUM."),
    ] = None,
    test_games: Annotated[
        int, typer.Option(metavar="N", min=1, max=_MOST_GAMES, help="Test games per side against each opponent.")
    ] = 500,
    seed: options.Seed = None,
    learner: Annotated[Path | None, typer.Option(metavar="FILE", help="Your own QLearner.py instead of ours.")] = None,
    alpha: Annotated[float, options.share("A", "Learning rate.")] = 1.0,
    fall: Annotated[float, options.share("F", "The n-th update of a value has rate alpha / n^F.")] = 0.7,
    gamma: Annotated[float, options.share("G", "Discount per move.")] = 1.0,
    epsilon: Annotated[float, options.share("E", "Share of random moves in training.")] = 0.0,
    initial: Annotated[float, typer.Option(metavar="V", help="Initial value of every move.")] = 1.0,
    win: Annotated[float, typer.Option(metavar="R", help="Reward for a win.")] = 1.0,
    draw: Annotated[float, typer.Option(metavar="R", help="Reward for a draw.")] = 0.0,
    loss: Annotated[float, typer.Option(metavar="R", help="Reward for a loss.")] = -10.0,
    json: options.Json = False,
) -> None:
    """Q-learning on tic-tac-toe: train it, test it, grade it.

    Trains a Q-learner against random play, tests it against three opponents, prints the course's table
    and grade, and compares the learner with the solved game.

      littlego tictactoe --games 1000
      littlego tictactoe --learner QLearner.py
      littlego tictactoe curves
      littlego tictactoe play
    """
    if context.invoked_subcommand:
        return
    from littlego.tictactoe import match
    from littlego.tictactoe.learner import FastQLearner, LearnerSettings

    chosen = options.drawn_seed(seed)
    lines: list[str] = []
    show = lines.append if json else print
    checks: tuple[SolvedCheck, ...] = ()
    if learner is not None:
        for name in (each.name for each in fields(LearnerSettings)):
            if options.was_given(name, context):
                raise UsageError(f"--{name} is for our learner: set it in {learner}")
        games, rates, checks = _users_own(learner, games, test_games, chosen, show)
    else:
        settings = LearnerSettings(alpha, fall, gamma, epsilon, initial, win, draw, loss)
        ours = FastQLearner(settings, seed=chosen)
        games = ours.GAME_NUM if games is None else games
        ours.train(games)
        rates = match.contest(ours, test_games, chosen, show)
        checks = ours.check()
    if json:
        output.print_json(_as_json(games, chosen, rates, checks))
        return
    match.show_summary(rates)
    for check in checks:
        print(_check_line(check))
    output.note(f"Trained for {games} games as each side, seed {chosen}.")


def _users_own(
    path: Path, games: int | None, test_games: int, seed: int, show: Any
) -> tuple[int, dict[str, float], tuple[SolvedCheck, ...]]:
    from littlego.tictactoe.kit import LearnerError, UserLearner

    try:
        own = UserLearner(path)
        games = own.game_num if games is None else games
        with output.progress(f"training {path.name}", 2 * games) as step:
            own.train(games, seed, step)
        return games, own.meet_all(test_games, seed, show), own.check()
    except LearnerError as error:
        raise UsageError(str(error)) from error


def _check_line(check: SolvedCheck) -> str:
    from littlego.tictactoe.learner import draw

    side = " XO"[check.side]
    if check.is_perfect:
        return f"As {side} it is perfect: no mistakes in the {check.met} positions it can meet."
    cells, cell = check.mistakes[0]
    return (
        f"As {side} it makes a mistake in {len(check.mistakes)} of the {check.met} positions it can meet;"
        f" here, at {cell // 3},{cell % 3}:\n{draw(cells)}"
    )


def _as_json(games: int, seed: int, rates: dict[str, float], checks: tuple[SolvedCheck, ...]) -> dict[str, Any]:
    from littlego.tictactoe.match import points

    return {
        "games": games,
        "seed": seed,
        "win_or_draw_percent": rates,
        "grade": points(rates),
        "out_of": 70,
        "solved_game": [
            {"side": " XO"[check.side], "positions_met": check.met, "mistakes": len(check.mistakes)} for check in checks
        ],
    }


@tictactoe_app.command()
def curves(
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Directory for the figures and their data.")] = Path(
        "tictactoe-curves"
    ),
    games: Annotated[int, typer.Option(metavar="N", min=60, max=1_000_000, help="Games per run.")] = 3000,
    runs: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Runs of each of the four settings.")] = 20,
    alpha: Annotated[str, typer.Option(metavar="LOW,HIGH", help="The two learning rates to compare.")] = "0.2,0.8",
    epsilon: Annotated[float, options.share("E", "Share of random moves in the runs that explore.")] = 0.02,
    seed: options.Seed = 1,
    json: options.Json = False,
) -> None:
    """Draw the five figures of a paper on learning tic-tac-toe by self-play.

    For learning rates 0.2 and 0.8, with and without exploration: how the outcomes develop and how the
    learners value the opening. Compares every sentence of the paper about them with our runs.

      littlego tictactoe curves --runs 2 --games 300 --out figures
      littlego tictactoe curves --alpha 0.1,0.5 --epsilon 0.1
    """
    from littlego.tictactoe.curves import draw_curves, findings, record_experiments

    chosen = options.drawn_seed(seed)
    alphas = _two_rates(alpha)
    with output.writing(out):
        out.mkdir(parents=True, exist_ok=True)
        with output.progress("runs of self-play", 4 * runs) as step:
            experiments = record_experiments(
                games=games, runs=runs, alphas=alphas, epsilon=epsilon, seed=chosen, progress=step
            )
        written = draw_curves(experiments, out)
    found = findings(experiments)
    if json:
        rows = [{"claim": one.claim, "shown": one.shown, "numbers": one.numbers} for one in found]
        output.print_json(
            {
                "seed": chosen,
                "games": games,
                "runs": runs,
                "alphas": alphas,
                "epsilon": epsilon,
                "findings": rows,
                "files": [*map(str, written)],
            }
        )
        return
    print(f"{runs} runs of {games} games for each setting, seed {chosen}. The paper reports that\n")
    for one in found:
        print(f"- {one.claim}: {'our runs show it' if one.shown else 'our runs do not show it'}.\n  {one.numbers}.")
    output.note(f"\n{len(written)} files in {out}.")


def _two_rates(text: str) -> tuple[float, float]:
    """`LOW,HIGH`. Raises UsageError."""
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--alpha {text}: expected two numbers such as 0.2,0.8") from None
    if not 0 < low < high <= 1:
        raise UsageError(f"--alpha {text}: expected 0 < LOW < HIGH <= 1")
    return low, high


@tictactoe_app.command("play")
def play_tictactoe(
    *,
    load: Annotated[Path | None, typer.Option(metavar="FILE", help="A saved learner.")] = None,
    train: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=10_000_000,
            help="Games of self-play before you start. Default: 3000; 0 with --load.",
        ),
    ] = None,
    alpha: Annotated[
        float | None, options.share("A", "Learning rate. Default: 0.2; with --load, the saved one.")
    ] = None,
    epsilon: Annotated[
        float | None,
        options.share("E", "Share of random moves. Default: 0.02, as in the paper; with --load, the saved one."),
    ] = None,
    second: Annotated[bool, typer.Option("--second", help="You are O and move second.")] = False,
    seed: options.Seed = None,
) -> None:
    """Play tic-tac-toe against a learner; train, save and load it as you go.

    It learns from its games with you, and explores in them, as the paper's does; --epsilon 0 stops that.

      littlego tictactoe play --train 10000
      littlego tictactoe play --load learn.dat --train 5000
    """

    from littlego.tictactoe.paper import Console, Game, Pair

    chosen = options.drawn_seed(seed)
    pair = Pair.new() if load is None else _loaded(load)
    for learner in (pair.x, pair.o):
        learner.alpha = learner.alpha if alpha is None else alpha
        learner.epsilon = learner.epsilon if epsilon is None else epsilon
    if train is None:
        train = 3000 if load is None else 0
    pair.train(train, random.Random(chosen))
    output.note(f"It has learned from {pair.games} games, seed {chosen}.")
    facing, partner = (pair.x, pair.o) if second else (pair.o, pair.x)
    game = Game(facing, partner, games=pair.games, seed=chosen, show=output.note)
    Console(game, ask=_ask, show=output.note).run()


def _loaded(path: Path) -> Pair:
    from littlego.tictactoe.paper import LearnerFileError, Pair

    try:
        with reading(path):
            return Pair.load(path)
    except LearnerFileError as error:
        raise FormatError(f"{path}: {error}") from error


def _ask(prompt: str) -> str:
    import sys

    print(prompt, end="", file=sys.stderr, flush=True)
    return input()
