"""Agents that were uploaded or added by their path.

agents/ID/upload/...     what was uploaded
agents/ID/unpacked-...   an archive's files
"""

from __future__ import annotations

import re
import threading
import zipfile
from collections import Counter
from typing import Final

from littlego.apps.web.cohort import rights
from littlego.apps.web.services.store import ServerStore, full_spelling, is_inside, kept_spelling, new_id
from littlego.apps.web.settings import ServerSettings
from littlego.arena.building import MAIN_FILES
from littlego.core.errors import UsageError
from littlego.course.editions.find import find_edition
from littlego.course.grading.cohort.submissions import Submission, open_submission
from littlego.course.spelling import parse_entrant
from littlego.formats.records import Json
from littlego.formats.text import printable
from littlego.players.catalogue import PLAYERS
from littlego.storage.scratch import remove_tree

KIND: Final = "agent"
FOLDER: Final = "agents"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")
_UPLOADED: Final = re.compile(rf"/{FOLDER}/([A-Za-z0-9_-]{{12}})/")


class Agents:
    """The agents of a server. `take_in`, `point_at` and `delete` are slow: call them in a thread."""

    def __init__(self, store: ServerStore, settings: ServerSettings) -> None:
        self._store = store
        self._settings = settings
        self._folder = settings.data.resolve() / FOLDER
        self._keeping = threading.Lock()

    def take_in(self, name: str, file: str, body: bytes, person: str = "") -> Json:
        """Keep an upload of a person: a .zip, or one of the course's files. Raises UsageError if it has no agent."""
        self._check_room(person)
        if not _NAME.fullmatch(name):
            raise UsageError(f"name {name[:40]!r}: expected up to 40 letters, digits and . _ + -")
        if not file.lower().endswith(".zip") and file not in MAIN_FILES:
            raise UsageError(f"{file[:80]!r}: expected a .zip, or one of {', '.join(MAIN_FILES)}")
        agent = new_id()
        place = self._folder / agent
        upload = place / "upload"
        try:
            upload.mkdir(parents=True)
            if file in MAIN_FILES:
                (upload / file).write_bytes(body)
                handed_in = upload
            else:
                handed_in = upload / "agent.zip"
                handed_in.write_bytes(body)
                if not zipfile.is_zipfile(handed_in):
                    raise UsageError(f"{file}: cannot be unpacked: not a .zip file, or only part of one")
            opened = open_submission(Submission(name, name, handed_in), place, python=None, edition=find_edition())
            return self._keep(agent, name, opened.only().spelling, person)
        except Exception as error:
            remove_tree(place)
            if isinstance(error, UsageError):
                raise UsageError(str(error).replace("agent.zip", printable(file))) from error
            raise

    def point_at(self, spelling: str) -> Json:
        """Keep an agent on this machine by its path. Raises UsageError."""
        entrant = parse_entrant(spelling)
        name = re.sub(r"[^A-Za-z0-9_.+-]", "_", entrant.name).strip(".")[:40] or "agent"
        return self._keep(new_id(), name, entrant.spelling)

    def _keep(self, agent: str, name: str, spelling: str, person: str = "") -> Json:
        data = {"name": name, "spelling": kept_spelling(spelling, self._settings.data), "jobs": {}}
        with self._keeping:  # so that of several uploads at once none is too many
            self._check_room(person)
            self._store.put(KIND, agent, data, person)
        return self.find(agent)

    def _check_room(self, person: str) -> None:
        if person and len(self._store.newest(KIND, person=person)) >= rights.AGENTS:
            raise UsageError(f"you have {rights.AGENTS} agents here: delete one first")

    def find(self, agent: str) -> Json:
        """An agent as pages see it. Raises NotFound."""
        data, person = self._store.find(KIND, agent), self.person_of(agent)
        return self._public({"id": agent, **data}, person, self._names(person))

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
            return str(shown["label"])
        student = self._settings.student(person)
        if student is None:
            raise UsageError(f"{shown['label']} is the agent of somebody who has left the class")
        name = student.pseudonym
        several = len(self._store.newest(KIND, 2, person=person)) > 1
        return f"{name}-{agent[:4]}" if several else name

    def spelling(self, agent: str) -> str:
        """The spelling that runs an agent, with its full path. Raises NotFound."""
        return full_spelling(self.kept_spelling(agent), self._settings.data)

    def kept_spelling(self, agent: str) -> str:
        """The stored spelling, which stays right when the data directory is moved. Raises NotFound."""
        return str(self._store.find(KIND, agent)["spelling"])

    def note_job(self, agent: str, kind: str, job: str) -> None:
        """Remember the last job of a kind."""
        data = self._store.find(KIND, agent)
        self._store.put(KIND, agent, {**data, "jobs": {**data["jobs"], kind: job}})

    def newest(self, person: str | None = None) -> list[Json]:
        """All agents, or those of a person, last changed first."""
        found = [(self.person_of(data["id"]), data) for data in self._store.newest(KIND, person=person)]
        names = {whose: self._names(whose) for whose, _ in found}
        return [self._public(data, whose, names[whose]) for whose, data in found]

    def delete(self, agent: str) -> None:
        """Delete an agent and its files; its games stay. Raises NotFound."""
        self._store.find(KIND, agent)
        self._store.delete(KIND, agent)
        remove_tree(self._folder / agent)

    def _names(self, person: str) -> Counter[str]:
        return Counter([*PLAYERS, *(data["name"] for data in self._store.newest(KIND, person=person))])

    def _public(self, data: Json, person: str, names: Counter[str]) -> Json:
        """An agent without paths. Only a local server shows one, the path that its user typed."""
        label = data["name"] if names[data["name"]] < 2 else f"{data['name']}-{data['id'][:4]}"
        public = {key: value for key, value in data.items() if key != "spelling"}
        pointed_at = not is_inside(data["spelling"])
        student = self._settings.student(person)
        return {
            **public,
            "label": label,
            "path": data["spelling"] if pointed_at and self._settings.is_local else None,
            "student": student.name if student else person or None,
        }
