"""The one way to play games: fixtures, a job that can play any of them, and a loop that plays those a store lacks.

    fixtures ──> play_missing(job, fixtures, store, executor) ──> store, each result once

Matches, gradings, tournaments and the gauntlet differ only in their fixtures and in what they do with the store. A
failure of ours voids the game, which is played again; a player's fault is a forfeit.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol

from littlego.arena.capsule import TRUSTED, Capsule
from littlego.arena.entrants.gtp_player import GtpPlayer
from littlego.arena.entrants.kinds import Prepared
from littlego.arena.entrants.program_player import ProgramPlayer
from littlego.arena.pool.tasks import Executor, Failure
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.arena.results import GameResult, Key
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.game import play, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed


@dataclass(frozen=True, slots=True)
class Chair:
    """A participant as a worker gets it."""

    name: str
    """Its name in records."""
    prepared: Prepared
    spelling: str = ""
    """Its name in the capsule of a forfeit."""


@dataclass(frozen=True, slots=True)
class Fixture(Generic[Key]):
    """One game to be played: everything that decides it."""

    key: Key
    """Identifies the game to the caller and the store."""
    black: Hashable
    """A chair of the job."""
    white: Hashable
    seed: int
    opening: tuple[Move, ...] = ()
    """Moves that are played before anybody is asked for one."""


@dataclass(frozen=True, slots=True)
class GamesJob:
    """What a worker needs to play any fixture. Can be pickled, and sent to a cluster."""

    rules: Rules
    limits: Limits
    level: Level | None
    """The required level of isolation; None takes the best available."""
    chairs: Mapping[Any, Chair]
    minimum_level: Level | None = None
    """Programs do not play on machines that cannot isolate them this well."""

    @contextlib.contextmanager
    def open(self) -> Iterator[Callable[[Fixture[Any]], GameResult]]:
        """The value plays a fixture. It raises SupervisorFailed and OSError for failures that are ours."""
        with Supervisor(level=self.level) as supervisor:
            yield lambda fixture: self._played(fixture, supervisor)

    def _played(self, fixture: Fixture[Any], supervisor: Supervisor) -> GameResult:
        chairs = {Colour.BLACK: self.chairs[fixture.black], Colour.WHITE: self.chairs[fixture.white]}
        with contextlib.ExitStack() as stack:
            players = {
                colour: stack.enter_context(
                    chair.prepared.seated(derive_seed(fixture.seed, colour.name), supervisor, self.limits)
                )
                for colour, chair in chairs.items()
            }
            if any(isinstance(player, ProgramPlayer) for player in players.values()):
                check_level(supervisor, self.minimum_level)
            record = play(
                players,
                start=Position.initial(self.rules),
                opening=fixture.opening,
                names=(chairs[Colour.BLACK].name, chairs[Colour.WHITE].name),
                seed=fixture.seed,
                observer=tell_players(players),
            )
        programs = {colour: player for colour, player in players.items() if isinstance(player, ProgramPlayer)}
        timed = {colour: player for colour, player in players.items() if isinstance(player, ProgramPlayer | GtpPlayer)}
        capsule = None
        if record.outcome and record.outcome.winner and record.outcome.verdict.is_forfeit:
            loser = record.outcome.winner.opponent
            level = str(supervisor.level) if programs else ""
            capsule = Capsule.of_loser(chairs[loser].spelling, players[loser], record, level)
        return GameResult(
            record,
            str(supervisor.level) if programs else TRUSTED if timed else "in process",
            supervisor.mechanisms if programs else (),
            {colour.word: player.cpu_seconds for colour, player in programs.items()},
            {colour.word: player.wall_seconds for colour, player in timed.items()},
            tuple(f"{colour} {remark}" for colour, player in programs.items() for remark in player.remarks),
            capsule.to_dict() if capsule else None,
        )


def check_level(supervisor: Supervisor, minimum: Level | None) -> None:
    """Raises UsageError if this machine cannot isolate programs as well as required."""
    if minimum is not None and supervisor.level < minimum:
        raise UsageError(
            f"this machine isolates programs at {supervisor.level}, and the tournament requires {minimum}: "
            "run it on a machine that offers it (see 'littlego sandbox'), or lower minimum_level in tournament.toml"
        )


class GameStore(Protocol[Key]):
    """Where results are stored, each once."""

    def finished(self) -> Collection[Key]: ...

    def add(self, key: Key, result: GameResult) -> bool:
        """Store a result; False if that game had one before, and then nothing changes."""
        ...

    def check_writable(self) -> None:
        """Raises UsageError if nothing can be stored."""
        ...


def play_missing(
    job: GamesJob,
    fixtures: Iterable[Fixture[Key]],
    store: GameStore[Key],
    executor: Executor,
    *,
    on_result: Callable[[Fixture[Key], GameResult], None] = lambda _fixture, _result: None,
    on_void: Callable[[Failure], None] = lambda _failure: None,
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Play the fixtures that `store` lacks, and store each result as its game ends.

    `fixtures` is read lazily and may depend on earlier results. Once `enough` returns true nothing more is stored, and
    games under way are abandoned. A game that fails through our fault is void and played again. Raises TaskFailed if
    that does not help, after everything else has been played; calling again continues. Raises UsageError if there is
    something to play and the store cannot be written to.
    """
    finished = set(store.finished())
    missing = (fixture for fixture in fixtures if fixture.key not in finished)
    first = None if enough() else next(missing, None)
    if first is None:
        return
    store.check_writable()
    games = executor.run(job, itertools.chain([first], missing), on_failure=on_void)
    with contextlib.closing(games):
        while not enough() and (played := next(games, None)) is not None:
            fixture, result = played
            if store.add(fixture.key, result):  # otherwise it came twice, and was counted the first time
                on_result(fixture, result)


def void_words(failure: Failure, game: str = "A game") -> str:
    """The sentence that people read about a void game."""
    return f"{game} is void, through no fault of the players, and is played again: {failure.reason}"


class Spending:
    """The CPU time that each chair has used of its budget for several games."""

    def __init__(self, budget: float | None) -> None:
        self._budget = budget
        self.seconds: dict[Hashable, float] = {}

    def add(self, fixture: Fixture[Any], result: GameResult) -> None:
        for chair, colour in ((fixture.black, "black"), (fixture.white, "white")):
            self.seconds[chair] = self.seconds.get(chair, 0.0) + sum(result.cpu_seconds.get(colour, ()))

    def overdrawn(self) -> Hashable | None:
        """The chair that has exceeded the budget, or None."""
        worst = max(self.seconds, key=self.seconds.__getitem__, default=None)
        return None if self._budget is None or worst is None or self.seconds[worst] <= self._budget else worst


class Identified(Protocol):
    """A participant, built or not."""

    def identity(self) -> str:
        """Changes when it would play differently."""
        ...


def run_identity(players: Iterable[Identified], **settings: Any) -> str:
    """A short hash of everything that decides a run of games; the `settings` are JSON values."""
    text = json.dumps([settings, *(player.identity() for player in players)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
