"""Entrants that travel: they carry their files, and are built again where they arrive.

Prepared  --travelling-->  Traveller  --pickle, another machine, seated-->  built there once per process, and played
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import platform
import tempfile
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from littlego.arena.entrants.kinds import Entrant, Prepared, PreparedProgram, lacking_of
from littlego.arena.entrants.programs import GIVEN, files_digest
from littlego.arena.entrants.trees import plain_files
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core.errors import UsageError
from littlego.core.game import Player
from littlego.storage.removal import remove_tree
from littlego.storage.scratch import temporary_directory

Files: TypeAlias = dict[str, tuple[int, bytes]]
"""The mode and the content of each file of an agent, by name."""


@dataclass(frozen=True, slots=True)
class Traveller:
    """A `Prepared` that carries its own files, and is built for its first game by that game's supervisor."""

    entrant: Entrant
    """As it was named on the machine it comes from; its path means nothing here."""
    files: Files
    original_identity: str
    """Its identity on that machine."""
    lacking: tuple[str, ...] = ()
    """The modules that it lacked on that machine already."""

    def seated(self, seed: int, supervisor: Supervisor, limits: Limits, /) -> AbstractContextManager[Player]:
        """Builds the player if this process has not built it before. Raises UsageError if it cannot be built here."""
        return self._built(supervisor).seated(seed, supervisor, limits)

    def identity(self) -> str:
        return self.original_identity

    def key(self) -> str:
        """The same for the same files, built in the same way."""
        entrant = self.entrant.at(Path())
        assert dataclasses.is_dataclass(entrant) and not isinstance(entrant, type), "every entrant is a value"
        fields = [type(entrant).__qualname__, dataclasses.asdict(entrant)]
        digest = hashlib.sha256(json.dumps(fields, sort_keys=True, default=os.fspath).encode())
        for name, (mode, content) in sorted(self.files.items()):
            digest.update(f"{name}\0{mode}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()[:24]

    def _built(self, supervisor: Supervisor) -> Prepared:
        key = self.key()
        if key not in _built_here:
            workshop = Path(tempfile.mkdtemp(prefix="agent-", dir=_home))
            try:
                self._unpack(workshop / "files")
                built = self.entrant.at(workshop / "files").prepare(workshop / "built", supervisor)
                self._check_modules(built)
                _built_here[key] = built
            except BaseException:
                remove_tree(workshop)
                raise
        return _built_here[key]

    def _check_modules(self, built: Prepared) -> None:
        """Raises UsageError if it lacks something only here: its crashes would be our fault."""
        if isinstance(built, PreparedProgram) and (lacks := sorted({*built.program.lacking} - {*self.lacking})):
            where = f"{built.program.language} on {platform.node()} ({built.program.argv[0]})"
            raise UsageError(f"{self.entrant.name}: it needs {', '.join(lacks)}, which {where} does not have")

    def _unpack(self, folder: Path) -> None:
        for name, (mode, content) in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)


_built_here: dict[str, Prepared] = {}
_home: Path | None = None


def settle(directory: Path) -> None:
    """Build in this directory, which the caller removes, and no longer among the temporary files."""
    global _home
    directory.mkdir(parents=True, exist_ok=True)
    _home = directory


def travelling(entrant: Entrant, prepared: Prepared) -> Prepared:
    """What can be sent to another machine in place of `prepared`, which was made from `entrant`.

    Entrants without files are sent unchanged. Raises UsageError if files have changed since they were prepared.
    """
    with temporary_directory("littlego-pack-") as folder:
        entrant.copy_files(folder)
        if isinstance(prepared, PreparedProgram) and prepared.program.digest not in ("", files_digest(folder)):
            raise UsageError(f"{entrant.spelling}: its files have changed since it was prepared: run the command again")
        files = _read(folder)
    return Traveller(entrant, files, prepared.identity(), lacking_of(prepared)) if files else prepared


def _read(folder: Path) -> Files:
    files: Files = {}
    for relative, descriptor in plain_files(folder, GIVEN):
        with open(descriptor, "rb", closefd=False) as stream:
            files[relative.as_posix()] = os.fstat(descriptor).st_mode & 0o777, stream.read()
    return files
