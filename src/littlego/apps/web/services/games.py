"""Games: people and players take turns, every move is stored at once, and pages draw what became of it.

A game is a `GameRecord` from the first click to the last; it becomes JSON only in the store and in responses.
"""

from __future__ import annotations

import asyncio
import datetime
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from littlego.apps.web.cohort import rights
from littlego.apps.web.jobs.queue import Jobs
from littlego.apps.web.pool.pool import PlayerPool
from littlego.apps.web.pool.tasks import turn
from littlego.apps.web.services.agents import Agents
from littlego.apps.web.services.news import Hub
from littlego.apps.web.services.store import NoRoom, NotFound, ServerStore, new_id, without_paths
from littlego.apps.web.settings import ServerSettings
from littlego.core.board import Board
from littlego.core.colour import Colour
from littlego.core.errors import LittleGoError, Resigned, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import Move, Pass, parse_move
from littlego.core.position import Position
from littlego.core.verdict import Verdict
from littlego.formats.course import board_rows
from littlego.formats.records import Json, record_from_dict, record_to_dict
from littlego.players.catalogue import PLAYERS
from littlego.sandbox import SandboxError
from littlego.solve.oracle import why_unsolvable

KIND: Final = "game"
HUMAN: Final = "human"
_MOST_SEARCHED: Final = 500
"""The newest games, in which those of a player are looked for."""
_LONGEST_TURN: Final = 86_400
"""Seconds: a person's move is never recorded as longer than a day."""


@dataclass(frozen=True, slots=True)
class _Game:
    record: GameRecord
    seats: dict[str, str]
    """By colour: `human`, a built-in player, `agent:ID`, or another spelling."""
    turn_began: float
    trouble: str | None = None
    """Why the player to move failed to move."""
    version: int = 0

    @property
    def to_move(self) -> Colour:
        first = self.record.start.to_move
        return first.opponent if len(self.record.moves) % 2 else first

    @property
    def seat(self) -> str:
        """Who plays the side to move."""
        return self.seats[self.to_move.word]

    def after(self, record: GameRecord, trouble: str | None = None) -> _Game:
        """The game with another record, in which a turn begins now."""
        return replace(self, record=record, turn_began=time.time(), trouble=trouble)

    def to_dict(self) -> Json:
        return {
            "record": record_to_dict(self.record),
            "seats": self.seats,
            "turn_began": self.turn_began,
            "trouble": self.trouble,
            "version": self.version,
        }

    @classmethod
    def from_dict(cls, data: Json) -> _Game:
        record = record_from_dict(data["record"], source="game")
        return cls(record, data["seats"], data["turn_began"], data["trouble"], data["version"])


class Games:
    """The games of a server."""

    def __init__(
        self, store: ServerStore, hub: Hub, pool: PlayerPool, agents: Agents, settings: ServerSettings
    ) -> None:
        self._store = store
        self._hub = hub
        self._pool = pool
        self._agents = agents
        self._settings = settings
        self._thinking: dict[str, asyncio.Task[None]] = {}

    def keep(
        self, record: GameRecord, seats: dict[str, str] | None = None, *, name: str | None = None, person: str = ""
    ) -> Json:
        """Store a person's game, finished or not, under a new id or `name`. Raises UsageError if it is one too many."""
        if person and self._store.count_since(KIND, person, time.time() - rights.DAY) >= rights.GAMES_A_DAY:
            raise UsageError(f"you have begun {rights.GAMES_A_DAY} games in a day: try again tomorrow")
        self._check_thinking(person)
        if not record.seconds:
            # A record has times for all moves or for none, and the moves played here will have them.
            record = replace(record, seconds=(0.0,) * len(record.moves))
        game = _Game(record, seats or {"black": HUMAN, "white": HUMAN}, time.time())
        return self._write(name or new_id(), game, person)

    def find(self, name: str) -> Json:
        """The state of a game. Raises NotFound. A turn that a restart interrupted is started again."""
        game = self._read(name)
        self._go_on(name, game)
        return self._state(name, game)

    def record(self, name: str, ply: int | None = None) -> GameRecord:
        """A game up to `ply` moves, by default all of it. Raises NotFound, UsageError."""
        record = self._read(name).record
        left_out = 0 if ply is None else len(record.moves) - ply
        if left_out < 0:
            raise UsageError(f"the game has {len(record.moves)} moves: there is no move {ply}")
        return record.without_last(left_out)

    def newest(
        self, most: int, *, person: str, skip: int = 0, search: str = "", result: str | None = None
    ) -> list[Json]:
        """The last games of a person, each as a line of a list; of them those that are searched for."""
        wanted = search.casefold()
        lines = (summary_of(data) for data in self._store.each(KIND, person=person))
        found = (
            line
            for line in lines
            if wanted in f"{line['black']}\n{line['white']}".casefold() and result in (None, line["result"])
        )
        return [{**line, "seats": self._seats(line["seats"])} for line in islice(found, skip, skip + most)]

    def results(self, person: str, player: str = "") -> list[Json]:
        """How a player, or everyone, fared against each opponent in a person's games, the most games first."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for line in finished_games(self._store, person, player):
            opponent = line["white" if line["you"] == "black" else "black"]
            counts[opponent][line["result"]] += 1
        rows = [{"opponent": name, **{kind: count[kind] for kind in RESULTS[:3]}} for name, count in counts.items()]
        return sorted(rows, key=lambda row: -(row["won"] + row["lost"] + row["tie"]))

    def records_of(self, player: str, person: str) -> list[Json]:
        """The records, as JSON, of a player's finished games that can be solved, in a person's games, newest first."""
        games = (data["record"] for data in self._store.newest(KIND, _MOST_SEARCHED, person=person))
        return [
            record
            for record in games
            if player in (record["black"], record["white"])
            and record["outcome"] is not None
            and not why_unsolvable(record_from_dict(record, source="game").start)
        ]

    def play(self, name: str, move_text: str, *, at: int | None = None) -> Json:
        """A person's move. Raises NotFound, IllegalMove, UsageError.

        `at` is how many moves the person saw; if the game has gone on since, as after a double click, it is refused.
        """
        game, position = self._turn_of_a_person(name)
        if at is not None and at != len(game.record.moves):
            raise UsageError(f"the game has gone on: {len(game.record.moves)} moves have been played, not {at}")
        self._check_thinking(self._store.person_of(KIND, name))
        move = parse_move(move_text, position.size)
        after = position.play(move)
        seconds = round(min(time.time() - game.turn_began, _LONGEST_TURN), 3)
        return self._write(name, game.after(replace(game.record.then(move, seconds), outcome=after.outcome())))

    def resign(self, name: str) -> Json:
        """The person to move resigns. Raises NotFound, UsageError."""
        game, position = self._turn_of_a_person(name)
        fault = Resigned(Verdict.RESIGNED, "resigned")
        return self._write(name, replace(game, record=game.record.forfeited(position.to_move, fault, position)))

    def undo(self, name: str) -> Json:
        """Take back the person's last move and those after it. Raises NotFound, UsageError."""
        game = self._read(name)
        record = game.record
        movers = [each.to_move for each in positions_of(record)[:-1]]
        mine = [ply for ply, mover in enumerate(movers) if game.seats[mover.word] == HUMAN]
        if not mine:
            raise UsageError("you have no move to take back")
        self._drop(name)
        return self._write(name, game.after(replace(record.without_last(len(record.moves) - mine[-1]), outcome=None)))

    def branch(self, line: GameRecord, seats: dict[str, str], names: dict[str, str], *, person: str) -> Json:
        """A person's new game from the end of a line. Raises UsageError."""
        seed = secrets.randbelow(2**31)
        begun = replace(line, black=names["black"], white=names["white"], outcome=None, seed=seed)
        if begun.final().outcome() is not None:
            raise UsageError("the game has ended there")
        return self.keep(begun, seats, person=person)

    def retry(self, name: str) -> Json:
        """Ask a player that failed to move again. Raises NotFound, UsageError."""
        self._check_thinking(self._store.person_of(KIND, name))
        return self._write(name, replace(self._read(name), trouble=None))

    def close(self) -> None:
        """Stop the players that are thinking. Their games are in the store."""
        for name in list(self._thinking):
            self._drop(name)

    def _check_thinking(self, person: str | None) -> None:
        """Raises UsageError if players think in too many games of a student: the others' would wait for them."""
        if not person:
            return
        thinking = sum(self._store.person_of(KIND, name) == person for name in self._thinking)
        if thinking >= rights.GAMES_AT_ONCE:
            raise UsageError(f"a player is thinking in {thinking} of your games: wait for one of them to move")

    def _turn_of_a_person(self, name: str) -> tuple[_Game, Position]:
        game = self._read(name)
        if game.record.outcome is not None:
            raise UsageError("the game has ended")
        if game.seat != HUMAN:
            raise UsageError(
                f"it is {game.to_move}'s turn, and {game.record.player(game.to_move)} plays {game.to_move}"
            )
        return game, positions_of(game.record)[-1]

    def _read(self, name: str) -> _Game:
        return _Game.from_dict(self._store.find(KIND, name))

    def _write(self, name: str, game: _Game, person: str = "") -> Json:
        # Responses and news can overtake each other: the version tells a page which state is newer.
        game = replace(game, version=game.version + 1)
        self._store.put(KIND, name, game.to_dict(), person)
        self._go_on(name, game)
        state = self._state(name, game)
        self._hub.publish(f"game:{name}", {"game": state})
        return state

    def _go_on(self, name: str, game: _Game) -> None:
        """Start the turn of the player to move, unless it is a person or already thinking."""
        if name in self._thinking or game.record.outcome is not None or game.trouble or game.seat == HUMAN:
            return
        self._thinking[name] = asyncio.create_task(self._think(name, game))

    async def _think(self, name: str, game: _Game) -> None:
        trouble, record = None, game.record
        try:
            spelling = self._spelling(game.seat)
            record = await self._pool.of(name, spelling).ask(turn, name, record, spelling)
        except (LittleGoError, SandboxError) as error:
            trouble = without_paths(str(error), self._settings.data)
        except Exception as error:  # a bug of ours: the page shows it and can try again
            trouble = without_paths(f"the player failed: {type(error).__name__}: {error}", self._settings.data)
        self._thinking.pop(name, None)
        now = self._read(name)
        if now.record.moves != game.record.moves:
            return
        try:
            self._write(name, now.after(record, trouble))
        except NoRoom as error:  # the turn is started again when somebody looks at the game
            self._hub.publish(f"game:{name}", {"game": self._state(name, replace(now, trouble=str(error)))})

    def _spelling(self, seat: str) -> str:
        """The spelling that runs the player of a seat. Raises UsageError for an agent that was deleted."""
        if not seat.startswith("agent:"):
            return seat
        try:
            return self._agents.spelling(seat.removeprefix("agent:"))
        except NotFound:
            raise UsageError("this agent was deleted") from None

    def _drop(self, name: str) -> None:
        task = self._thinking.pop(name, None)
        if task is not None:
            task.cancel()

    def _state(self, name: str, game: _Game) -> Json:
        return {
            "id": name,
            "version": game.version,
            "seats": self._seats(game.seats),
            "thinking": name in self._thinking,
            "trouble": game.trouble,
            "elapsed": round(time.time() - game.turn_began, 3),
            **describe(game.record),
        }

    def _seats(self, seats: dict[str, str]) -> dict[str, str]:
        """Seats as pages see them. Only a local server shows paths, those that its user typed."""
        if self._settings.is_local:
            return seats
        named = (HUMAN, *PLAYERS)
        return {colour: s if s in named or s.startswith("agent:") else "program" for colour, s in seats.items()}


RESULTS: Final = ("won", "lost", "tie", "unfinished", "other")
"""Of the only person in a game; `other` if there is none, or two."""


def summary_of(data: Json) -> Json:
    """A game as a line of a list, from its JSON: its moves need not be replayed for that."""
    record = data["record"]
    outcome = record["outcome"]
    people = [colour for colour, seat in data["seats"].items() if seat == HUMAN]
    you = people[0] if len(people) == 1 else None
    return {
        "id": data["id"],
        "updated": data["updated"],
        "black": record["black"],
        "white": record["white"],
        "size": record["rules"]["size"],
        "moves": len(record["moves"]),
        "winner": outcome and outcome["winner"],
        "verdict": outcome and outcome["verdict"],
        "you": you,
        "result": _result(outcome, you),
        "final": record["final"],
        "seats": data["seats"],
    }


def finished_games(store: ServerStore, person: str, player: str) -> Iterator[Json]:
    """A person's finished games in which one person plays, called `player` unless that is empty, newest first."""
    for data in store.each(KIND, person=person):
        line = summary_of(data)
        if line["you"] and line["verdict"] and player in ("", line[line["you"]]):
            yield line


def _result(outcome: Json | None, you: str | None) -> str:
    if outcome is None:
        return "unfinished"
    if you is None:
        return "other"
    return "tie" if outcome["winner"] is None else "won" if outcome["winner"] == you else "lost"


_STRIDE: Final = 50
"""A line is built up by this many moves at a time, so that a long one does not recurse too deep."""


def describe(record: GameRecord) -> dict[str, Any]:
    """The fields of `Line` in the API's responses."""
    positions = positions_of(record)
    position = positions[-1]
    outcome = record.outcome
    reasons = {point: position.why_illegal(point) for point in range(position.size**2)}
    illegal = {position.move_name(point): why.value for point, why in reasons.items() if why is not None}
    return {
        "black": record.black,
        "white": record.white,
        "rules": {
            "edition": position.rules.edition,
            "size": position.size,
            "komi": position.rules.komi,
            "max_moves": position.rules.max_moves,
            "passing": position.rules.passing,
            "ko": position.rules.ko.value,
        },
        "start_move": record.start.moves_played,
        "first": record.start.to_move.word,
        "moves": [position.move_name(move) for move in record.moves],
        "seconds": list(record.seconds),
        "boards": [_cells(each.board) for each in positions],
        "kos": [None if each.ko is None else each.move_name(each.ko) for each in positions],
        "captured": _captured(record, positions),
        "to_move": position.to_move.word,
        "legal": [position.move_name(move) for move in position.legal_moves()] if outcome is None else [],
        "illegal": illegal if outcome is None else {},
        "score": {"black": position.score().black, "white": position.score().white},
        "plies_left": position.plies_left,
        "unsolvable": why_unsolvable(position),
        "outcome": outcome
        and {
            "winner": outcome.winner and outcome.winner.word,
            "verdict": outcome.verdict.value,
            "text": str(outcome),
        },
    }


def positions_of(record: GameRecord) -> tuple[Position, ...]:
    """Every position of a game, the first included. Raises IllegalMove.

    Cheap if it was called one move earlier: the positions until then are cached.
    """
    for number in range(_STRIDE, len(record.moves), _STRIDE):
        _line(record.start, record.moves[:number])
    return _line(record.start, record.moves)


@lru_cache(maxsize=2048)
def _line(start: Position, moves: tuple[Move, ...]) -> tuple[Position, ...]:
    if not moves:
        return (start,)
    before = _line(start, moves[:-1])
    return (*before, before[-1].play(moves[-1]))


@lru_cache(maxsize=8192)
def _cells(board: Board) -> str:
    return "".join(board_rows(board))


def _captured(record: GameRecord, positions: tuple[Position, ...]) -> dict[str, int]:
    """The stones that each colour has captured."""
    taken = {"black": 0, "white": 0}
    for before, move in zip(positions, record.moves, strict=False):
        if not isinstance(move, Pass):
            taken[before.to_move.word] += before.captures(move)
    return taken


REVIEW: Final = "review"
"""The kind under which the job that reviewed a game is stored."""


def weeks(store: ServerStore, jobs: Jobs, person: str, player: str) -> Json:
    """The fields of `Weeks` in the API, of a player or, for an empty name, of everyone in a person's games."""
    found: dict[str, Json] = {}
    not_reviewed = []
    for line in finished_games(store, person, player):
        reviewed = store.get(REVIEW, line["id"])
        review = jobs.find(reviewed["job"])["result"] if reviewed else None
        if not review or not review["complete"]:
            not_reviewed.append(line["id"])
            continue
        name = week_of(line["updated"])
        row = found.setdefault(name, {"week": name, "games": 0, "won_positions": 0, "thrown_away": 0})
        won = [move for move in review["moves"] if move["colour"] == line["you"] == move["before"]]
        row["games"] += 1
        row["won_positions"] += len(won)
        row["thrown_away"] += sum(move["is_mistake"] for move in won)
    return {"weeks": [found[name] for name in sorted(found)], "not_reviewed": not_reviewed}


def week_of(seconds: float) -> str:
    """The ISO week of a time, in UTC: `2026-W47`."""
    year, week, _ = datetime.datetime.fromtimestamp(seconds, datetime.UTC).isocalendar()
    return f"{year}-W{week:02}"
