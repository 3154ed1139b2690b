"""The one way to play games: fixtures, a job that can play any of them, and a loop that plays those a store lacks.

    fixtures ──> play_missing(job, fixtures, store, executor) ──> store, each result once

Matches, gradings, tournaments and the gauntlet differ only in their fixtures and in what they do with the store. A
failure of ours voids the game, which is played again; a player's fault is a forfeit. A forfeit by a program leaves a
capsule, which reproduces it: the input, the agent's own files, the limits. Games may begin with an opening, so that
deterministic players do not repeat one game: each is played twice, with swapped colours, and favours nobody.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import itertools
import json
import math
import random
import re
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeAlias

from littlego.arena.participants import BuiltIn, Prepared, Traveller
from littlego.arena.pool import Executor, Failure
from littlego.arena.program import ProgramPlayer
from littlego.arena.store import TRUSTED, GameResult, Key, Store
from littlego.arena.untrusted import StateFiles, decode_state, encode_state
from littlego.core.board import Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import GameRecord, Player, derive_seed, play, tell_players
from littlego.core.points import Move, Pass, parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules, Verdict, edition_rules
from littlego.formats.fields import parse_json
from littlego.formats.records import record_from_dict, record_to_dict
from littlego.formats.text import plural
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Level, Limits
from littlego.sandbox.plan import HELD_UP
from littlego.stats import Tally
from littlego.storage.files import read_bytes, read_text, write_whole

SCHEMA: Final = 1


@dataclass(frozen=True, slots=True)
class Capsule:
    """A forfeit that can be replayed."""

    agent: str
    """Its spelling."""
    digest: str
    """Of its files."""
    language: str
    record: GameRecord
    """The game up to the forfeit."""
    move_number: int
    input: str
    """The exact `input.txt`; for a GTP engine the transcript."""
    state: StateFiles
    """The files that the agent had written in earlier moves."""
    limits: Limits
    level: str
    verdict: Verdict
    reason: str
    stderr: str
    status: int | None
    cpu_seconds: float
    wall_seconds: float

    @classmethod
    def of_loser(cls, spelling: str, player: Player, record: GameRecord, level: str) -> Capsule | None:
        """The capsule of the game that `player` has just forfeited; None for a built-in player."""
        from littlego.arena.gtp import GtpPlayer, PreparedEngine

        assert record.outcome is not None
        shared: dict[str, Any] = {
            "agent": spelling,
            "record": record,
            "verdict": record.outcome.verdict,
            "reason": record.outcome.reason,
        }
        if isinstance(player, GtpPlayer):
            return cls(
                digest=PreparedEngine(player.argv).digest,
                language="gtp",
                move_number=player.move_number,
                input=player.transcript,
                state={},
                limits=player.limits,
                level=TRUSTED,
                stderr=player.stderr,
                status=player.status,
                cpu_seconds=0.0,
                wall_seconds=player.wall_seconds[-1] if player.wall_seconds else 0.0,
                **shared,
            )
        if isinstance(player, ProgramPlayer) and (last := player.last):
            return cls(
                digest=player.program.digest,
                language=player.program.language,
                move_number=last.move_number,
                input=last.input,
                state=last.state,
                limits=player.limits,
                level=level,
                stderr=without_scratch(last.result.stderr, player.directory),
                status=last.result.status,
                cpu_seconds=last.result.cpu_seconds,
                wall_seconds=last.result.wall_seconds,
                **shared,
            )
        return None

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": "littlego capsule",
            **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)},
            "record": record_to_dict(self.record),
            "state": encode_state(self.state),
            "limits": self.limits.as_dict(),
            "verdict": self.verdict.value,
        }


def without_scratch(stderr: str, directory: Path) -> str:
    """An agent's words with the names of its files, and not where the referee had copied them."""
    for place in {str(directory), str(directory.resolve())}:
        stderr = stderr.replace(f"{place}/", "")
    return stderr


def with_own_paths(stderr: str, agent: str) -> str:
    """An agent's words with the full paths of its files in tracebacks, for editors and terminals that follow them.

    `agent` is its spelling: names stay as they are if it has no such files.
    """
    place = Path(agent.removeprefix("class:").partition(":")[0])
    folder = place if place.is_dir() else place.parent

    def full(match: re.Match[str]) -> str:
        path = folder / match[1]
        try:
            return f'File "{path}"' if ".." not in path.parts and path.is_file() else match[0]
        except OSError:  # a name that is too long
            return match[0]

    return re.sub(r'File "([^"/][^"]*\.py)"', full, stderr) if place.is_absolute() else stderr


def capsule_path(folder: Path, number: int) -> Path:
    """Where the capsule of a game, counted from 1, is in the folder of its match or grading."""
    return folder / "capsules" / f"game-{number}.json"


def write_capsule(path: Path, capsule: dict[str, Any]) -> None:
    """Write a capsule for `littlego replay`, unless it is there already. Raises OSError."""
    text = json.dumps(capsule, indent=1)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text)


def read_capsule(path: Path) -> Capsule:
    """Raises FormatError."""
    expected = "expected a capsule, which a match, grading or check writes for a forfeit"
    try:
        data = parse_json(read_bytes(path), str(path))
    except FormatError as error:
        raise FormatError(f"{error}; {expected}") from error
    if not isinstance(data, dict) or data.get("kind") != "littlego capsule":
        raise FormatError(f"{path}: not a capsule: {expected}")
    if data.get("schema") != SCHEMA:
        raise FormatError(f"{path}: schema: expected {SCHEMA}, got {data.get('schema')!r}")
    try:
        return _from_dict(data, str(path))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: not a complete capsule: {error!r}") from error


def _from_dict(data: dict[str, Any], source: str) -> Capsule:
    return Capsule(
        agent=str(data["agent"]),
        digest=str(data["digest"]),
        language=str(data["language"]),
        record=record_from_dict(data["record"], source=f"{source}: record"),
        move_number=int(data["move_number"]),
        input=str(data["input"]),
        state=decode_state(data["state"]),
        limits=Limits(**data["limits"]),
        level=str(data["level"]),
        verdict=Verdict(data["verdict"]),
        reason=str(data["reason"]),
        stderr=str(data["stderr"]),
        status=data["status"],
        cpu_seconds=float(data["cpu_seconds"]),
        wall_seconds=float(data["wall_seconds"]),
    )


@dataclass(frozen=True, slots=True)
class Chair:
    """A participant as a worker gets it."""

    name: str
    """Its name in records."""
    prepared: Prepared
    spelling: str = ""
    """Its name in the capsule of a forfeit."""

    @property
    def is_built_in(self) -> bool:
        """Whether all its code is ours."""
        prepared = self.prepared
        return isinstance(prepared.entrant if isinstance(prepared, Traveller) else prepared, BuiltIn)


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
        capsule = None
        if record.outcome and record.outcome.winner and record.outcome.verdict.is_forfeit:
            loser = record.outcome.winner.opponent
            level = str(supervisor.level) if programs else ""
            capsule = Capsule.of_loser(chairs[loser].spelling, players[loser], record, level)
        return GameResult(
            record,
            {
                colour.word: _isolation(supervisor) if colour in programs else TRUSTED
                for colour in players
                if colour in programs or not chairs[colour].is_built_in
            },
            _measured(players, "cpu_seconds"),
            _measured(players, "wall_seconds"),
            _measured(players, "waited_seconds"),
            tuple(f"{colour} {remark}" for colour, player in programs.items() for remark in player.remarks),
            capsule.to_dict() if capsule else None,
        )


def _isolation(supervisor: Supervisor) -> str:
    return f"{supervisor.level}: {', '.join(supervisor.mechanisms)}"


def _measured(players: Mapping[Colour, Player], name: str) -> dict[str, list[float]]:
    """The seconds of each move of those players that measure them, by colour."""
    measured = {colour.word: getattr(player, name, None) for colour, player in players.items()}
    return {word: seconds for word, seconds in measured.items() if seconds is not None}


def check_level(supervisor: Supervisor, minimum: Level | None) -> None:
    """Raises UsageError if this machine cannot isolate programs as well as required."""
    if minimum is not None and supervisor.level < minimum:
        raise UsageError(
            f"this machine isolates programs at {supervisor.level}, and the tournament requires {minimum}: "
            "run it on a machine that offers it (see 'littlego sandbox'), or lower minimum_level in tournament.toml"
        )


def play_missing(
    job: GamesJob,
    fixtures: Iterable[Fixture[Key]],
    store: Store[Key],
    executor: Executor,
    *,
    on_result: Callable[[Fixture[Key], GameResult], None] = lambda _fixture, _result: None,
    on_void: Callable[[Failure], None] = lambda _failure: None,
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Play the fixtures that `store` lacks, and store each result as its game ends.

    `fixtures` is read lazily and may depend on earlier results. Once `enough` returns true nothing more is stored, and
    games under way are abandoned. A game that fails because of an error on our side is void and played again. Raises
    TaskFailed if that does not help, after everything else has been played; calling again continues. Raises UsageError
    if there is something to play and the store cannot be written to.
    """
    finished = store.finished()
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
    return f"{game} is void because of an error on our side, and is played again: {failure.reason}"


def held_up_words(waited: Iterable[float]) -> str:
    """A sentence about the moves of an agent that others held up, from `waited_seconds`; empty if there is none."""
    long = [seconds for seconds in waited if seconds > HELD_UP]
    if not long:
        return ""
    return (
        f"The machine was busy: others took up to {max(long):.1f} s from {plural(len(long), 'move')}, "
        "and an agent that watches the real clock may have played worse."
    )


class Identified(Protocol):
    """A participant, built or not."""

    def identity(self) -> str:
        """Changes when it would play differently."""
        ...


def run_identity(players: Iterable[Identified], **settings: Any) -> str:
    """A short hash of everything that decides a run of games; the `settings` are JSON values."""
    text = json.dumps([settings, *(player.identity() for player in players)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


Opening: TypeAlias = tuple[Move, ...]

MOST_PLIES: Final = 4
_MOST_WAYS: Final = 400_000
_SEED: Final = 1
_SOLVED: Final = edition_rules()


def openings(rules: Rules, plies: int) -> tuple[Opening, ...]:
    """Moves that lead to each position after this many stones, up to symmetry, in a fixed order.

    Shuffled, so that a match that stops early has seen openings of every kind; but those known to be settled, where the
    player to move has two or more winning moves or none, come last. Raises UsageError.
    """
    if not 1 <= plies <= MOST_PLIES:
        raise UsageError(f"openings of {plies} moves: expected 1 to {MOST_PLIES}")
    if math.perm(rules.size**2, plies) > _MOST_WAYS:
        raise UsageError(f"openings of {plies} moves on {rules.size}x{rules.size}: too many: choose fewer moves")
    found: dict[object, tuple[Opening, Position]] = {None: ((), Position.initial(rules))}
    for _ in range(plies):
        found = {
            after.canonical()[0].key(): ((*moves, move), after)
            for moves, position in found.values()
            for move in position.legal_moves()
            if not isinstance(move, Pass)
            for after in [position.play_legal(move)]
        }
    listed = [moves for moves, position in found.values() if position.outcome() is None]
    if not listed:
        raise UsageError(f"openings of {plies} moves on {rules.size}x{rules.size}: there are none: choose fewer moves")
    random.Random(_SEED).shuffle(listed)
    if replace(rules, edition=_SOLVED.edition) == _SOLVED:
        settled = _settled()
        listed.sort(key=lambda moves: moves in settled)
    return tuple(listed)


def opening_of(openings: Sequence[Opening], game: int) -> Opening:
    """The first moves of a game, counted from 0: each opening twice, then the next, and after the last the first."""
    return openings[game // 2 % len(openings)] if openings else ()


@cache
def _settled() -> frozenset[Opening]:
    """From a file, so that the order of openings never changes: stored tournaments rely on it."""
    return frozenset(read_openings(Path(__file__).with_name("settled_openings.txt"), _SOLVED))


def read_openings(path: Path, rules: Rules) -> tuple[Opening, ...]:
    """The openings in a file: one per line, moves such as `2,2 1,2`; `#` begins a comment.

    Raises UsageError; a FormatError names the line of a move that cannot be read or played.
    """
    found = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        moves: list[Move] = []
        position = Position.initial(rules)
        for word in line.partition("#")[0].split():
            try:
                moves.append(parse_move(word, rules.size))
                position = position.play(moves[-1])
            except (FormatError, IllegalMove) as error:
                raise FormatError(f"{path}: line {number}: {word}: {error}") from error
        if position.outcome() is not None:
            raise FormatError(f"{path}: line {number}: the game is over after it")
        if moves:
            found.append(tuple(moves))
    if not found:
        raise FormatError(f"{path}: no opening in it: expected lines of moves such as 2,2 1,2")
    return tuple(found)


class GamesProgress:
    """Counts games as they end.

    `planned` is their number in all, `workers` how many are played at once. `known` are results of earlier runs: they
    count for the score, but not for the rate. `about` is the player whose score is reported; None for the leader.
    """

    def __init__(
        self,
        planned: int,
        *,
        workers: int = 1,
        known: Iterable[GameResult] = (),
        about: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.planned = planned
        self.done = 0
        self.forfeits = 0
        self._workers, self._about, self._clock = workers, about, clock
        self._tallies: dict[str, Tally] = {}
        for result in known:
            self.add(result)
        self._before, self._began = self.done, clock()

    def add(self, result: GameResult) -> None:
        self.done += 1
        self.forfeits += result.is_forfeit
        if (outcome := result.record.outcome) is not None:
            for colour in Colour:
                name = result.record.player(colour)
                self._tallies[name] = self._tallies.get(name, Tally()) + Tally.of([outcome.won_by(colour)])

    @property
    def in_play(self) -> int:
        return max(0, min(self._workers, self.planned - self.done))

    @property
    def rate(self) -> float | None:
        """Games a second in this run; None before the first has ended."""
        seconds = self._clock() - self._began
        return (self.done - self._before) / seconds if self.done > self._before and seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        return None if self.rate is None else max(0, self.planned - self.done) / self.rate

    @property
    def score(self) -> tuple[str, Tally] | None:
        """The player it is about, or the one with the most points a game so far, and its tally."""
        if self._about is not None:
            return self._about, self._tallies.get(self._about, Tally())
        leader = max(self._tallies, key=lambda name: self._tallies[name].share, default=None)
        return None if leader is None else (leader, self._tallies[leader])

    def status(self) -> str:
        """Everything but the count, in words."""
        parts = []
        if (rate := self.rate) is not None:
            parts.append(f"{rate:.1f} a second" if rate >= 1 else f"{60 * rate:.1f} a minute")
        if (left := self.seconds_left) is not None and self.done < self.planned:
            parts.append(f"{duration(left)} left")
        if self.in_play:
            parts.append(f"{self.in_play} in play")
        parts.append(plural(self.forfeits, "forfeit") if self.forfeits else "no forfeits")
        if (score := self.score) is not None and score[1].games:
            (low, high), rate = score[1].interval, score[1].win_rate
            parts.append(f"{score[0]} wins {100 * rate:.0f}% ({100 * low:.0f}-{100 * high:.0f}%)")
        return ", ".join(parts)

    def line(self) -> str:
        return f"{self.done} of {self.planned} games: {self.status()}"


def duration(seconds: float) -> str:
    """An approximate duration, in the unit a person would use."""
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 90 * 60 else f"about {seconds / 3600:.1f} h"
