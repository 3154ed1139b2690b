"""A match: a plan of games between two entrants, and the playing of any one of them."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from littlego.arena.capsule import TRUSTED, Capsule
from littlego.arena.entrants.gtp_player import GtpPlayer
from littlego.arena.entrants.kinds import Prepared, Seat
from littlego.arena.entrants.program_player import ProgramPlayer
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.levels import Level
from littlego.arena.referee.limits import Limits
from littlego.core.colour import Colour
from littlego.core.errors import PlayerFault
from littlego.core.game import GameRecord, Player, play, tell_players
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.core.seeds import derive_seed
from littlego.core.verdict import Verdict
from littlego.formats.records import rules_to_dict
from littlego.storage.scratch import temporary_directory


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that decides a match. Equal plans are the same match, which is then continued."""

    first: str
    """How the first entrant is spelled; it has Black in games 0, 2, 4, ..."""
    second: str
    rules: Rules
    games: int
    seed: int
    limits: Limits
    level: Level | None = None
    """The level of isolation asked for; None takes the best."""
    budget_seconds: float | None = None
    """CPU time that each program may use in the whole match; who passes it loses the games to come."""

    def spelling(self, number: int, colour: Colour) -> str:
        """Who has a colour in a game, counted from 0."""
        return self.first if self.first_colour(number) is colour else self.second

    def first_colour(self, number: int) -> Colour:
        """The colour of the first entrant in a game."""
        return Colour.WHITE if number % 2 else Colour.BLACK

    def identity(self, *prepared: Prepared) -> str:
        """A short text that is different for every plan and for every change to what an agent plays from.

        Not for another number of games, which are further games of the same match, nor for another place of the
        agents' files.
        """
        return run_identity(
            prepared,
            rules=rules_to_dict(self.rules),
            seed=self.seed,
            limits=self.limits.as_dict(),
            level=str(self.level),
            budget=self.budget_seconds,
        )


class Identified(Protocol):
    """Somebody who plays, prepared or not."""

    def identity(self) -> str:
        """A text that changes when it would play differently."""
        ...


def run_identity(players: Iterable[Identified], **decides: Any) -> str:
    """A short text for a run of games between those: equal where all that decides the games is equal.

    `decides` are JSON values.
    """
    text = json.dumps([decides, *(player.identity() for player in players)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game with all that a report tells of it."""

    number: int
    record: GameRecord
    level: str
    mechanisms: tuple[str, ...]
    cpu_seconds: dict[str, list[float]] = field(default_factory=dict)
    """By colour, the CPU time of each move of a program."""
    wall_seconds: dict[str, list[float]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    capsule: dict[str, Any] | None = None
    """Of a forfeit by a program: what is needed to reproduce it."""


@dataclass(frozen=True, slots=True)
class Table:
    """Where the games of a plan are played: two prepared entrants and a supervisor."""

    plan: MatchPlan
    names: tuple[str, str]
    prepared: tuple[Prepared, Prepared]
    supervisor: Supervisor

    def play(self, number: int) -> GameResult:
        """Play one game. Raises SupervisorFailed and OSError for failures that are ours."""
        order = (0, 1) if self.plan.first_colour(number) is Colour.BLACK else (1, 0)
        record, players = play_prepared(
            (self.prepared[order[0]], self.prepared[order[1]]),
            names=(self.names[order[0]], self.names[order[1]]),
            rules=self.plan.rules,
            seed=derive_seed(self.plan.seed, "game", number),
            supervisor=self.supervisor,
            limits=self.plan.limits,
        )
        spellings = {colour: self.plan.spelling(number, colour) for colour in Colour}
        return finished_game(number, record, players, spellings=spellings, supervisor=self.supervisor)

    def forfeit(self, number: int, loser: Colour, used: float) -> GameResult:
        """A game that is not played because `loser` has used up its budget."""
        order = (0, 1) if self.plan.first_colour(number) is Colour.BLACK else (1, 0)
        start = Position.initial(self.plan.rules)
        reason = f"its moves took {used:.1f} s of CPU time in all, of {self.plan.budget_seconds:g} s for the match"
        fault = PlayerFault(Verdict.BATCH_BUDGET, reason)
        record = GameRecord(self.names[order[0]], self.names[order[1]], start).forfeited(loser, fault, start)
        return GameResult(number, record, "not played", ())


def finished_game(
    number: int,
    record: GameRecord,
    players: dict[Colour, Player],
    *,
    spellings: dict[Colour, str],
    supervisor: Supervisor,
) -> GameResult:
    """All that is told of a game that `play_prepared` has played; `spellings` are for the capsule of a forfeit."""
    programs = {colour: player for colour, player in players.items() if isinstance(player, ProgramPlayer)}
    timed = {colour: player for colour, player in players.items() if isinstance(player, ProgramPlayer | GtpPlayer)}
    return GameResult(
        number,
        record,
        str(supervisor.level) if programs else TRUSTED if timed else "in process",
        supervisor.mechanisms if programs else (),
        {colour.name.lower(): player.cpu_seconds for colour, player in programs.items()},
        {colour.name.lower(): player.wall_seconds for colour, player in timed.items()},
        tuple(f"{colour} {remark}" for colour, player in programs.items() for remark in player.remarks),
        _capsule(record, players, spellings, supervisor),
    )


def _capsule(
    record: GameRecord, players: dict[Colour, Player], spellings: dict[Colour, str], supervisor: Supervisor
) -> dict[str, Any] | None:
    outcome = record.outcome
    if outcome is None or outcome.winner is None or not outcome.verdict.is_forfeit:
        return None
    loser = outcome.winner.opponent
    player, spelling = players[loser], spellings[loser]
    if isinstance(player, GtpPlayer):
        return Capsule.of_engine(spelling, player, record).to_dict()
    if isinstance(player, ProgramPlayer):
        return Capsule.of_forfeit(spelling, player, record, str(supervisor.level)).to_dict()
    return None


def play_prepared(
    prepared: tuple[Prepared, Prepared],
    *,
    names: tuple[str, str],
    rules: Rules,
    seed: int,
    supervisor: Supervisor,
    limits: Limits,
) -> tuple[GameRecord, dict[Colour, Player]]:
    """Seat Black and White, play a game, and return its record and the players as they stood up."""
    with contextlib.ExitStack() as stack:
        players = {
            colour: entrant.sit_down(
                Seat(
                    derive_seed(seed, colour.name),
                    lambda: stack.enter_context(temporary_directory("littlego-game-")),
                    supervisor,
                    limits,
                )
            )
            for colour, entrant in zip(Colour, prepared, strict=True)
        }
        for player in players.values():
            if isinstance(player, GtpPlayer):  # a process that lives for the game
                stack.callback(player.close)
        start = Position.initial(rules)
        record = play(players, start=start, names=names, seed=seed, observer=tell_players(players))
    return record, players
