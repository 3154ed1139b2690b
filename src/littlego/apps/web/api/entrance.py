"""How a browser gets its cookie: the owner's by a link that works once, or by the token; a student's by the token."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response
from pydantic import Field

from littlego.apps.web.api.requests import RequestBody
from littlego.apps.web.api.responses import Nothing
from littlego.apps.web.http.access import OWNERS, Access
from littlego.apps.web.http.security import OWNER
from littlego.apps.web.settings import STATIC

router = APIRouter(tags=["server"])


class TokenRequest(RequestBody):
    """The owner's token, or a student's."""

    token: Annotated[str, Field(min_length=1, max_length=200)]


@router.get("/enter/{key}", include_in_schema=False)
async def enter_by_link(key: str, request: Request) -> Response:
    """Let in the first browser that opens the link."""
    if _access(request).use_link(key):
        return RedirectResponse("/", 303, _cookie(request))
    if request.scope[OWNER]:
        return RedirectResponse("/", 303)
    return FileResponse(STATIC / "used-link.html", 403)


@router.post("/api/enter", response_model=Nothing)
async def enter_by_token(body: TokenRequest, request: Request) -> Any:
    """Sign in with the owner's token, or a student's. The browser gets a cookie."""
    person = _access(request).with_token(body.token)
    if person is None:
        raise HTTPException(401, "this is not a token of this server")
    return JSONResponse({}, headers=_cookie(request, None if person == OWNERS else body.token))


@router.post("/api/leave", response_model=Nothing)
async def leave(request: Request) -> Any:
    """Sign out: the browser forgets its cookie."""
    return JSONResponse({}, headers={"set-cookie": _access(request).no_cookie_header()})


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _cookie(request: Request, token: str | None = None) -> dict[str, str]:
    return {"set-cookie": _access(request).cookie_header(token, secure=request.url.scheme == "https")}
