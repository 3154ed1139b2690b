"""Tournaments, in directories like those of `littlego tournament`, played by jobs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

from littlego.apps.web.services.agents import Agents
from littlego.apps.web.services.store import NotFound, ServerStore, new_id
from littlego.arena.tournament.folder import FinishedGame, Newcomer, Tournament, create
from littlego.arena.tournament.page import report_page
from littlego.arena.tournament.plan import Format, Listed, TournamentPlan, checked
from littlego.arena.tournament.summary import names_before, summarise, summary_to_dict
from littlego.course.spelling import parse_for_plan
from littlego.formats.records import Json
from littlego.storage.files import plain_name

KIND: Final = "tournament"
FOLDER: Final = "tournaments"
_THREADS: Final = 2

P = ParamSpec("P")
T = TypeVar("T")


class Tournaments:
    """The tournaments of a server. All methods but `newest` and `find` are slow: call them through `ask`."""

    def __init__(self, store: ServerStore, data: Path, agents: Agents) -> None:
        self._store = store
        self._agents = agents
        self._folder = data / FOLDER
        self._counting = threading.Lock()
        self._summaries: dict[str, tuple[tuple[int, int], Json]] = {}
        # Threads of its own, so that a large tournament does not hold up uploads.
        self._threads = ThreadPoolExecutor(_THREADS, "tournaments")

    def ask(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        """Call one of the methods below in a thread."""
        return asyncio.get_running_loop().run_in_executor(self._threads, partial(function, *args, **kwargs))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def begin(self, name: str, plan: TournamentPlan, players: Sequence[tuple[str, str]], challengers: int) -> Json:
        """Create a tournament of players given as (name, spelling). Raises UsageError."""
        tournament_id = new_id()
        self._folder.mkdir(parents=True, exist_ok=True)
        newcomers = _newcomers(plan, players, challengers if plan.format is Format.GAUNTLET else 0)
        create(self._folder / tournament_id, checked(plan, "tournament"), newcomers)
        data = {"name": name, "job": None}
        self._store.put(KIND, tournament_id, data)
        return {"id": tournament_id, **data}

    def find(self, tournament_id: str) -> Json:
        """Raises NotFound."""
        return {"id": tournament_id, **self._store.find(KIND, tournament_id)}

    def newest(self) -> list[Json]:
        """All tournaments, last changed first."""
        return self._store.newest(KIND, 200)

    def note_job(self, tournament_id: str, job: str) -> None:
        data = self.find(tournament_id)
        self._store.put(KIND, tournament_id, {"name": data["name"], "job": job})

    def join(self, tournament_id: str, players: Sequence[tuple[str, str]]) -> None:
        """Add players. Raises NotFound, UsageError."""
        with self._opened(tournament_id) as tournament:
            for newcomer in _newcomers(tournament.plan, players, 0):
                tournament.join(newcomer)

    def summary(self, tournament_id: str) -> Json:
        """Standings, crosstable and ratings so far. Raises NotFound."""
        # One at a time: with many results it takes seconds, and the next caller finds it cached.
        with self._counting, self._opened(tournament_id) as tournament:
            state = (tournament.store.count(), len(tournament.plan.players))
            known = self._summaries.get(tournament_id)
            if known is None or known[0] != state:
                known = self._summaries[tournament_id] = (state, _described(tournament))
            return known[1]

    def last_games(self, tournament_id: str, most: int, person: str, *, forfeits_only: bool) -> list[Json]:
        """The games that ended last, of a student those of their own agents. Raises NotFound."""
        with self._opened(tournament_id) as tournament:
            own = self._own_players(tournament, person)
            kept = tournament.store.last_games(most, forfeits_only=forfeits_only, players=own)
        return [_game_line(_seen_by(game, own)) for game in kept]

    def game(self, tournament_id: str, number: int, person: str) -> FinishedGame:
        """A game with its record and capsule. Raises NotFound, to a student for games of others, too."""
        with self._opened(tournament_id) as tournament:
            own = self._own_players(tournament, person)
            kept = tournament.store.game(number)
        if kept is None or (own is not None and own.isdisjoint({kept.result.record.black, kept.result.record.white})):
            raise NotFound(number)
        return _seen_by(kept, own)

    def _own_players(self, tournament: Tournament, person: str) -> set[str] | None:
        """The names of a student's agents in a tournament; None for the owner, who sees everybody's."""
        if not person:
            return None
        players = tournament.plan.players
        return {player.name for player in players if self._agents.person_behind(player.player) == person}

    def report(self, tournament_id: str) -> str:
        """The tournament as a page of its own. Raises NotFound."""
        name = self.find(tournament_id)["name"]
        with self._opened(tournament_id) as tournament:
            return report_page(summarise(tournament), tournament.store, title=name)

    def _opened(self, tournament_id: str) -> Tournament:
        self.find(tournament_id)
        return open_tournament(self._folder.parent, tournament_id)


def open_tournament(data: Path, tournament_id: str) -> Tournament:
    return Tournament(data / FOLDER / tournament_id, parse_for_plan)


def _newcomers(plan: TournamentPlan, players: Sequence[tuple[str, str]], challengers: int) -> list[Newcomer]:
    parse, newcomers = parse_for_plan(plan), []
    for number, (name, spelling) in enumerate(players):
        entrant = parse(spelling)
        newcomers.append(Newcomer(Listed(plain_name(name), entrant.spelling, number < challengers), entrant))
    return newcomers


def _described(tournament: Tournament) -> Json:
    """A summary with how many places each player has risen in the last tenth of the games."""
    summary = summarise(tournament)
    fields = summary_to_dict(summary)
    recent = max(len(summary.results.names), summary.results.games // 10)
    before = {name: place for place, name in enumerate(names_before(tournament, summary, recent))}
    for place, row in enumerate(fields["standings"]):
        row["risen"] = before[row["player"]] - place if row["player"] in before else None
    return {**fields, "recent_games": recent}


def _seen_by(kept: FinishedGame, own: set[str] | None) -> FinishedGame:
    """A game as the owner of these players sees it: the capsule has files and words of the program that lost."""
    record, outcome = kept.result.record, kept.result.record.outcome
    loser = None if outcome is None or outcome.winner is None else record.player(outcome.winner.opponent)
    if own is None or loser in own:
        return kept
    return replace(kept, result=replace(kept.result, capsule=None))


def _game_line(kept: FinishedGame) -> Json:
    record = kept.result.record
    outcome = record.outcome
    return {
        "number": kept.finished,
        "black": record.black,
        "white": record.white,
        "moves": len(record.moves),
        "winner": outcome and outcome.winner and outcome.winner.word,
        "verdict": outcome and outcome.verdict.value,
        "text": str(outcome),
        "forfeit": bool(outcome and outcome.verdict.is_forfeit),
        "capsule": kept.result.capsule is not None,
    }
