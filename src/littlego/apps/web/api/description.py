"""How the API describes itself in `/api/openapi.json`: the errors of every operation, and the token."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from littlego.apps.web.api.schemas.responses import Invalid, Problem

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
