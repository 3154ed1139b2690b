"""Homework: when it is due, and what each student of the class has handed in.

homework.json       when it is due, and its edition
handed-in/NAME/     the files that a student handed in last, as `littlego grade-class` takes them
late.csv            who is how many days late, for its `--late`
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import shutil
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, cast

from fastapi import APIRouter, HTTPException
from typing_extensions import TypedDict

from littlego.apps.web.agents import Agents
from littlego.apps.web.auth import OfAgent, Person
from littlego.apps.web.cohort import Student
from littlego.apps.web.requests import Id, TheServices
from littlego.apps.web.settings import ServerSettings
from littlego.apps.web.store import Editions, ServerStore, new_id
from littlego.core.errors import UsageError
from littlego.course.edition import Edition
from littlego.storage.files import write_whole
from littlego.storage.scratch import remove_tree

KIND: Final = "receipt"
FILE: Final = "homework.json"
HANDED_IN: Final = "handed-in"
LATE: Final = "late.csv"


class Receipt(TypedDict):
    """That a student has handed in."""

    id: str
    name: str
    """The agent's."""
    version: int
    digest: str
    """Of its files."""
    time: float
    late_days: int


class HomeworkShown(TypedDict):
    """When the homework is due, and what the sender has handed in."""

    edition: str
    due: float
    closes: float
    """Until when it may be handed in late."""
    reserved: list[str]
    """Opponents that are reserved for grading until it is due."""
    receipt: Receipt | None
    handed_in: int
    """How many of the class have handed in."""
    students: int


@dataclass(frozen=True, slots=True)
class Homework:
    """A homework of the class."""

    due: datetime
    edition: Edition

    @property
    def closes(self) -> datetime:
        return self.due + timedelta(days=self.edition.late.days)

    def days_late(self, moment: float) -> int:
        """Every day begun counts."""
        return max(0, math.ceil((moment - self.due.timestamp()) / 86400))

    def reserved(self) -> list[str]:
        return sorted({rubric.opponent for rubric in self.edition.scheme.rubrics().values() if rubric.reserved})


def set_homework(data: Path, due: datetime, edition: str) -> None:
    """Say when the homework of a data directory is due, in place of what was said before. Raises OSError."""
    text = json.dumps({"due": due.isoformat(), "edition": edition}, indent=1)
    write_whole(data / FILE, text + "\n")


def read_homework(data: Path, editions: Editions) -> Homework | None:
    """None if none is due. Raises UsageError."""
    path = data / FILE
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Homework(datetime.fromisoformat(found["due"]), editions.find(found["edition"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}; give --due again") from error


class HandIns:
    """What the students of a server have handed in."""

    def __init__(self, store: ServerStore, agents: Agents, settings: ServerSettings, editions: Editions) -> None:
        self._store = store
        self._agents = agents
        self._settings = settings
        self._homework = read_homework(settings.data, editions)
        self._one_at_a_time = threading.Lock()

    def check_grading(self, edition: Edition, stage: str, person: str) -> None:
        """Raises HTTPException for a student's grading with opponents that are reserved until the homework is due."""
        homework = self._homework
        if not person or homework is None or time.time() >= homework.due.timestamp():
            return
        rubrics = [rubric for batch in edition.scheme.selected(stage) for rubric in batch.rubrics]
        if names := sorted({rubric.opponent for rubric in rubrics if rubric.reserved}):
            until = f"{homework.due:%Y-%m-%d %H:%M}"
            raise HTTPException(403, f"{', '.join(names)} is reserved for grading until {until}: grade by 'submit'")

    def shown(self, person: str) -> HomeworkShown | None:
        """The homework as a person sees it; None if none is due."""
        homework = self._homework
        if homework is None:
            return None
        newest = self._newest()
        return {
            "edition": homework.edition.name,
            "due": homework.due.timestamp(),
            "closes": homework.closes.timestamp(),
            "reserved": homework.reserved(),
            "receipt": newest.get(person),
            "handed_in": len(newest),
            "students": len(self._settings.students),
        }

    async def hand_in(self, agent: str, person: str) -> Receipt:
        """Hand in the newest version of a student's agent, in place of what was handed in before.

        Raises NotFound, and HTTPException if nothing may be handed in.
        """
        student, homework = self._settings.student(person), self._homework
        if student is None:
            raise HTTPException(403, "only students hand in")
        if homework is None:
            raise HTTPException(409, "no homework is due on this server")
        moment = time.time()
        if moment > homework.closes.timestamp():
            raise HTTPException(409, f"nothing can be handed in since {homework.closes:%Y-%m-%d %H:%M}")
        version = self._agents.version(agent)
        receipt: Receipt = {
            "id": new_id(),
            "name": self._agents.find(agent)["name"],
            "version": version["number"],
            "digest": version["digest"],
            "time": moment,
            "late_days": homework.days_late(moment),
        }
        await asyncio.to_thread(self._take, self._agents.upload_of(agent), student, receipt)
        return receipt

    def _take(self, files: Path, student: Student, receipt: Receipt) -> None:
        with self._one_at_a_time:
            place = self._settings.data / HANDED_IN
            place.mkdir(parents=True, exist_ok=True)
            coming = place / f".{receipt['id']}"  # which no grading of the class takes for a submission
            try:
                shutil.copytree(files, coming)
                target = place / _folder(student)
                if target.exists():
                    os.rename(target, place / f".{receipt['id']}-before")  # noqa: PTH104 - never raises for a name
                os.rename(coming, target)  # noqa: PTH104
            finally:
                remove_tree(coming)
                remove_tree(place / f".{receipt['id']}-before")
            self._store.put(KIND, receipt["id"], dict(receipt), student.key)
            late = {key: one["late_days"] for key, one in self._newest().items() if one["late_days"]}
            names = {each.key: _folder(each) for each in self._settings.students}
            lines = [f"{names[key]},{days}" for key, days in sorted(late.items()) if key in names]
            write_whole(self._settings.data / LATE, "".join(f"{line}\n" for line in ["student,days", *lines]))

    def _newest(self) -> dict[str, Receipt]:
        """By student, what was handed in last."""
        found = {each.key: self._store.newest(KIND, 1, person=each.key) for each in self._settings.students}
        return {key: cast(Receipt, last[0]) for key, last in found.items() if last}


def _folder(student: Student) -> str:
    """By what the roster of the class finds its submission: a number or login; without one, the student's key."""
    words = [word for word in student.identity.split() if word.isascii() and word.replace("_", "").isalnum()]
    if student.identity == student.name or not words:
        return student.key
    return min(words, key=lambda word: (not word.isdigit(), word))


router = APIRouter(prefix="/api", tags=["homework"])


@router.get("/homework")
def homework(services: TheServices, person: Person) -> HomeworkShown | None:
    """When the homework of the class is due, what you have handed in, and how many others have; null: none is due."""
    return services.hand_ins.shown(person)


@router.post("/agents/{agent}/hand-in", status_code=201)
async def hand_in(agent: Id, services: TheServices, person: OfAgent) -> Receipt:
    """Hand in the newest version of an agent. What was handed in last counts, with the days that it was late."""
    return await services.hand_ins.hand_in(agent, person)
