"""Jobs that travel: pickled with the files of the agents in them, which are built again where they arrive.

pickled(job)  --bytes-->  pickle.loads  --sit_down-->  built there, once a process, and played
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import pickle
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlego.arena.entrants import BuiltIn, Entrant, Prepared, Seat, SeatedProgram
from littlego.arena.programs import copy_agent, files_digest
from littlego.arena.supervised import Supervisor
from littlego.core.errors import UsageError
from littlego.core.game import Player
from littlego.players.catalogue import entry

_LEARNER = "qlearning:"
_MODEL = "model.json"


@dataclass(frozen=True, slots=True)
class File:
    """A file of an agent."""

    mode: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Traveller:
    """An entrant that carries its own files. Prepared: it is built for its first game, by that game's supervisor."""

    entrant: Entrant
    """As it was named where it came from; its path means nothing here."""
    main: str | None
    """The file that was named, below the files' directory; None for the directory itself."""
    files: dict[str, File]
    told: str
    """Its identity where it came from."""

    def sit_down(self, seat: Seat) -> Player:
        """The player, built if this process has not built it before. Raises UsageError if it cannot be built here."""
        return self._built(seat.supervisor).sit_down(seat)

    def identity(self) -> str:
        """What it was before it travelled."""
        return self.told

    def key(self) -> str:
        """A text that is the same for the same files, built in the same way."""
        entrant: Any = self.entrant
        how = entrant if isinstance(entrant, BuiltIn) else dataclasses.replace(entrant, path=Path())
        digest = hashlib.sha256(repr((how, self.main)).encode())
        for name, file in sorted(self.files.items()):
            digest.update(f"{name}\0{file.mode}\0{len(file.content)}\0".encode() + file.content)
        return digest.hexdigest()[:24]

    def _built(self, supervisor: Supervisor) -> Prepared:
        key = self.key()
        if key not in _built_here:
            workshop = Path(tempfile.mkdtemp(prefix="agent-", dir=_home))
            source = workshop / "files"
            for name, file in self.files.items():
                path = source / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
                path.chmod(file.mode)
            entrant: Any = self.entrant
            if isinstance(entrant, BuiltIn):
                _built_here[key] = BuiltIn(f"{_LEARNER}{source}")
            else:
                here = dataclasses.replace(entrant, path=source / self.main if self.main else source)
                _built_here[key] = here.prepare(workshop / "built", supervisor)
        return _built_here[key]


_built_here: dict[str, Prepared] = {}
_home: Path | None = None


def settle(directory: Path) -> None:
    """Build here from now on; the caller sees to it that the directory goes. Otherwise: among temporary files."""
    global _home
    directory.mkdir(parents=True, exist_ok=True)
    _home = directory


def pickled(job: Any) -> bytes:
    """A job as bytes, all agents' files in it. Raises UsageError for files that changed since they were prepared."""
    buffer = io.BytesIO()
    _Packer(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(job)
    return buffer.getvalue()


class _Packer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, SeatedProgram) and value.program.files is not None:
            return _reduced(_packed_program(value))
        if isinstance(value, BuiltIn) and value.name.startswith(_LEARNER):
            return _reduced(_packed_learner(value))
        return NotImplemented


def _reduced(traveller: Traveller) -> tuple[Any, ...]:
    return Traveller, (traveller.entrant, traveller.main, traveller.files, traveller.told)


def _packed_program(seated: SeatedProgram) -> Traveller:
    path = getattr(seated.entrant, "path", None)
    if seated.entrant is None or not isinstance(path, Path):
        raise UsageError(f"{' '.join(seated.program.argv)}: its files are not known, so it cannot be sent to a cluster")
    with tempfile.TemporaryDirectory(prefix="littlego-pack-") as scratch:
        folder = Path(scratch)
        copy_agent(path if path.is_dir() else path.parent, folder)
        if files_digest(folder) != seated.program.digest:
            raise UsageError(f"{path}: its files have changed since it was prepared: give the command again")
        return Traveller(seated.entrant, None if path.is_dir() else path.name, _read(folder), seated.identity())


def _packed_learner(learner: BuiltIn) -> Traveller:
    path = entry(learner.name).file
    assert path is not None
    content = (path / _MODEL if path.is_dir() else path).read_bytes()
    return Traveller(BuiltIn("qlearning"), None, {_MODEL: File(0o644, content)}, learner.identity())


def _read(folder: Path) -> dict[str, File]:
    return {
        str(path.relative_to(folder)): File(path.stat().st_mode & 0o777, path.read_bytes())
        for path in sorted(Path(root) / name for root, _, names in os.walk(folder) for name in names)
    }
