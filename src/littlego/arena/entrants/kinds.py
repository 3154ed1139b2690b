"""The participants of games: built-in players and programs, prepared once and seated for every game.

Entrant  --prepare-->  Prepared  --seated-->  Player
a name or a path       built, and can be        one game
                       sent to a process
"""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final, Protocol, Self

from littlego.arena.entrants.commands import split_words
from littlego.arena.entrants.program_player import ProgramPlayer
from littlego.arena.entrants.programs import (
    BUILT,
    MAIN_FILES,
    Program,
    build_program,
    command_program,
    copy_agent,
    made_with_what,
    main_file,
)
from littlego.arena.entrants.trees import copy_tree
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core.errors import UsageError
from littlego.core.game import Player
from littlego.players.catalogue import entry
from littlego.storage.scratch import temporary_directory

_MODEL: Final = "model.json"


class Prepared(Protocol):
    """An entrant that is ready for any number of games. Can be pickled."""

    def seated(self, seed: int, supervisor: Supervisor, limits: Limits, /) -> AbstractContextManager[Player]:
        """A player for one game; what it needs is removed when the game is over."""
        ...

    def identity(self) -> str:
        """Changes when the entrant would play differently."""
        ...


class Entrant(Protocol):
    """A participant as it was named."""

    @property
    def spelling(self) -> str:
        """Names it on the command line."""
        ...

    @property
    def name(self) -> str:
        """Its name in tables."""
        ...

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:
        """Build it in the empty directory `workshop`. Raises UsageError."""
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
