"""The server: pages and API, put together."""

from __future__ import annotations

import socket
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Literal

from fastapi import FastAPI, Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from typing_extensions import TypedDict

from littlego import __version__
from littlego.apps.web import agents, auth, contests, gradings, homework, jobs, site
from littlego.apps.web.agents import Agents
from littlego.apps.web.auth import HEADERS, OWNERS, PERSON, Access, Anyone, Guard, routes_without_rights
from littlego.apps.web.contests import Tournaments
from littlego.apps.web.fair import Apart, TooMany, WorkerDied, sharing
from littlego.apps.web.gradings import Gradings
from littlego.apps.web.homework import HandIns
from littlego.apps.web.jobs import Jobs
from littlego.apps.web.settings import ServerSettings
from littlego.apps.web.store import EditionLine, Editions, NoRoom, NotFound, ServerStore, is_full, without_paths
from littlego.core.errors import LittleGoError
from littlego.formats.text import printable
from littlego.sandbox import SandboxError

_READING: Final = 60.0
"""Seconds in which an upload must have been unpacked and read."""


class Services:
    """The services of one server. Made inside its event loop, closed when it ends."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.store = ServerStore(settings.data / "arena.sqlite")
        self.readers = Apart(1, _READING)
        self.movers = Apart(settings.workers)
        self.jobs = Jobs(self.store, settings.data, settings.jobs_at_once)
        self.editions = Editions(settings.data)
        self.agents = Agents(self.store, settings, self.readers)
        self.hand_ins = HandIns(self.store, self.agents, settings, self.editions)
        self.gradings = Gradings(self.store, self.agents, self.jobs, settings.data, self.editions)
        self.tournaments = Tournaments(self.store, settings.data, self.agents, self.readers)

    def owner_of(self, kind: str, name: str) -> str | None:
        """Whose something is, a student's key or empty for the server's owner; None if it does not exist."""
        return self.jobs.person_of(name) if kind == "job" else self.store.person_of(kind, name)

    async def close(self) -> None:
        """Stop everything. The next server continues games and jobs."""
        await self.jobs.close()
        self.readers.close()
        self.movers.close()
        self.store.close()


class Refusal(BaseModel):
    """Why a request was refused, in words."""

    detail: str


_INTRODUCTION: Final = """Check, grade and rank agents that play Little-Go, and play against them.

Moves are `row,column` counted from 0 at the top left, or `PASS`. Long work is a job: the response names it, and
`GET /api/jobs/{job}` says how far it is. Programs send the token, which is in the file `token` of the data directory,
as `Authorization: Bearer TOKEN`.
"""
_WORTH_PACKING: Final = 2000
"""Bytes: smaller responses are not compressed."""
_MOST_CONNECTIONS: Final = 1000


def create_app(settings: ServerSettings) -> FastAPI:
    """The whole server as an ASGI app."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services = app.state.services = Services(settings)
        services.jobs.resume()
        yield
        await services.close()

    app = FastAPI(
        title="Little-Go arena",
        version=__version__,
        summary="Check, grade and rank agents that play Little-Go.",
        description=_INTRODUCTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses={"default": {"model": Refusal, "description": "Refused, in words"}},
    )
    app.state.settings = settings
    modules = (agents, gradings, homework, contests, jobs, auth)
    routers = [*(module.router for module in modules), agents.kits]
    for router in routers:
        app.include_router(router)
    app.get("/api/about", tags=["server"], dependencies=[Anyone])(about)
    app.mount("/", site.Pages(), name="pages")
    for kind in _REFUSED:
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(Exception, _our_fault)
    app.add_exception_handler(404, _nowhere)
    if nobody := routes_without_rights([*app.routes, *(route for router in routers for route in router.routes)]):
        raise RuntimeError(f"nobody may call {', '.join(nobody)}: give a right")
    app.add_middleware(GZipMiddleware, minimum_size=_WORTH_PACKING)
    access = app.state.access = Access(settings.token, settings.port, settings.students)
    app.add_middleware(Guard, settings=settings, access=access)
    return app


def serve(app: FastAPI, listener: socket.socket) -> None:
    """Serve an app until a signal ends it."""
    import uvicorn

    if sys.platform != "win32":  # sockets are no file descriptors there
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 2 * _MOST_CONNECTIONS
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, wanted)), hard))
    config = uvicorn.Config(
        app,
        http=sharing(_MOST_CONNECTIONS),
        ws="none",
        log_level="warning",
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listener])


Offer = Literal["agents", "tournaments", "python"]


class StudentShown(TypedDict):
    """A student of the class that the server is for."""

    name: str
    called: str
    """The name in tournaments: a pseudonym."""


class About(TypedDict):
    """What a page needs to know about the server."""

    version: str
    owner: bool
    """Whether this request is the owner's."""
    student: StudentShown | None
    """Whose request this is, if it is a student's."""
    has_class: bool
    """Whether students have tokens of their own here."""
    offers: list[Offer]
    """What this request's sender finds here besides the pages; sign in to find more."""
    editions: list[EditionLine]
    players: list[str]
    """The built-in players, which tournaments may have."""


async def about(request: Request) -> About:
    """What a page needs to know about the server."""
    settings: ServerSettings = request.app.state.settings
    person = request.scope[PERSON]
    student = settings.student(person or "")
    offers: list[Offer] = ["agents", "tournaments"] if person is not None else []
    if person is None and not settings.is_local:  # visitors of an open server may watch
        offers = ["tournaments"]
    return {
        "version": __version__,
        "owner": person == OWNERS,
        "student": {"name": student.name, "called": student.pseudonym} if student else None,
        "has_class": bool(settings.students),
        "offers": offers,
        "editions": Editions(settings.data).described(),
        "players": contests.OPPONENTS,
    }


_REFUSED: Final = (
    LittleGoError, SandboxError, WorkerDied, TooMany, NotFound, OSError, sqlite3.OperationalError, ClientDisconnect,
    RequestValidationError,
)  # fmt: skip
"""The errors that are not always ours."""


async def _refused(request: Request, error: Exception) -> JSONResponse:
    status, words = _explained(error, request.app.state.services)
    return JSONResponse({"detail": words}, status)


def _explained(error: Exception, services: Services) -> tuple[int, str]:
    """The status and the words for an error. Raises it if it is a bug."""
    data = services.settings.data
    match error:
        case NotFound():
            return 404, f"there is no {error.args[0]!r} on this server"
        case NoRoom():
            return 507, str(error)
        case LittleGoError() | SandboxError():
            return 422, printable(without_paths(str(error), data))
        case WorkerDied():
            return 503, f"{error}: try again in a moment"
        case TooMany():
            return 429, str(error)
        case TimeoutError():
            return 422, f"the files took longer than {_READING:g} s to read"
        case ClientDisconnect():
            return 408, "the request has not arrived as a whole"
        case RequestValidationError():  # without values: they may be long, or not valid JSON
            misfits = [(".".join(map(str, one["loc"][1:]))[:80], one["msg"]) for one in error.errors()[:10]]
            return 422, printable("; ".join(f"{where}: {why}" for where, why in misfits))
    if is_full(error, data):
        return 507, str(NoRoom())
    raise error


async def _nowhere(request: Request, error: Exception) -> Response:
    """A person who mistyped an address is sent to the pages; programs, and what a page lacks, get the error."""
    assert isinstance(error, HTTPException)
    is_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
    if not is_page or request.method != "GET":
        return await http_exception_handler(request, error)
    return RedirectResponse(f"/#{request.url.path}", 303)


async def _our_fault(_request: Request, _error: Exception) -> JSONResponse:
    """For all other errors. It is sent outside the Guard, so it adds the headers itself."""
    headers = {name.decode(): value.decode() for name, value in HEADERS}
    return JSONResponse({"detail": "the server has a bug; see its log"}, 500, headers)
