"""Agents: an upload under a name that its student has used is a new version. Versions never change.

agents/ID/NUMBER/upload/...     what was uploaded as a version
agents/ID/NUMBER/unpacked-...   an archive's files
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import re
import threading
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path as FilePath
from typing import Annotated, Any, Final

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import Response
from pydantic import Field
from typing_extensions import TypedDict

from littlego.apps.web.auth import Anyone, OfAgent, Person
from littlego.apps.web.fair import Apart
from littlego.apps.web.jobs import JobShown
from littlego.apps.web.requests import (
    BINARY,
    Edition,
    Id,
    Identifier,
    MoveText,
    OutcomeShown,
    RequestBody,
    TheServices,
    outcome_shown,
)
from littlego.apps.web.settings import ServerSettings
from littlego.apps.web.store import AGENTS, Editions, ServerStore, full_spelling, kept_spelling, new_id
from littlego.arena.building import MAIN_FILES
from littlego.arena.participants import prepare_surely
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import SEED_BITS, GameRecord, Player, derive_seed, take_turn, tell_players
from littlego.core.points import Move, parse_move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION
from littlego.course.edition import find_edition
from littlego.course.grading.cohort.submissions import Submission, open_submission
from littlego.course.seats import classes_like, parse_entrant
from littlego.course.starter import write_kit
from littlego.formats.records import Json
from littlego.formats.text import printable
from littlego.players.catalogue import PLAYERS
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego.storage.scratch import remove_tree, temporary_directory

KIND: Final = "agent"
MOST: Final = 20
"""Of a student."""
MOST_BYTES: Final = 512 << 20
"""Of a student's agents and gradings, unpacked."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")
_UPLOADED: Final = re.compile(rf"/{AGENTS}/([A-Za-z0-9_-]{{12}})/")


class Version(TypedDict):
    """An upload of an agent."""

    number: int
    created: float
    digest: str
    """Changes with the files."""


class Agent(TypedDict):
    """An agent of this server; `agent:ID` names its newest version wherever a player is asked for."""

    id: str
    name: str
    versions: list[Version]
    """The newest last."""
    jobs: dict[str, str]
    """By kind, the last job."""
    student: str | None
    """Whose it is; null: the owner's."""
    created: float
    updated: float


class Agents:
    """The agents of a server."""

    def __init__(self, store: ServerStore, settings: ServerSettings, readers: Apart) -> None:
        self._store = store
        self._settings = settings
        self._readers = readers
        self._folder = settings.data.resolve() / AGENTS
        self._adding = threading.Lock()

    async def take_in(self, name: str, file: str, body: bytes, person: str) -> Agent:
        """Keep an upload: a .zip, or one of the course's files. Raises UsageError if it has no agent."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"name {name[:40]!r}: expected up to 40 letters, digits and . _ + -")
        if name in PLAYERS:
            raise UsageError(f"name {name!r}: a built-in player has it, choose another")
        if not file.lower().endswith(".zip") and file not in MAIN_FILES:
            raise UsageError(f"{file[:80]!r}: expected a .zip, or one of {', '.join(MAIN_FILES)}")
        agent = self._named(name, person) or new_id()
        upload = self._folder / new_id()  # moved when it has its number
        try:
            await asyncio.to_thread(_write, upload / "upload" / (file if file in MAIN_FILES else "agent.zip"), body)
            opened = await self._readers.ask(person, person, _open_upload, upload, name, printable(file))
            return await asyncio.to_thread(self._add, agent, name, upload, opened, person)
        finally:
            await asyncio.to_thread(remove_tree, upload)

    def _add(self, agent: str, name: str, upload: FilePath, opened: tuple[str, str, str], person: str) -> Agent:
        spelling, whole, digest = opened
        with self._adding:  # so that of several uploads at once none is too many, and each has its number
            named = self._named(name, person)
            data = self._store.find(KIND, named) if named else {"versions": [], "jobs": {}}
            agent = named or agent
            versions = data["versions"]
            if versions and versions[-1]["digest"] == digest:
                return self.find(agent)
            self._check_room(person, is_new=not versions)
            number = 1 + max((one["number"] for one in versions), default=0)
            home = self._folder / agent / str(number)
            home.parent.mkdir(parents=True, exist_ok=True)
            upload.rename(home)
            kept, whole = (
                kept_spelling(path.replace(str(upload), str(home)), self._settings.data) for path in (spelling, whole)
            )
            version = {"number": number, "spelling": kept, "whole": whole, "digest": digest, "created": time.time()}
            self._store.put(KIND, agent, {**data, "name": name, "versions": [*versions, version]}, person)
            return self.find(agent)

    def _named(self, name: str, person: str) -> str | None:
        """The id of a person's agent of this name."""
        return next((str(one["id"]) for one in self._store.newest(KIND, person=person) if one["name"] == name), None)

    def _check_room(self, person: str, *, is_new: bool) -> None:
        mine = self._store.newest(KIND, person=person) if person else []
        if is_new and len(mine) >= MOST:
            raise UsageError(f"you have {MOST} agents here: delete one first")
        if person and self.bytes_of(person) >= MOST_BYTES:
            raise UsageError(f"your agents take {MOST_BYTES >> 20} MiB: delete one first")

    def bytes_of(self, person: str) -> int:
        """What the files of a person's agents take."""
        return sum(bytes_in(self._folder / data["id"]) for data in self._store.newest(KIND, person=person))

    def find(self, agent: str) -> Agent:
        """Raises NotFound."""
        return self._shown(self._store.find(KIND, agent), self.person_of(agent))

    def newest(self, person: str | None = None) -> list[Agent]:
        """All agents, or those of a person, last changed first."""
        return [self._shown(data, self.person_of(data["id"])) for data in self._store.newest(KIND, person=person)]

    def _shown(self, data: Json, person: str) -> Agent:
        """An agent without paths."""
        student = self._settings.student(person)
        return {
            "id": data["id"],
            "name": data["name"],
            "versions": [
                {"number": one["number"], "created": one["created"], "digest": one["digest"]}
                for one in data["versions"]
            ],
            "jobs": data["jobs"],
            "student": student.name if student else person or None,
            "created": data["created"],
            "updated": data["updated"],
        }

    def person_of(self, agent: str) -> str:
        """Whose an agent is, a student's key or empty; empty too if it does not exist."""
        return self._store.person_of(KIND, agent) or ""

    def person_behind(self, spelling: str) -> str:
        """Whose the agent is that runs by a spelling, wherever the data directory was: as `person_of`."""
        found = _UPLOADED.search(spelling)
        return self.person_of(found[1]) if found else ""

    def name_in_tournaments(self, agent: str) -> str:
        """What the standings, which others see, call an agent: a student's by its student. Raises NotFound."""
        shown, person = self.find(agent), self.person_of(agent)
        if not person:
            return shown["name"]
        student = self._settings.student(person)
        if student is None:
            raise UsageError(f"{shown['name']} is the agent of somebody who has left the class")
        several = len(self._store.newest(KIND, 2, person=person)) > 1
        return f"{student.pseudonym}-{agent[:4]}" if several else student.pseudonym

    def version(self, agent: str) -> Json:
        """The newest version, with its `spelling` as it is stored. Raises NotFound."""
        found: Json = self._store.find(KIND, agent)["versions"][-1]
        return found

    def spelling(self, agent: str) -> str:
        """The spelling that runs the newest version, with its full path. Raises NotFound."""
        return full_spelling(self.version(agent)["spelling"], self._settings.data)

    def whole(self, agent: str) -> str:
        """As `spelling`; of an upload with an agent for each stage, the directory with all of them. Raises NotFound."""
        return full_spelling(self.version(agent)["whole"], self._settings.data)

    def upload_of(self, agent: str) -> FilePath:
        """The directory with the newest version as it was uploaded. Raises NotFound."""
        return self._folder / agent / str(self.version(agent)["number"]) / "upload"

    def note_job(self, agent: str, kind: str, job: str) -> None:
        """Remember the last job of a kind."""
        data = self._store.find(KIND, agent)
        self._store.put(KIND, agent, {**data, "jobs": {**data["jobs"], kind: job}})

    def delete(self, agent: str) -> None:
        """Delete an agent and its files; its games stay. Raises NotFound."""
        self._store.find(KIND, agent)
        self._store.delete(KIND, agent)
        remove_tree(self._folder / agent)


def bytes_in(folder: FilePath) -> int:
    """What the files below a folder take."""
    return sum(_size(FilePath(place, name)) for place, _, names in os.walk(folder) for name in names)


def _size(path: FilePath) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # a file of a grading that runs, now gone
        return 0


def _write(path: FilePath, body: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(body)


# What follows reads files of strangers: called apart from the server.


def _open_upload(place: FilePath, name: str, shown: str) -> tuple[str, str, str]:
    """The spelling of the agent in an upload, unpacked, and the digest of its files. Raises UsageError.

    Between the two the spelling of the whole: of an upload with an agent for each stage the directory with all.
    """
    handed_in = place / "upload"
    archive = handed_in / "agent.zip"
    try:
        if archive.exists():
            handed_in = archive
            if not zipfile.is_zipfile(archive):
                raise UsageError("agent.zip: cannot be unpacked: not a .zip file, or only part of one")
        opened = open_submission(Submission(name, name, handed_in), place, python=None, edition=find_edition())
        return opened.agents[-1].spelling, opened.entrant.spelling, opened.digest
    except UsageError as error:
        raise UsageError(str(error).replace("agent.zip", shown)) from error


router = APIRouter(prefix="/api/agents", tags=["agents"])
kits = APIRouter(tags=["agents"])


@kits.get("/api/kits/{language}.zip", response_class=Response, dependencies=[Anyone])
def kit(language: Annotated[str, Path(max_length=10)]) -> Response:
    """A starter kit, as `littlego new` writes it: an agent in python, c++ or java that already plays."""
    out = io.BytesIO()
    with temporary_directory("littlego-kit-") as folder, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        write_kit(folder / "my-agent", language=language)
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(path, path.relative_to(folder))
    headers = {"content-disposition": f'attachment; filename="little-go-{language.replace("+", "p")}.zip"'}
    return Response(out.getvalue(), media_type="application/zip", headers=headers)


class CheckRequest(RequestBody):
    """By which edition to check."""

    edition: Edition = DEFAULT_EDITION


class TurnRequest(RequestBody):
    """A game so far, in which it is the agent's turn. Nothing of it is stored."""

    edition: Edition = DEFAULT_EDITION
    size: Annotated[int, Field(ge=2, le=19, description="Default: the edition's, usually 5")] | None = None
    komi: Annotated[float, Field(ge=-361, le=361, multiple_of=0.5)] | None = None
    max_moves: Annotated[int, Field(ge=1, le=400)] | None = None
    moves: Annotated[list[MoveText], Field(max_length=400, default_factory=list)]
    game: Identifier = "game"
    """Any name for the game: with the same one, the agent finds the files that it left at its last move."""
    seed: Annotated[int, Field(ge=0, lt=2**SEED_BITS)] = 0

    def record(self, editions: Editions) -> GameRecord:
        """The game. Raises UsageError for an illegal move."""
        position = Position.initial(
            editions.find(self.edition).rules(self.size).but(komi=self.komi, max_moves=self.max_moves)
        )
        record = GameRecord("Black", "White", position, seed=self.seed)
        for number, text in enumerate(self.moves, 1):
            if position.outcome() is not None:
                raise UsageError(f"move {number}, {text}: the game had already ended")
            try:
                move = parse_move(text, position.size)
                position = position.play(move)
            except (IllegalMove, FormatError) as error:
                raise UsageError(f"move {number}: {error}") from error
            record = record.then(move, 0.0)
        return replace(record, outcome=position.outcome())


class AgentsMove(TypedDict):
    """What an agent did at its turn."""

    move: str | None
    """null: it made none, and lost."""
    seconds: float | None
    outcome: OutcomeShown | None
    """How the game ended; null if it goes on."""


@router.get("")
def every(services: TheServices, person: Person) -> list[Agent]:
    """All agents, or a student's own; each is 'agent:ID' wherever a player is asked for."""
    return services.agents.newest(person or None)


@router.put("", status_code=201, openapi_extra=BINARY)
async def upload(
    request: Request,
    services: TheServices,
    person: Person,
    name: Annotated[str, Query(max_length=60)],
    file: Annotated[str, Query(max_length=200)],
) -> Agent:
    """Upload an agent: the body is a .zip or one of the course's files. Only the referee runs it.

    Under the name of an agent of yours it is that agent's next version, unless its files are the same.
    """
    return await services.agents.take_in(name, file, await request.body(), person)


@router.get("/{agent}")
async def find(agent: Id, services: TheServices, _person: OfAgent) -> Agent:
    """An agent, with its versions and the last job of each kind."""
    return services.agents.find(agent)


@router.delete("/{agent}")
async def delete(agent: Id, services: TheServices, _person: OfAgent) -> Mapping[str, Any]:
    """Delete an agent, its files and its gradings. Its jobs are stopped first."""
    jobs = set(services.agents.find(agent)["jobs"].values())
    for job in jobs | {grading["job"] for grading in services.gradings.newest_of(agent)}:
        await services.jobs.stop(job)
    await asyncio.to_thread(services.agents.delete, agent)
    await asyncio.to_thread(services.gradings.delete_of, agent)
    return {}


@router.post("/{agent}/move")
async def move(agent: Id, body: TurnRequest, services: TheServices, person: OfAgent) -> AgentsMove:
    """The agent's next move in a game, or how it lost by not making one."""
    record = body.record(services.editions)
    if record.outcome is not None:
        raise HTTPException(409, "the game has ended: there is no move to make")
    edition = services.editions.find(body.edition)
    version = services.agents.version(agent)["number"]
    key = f"{person} {agent} {version} {body.game}"
    asked = (key, record, services.agents.spelling(agent), edition.default_python, edition.limits)
    after = await services.movers.ask(person, key, turn, *asked)
    is_move = len(after.moves) > len(record.moves)
    return {
        "move": after.start.move_name(after.moves[-1]) if is_move else None,
        "seconds": round(after.seconds[-1], 3) if is_move else None,
        "outcome": outcome_shown(after.outcome),
    }


@router.post("/{agent}/check", status_code=202)
async def check(agent: Id, services: TheServices, person: OfAgent, body: CheckRequest | None = None) -> JobShown:
    """Start the job that looks for what would lose games: files, build, first moves, time, ko, ..."""
    data = services.agents.find(agent)
    edition = services.editions.find((body or CheckRequest()).edition).name
    version = services.agents.version(agent)
    params = {"spelling": version["whole"], "edition": edition}
    return services.jobs.begin(
        "check",
        f"Check of {data['name']}",
        params,
        person=services.agents.person_of(agent),
        by=person,
        keep=lambda job: services.agents.note_job(agent, "check", job),
    )


_MOST_SEATS: Final = 200


@dataclass(slots=True)
class _Seated:
    player: Player
    seen: tuple[Move, ...]
    """The moves of the game that the player has seen."""
    cleared: contextlib.ExitStack


_seats: dict[tuple[str, str], _Seated] = {}
"""By game and colour, the one that was used last at the end."""


def turn(game: str, record: GameRecord, spelling: str, python: str | None, limits: Limits) -> GameRecord:
    """The record after one turn of the side to move, played by `spelling`, in a game that its page keeps.

    An agent keeps its seat for a whole game, because programs keep files from move to move. One that lost its seat, by
    a restart or to a newer game, is seated again in the middle of the game.
    """
    position = record.final()
    key = (game, position.to_move.name)
    seated = _seats.pop(key, None)
    if seated is not None and record.moves[: len(seated.seen)] != seated.seen:  # moves were taken back
        seated.cleared.close()
        seated = None
    seated = _seats[key] = seated or _seat(record, position, spelling, python, limits)
    while len(_seats) > _MOST_SEATS:
        _seats.pop(next(iter(_seats))).cleared.close()
    _observe(seated, record)
    after, now = take_turn(record, position, seated.player)
    if after.outcome is None:
        _observe(seated, after)
        after = replace(after, outcome=now.outcome())
    if after.outcome is not None:
        _seats.pop(key).cleared.close()
    return after


def _seat(record: GameRecord, position: Position, spelling: str, python: str | None, limits: Limits) -> _Seated:
    cleared = contextlib.ExitStack()
    entrant = parse_entrant(spelling, python=python, edition=classes_like(position.rules))
    seed = derive_seed(record.seed or 0, position.to_move.name)
    workshop = cleared.enter_context(temporary_directory("littlego-build-"))
    prepared = prepare_surely(entrant, workshop / "agent", _supervisor())
    player = cleared.enter_context(prepared.seated(seed, _supervisor(), limits))
    return _Seated(player, (), cleared)


def _observe(seated: _Seated, record: GameRecord) -> None:
    tell = tell_players({record.start.to_move: seated.player})
    if tell is not None:
        positions = list(record.positions())
        for number in range(len(seated.seen), len(record.moves)):
            tell(positions[number], record.moves[number], positions[number + 1])
    seated.seen = record.moves


@cache
def _supervisor() -> Supervisor:
    return Supervisor()
