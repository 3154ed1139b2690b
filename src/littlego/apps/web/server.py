"""The server: pages, API and news, put together."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.types import Scope

from littlego import __version__
from littlego.apps.web.all_services import Services
from littlego.apps.web.api import agents, analysis, decks, entrance, games, jobs, lessons, reviews, tournaments
from littlego.apps.web.api.description import ERRORS, DescribedApp
from littlego.apps.web.api.schemas.responses import About
from littlego.apps.web.http.access import Access
from littlego.apps.web.http.paths import without_paths
from littlego.apps.web.http.security import HEADERS, OWNER, PERSON, Guard
from littlego.apps.web.pages import CHECKED, PAGES, STYLE, Document, style
from littlego.apps.web.services import news
from littlego.apps.web.services.editions import Editions
from littlego.apps.web.services.store import NoRoom, NotFound, is_full
from littlego.apps.web.settings import STATIC, ServerSettings
from littlego.core.errors import LittleGoError
from littlego.formats.printable import printable

_WORTH_PACKING: Final = 2000
"""Bytes: smaller responses are not compressed."""


class _Static(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(CHECKED)
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
    for module in (games, reviews, analysis, decks, agents, tournaments, lessons, jobs, news, entrance):
        app.include_router(module.router)
    app.add_exception_handler(LittleGoError, _wrong_use)
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


def _serve_pages(app: FastAPI, settings: ServerSettings) -> None:
    def serve(respond: Callable[..., Awaitable[Response]], *routes: str) -> None:
        for route in routes:
            app.api_route(route, methods=["GET", "HEAD"], include_in_schema=False)(respond)

    async def worker() -> FileResponse:
        return FileResponse(STATIC / "worker.js", headers=CHECKED)

    async def about(request: Request) -> dict[str, Any]:
        """What a page needs to know about the server."""
        student = settings.student(request.scope[PERSON] or "")
        return {
            "version": __version__,
            "local": settings.is_local,
            "owner": request.scope[OWNER],
            "student": student and {"name": student.name, "called": settings.called(student)},
            "has_class": bool(settings.students),
            "editions": Editions(settings.data).described(),
        }

    app.get("/api/about", tags=["server"], response_model=About)(about)
    serve(Document(PAGES[0]).respond, "/")
    for name in PAGES:
        serve(Document(name).respond, f"/{name}", f"/{name}/{{rest:path}}")
    missing = Document(PAGES[0])

    async def nowhere(request: Request, error: Exception) -> Response:
        """A person who mistyped an address gets a page; programs, and what a page lacks, get the error."""
        assert isinstance(error, HTTPException)
        is_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
        if not is_page or request.method != "GET":
            return await http_exception_handler(request, error)
        response = await missing.respond(request)
        response.status_code = 404
        return response

    app.add_exception_handler(404, nowhere)
    serve(style().respond, STYLE)
    serve(worker, "/worker.js")  # at the root, since a worker sees only what is below it


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
    return JSONResponse({"detail": f"nothing here is called {error.args[0]!r}"}, status_code=404)


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
