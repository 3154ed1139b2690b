"""Tournaments of the arena: directories as `littlego tournament` makes them, run by jobs."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from littlego.apps.web.jobs.main import Tell
from littlego.apps.web.services.store import Json, NotThere, Store, new_id
from littlego.arena.pool.local import cores, run_tasks
from littlego.arena.tournament.directory import Applicant, Tournament, create
from littlego.arena.tournament.page import report_page
from littlego.arena.tournament.plan import Contestant, Format, TournamentPlan, checked
from littlego.arena.tournament.runner import Batch, Watcher, is_running, run_tournament
from littlego.arena.tournament.store import KeptGame
from littlego.arena.tournament.summary import summarise, summary_to_dict
from littlego.course.spelling import parse_entrant

KIND: Final = "tournament"
_FOLDER: Final = "tournaments"
_THREADS: Final = 2
_PATIENCE: Final = 60.0
"""Seconds to wait for another command that plays the same tournament."""

P = ParamSpec("P")
T = TypeVar("T")


class Contests:
    """The tournaments of a server. All but `newest` and `find` take time, and are called by `ask`."""

    def __init__(self, store: Store, data: Path) -> None:
        self._store = store
        self._folder = data / _FOLDER
        self._counting = threading.Lock()
        self._summaries: dict[str, tuple[tuple[int, int], Json]] = {}
        # Threads of their own: whoever waits for a large tournament must not keep uploads waiting.
        self._threads = ThreadPoolExecutor(_THREADS, "tournaments")

    def ask(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        """The value of one of the functions below, called in a thread."""
        return asyncio.get_running_loop().run_in_executor(self._threads, partial(function, *args, **kwargs))

    def close(self) -> None:
        """Wait for nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def begin(self, name: str, plan: TournamentPlan, players: Sequence[tuple[str, str]], challengers: int) -> Json:
        """Make a tournament; players are names and spellings. Raises UsageError."""
        contest = new_id()
        self._folder.mkdir(parents=True, exist_ok=True)
        applicants = _applicants(plan, players, challengers if plan.format is Format.GAUNTLET else 0)
        create(self._folder / contest, checked(plan, "tournament"), applicants)
        data = {"name": name, "job": None}
        self._store.put(KIND, contest, data)
        return {"id": contest, **data}

    def find(self, contest: str) -> Json:
        """A tournament. Raises NotThere."""
        data = self._store.get(KIND, contest)
        if data is None:
            raise NotThere(contest)
        return {"id": contest, **data}

    def newest(self) -> list[Json]:
        """All tournaments, the last changed first."""
        return self._store.newest(KIND, 200)

    def note_job(self, contest: str, job: str) -> None:
        """Remember the job that runs it."""
        data = self.find(contest)
        self._store.put(KIND, contest, {"name": data["name"], "job": job})

    def join(self, contest: str, players: Sequence[tuple[str, str]]) -> None:
        """Let players join. Raises NotThere, UsageError."""
        with self._opened(contest) as tournament:
            for applicant in _applicants(tournament.plan, players, 0):
                tournament.join(applicant)

    def summary(self, contest: str) -> Json:
        """Standings, crosstable and ratings as they are. Raises NotThere."""
        # One at a time: with many results it takes seconds, and whoever waits finds it done.
        with self._counting, self._opened(contest) as tournament:
            state = (tournament.store.count(), len(tournament.plan.players))
            known = self._summaries.get(contest)
            if known is None or known[0] != state:
                known = self._summaries[contest] = (state, summary_to_dict(summarise(tournament)))
            return known[1]

    def last_games(self, contest: str, most: int, *, forfeits_only: bool) -> list[Json]:
        """The games that ended last, in a line each. Raises NotThere."""
        with self._opened(contest) as tournament:
            kept = tournament.store.last_games(most, forfeits_only=forfeits_only)
        return [_game_line(game) for game in kept]

    def game(self, contest: str, number: int) -> KeptGame:
        """A game in full. Raises NotThere."""
        with self._opened(contest) as tournament:
            kept = tournament.store.game(number)
        if kept is None:
            raise NotThere(number)
        return kept

    def report(self, contest: str) -> str:
        """The tournament as a page of its own. Raises NotThere."""
        name = self.find(contest)["name"]
        with self._opened(contest) as tournament:
            return report_page(summarise(tournament), tournament.store, title=name)

    def _opened(self, contest: str) -> Tournament:
        self.find(contest)
        return opened(self._folder.parent, contest)


def opened(data: Path, contest: str) -> Tournament:
    """An open tournament of the arena in a directory."""

    def parse_for(plan: TournamentPlan) -> Callable[[str], Any]:
        return lambda text: parse_entrant(text, python=plan.python, edition=plan.edition)

    return Tournament(data / _FOLDER / contest, parse_for)


def _applicants(plan: TournamentPlan, players: Sequence[tuple[str, str]], challengers: int) -> list[Applicant]:
    applicants = []
    for number, (name, spelling) in enumerate(players):
        entrant = parse_entrant(spelling, python=plan.python, edition=plan.edition)
        plain = re.sub(r"[^\w.+-]", "_", name).strip(".")[:60] or "player"
        applicants.append(Applicant(Contestant(plain, entrant.spelling, number < challengers), entrant))
    return applicants


def _game_line(kept: KeptGame) -> Json:
    record = kept.result.record
    outcome = record.outcome
    return {
        "number": kept.finished,
        "black": record.black,
        "white": record.white,
        "moves": len(record.moves),
        "winner": outcome and outcome.winner and outcome.winner.name.lower(),
        "verdict": outcome and outcome.verdict.value,
        "text": str(outcome),
        "forfeit": bool(outcome and outcome.verdict.is_forfeit),
        "capsule": kept.result.capsule is not None,
    }


def work(params: dict[str, Any], data: Path, tell: Tell) -> dict[str, Any]:
    """The job that plays a tournament on, from wherever it is."""
    _wait_for_others(data / _FOLDER / params["tournament"], tell)
    with opened(data, params["tournament"]) as tournament:

        @contextlib.contextmanager
        def watch(batch: Batch) -> Iterator[Callable[[], None]]:
            done = 0

            def step() -> None:
                nonlocal done
                done += 1
                tell(done, len(batch.games), batch.label)

            tell(0, len(batch.games), batch.label)
            yield step

        watcher = Watcher(watch, lambda failure: tell(0, 1, f"a game is void and played again: {failure.reason}"))
        executor = partial(run_tasks, workers=params["jobs"] or cores())
        run_tournament(tournament, executor, watcher)
        return {"games": tournament.store.count()}


def _wait_for_others(folder: Path, tell: Tell) -> None:
    """Wait while another command plays the tournament, but not for ever: then whoever runs it is told so."""
    ends = time.monotonic() + _PATIENCE
    while is_running(folder) and time.monotonic() < ends:
        tell(0, 1, "another command is playing this tournament: waiting for it")
        time.sleep(0.2)
