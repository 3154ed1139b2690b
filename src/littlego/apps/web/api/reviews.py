"""Reviews: what each move of a game did to its exact value."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from littlego.apps.web.api.schemas.job_results import Job, job_response
from littlego.apps.web.api.schemas.requests import Id, Person, TheServices
from littlego.apps.web.http.access import OWNERS
from littlego.apps.web.jobs.store import UNFINISHED
from littlego.apps.web.services.weeks import REVIEW
from littlego.formats.records import record_to_dict
from littlego.review.values import check_solvable

router = APIRouter(prefix="/api/games", tags=["reviews"])

_FORM: Final = 2
"""The version of a review's result. Older ones lack fields that pages show, and are made again."""


@router.post("/{game}/review", response_model=Job)
async def review(game: Id, services: TheServices, person: Person) -> JSONResponse:
    """The job that reviews the game as it stands, started if there is none.

    Its `result` grows while it runs. News comes over /api/live, topic job:ID.
    """
    record = services.games.record(game)
    check_solvable(record.start)
    fields = record_to_dict(record)
    reviewed = {"moves": fields["moves"], "outcome": fields["outcome"], "form": _FORM}
    known = services.store.get(REVIEW, game)
    if known is not None and {key: known.get(key) for key in reviewed} == reviewed:
        job = services.jobs.find(known["job"])
        if job["state"] in (*UNFINISHED, "done"):
            return job_response(job)
    job = services.jobs.begin(
        "review",
        f"Review of {record.black} against {record.white}",
        {"record": fields},
        person=services.owner_of("game", game) or OWNERS,
        by=person,
        keep=lambda job: services.store.put(REVIEW, game, {"job": job, **reviewed}),
    )
    return job_response(job)
