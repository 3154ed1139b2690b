"""The participants of games: built-in players and programs, prepared once and seated for every game.

Entrant  --prepare-->  Prepared  --seated-->  Player
a name or a path       built, and can be        one game
                       sent to a process

Prepared  --travelling-->  Traveller  --pickle, another machine, seated-->  built there once per process, and played
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final, Protocol, Self, TypeAlias

from littlego.arena.building import (
    BUILT,
    GIVEN,
    MAIN_FILES,
    BuildFailed,
    BuildInterrupted,
    Program,
    build_program,
    command_program,
    copy_agent,
    files_digest,
    made_with_what,
    main_file,
    split_words,
)
from littlego.arena.program import ProgramPlayer
from littlego.arena.untrusted import copy_tree, plain_files
from littlego.core.errors import UsageError
from littlego.core.game import Player
from littlego.players.catalogue import entry
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Level, Limits
from littlego.storage.scratch import remove_tree, temporary_directory

_MODEL: Final = "model.json"
UNCONFINED: Final = "gtp:"
"""Begins the spellings of what runs with its owner's rights: not to be taken from files that others send."""


class Prepared(Protocol):
    """An entrant that is ready for any number of games. Can be pickled."""

    def seated(self, seed: int, supervisor: Supervisor, limits: Limits, /) -> AbstractContextManager[Player]:
        """A player for one game; what it needs is removed when the game is over."""
        ...

    def identity(self) -> str:
        """Changes when the entrant would play differently."""
        ...


class Preparable(Protocol):
    """What can be made ready for games."""

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:
        """Build it in the empty directory `workshop`. Raises UsageError."""
        ...


class Entrant(Preparable, Protocol):
    """A participant as it was named."""

    @property
    def spelling(self) -> str:
        """Names it on the command line."""
        ...

    @property
    def name(self) -> str:
        """Its name in tables."""
        ...

    def copy_files(self, folder: Path) -> None:
        """Copy the files it plays from, if any, into `folder`, which is made if there are any. Raises UsageError."""
        ...

    def at(self, folder: Path) -> Entrant:
        """The same entrant, playing from the files that `copy_files` put into `folder`. Does not read them."""
        ...


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A player of the catalogue, which needs no preparation."""

    name: str

    @property
    def spelling(self) -> str:
        return self.name

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        return self

    def copy_files(self, folder: Path) -> None:
        """The model, for a learner of the user's own."""
        if (source := entry(self.name).file) is not None:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / _MODEL if source.is_dir() else source, folder / _MODEL)

    def at(self, folder: Path) -> Entrant:
        kind, colon, _ = self.name.partition(":")
        return BuiltIn(f"{kind}:{folder / _MODEL}") if colon else self

    def seated(self, seed: int, _supervisor: Supervisor, _limits: Limits, /) -> AbstractContextManager[Player]:
        return nullcontext(entry(self.name).make(seed))

    def identity(self) -> str:
        return entry(self.name).identity()


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A built program."""

    program: Program

    @contextmanager
    def seated(self, _seed: int, supervisor: Supervisor, limits: Limits, /) -> Iterator[ProgramPlayer]:
        """Runs in a fresh copy of its files. Raises UsageError if it is not on this machine."""
        if self.program.files is None and not Path(self.program.argv[0]).exists():
            raise UsageError(f"{self.program.argv[0]}: there is no such program on {platform.node()}")
        with temporary_directory("littlego-game-") as directory:
            if self.program.files is not None:
                copy_tree(self.program.files, directory, BUILT)
            yield ProgramPlayer(self.program, directory, supervisor, limits)

    def identity(self) -> str:
        """Does not depend on where its files are."""
        program = self.program
        return json.dumps([program.digest, program.language, program.made_with, *program.argv[1:]])


def runtime_of(prepared: Prepared) -> str:
    """What a program runs with, for people: its interpreter or language, packages and remarks. Empty for others."""
    return prepared.program.runtime if isinstance(prepared, PreparedProgram) else ""


def lacking_of(prepared: Prepared) -> tuple[str, ...]:
    """Modules that a program imports and its interpreter does not have."""
    return prepared.program.lacking if isinstance(prepared, PreparedProgram) else ()


@dataclass(frozen=True, slots=True)
class CourseAgent:
    """A file named in MAIN_FILES, or a directory that contains one."""

    path: Path
    python: str | None = None
    """The interpreter for a Python agent, instead of the one that its file name asks for."""
    given: Path | None = None
    """The archive, or the folder further up, in which it was found."""

    @property
    def spelling(self) -> str:
        """The full path, so that a capsule can be replayed from anywhere."""
        return str((self.given or self.path).absolute())

    @property
    def name(self) -> str:
        """The directory's name: file names are the same for most agents."""
        path = (self.given or self.path).absolute()
        if path.suffix.lower() == ".zip":
            return path.stem
        return (path.parent if path.is_file() else path).name

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:
        """Raises UsageError, and BuildFailed with the compiler's errors."""
        return PreparedProgram(build_program(self.path, workshop, supervisor, python=self.python))

    def made_with(self) -> str:
        """The tools that it would be built and run with, without building it. Raises UsageError."""
        return made_with_what(main_file(self.path), self.python)

    def copy_files(self, folder: Path) -> None:
        copy_agent(main_file(self.path).parent, folder)

    def at(self, folder: Path) -> Entrant:
        named = self.path.name in MAIN_FILES
        return replace(self, path=folder / self.path.name if named else folder, given=None)


@dataclass(frozen=True, slots=True)
class Command:
    """A user's command, which has no files to copy."""

    command: str
    prefix: ClassVar[str] = ""
    """Begins its spelling."""

    @property
    def spelling(self) -> str:
        return f"{self.prefix}{self.command}"

    @property
    def name(self) -> str:
        """That of its program; of a command that cannot be read, its kind."""
        with suppress(ValueError):
            if words := split_words(self.command):
                return Path(words[0]).name
        return self.prefix.rstrip(":")

    def copy_files(self, folder: Path) -> None:
        pass

    def at(self, folder: Path) -> Self:  # noqa: ARG002 - an Entrant
        return self


@dataclass(frozen=True, slots=True)
class CommandAgent(Command):
    """A command that speaks the file protocol."""

    prefix: ClassVar[str] = "cmd:"

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        """Find the program. Raises UsageError."""
        return PreparedProgram(command_program(self.command))


TRIES: Final = 2
"""Failures of the same files that make it the agent's fault; and failures of ours after which we give up."""
KILLED_TRIES: Final = 5
"""Failures that speak of a kill: a compiler says no more if a program of its own was killed. A forger only waits."""


def prepare_surely(entrant: Preparable, workshop: Path, supervisor: Supervisor) -> Prepared:
    """Build an entrant in `workshop`, which must not exist, and again if that fails.

    Raises BuildFailed after `TRIES` failures caused by its files or `KILLED_TRIES` that may have been kills,
    BuildInterrupted after `TRIES` failures of ours, and UsageError for something that is not an agent.
    """
    failures: Counter[tuple[type, bool]] = Counter()
    while True:
        try:
            return entrant.prepare(workshop, supervisor)
        except (BuildFailed, BuildInterrupted) as failure:
            speaks_of_kill = isinstance(failure, BuildFailed) and "Killed" in str(failure)
            failures[type(failure), speaks_of_kill] += 1
            if failures[type(failure), speaks_of_kill] == (KILLED_TRIES if speaks_of_kill else TRIES):
                raise
            remove_tree(workshop)
            supervisor.close()  # the next try gets a new one


@contextmanager
def preparing(
    entrants: Iterable[Preparable], *, level: Level | None = None
) -> Iterator[tuple[list[Prepared], Supervisor]]:
    """The entrants, built, and a supervisor for their games; afterwards nothing of them is left.

    Raises UsageError, and what `prepare_surely` raises.
    """
    with temporary_directory("littlego-build-") as workshop, Supervisor(level=level) as supervisor:
        yield [prepare_surely(each, workshop / str(k), supervisor) for k, each in enumerate(entrants)], supervisor


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

    def _built(self, supervisor: Supervisor) -> Prepared:
        key = self.entrant.at(Path()), tuple(sorted(self.files.items()))
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


_built_here: dict[object, Prepared] = {}
"""By the entrant and its files: the same files are built in the same way."""
_home: Path | None = None


def build_in(directory: Path) -> None:
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
