"""Playing a tournament: the games that are not finished, each stored as soon as it ends."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final

from littlego.arena.games import Chair, Fixture, GamesJob, Opening, check_level, opening_of, openings, play_missing
from littlego.arena.participants import Prepared, PreparedProgram, prepare_surely, travelling
from littlego.arena.pool import Executor, Failure
from littlego.arena.store import GameResult
from littlego.arena.tournament import pairings
from littlego.arena.tournament.folder import GameKey, Pairing, Participant, Tournament
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.roster import Parse, entrant_of
from littlego.core.errors import UsageError
from littlego.core.game import derive_seed
from littlego.core.rules import Rules
from littlego.sandbox.client import Supervisor
from littlego.storage.files import locked
from littlego.storage.scratch import temporary_directory

_LOCK: Final = "run.lock"


@dataclass(frozen=True, slots=True)
class Wave:
    """Games that can be played now, independently of each other's results."""

    label: str
    games: list[GameKey]


@dataclass(frozen=True, slots=True)
class RunWatcher:
    """Callbacks that follow a run."""

    on_wave: Callable[[Wave], AbstractContextManager[Callable[[GameResult], None]]]
    """Called before a wave begins; the value is called with every result stored."""
    on_void: Callable[[Failure], None]


def run_tournament(
    tournament: Tournament,
    parse_for: Callable[[TournamentPlan], Parse],
    executor: Executor,
    watcher: RunWatcher,
    *,
    patience: float = 0.0,
) -> None:
    """Play all games that are not finished; `parse_for` gives the parser of spellings by a plan.

    Those who join meanwhile play too. A game that fails because of an error on our side is void and played again; if
    that does not help, TaskFailed is raised after everything else has been played. Raises UsageError if another process
    still runs this tournament after `patience` seconds.
    """
    with running(tournament.folder, patience=patience), temporary_directory("littlego-build-") as workshop:
        chairs: dict[int, Chair] = {}
        while (wave := next_wave(tournament)) is not None:
            job = make_job(tournament, parse_for(tournament.plan), workshop, chairs, elsewhere=executor.is_elsewhere)
            with watcher.on_wave(wave) as count:
                play_missing(
                    job,
                    (fixture_of(key, job, tournament.plan) for key in wave.games),
                    tournament.store,
                    executor,
                    on_result=partial(_count, count),
                    on_void=watcher.on_void,
                )


def _count(count: Callable[[GameResult], None], _fixture: object, result: GameResult) -> None:
    count(result)


def fixture_of(key: GameKey, job: GamesJob, plan: TournamentPlan) -> Fixture[GameKey]:
    """The fixture of a key; its seed depends on the players' names, not on their numbers."""
    names = job.chairs[key.black].name, job.chairs[key.white].name
    opening = opening_of(_openings(plan.rules, plan.openings), key.number)
    return Fixture(key, key.black, key.white, derive_seed(plan.seed, "game", *names, key.number), opening)


@cache
def _openings(rules: Rules, plies: int) -> tuple[Opening, ...]:
    return openings(rules, plies) if plies else ()


def next_wave(tournament: Tournament) -> Wave | None:
    """The games to play next; None when the tournament is over."""
    tournament.reload()
    plan, participants, finished = tournament.plan, tournament.participants, tournament.store.finished()
    if not finished:
        tournament.store.note(settled=plan.settled())
    if plan.format is not Format.SWISS:
        games = [key for key in pairings.planned_games(plan, participants) if key not in finished]
        return Wave("games", games) if games else None
    rounds = tournament.store.rounds()
    wanted = plan.rounds or pairings.default_rounds(len(participants))
    for number in range(wanted):
        if number == len(rounds):
            tournament.store.pair(number, next_pairings(tournament))
            rounds = tournament.store.rounds()
        keys = pairings.round_games(number, rounds[number], plan.games)
        here = {participant.id for participant in participants}  # who has left since the pairing does not play
        games = [key for key in keys if key.black in here and key.white in here and key not in finished]
        if games:
            return Wave(f"round {number + 1} of {wanted}", games)
    return None


def next_pairings(tournament: Tournament) -> list[Pairing]:
    """The pairings of the next round; all games of earlier rounds must be finished."""
    store, plan = tournament.store, tournament.plan
    rounds = store.rounds()
    names = {participant.id: participant.name for participant in tournament.participants}
    stand = pairings.progress_after(names, rounds, tournament.scores(), plan.games, store.finished())
    return pairings.pair_round(stand, names, number=len(rounds), seed=plan.seed)


def make_job(
    tournament: Tournament, parse: Parse, workshop: Path, built: dict[int, Chair], *, elsewhere: bool = False
) -> GamesJob:
    """What workers need. Those who are not among the `built` are built in `workshop`, and added.

    Raises UsageError if a program has changed, cannot be built, or cannot be isolated here as the plan requires.
    `elsewhere`: for workers that do not see our files, and check for themselves how they isolate.
    """
    plan, participants = tournament.plan, tournament.participants
    with Supervisor() as supervisor:
        for one in participants:
            if one.id not in built:
                entrant = entrant_of(one, tournament.folder, parse)
                prepared = prepare_surely(entrant, workshop / str(one.id), supervisor)
                _check_same_player(tournament, one, prepared)
                if isinstance(prepared, PreparedProgram) and not elsewhere:
                    check_level(supervisor, plan.minimum_level)
                # The spelling is that of the tournament's own copy.
                sent = travelling(entrant, prepared) if elsewhere else prepared
                built[one.id] = Chair(one.name, sent, entrant.spelling)
    chairs = {one.id: built[one.id] for one in participants}
    return GamesJob(plan.rules, plan.limits, None, chairs, plan.minimum_level)


def _check_same_player(tournament: Tournament, participant: Participant, prepared: Prepared) -> None:
    """Raises UsageError if its interpreter is not the one its games so far were played with."""
    fact = f"identity of {participant.name}"
    now = prepared.identity()
    if (earlier := tournament.store.fact(fact)) is None:
        tournament.store.note(**{fact: now})
    elif earlier != now:
        raise UsageError(
            f"{participant.name}: its earlier games were played with another interpreter ({earlier} then, "
            f"{now} now). Restore that one; to let it play with this one, add it as a new player"
        )


@contextlib.contextmanager
def running(folder: Path, *, patience: float = 0.0) -> Iterator[None]:
    """Keep other processes from running the tournament. Raises UsageError if one still does after so many seconds."""
    ends = time.monotonic() + patience
    with contextlib.ExitStack() as stack:
        while True:
            try:
                stack.enter_context(locked(folder / _LOCK, wait=False))
                break
            except BlockingIOError as error:
                if time.monotonic() >= ends:
                    raise UsageError(f"{folder}: another command is running this tournament: wait for it") from error
            time.sleep(0.2)
        yield
