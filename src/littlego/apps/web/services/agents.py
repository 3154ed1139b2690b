"""Agents that were uploaded or added by their path.

agents/ID/upload/...     what was uploaded
agents/ID/unpacked-...   an archive's files
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from typing import Final

from littlego.apps.web.http.paths import full_spelling, is_inside, kept_spelling
from littlego.apps.web.services.store import Json, Store, new_id
from littlego.apps.web.settings import Settings
from littlego.arena.entrants.programs import MAIN_FILES
from littlego.core.errors import UsageError
from littlego.course.editions.find import find_edition
from littlego.course.grading.cohort.submissions import Submission, open_submission
from littlego.course.spelling import parse_entrant
from littlego.formats.printable import printable
from littlego.players.catalogue import PLAYERS
from littlego.storage.removal import remove_tree

KIND: Final = "agent"
FOLDER: Final = "agents"
_MOST: Final = 500
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")


class Agents:
    """The agents of a server. `take_in`, `point_at` and `delete` are slow: call them in a thread."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._folder = settings.data.resolve() / FOLDER

    def take_in(self, name: str, file: str, body: bytes) -> Json:
        """Keep an upload: a .zip, or one of the course's files. Raises UsageError if there is no agent in it."""
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
            return self._keep(agent, name, opened.only().spelling)
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

    def _keep(self, agent: str, name: str, spelling: str) -> Json:
        data = {"name": name, "spelling": kept_spelling(spelling, self._settings.data), "jobs": {}}
        self._store.put(KIND, agent, data)
        return self.find(agent)

    def find(self, agent: str) -> Json:
        """An agent as pages see it. Raises NotFound."""
        return self._public({"id": agent, **self._store.find(KIND, agent)}, self._names())

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

    def newest(self) -> list[Json]:
        """All agents, last changed first."""
        names = self._names()
        return [self._public(data, names) for data in self._store.newest(KIND, _MOST)]

    def delete(self, agent: str) -> None:
        """Delete an agent and its files; its games stay. Raises NotFound."""
        self._store.find(KIND, agent)
        self._store.delete(KIND, agent)
        remove_tree(self._folder / agent)

    def _names(self) -> Counter[str]:
        return Counter([*PLAYERS, *(data["name"] for data in self._store.newest(KIND, _MOST))])

    def _public(self, data: Json, names: Counter[str]) -> Json:
        """An agent without paths. Only a local server shows one, the path that its user typed."""
        label = data["name"] if names[data["name"]] < 2 else f"{data['name']}-{data['id'][:4]}"
        public = {key: value for key, value in data.items() if key != "spelling"}
        pointed_at = not is_inside(data["spelling"])
        return {**public, "label": label, "path": data["spelling"] if pointed_at and self._settings.is_local else None}
