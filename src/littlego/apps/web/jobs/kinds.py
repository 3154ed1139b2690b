"""What jobs do, one function for each kind: `KIND(params, data, progress)` returns the job's result.

Each imports what it needs: a job's process loads neither the web server nor, where nothing is solved, what compiles.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from littlego.apps.web.services.store import full_spelling
from littlego.core.errors import UsageError
from littlego.core.points import move_name
from littlego.core.rules import DEFAULT_SIZE

if TYPE_CHECKING:
    from littlego.learn.labels import Label
    from littlego.solve.oracle import Oracle

TRAINING: Final = "training"
"""The folder of trained learners in the data directory."""
_PATIENCE: Final = 60.0
"""Seconds to wait while another command plays the same tournament."""
_POINTS: Final = 200
"""The most points of a curve: a chart cannot show more."""
_SHOWN: Final = 9
"""Positions in which pages show the learner's move."""


class Progress(Protocol):
    """Called with how much is done, of how much, what is being done, and the result so far.

    `result` may be a function, which is called only if the result is sent. Calls soon after the last are not sent.
    """

    def __call__(self, done: int, total: int, message: str = "", result: Any = None) -> None: ...


def check(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """The findings of all checks of an agent by an edition, in order. Raises UsageError if it has no files."""
    from littlego.apps.web.services.editions import Editions
    from littlego.arena.building import without_path
    from littlego.course.check.inspection import inspect
    from littlego.sandbox.client import Supervisor

    spelling = full_spelling(params["spelling"], data)
    if (kind := spelling.partition(":")[0]) in ("cmd", "gtp", "learner", "object"):
        raise UsageError(f"{kind}: has no files of its own that could be checked")
    checks: list[dict[str, Any]] = []
    edition = Editions(data).find(params["edition"])
    with Supervisor() as supervisor, inspect(spelling, supervisor, edition=edition) as inspection:
        titles = inspection.titles()
        for found in inspection.checks():
            checks.append({"title": found.title, "status": found.status.value, "detail": without_path(found.detail)})
            progress(len(checks), len(titles), found.title, {"checks": checks})
    return {"checks": checks}


def grade(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Play the missing games of a grading by an edition's rubric, and write its report."""
    from littlego.apps.web.services.editions import Editions
    from littlego.apps.web.services.gradings import FOLDER, REPORT
    from littlego.arena.building import without_path
    from littlego.arena.pool import LocalPool
    from littlego.course.grading.html import grade_page
    from littlego.course.grading.report import GradeReport
    from littlego.course.grading.run import GradingTerms, grading_plan, open_grading
    from littlego.course.spelling import parse_entrant
    from littlego.storage.files import write_whole

    edition = Editions(data).find(params["edition"])
    spelling = full_spelling(params["spelling"], data)
    entrant = parse_entrant(spelling, python=edition.default_python, edition=edition.like)
    terms = GradingTerms(edition, params["stage"], params["repeats"])
    # The identity of a grading must not change when the data directory is moved.
    plan = dataclasses.replace(grading_plan(entrant, terms, name=params["name"]), agent=f"agent:{params['agent']}")
    folder = data / FOLDER / params["grading"]

    def result_of(report: GradeReport) -> dict[str, Any]:
        fields = {key: value for key, value in report.to_dict().items() if key != "directory"}
        return fields | {"runtime": without_path(report.runtime)}

    with open_grading(entrant, plan, out=folder) as grading, LocalPool(params["jobs"]) as pool:

        def step() -> None:
            report = grading.report()
            progress(report.played, plan.games, "games", lambda: result_of(report))

        step()
        grading.play(pool, on_result=step)
        report = grading.report()
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / REPORT, grade_page(report))
    return result_of(report)


def tournament(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Play the games of a tournament that are missing."""
    from littlego.apps.web.services.tournaments import FOLDER, open_tournament
    from littlego.arena.games import void_words
    from littlego.arena.pool import LocalPool, cores
    from littlego.arena.progress import GamesProgress
    from littlego.arena.store import GameResult
    from littlego.arena.tournament.runner import RunWatcher, Wave, is_running, run_tournament

    ends = time.monotonic() + _PATIENCE  # if another command plays it for longer, the run itself is refused
    while is_running(data / FOLDER / params["tournament"]) and time.monotonic() < ends:
        progress(0, 1, "waiting for another command that plays this tournament")
        time.sleep(0.2)
    with open_tournament(data, params["tournament"]) as played:
        workers = params["jobs"] or cores()
        games = GamesProgress(0)

        @contextlib.contextmanager
        def watch(wave: Wave) -> Iterator[Callable[[GameResult], None]]:
            nonlocal games
            games = GamesProgress(len(wave.games), workers=workers)
            label = "games" if wave.label == "games" else f"games of {wave.label}"

            def count(result: GameResult) -> None:
                games.add(result)
                progress(games.done, games.planned, f"{label}: {games.status()}")

            progress(0, games.planned, label)
            yield count

        watcher = RunWatcher(watch, lambda failure: progress(games.done, games.planned, void_words(failure)))
        with LocalPool(workers) as pool:
            run_tournament(played, pool, watcher)
        return {"games": played.store.count()}


def review(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """The exact values of a game, from the last position to the first."""
    from littlego.formats.records import record_from_dict
    from littlego.review.verdicts import MARGINS_LEFT, GameReview

    record = record_from_dict(params["record"], source="game")
    with _oracle(data) as oracle:
        found = GameReview(record, oracle, margins_left=MARGINS_LEFT)
        found.work(watch=lambda done, total: progress(done, total, "working backwards", found.to_dict))
        return found.to_dict()


def deck(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Make a deck of the wins that a player threw away in its games. Raises UsageError if there are none."""
    from littlego.apps.web.services.decks import persons_folder, write_deck
    from littlego.formats.records import record_from_dict
    from littlego.review.drills import make_deck
    from littlego.review.regret import regret_of

    records = [record_from_dict(record, source="game") for record in params["records"]]
    with _oracle(data) as oracle:
        regret = regret_of(
            records,
            params["player"],
            oracle,
            watch=lambda done, total: progress(done, 2 * total, "looking for lost wins"),
        )
        made, left_out = make_deck(
            records,
            regret,
            oracle,
            name=params["name"],
            watch=lambda done, total: progress(total + done, 2 * total, "finding every right answer"),
        )
    if not made.drills:
        raise UsageError(f"{params['player']} threw away no win in {len(records)} games: there is nothing to drill")
    folder = persons_folder(data, params["person"])
    return {"deck": write_deck(folder, made), "drills": len(made), "left_out": left_out}


def _oracle(data: Path) -> closing[Oracle]:
    """The exact values that all jobs of a server share, to be closed."""
    from littlego.solve.oracle import Oracle

    return closing(Oracle(store=data / "oracle.sqlite", memory=1 << 30))


def train(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    """Train a Little-Go learner in the data directory. Its curve grows in the result."""
    from littlego.learn import trainer
    from littlego.learn.labels import best_moves, row_of, shipped_labels

    labels = shipped_labels()
    shown = _spread([label for label in labels if label.wins])
    settings = trainer.TrainingSettings.for_games(
        params["games"],
        alpha=params["alpha"],
        epsilon=params["epsilon"],
        opponents=tuple(params["opponents"]),
        seed=params["seed"],
    )

    def result_of(training: trainer.Training) -> dict[str, Any]:
        return {
            "model": params["model"],
            "test_games": settings.test_games,
            "curve": [dataclasses.asdict(measure) for measure in training.curve],
            "choices": [
                {
                    "cells": row_of(label).partition("\t")[0],
                    "to_move": ("black", "white")[label.to_move],
                    "played": label.played,
                    "move": move_name(move, DEFAULT_SIZE),
                    "winning": row_of(label).rpartition("\t")[2].split(" "),
                }
                for label, (move, _) in zip(shown, best_moves(shown, training.values), strict=True)
            ],
        }

    def step(training: trainer.Training, _seconds: float) -> None:
        progress(training.games_done, settings.games, "games", result_of(training))

    return result_of(trainer.train(settings, data / TRAINING / params["model"], labels=labels, progress=step))


def _spread(won: Sequence[Label]) -> tuple[Label, ...]:
    """A few positions of all ages, the youngest first."""
    by_age = sorted(won, key=lambda label: label.played)
    return tuple(by_age[k * len(by_age) // _SHOWN] for k in range(_SHOWN))


def tictactoe(params: dict[str, Any], _data: Path, progress: Progress) -> dict[str, Any]:
    """Two learners play each other: shares of results and values of the first moves, as they change with the games."""
    from littlego.tictactoe.board import X
    from littlego.tictactoe.paper.temporal import OPENINGS, Pair
    from littlego.tictactoe.players.perfect_player import after, value
    from littlego.tictactoe.solved import START

    games = params["games"]
    every = max(1, games // _POINTS)
    rng = random.Random(params["seed"])
    pair = Pair.new(alpha=params["alpha"], epsilon=params["epsilon"])
    counts = [0, 0, 0]
    curve: list[dict[str, Any]] = []
    truth = [float(value(after(START, cell, X))) for cell in range(len(START))]
    for game in range(1, games + 1):
        counts[pair.play_game(rng)] += 1
        if game % every == 0 or game == games:
            curve.append(
                {
                    "games": game,
                    "first": counts[1] / game,
                    "second": counts[2] / game,
                    "draws": counts[0] / game,
                    "values": [round(pair.x.values.get(code, 0.0), 4) for code in OPENINGS.values()],
                }
            )
            progress(game, games, "games", {"curve": curve, "truth": truth})
    return {"curve": curve, "truth": truth}


KINDS: Final[Mapping[str, Callable[[dict[str, Any], Path, Progress], dict[str, Any]]]] = MappingProxyType(
    {each.__name__: each for each in (check, grade, tournament, review, deck, train, tictactoe)}
)
