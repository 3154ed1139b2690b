"""The responses about agents and their gradings."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from littlego.apps.web.api.schemas.responses import ResponseBody


class Agent(ResponseBody):
    """An agent of this server; `agent:ID` names it wherever a player is asked for."""

    id: str
    name: str
    label: Annotated[str, Field(description="The name, with part of the id if others have the same name")]
    jobs: Annotated[dict[str, str], Field(description="By kind, the last job")]
    path: Annotated[str | None, Field(description="Its path, if it was added by a path on the server's machine")]
    student: Annotated[str | None, Field(description="The name of the student whose it is; null if the owner's")]
    created: float | None = None
    updated: float | None = None


class GradingLine(ResponseBody):
    """A grading in the list of an agent's gradings."""

    id: str
    job: str
    edition: str
    stage: str
    repeats: int | None
    digest: Annotated[str, Field(description="Changes with the agent's files")]
    created: float
    state: str
    points: float | None
    max_points: float | None
    complete: bool | None
    report: Annotated[bool, Field(description="Whether there is a report")]
