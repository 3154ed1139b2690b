"""Playing a tournament: on with the games that are not finished, each kept as soon as it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import Prepared
from littlego.arena.entrants.travel import travelling
from littlego.arena.games import Chair, Fixture, GamesJob, check_level, play_missing
from littlego.arena.openings import Opening, openings
from littlego.arena.pool.tasks import Executor, Failure
from littlego.arena.referee.client import Supervisor
from littlego.arena.tournament import formats, swiss
from littlego.arena.tournament.directory import Tournament
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.roster import Member, prepare_member
from littlego.arena.tournament.store import GameKey, Pairing
from littlego.core.errors import UsageError
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed
from littlego.storage.locks import is_locked, locked

_LOCK: Final = "run.lock"


@dataclass(frozen=True, slots=True)
class Batch:
    """Games that can be played now, whatever their results."""

    label: str
    games: list[GameKey]


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who is told of a run while it goes on."""

    on_batch: Callable[[Batch], AbstractContextManager[Callable[[], None]]]
    """Told of a batch before it begins; the value is called for every game that was kept."""
    on_void: Callable[[Failure], None]


def run_tournament(tournament: Tournament, executor: Executor, watcher: Watcher) -> bool:
    """Play all games that are not finished; whether that was done, and not ended by `request_stop`.

    Whoever joins meanwhile is played too. A game that fails through our fault is void and played again; TaskFailed
    is raised if that does not help, when everything else has been played. Raises UsageError if
    another process runs this tournament.
    """
    with running(tournament.folder):
        while (batch := next_batch(tournament)) is not None:
            job = make_job(tournament, elsewhere=executor.is_elsewhere)
            with watcher.on_batch(batch) as step:
                play_missing(
                    job,
                    _until_stopped(tournament, job, batch.games),
                    tournament.store,
                    executor,
                    on_result=partial(_step, step),
                    on_void=watcher.on_void,
                )
            if tournament.stop_file.exists():
                tournament.stop_file.unlink(missing_ok=True)
                return next_batch(tournament) is None
    return True


def _step(step: Callable[[], None], _fixture: object, _result: object) -> None:
    step()


def _until_stopped(tournament: Tournament, job: GamesJob, games: Iterable[GameKey]) -> Iterator[Fixture[GameKey]]:
    for key in games:
        if tournament.stop_file.exists():
            return
        yield fixture_of(key, job, tournament.plan)


def fixture_of(key: GameKey, job: GamesJob, plan: TournamentPlan) -> Fixture[GameKey]:
    """The game of a key; its seed depends on who plays, not on their numbers."""
    names = job.chairs[key.black].name, job.chairs[key.white].name
    first = _openings(plan.rules, plan.openings)
    opening = first[key.number // 2 % len(first)] if first else ()
    return Fixture(key, key.black, key.white, derive_seed(plan.seed, "game", *names, key.number), opening)


@cache
def _openings(rules: Rules, plies: int) -> tuple[Opening, ...]:
    return openings(rules, plies) if plies else ()


def next_batch(tournament: Tournament) -> Batch | None:
    """The games to be played next; None when the tournament is over."""
    plan, members = tournament.reload()
    finished = tournament.store.finished()
    if plan.format is not Format.SWISS:
        games = [key for key in formats.planned_games(plan, members) if key not in finished]
        return Batch("games", games) if games else None
    rounds = tournament.store.rounds()
    wanted = plan.rounds or swiss.default_rounds(len(members))
    for number in range(wanted):
        if number == len(rounds):
            tournament.store.pair(number, next_pairings(tournament))
            rounds = tournament.store.rounds()
        keys = swiss.round_games(number, rounds[number], plan.games)
        here = {member.joined.id for member in members}  # who has left since the pairing plays no more
        games = [key for key in keys if key.black in here and key.white in here and key not in finished]
        if games:
            return Batch(f"round {number + 1} of {wanted}", games)
    return None


def next_pairings(tournament: Tournament) -> list[Pairing]:
    """The pairings of the round after those that were paired, whose games must all be finished."""
    plan, members = tournament.plan, tournament.members
    rounds = tournament.store.rounds()
    names = {member.joined.id: member.contestant.name for member in members}
    stand = swiss.progress_after(names, rounds, tournament.scores(), plan.games, tournament.store.finished())
    return swiss.pair_round(stand, names, number=len(rounds), seed=plan.seed)


def make_job(tournament: Tournament, *, elsewhere: bool = False) -> GamesJob:
    """What workers need, here or `elsewhere`. Raises UsageError if a program cannot be built."""
    plan = tournament.plan
    with Supervisor() as supervisor:
        chairs = {
            member.joined.id: Chair(
                member.contestant.name,
                _prepared(tournament, member, supervisor, elsewhere=elsewhere),
                member.entrant.spelling,  # of the tournament's own copy
            )
            for member in tournament.members
        }
    return GamesJob(plan.rules, plan.limits, None, chairs, plan.minimum_level)


def _prepared(tournament: Tournament, member: Member, supervisor: Supervisor, *, elsewhere: bool) -> Prepared:
    prepared = prepare_member(tournament.folder, member, supervisor)
    _check_same_player(tournament, member, prepared)
    return travelling(member.entrant, prepared) if elsewhere else prepared


def _check_same_player(tournament: Tournament, member: Member, prepared: Prepared) -> None:
    """Raises UsageError for a player that would play with another interpreter than in its games so far."""
    fact = f"identity of {member.contestant.name}"
    now = prepared.identity()
    if (earlier := tournament.store.fact(fact)) is None:
        tournament.store.note(fact, now)
    elif earlier != now:
        raise UsageError(
            f"{member.contestant.name}: what it is run with is not what its games were played with ({earlier} then, "
            f"{now} now). Put that back; to let it play with this, add it as a new player"
        )


def check_machine(tournament: Tournament) -> None:
    """Raises UsageError if this machine cannot isolate the tournament's programs as well as it wants."""
    minimum = tournament.plan.minimum_level
    if minimum is not None and any(member.is_program for member in tournament.members):
        with Supervisor() as supervisor:
            check_level(supervisor, minimum)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[None]:
    """While this lasts no other process runs the tournament. Raises UsageError if one does."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(folder / _LOCK, wait=False))
        except BlockingIOError as error:
            raise UsageError(f"{folder}: another command is running this tournament: wait for it, or stop it with "
                             f"'littlego tournament stop {folder}'") from error  # fmt: skip
        (folder / "stop").unlink(missing_ok=True)
        yield


def is_running(folder: Path) -> bool:
    """Whether some process runs the tournament now."""
    return is_locked(folder / _LOCK)
