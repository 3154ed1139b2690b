"""Playing a tournament: on with the games that are not finished, each kept as soon as it is."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlego.arena.entrants.kinds import Prepared
from littlego.arena.entrants.travel import travelling
from littlego.arena.match.plan import GameResult, finished_game, play_prepared
from littlego.arena.match.run import Executor
from littlego.arena.pool.local import Failure
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.arena.tournament import formats, swiss
from littlego.arena.tournament.directory import Tournament
from littlego.arena.tournament.games import GameKey, unpack
from littlego.arena.tournament.plan import Format
from littlego.arena.tournament.roster import Member, prepare_member
from littlego.arena.tournament.store import Pairing
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed

_LOCK: Final = "run.lock"
_LOOK: Final = "look.lock"


@dataclass(frozen=True, slots=True)
class Chair:
    """A player as a worker gets it."""

    name: str
    spelling: str
    """Of the tournament's own copy, for the capsule of a forfeit."""
    is_program: bool
    prepared: Prepared


@dataclass(frozen=True, slots=True)
class TournamentJob:
    """What a worker needs to play any game of a tournament. Can be pickled."""

    rules: Rules
    seed: int
    limits: Limits
    minimum_level: Level | None
    chairs: dict[int, Chair]

    @contextlib.contextmanager
    def open(self) -> Iterator[Callable[[int], tuple[GameKey, GameResult]]]:
        """Get ready; the value plays the game of a packed key, and gives the key with the result."""
        with Supervisor() as supervisor:
            yield lambda task: self._played(unpack(task), supervisor)

    def _played(self, key: GameKey, supervisor: Supervisor) -> tuple[GameKey, GameResult]:
        black, white = self.chairs[key.black], self.chairs[key.white]
        if self.minimum_level is not None and (black.is_program or white.is_program):
            _check_level(supervisor, self.minimum_level)
        record, players = play_prepared(
            (black.prepared, white.prepared),
            names=(black.name, white.name),
            rules=self.rules,
            seed=derive_seed(self.seed, "game", black.name, white.name, key.number),
            supervisor=supervisor,
            limits=self.limits,
        )
        spellings = {Colour.BLACK: black.spelling, Colour.WHITE: white.spelling}
        return key, finished_game(key.number, record, players, spellings=spellings, supervisor=supervisor)


@dataclass(frozen=True, slots=True)
class Batch:
    """Games that can be played now, whatever their results."""

    label: str
    games: list[int]
    """Their packed keys."""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who is told of a run while it goes on."""

    on_batch: Callable[[Batch], AbstractContextManager[Callable[[], None]]]
    """Told of a batch before it begins; the value is called for every game that was kept."""
    on_void: Callable[[Failure], None]


def run_tournament(tournament: Tournament, executor: Executor, watcher: Watcher, *, elsewhere: bool = False) -> bool:
    """Play all games that are not finished; whether that was done, and not ended by `request_stop`.

    `elsewhere` sends players' files along, for workers that do not see this directory. Whoever joins
    meanwhile is played too. A game that fails through our fault is void and played again; TaskFailed
    is raised if that does not help, when everything else has been played. Raises UsageError if
    another process runs this tournament.
    """
    with running(tournament.folder):
        while (batch := next_batch(tournament)) is not None:
            job = make_job(tournament, elsewhere=elsewhere)
            with watcher.on_batch(batch) as step:
                results = executor(job, _until_stopped(tournament, batch.games), on_failure=watcher.on_void)
                with contextlib.closing(results):
                    for key, result in results:
                        if tournament.store.add(key, result):
                            step()
            if tournament.stop_file.exists():
                tournament.stop_file.unlink(missing_ok=True)
                return next_batch(tournament) is None
    return True


def _until_stopped(tournament: Tournament, games: Iterable[int]) -> Iterator[int]:
    for game in games:
        if tournament.stop_file.exists():
            return
        yield game


def next_batch(tournament: Tournament) -> Batch | None:
    """The games to be played next; None when the tournament is over."""
    plan, members = tournament.reload()
    finished = tournament.store.finished()
    if plan.format is not Format.SWISS:
        games = [packed for key in formats.planned_games(plan, members) if (packed := key.packed()) not in finished]
        return Batch("games", games) if games else None
    rounds = tournament.store.rounds()
    wanted = plan.rounds or swiss.default_rounds(len(members))
    for number in range(wanted):
        if number == len(rounds):
            tournament.store.pair(number, next_pairings(tournament))
            rounds = tournament.store.rounds()
        keys = swiss.round_games(number, rounds[number], plan.games)
        here = {member.joined.id for member in members}  # who has left since the pairing plays no more
        both = (key for key in keys if key.black in here and key.white in here)
        games = [packed for key in both if (packed := key.packed()) not in finished]
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


def make_job(tournament: Tournament, *, elsewhere: bool = False) -> TournamentJob:
    """What workers need, here or `elsewhere`. Raises UsageError if a program cannot be built."""
    plan = tournament.plan
    with Supervisor() as supervisor:
        chairs = {
            member.joined.id: Chair(
                member.contestant.name,
                member.entrant.spelling,
                member.is_program,
                _prepared(tournament, member, supervisor, elsewhere=elsewhere),
            )
            for member in tournament.members
        }
    return TournamentJob(plan.rules, plan.seed, plan.limits, plan.minimum_level, chairs)


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


def check_level(tournament: Tournament) -> None:
    """Raises UsageError if this machine cannot isolate the tournament's programs as well as it wants."""
    minimum = tournament.plan.minimum_level
    if minimum is not None and any(member.is_program for member in tournament.members):
        with Supervisor() as supervisor:
            _check_level(supervisor, minimum)


def _check_level(supervisor: Supervisor, minimum: Level) -> None:
    if supervisor.level < minimum:
        raise UsageError(
            f"this machine isolates programs at {supervisor.level}, and the tournament wants {minimum}: "
            "run it where that can be had ('littlego sandbox' tells), or lower minimum_level in tournament.toml"
        )


@contextlib.contextmanager
def running(folder: Path) -> Iterator[None]:
    """While this lasts no other process runs the tournament. Raises UsageError if one does."""
    with (folder / _LOCK).open("w") as file:
        try:
            with _nobody_looks(folder):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"{folder}: another command is running this tournament: wait for it, or stop it with "
                             f"'littlego tournament stop {folder}'") from error  # fmt: skip
        (folder / "stop").unlink(missing_ok=True)
        yield


def is_running(folder: Path) -> bool:
    """Whether some process runs the tournament now."""
    try:
        with (folder / _LOCK).open("r") as file, _nobody_looks(folder):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(file, fcntl.LOCK_UN)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextlib.contextmanager
def _nobody_looks(folder: Path) -> Iterator[None]:
    """For a moment, nobody else takes or tries the lock of a run: a look must not make a run that begins fail."""
    with (folder / _LOOK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
