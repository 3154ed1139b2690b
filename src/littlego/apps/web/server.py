"""The server: pages, API and news, put together."""

from __future__ import annotations

import socket
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.types import Scope

from littlego import __version__
from littlego.apps.web.all_services import Services
from littlego.apps.web.api import agents, analysis, decks, entrance, games, jobs, lessons, tournaments
from littlego.apps.web.api.responses import About, Invalid, Problem
from littlego.apps.web.http.access import Access
from littlego.apps.web.http.security import HEADERS, OWNER, PERSON, Guard
from littlego.apps.web.services import news
from littlego.apps.web.services.editions import Editions
from littlego.apps.web.services.store import NoRoom, NotFound, is_full, without_paths
from littlego.apps.web.settings import STATIC, ServerSettings
from littlego.core.errors import LittleGoError
from littlego.formats.html.page import THEME
from littlego.formats.text import printable
from littlego.sandbox import SandboxError

ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": Problem, "description": "The body is not valid text"},
    401: {"model": Problem, "description": "The token is missing or wrong"},
    403: {"model": Problem, "description": "Not allowed on this server, or sent from another site"},
    404: {"model": Problem, "description": "Nothing is stored under this id"},
    409: {"model": Problem, "description": "Not possible now: the game has continued or ended"},
    413: {"model": Problem, "description": "The request is too large"},
    421: {"model": Problem, "description": "The request names another host"},
    422: {"model": Invalid, "description": "The request is wrong; the answer says why"},
    507: {"model": Problem, "description": "The server's disk is full; nothing was lost"},
}
"""The errors of any operation."""

_TOKEN: Final = "token"
_SAFE: Final = ("get", "head")
_INTRODUCTION: Final = """Play, review, grade and rank Little-Go.

Moves are `row,column` counted from 0 at the top left, or `PASS`. Long work is a job: the response names it, and
`GET /api/jobs/{job}` says how far it is.

News comes over one WebSocket, `/api/live`. To subscribe, send `{"listen": "game:ID"}`, `{"listen": "job:ID"}` or
`{"listen": "values:KEY"}`; each change arrives as `{"topic": "game:ID", ...}` with the fields of that operation's
response. To unsubscribe, send `{"forget": TOPIC}`. If you missed news, ask for the state: nothing is lost.
"""


class DescribedApp(FastAPI):
    """An app whose description has our introduction, and the token for operations that write."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = self._described()
        return self.openapi_schema

    def _described(self) -> dict[str, Any]:
        description = get_openapi(
            title=self.title, version=self.version, summary=self.summary, description=_INTRODUCTION, routes=self.routes
        )
        description["components"]["securitySchemes"] = {
            _TOKEN: {"type": "http", "scheme": "bearer", "description": "In the file `token` of the data directory"}
        }
        for item in description["paths"].values():
            for method, operation in item.items():
                if method not in _SAFE:
                    operation["security"] = [{_TOKEN: []}, {}]
                for status, response in operation["responses"].items():
                    if int(status) in ERRORS:  # JSON, also where success is a page or a file
                        response["content"] = {"application/json": next(iter(response["content"].values()))}
        return description


PAGES: Final = ("play", "watch", "review", "drills", "arena", "learn", "solution")
_CHECKED: Final = {"cache-control": "no-cache"}
"""Browsers cache the files but ask each time whether they changed, so that an update replaces all of them."""
_WORTH_PACKING: Final = 2000
"""Bytes: smaller responses are not compressed."""
_MOST_CONNECTIONS: Final = 1000


class _Static(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_CHECKED)
        return response


def create_app(settings: ServerSettings) -> FastAPI:
    """The whole server as an ASGI app."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services = app.state.services = Services(settings)
        services.jobs.resume()
        if settings.warm:
            services.warm_up()
        yield
        await services.close()

    app = DescribedApp(
        title="Little-Go arena",
        version=__version__,
        summary="Play, review, grade and rank Little-Go.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=ERRORS,
    )
    for module in (games, analysis, decks, agents, tournaments, lessons, jobs, news, entrance):
        app.include_router(module.router)
    app.include_router(agents.kits)
    app.add_exception_handler(LittleGoError, _wrong_use)
    app.add_exception_handler(SandboxError, _wrong_use)
    app.add_exception_handler(NoRoom, _no_room)
    app.add_exception_handler(OSError, _of_the_system)
    app.add_exception_handler(sqlite3.OperationalError, _of_the_system)
    app.add_exception_handler(NotFound, _not_found)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(Exception, _our_fault)
    _serve_pages(app, settings)
    app.mount("/static", _Static(directory=STATIC), name="static")
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
        ws="websockets-sansio",
        ws_max_size=1 << 16,
        limit_concurrency=_MOST_CONNECTIONS,
        log_level="warning",
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _serve_pages(app: FastAPI, settings: ServerSettings) -> None:
    async def about(request: Request) -> dict[str, Any]:
        """What a page needs to know about the server."""
        student = settings.student(request.scope[PERSON] or "")
        return {
            "version": __version__,
            "local": settings.is_local,
            "owner": request.scope[OWNER],
            "student": student and {"name": student.name, "called": student.pseudonym},
            "has_class": bool(settings.students),
            "editions": Editions(settings.data).described(),
        }

    async def document() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=_CHECKED)

    async def theme() -> FileResponse:
        return FileResponse(THEME, headers=_CHECKED)

    async def nowhere(request: Request, error: Exception) -> Response:
        """A person who mistyped an address gets a page; programs, and what a page lacks, get the error."""
        assert isinstance(error, HTTPException)
        is_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
        if not is_page or request.method != "GET":
            return await http_exception_handler(request, error)
        return FileResponse(STATIC / "index.html", 404, headers=_CHECKED)

    app.get("/api/about", tags=["server"], response_model=About)(about)
    for route in ("/", *(f"/{name}{rest}" for name in PAGES for rest in ("", "/{rest:path}"))):
        app.api_route(route, methods=["GET", "HEAD"], include_in_schema=False)(document)
    app.get("/static/css/theme.css", include_in_schema=False)(theme)  # reports have it, too
    app.add_exception_handler(404, nowhere)


async def _wrong_use(request: Request, error: Exception) -> JSONResponse:
    message = without_paths(str(error), request.app.state.services.settings.data)
    return JSONResponse({"detail": printable(message)}, status_code=422)


async def _no_room(_request: Request, _error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(NoRoom())}, status_code=507)


async def _of_the_system(request: Request, error: Exception) -> JSONResponse:
    """Explains a full disk; any other error of the system is a bug."""
    if is_full(error, request.app.state.services.settings.data):
        return await _no_room(request, error)
    raise error


async def _gone(_request: Request, _error: Exception) -> Response:
    """For a client that left before its request had arrived. Nobody reads this."""
    return Response(status_code=408)


async def _not_found(_request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": f"there is no {error.args[0]!r} on this server"}, status_code=404)


async def _not_understood(_request: Request, error: Exception) -> JSONResponse:
    """Which fields are wrong and why, without their values: those may be long, or not valid JSON."""
    assert isinstance(error, RequestValidationError)
    problems = [
        {"loc": [printable(str(part))[:80] for part in one["loc"]], "msg": printable(one["msg"]), "type": one["type"]}
        for one in error.errors()[:10]
    ]
    return JSONResponse({"detail": problems}, status_code=422)


async def _our_fault(_request: Request, _error: Exception) -> JSONResponse:
    """For all other errors. It is sent outside the Guard, so it adds the headers itself."""
    headers = {name.decode(): value.decode() for name, value in HEADERS}
    return JSONResponse({"detail": "the server has a bug; see its log"}, 500, headers)
