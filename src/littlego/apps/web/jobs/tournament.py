"""The job that plays the games of a tournament that are missing."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from littlego.apps.web.jobs.progress import Progress
from littlego.apps.web.services.tournaments import FOLDER, open_tournament
from littlego.arena.games import void_words
from littlego.arena.pool.local import LocalPool, cores
from littlego.arena.progress import GamesProgress
from littlego.arena.results import GameResult
from littlego.arena.tournament.runner import RunWatcher, Wave, is_running, run_tournament

_PATIENCE: Final = 60.0
"""Seconds to wait while another command plays the same tournament."""


def run(params: dict[str, Any], data: Path, progress: Progress) -> dict[str, Any]:
    _wait_for_others(data / FOLDER / params["tournament"], progress)
    with open_tournament(data, params["tournament"]) as tournament:
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
            run_tournament(tournament, pool, watcher)
        return {"games": tournament.store.count()}


def _wait_for_others(folder: Path, progress: Progress) -> None:
    """Wait while another command plays the tournament. If it takes too long, the run itself is refused."""
    ends = time.monotonic() + _PATIENCE
    while is_running(folder) and time.monotonic() < ends:
        progress(0, 1, "waiting for another command that plays this tournament")
        time.sleep(0.2)
