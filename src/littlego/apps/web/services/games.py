"""Games that are being played: people and players take turns, and every move is kept at once."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import replace
from functools import lru_cache
from typing import Final

from littlego.apps.web.http.paths import without_paths
from littlego.apps.web.pool.pool import Thinkers
from littlego.apps.web.pool.tasks import turn
from littlego.apps.web.services.agents import Agents
from littlego.apps.web.services.news import Hub
from littlego.apps.web.services.store import Json, NoRoom, NotThere, Store, new_id
from littlego.apps.web.settings import Settings
from littlego.core.board import Board
from littlego.core.colour import Colour
from littlego.core.errors import LittleGoError, Resigned, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import Move, Pass, parse_move, points_of
from littlego.core.position import Position
from littlego.core.verdict import Verdict
from littlego.formats.course import board_rows
from littlego.formats.records import record_from_dict, record_to_dict
from littlego.players.catalogue import PLAYERS
from littlego.solve.oracle import why_unsolvable

KIND: Final = "game"
HUMAN: Final = "human"
_STRIDE: Final = 50
"""Moves that a line is built by, so that long ones do not nest too deep."""


class Games:
    """The games of a server."""

    def __init__(self, store: Store, hub: Hub, thinkers: Thinkers, agents: Agents, settings: Settings) -> None:
        self._store = store
        self._hub = hub
        self._thinkers = thinkers
        self._agents = agents
        self._settings = settings
        self._thinking: dict[str, asyncio.Task[None]] = {}

    def keep(self, record: GameRecord, seats: dict[str, str] | None = None, *, game: str | None = None) -> Json:
        """Keep a game, begun or finished, under a new id or the one given."""
        game = game or new_id()
        if not record.seconds:
            # Games from elsewhere do not tell; the moves to come will, and a record has all seconds or none.
            record = replace(record, seconds=(0.0,) * len(record.moves))
        data = {
            "record": record_to_dict(record),
            "seats": seats or {"black": HUMAN, "white": HUMAN},
            "turn_began": time.time(),
            "trouble": None,
            "version": 0,
        }
        return self._write(game, data)

    def find(self, game: str) -> Json:
        """The state of a game. Raises NotThere. A turn that a restart cut short begins again."""
        data = self._read(game)
        self._go_on(game, data)
        return self._state(game, data)

    def record(self, game: str) -> GameRecord:
        """The record of a game. Raises NotThere."""
        return record_from_dict(self._read(game)["record"], source="game")

    def newest(self, most: int) -> list[Json]:
        """The last games, in a line each."""
        lines = [_summary(data) for data in self._store.newest(KIND, most)]
        return [{**line, "seats": self._seats(line["seats"])} for line in lines]

    def records_of(self, player: str, most: int = 500) -> list[Json]:
        """The records of the finished games of a player that can be solved, the newest first."""
        games = (data["record"] for data in self._store.newest(KIND, most))
        return [
            record
            for record in games
            if player in (record["black"], record["white"])
            and record["outcome"] is not None
            and not why_unsolvable(record_from_dict(record, source="game").start)
        ]

    def play(self, game: str, move_text: str, *, at: int | None = None) -> Json:
        """A person's move. Raises NotThere, IllegalMove, UsageError.

        `at` is the number of moves that the person saw: a second click on the same move is refused.
        """
        data, record, position = self._turn_of_a_person(game)
        if at is not None and at != len(record.moves):
            raise UsageError(f"the game has gone on: {len(record.moves)} moves have been played, not {at}")
        move = parse_move(move_text, position.size)
        after = position.play(move)
        seconds = round(min(time.time() - data["turn_began"], 86400), 3)
        record = replace(record.then(move, seconds), outcome=after.outcome())
        return self._write(game, {**data, "record": record_to_dict(record), "turn_began": time.time()}, record)

    def resign(self, game: str) -> Json:
        """The person to move gives up. Raises NotThere, UsageError."""
        data, record, position = self._turn_of_a_person(game)
        fault = Resigned(Verdict.RESIGNED, "resigned")
        record = record.forfeited(position.to_move, fault, position)
        return self._write(game, {**data, "record": record_to_dict(record)})

    def undo(self, game: str) -> Json:
        """Back to the person's last move. Raises NotThere, UsageError."""
        data = self._read(game)
        record = record_from_dict(data["record"], source="game")
        people = {colour for colour in Colour if data["seats"][colour.name.lower()] == HUMAN}
        movers = [record.start.to_move]
        for _ in record.moves:
            movers.append(movers[-1].opponent)
        back = [number for number in range(len(record.moves)) if movers[number] in people]
        if not people or not back:
            raise UsageError("there is no move of yours to take back")
        record = replace(record.without_last(len(record.moves) - back[-1]), outcome=None)
        self._drop(game)
        back_again = {"record": record_to_dict(record), "turn_began": time.time(), "trouble": None}
        return self._write(game, {**data, **back_again})

    def branch(self, game: str, ply: int, seats: dict[str, str], names: dict[str, str]) -> Json:
        """A new game from where another stood after `ply` moves. Raises NotThere, UsageError."""
        record = self.record(game)
        if not 0 <= ply <= len(record.moves):
            raise UsageError(f"the game has {len(record.moves)} moves: nothing is known of move {ply}")
        begun = replace(record.without_last(len(record.moves) - ply), black=names["black"], white=names["white"])
        begun = replace(begun, outcome=None, seed=secrets.randbelow(2**31))
        if begun.final().outcome() is not None:
            raise UsageError("the game has ended there")
        return self.keep(begun, seats)

    def close(self) -> None:
        """Think no more; the games are kept."""
        for game in list(self._thinking):
            self._drop(game)

    def _turn_of_a_person(self, game: str) -> tuple[Json, GameRecord, Position]:
        data = self._read(game)
        record = record_from_dict(data["record"], source="game")
        position = _line(record.start, record.moves)[-1]
        if record.outcome is not None:
            raise UsageError("the game has ended")
        if data["seats"][position.to_move.name.lower()] != HUMAN:
            raise UsageError(f"it is the turn of {position.to_move}, which {record.player(position.to_move)} plays")
        return data, record, position

    def _read(self, game: str) -> Json:
        data = self._store.get(KIND, game)
        if data is None:
            raise NotThere(game)
        return data

    def _write(self, game: str, data: Json, record: GameRecord | None = None) -> Json:
        # Answers and news overtake each other: by its version a page knows which state is the newer one.
        data = {**data, "version": data.get("version", 0) + 1}
        self._store.put(KIND, game, data)
        self._go_on(game, data)
        state = self._state(game, data, record)
        self._hub.tell(f"game:{game}", {"game": state})
        return state

    def _go_on(self, game: str, data: Json) -> None:
        """Have the player to move think, if it is a player's turn and it does not yet."""
        if game in self._thinking or data["record"]["outcome"] is not None or data["trouble"]:
            return
        seat = data["seats"][_to_move(data["record"])]
        if seat != HUMAN:
            self._thinking[game] = asyncio.create_task(self._think(game, data, seat))

    async def _think(self, game: str, data: Json, seat: str) -> None:
        trouble = None
        record = data["record"]
        try:
            spelling = self._spelling(seat)
            record = await self._thinkers.of(game, spelling).ask(turn, game, record, spelling)
        except asyncio.CancelledError:
            raise
        except LittleGoError as error:
            trouble = without_paths(str(error), self._settings.data)
        except Exception as error:  # ours, whatever it is: the page says so and can ask again
            trouble = without_paths(f"the move could not be made: {type(error).__name__}: {error}", self._settings.data)
        self._thinking.pop(game, None)
        now = self._read(game)
        if now["record"]["moves"] != data["record"]["moves"]:
            return
        changed = {**now, "record": record, "turn_began": time.time(), "trouble": trouble}
        try:
            self._write(game, changed)
        except NoRoom as error:  # the move is thought of again when somebody looks
            self._hub.tell(f"game:{game}", {"game": self._state(game, {**now, "trouble": str(error)})})

    def _spelling(self, seat: str) -> str:
        """How whoever has a seat is spelled for the thinkers. Raises UsageError for an agent that was forgotten."""
        kind, colon, agent = seat.partition(":")
        if not colon or kind != "agent":
            return seat
        try:
            return self._agents.spelling(agent)
        except NotThere:
            raise UsageError("the agent that plays here was forgotten") from None

    def retry(self, game: str) -> Json:
        """Ask a player again whose move could not be had. Raises NotThere."""
        return self._write(game, {**self._read(game), "trouble": None})

    def _drop(self, game: str) -> None:
        task = self._thinking.pop(game, None)
        if task is not None:
            task.cancel()

    def _state(self, game: str, data: Json, record: GameRecord | None = None) -> Json:
        return {
            "id": game,
            "version": data.get("version", 0),
            "seats": self._seats(data["seats"]),
            "thinking": game in self._thinking,
            "trouble": data["trouble"],
            "elapsed": round(time.time() - data["turn_began"], 3),
            **describe(record or record_from_dict(data["record"], source="game")),
        }

    def _seats(self, seats: dict[str, str]) -> dict[str, str]:
        """Seats without paths: only who works on the server's machine is shown what was typed there."""
        if self._settings.is_local:
            return seats
        named = (HUMAN, *PLAYERS)
        return {
            colour: seat if seat in named or seat.startswith("agent:") else "program" for colour, seat in seats.items()
        }


def _to_move(record: Json) -> str:
    first = record["start"]["to_move"]
    other = "white" if first == "black" else "black"
    return str(other if len(record["moves"]) % 2 else first)


def _summary(data: Json) -> Json:
    record = data["record"]
    outcome = record["outcome"]
    return {
        "id": data["id"],
        "updated": data["updated"],
        "black": record["black"],
        "white": record["white"],
        "size": record["rules"]["size"],
        "moves": len(record["moves"]),
        "winner": outcome and outcome["winner"],
        "verdict": outcome and outcome["verdict"],
        "final": record["final"],
        "seats": data["seats"],
    }


def describe(record: GameRecord) -> Json:
    """A game as pages draw it: every board, so that they need no rules, and what may be played now."""
    positions = _line(record.start, record.moves)
    position = positions[-1]
    outcome = record.outcome
    illegal = {}
    for point in range(position.size**2):
        why = position.why_illegal(point)
        if why is not None:
            illegal[position.move_name(point)] = why.value
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
        "first": record.start.to_move.name.lower(),
        "moves": [position.move_name(move) for move in record.moves],
        "seconds": list(record.seconds),
        "boards": [_cells(each.board) for each in positions],
        "kos": [None if each.ko is None else each.move_name(each.ko) for each in positions],
        "captured": _captured(record, positions),
        "to_move": position.to_move.name.lower(),
        "legal": [position.move_name(move) for move in position.legal_moves()] if outcome is None else [],
        "illegal": illegal if outcome is None else {},
        "score": {"black": position.score().black, "white": position.score().white},
        "plies_left": position.plies_left,
        "unsolvable": why_unsolvable(position),
        "outcome": outcome
        and {
            "winner": outcome.winner and outcome.winner.name.lower(),
            "verdict": outcome.verdict.value,
            "text": str(outcome),
        },
    }


# A game is described after every move, and all but the last of its positions are those of the time before.


def _line(start: Position, moves: tuple[Move, ...]) -> tuple[Position, ...]:
    """Every position of a line, the first included. Raises IllegalMove."""
    for number in range(_STRIDE, len(moves), _STRIDE):
        _known_line(start, moves[:number])
    return _known_line(start, moves)


@lru_cache(maxsize=2048)
def _known_line(start: Position, moves: tuple[Move, ...]) -> tuple[Position, ...]:
    if not moves:
        return (start,)
    before = _known_line(start, moves[:-1])
    return (*before, before[-1].play(moves[-1]))


@lru_cache(maxsize=8192)
def _cells(board: Board) -> str:
    return "".join(board_rows(board))


def _captured(record: GameRecord, positions: tuple[Position, ...]) -> Json:
    """By colour, how many stones it has taken."""
    taken: dict[str, int] = {"black": 0, "white": 0}
    for before, after, move in zip(positions, positions[1:], record.moves, strict=False):
        if not isinstance(move, Pass):
            opponent = before.to_move.opponent
            lost = before.board.stones(opponent) & ~after.board.stones(opponent)
            taken[before.to_move.name.lower()] += len(points_of(lost))
    return taken
