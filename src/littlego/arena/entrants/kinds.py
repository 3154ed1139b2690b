"""Who takes part in a match: built-in players and programs, made ready once and seated for every game.

Entrant  --prepare-->  Prepared  --seated-->  Player
a name or a path       built, can be sent       one game
                       to another process
"""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

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
    """An entrant that is ready to play any number of games. Can be pickled."""

    def seated(self, seed: int, supervisor: Supervisor, limits: Limits, /) -> AbstractContextManager[Player]:
        """A player for one game, with all that it needs, which goes when the game is over."""
        ...

    def identity(self) -> str:
        """A text that changes when the entrant would play differently."""
        ...


class Entrant(Protocol):
    """Someone who can be named on the command line."""

    @property
    def spelling(self) -> str:
        """How it was named, and how it can be named again."""
        ...

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:
        """Build it in the empty directory `workshop`. Raises UsageError."""
        ...

    def copy_files(self, folder: Path) -> None:
        """Copy whatever it plays from into `folder`, which is made when there is something. Raises UsageError."""
        ...

    def at(self, folder: Path) -> Entrant:
        """The same entrant, playing from what `copy_files` put into `folder`. Looks at no file."""
        ...


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A player of the catalogue. It is its own preparation."""

    name: str

    @property
    def spelling(self) -> str:
        """Its name."""
        return self.name

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        """Nothing is to be built."""
        return self

    def copy_files(self, folder: Path) -> None:
        """The model of a learner of the user's own; else nothing."""
        if (source := entry(self.name).file) is not None:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / _MODEL if source.is_dir() else source, folder / _MODEL)

    def at(self, folder: Path) -> Entrant:
        """The same name, or the learner with the model there."""
        kind, colon, _ = self.name.partition(":")
        return BuiltIn(f"{kind}:{folder / _MODEL}") if colon else self

    def seated(self, seed: int, _supervisor: Supervisor, _limits: Limits, /) -> AbstractContextManager[Player]:
        """A new player of this name."""
        return nullcontext(entry(self.name).make(seed))

    def identity(self) -> str:
        """Its name, and the digest of what it is read from, if it is."""
        return entry(self.name).identity()


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A built program."""

    program: Program

    @contextmanager
    def seated(self, _seed: int, supervisor: Supervisor, limits: Limits, /) -> Iterator[ProgramPlayer]:
        """The program, in a fresh copy of its files. Raises UsageError if it is not on this machine."""
        if self.program.files is None and not Path(self.program.argv[0]).exists():
            raise UsageError(f"{self.program.argv[0]}: there is no such program on {platform.node()}")
        with temporary_directory("littlego-game-") as directory:
            if self.program.files is not None:
                copy_tree(self.program.files, directory, BUILT)
            yield ProgramPlayer(self.program, directory, supervisor, limits)

    def identity(self) -> str:
        """Its files, what they were made with and its arguments; not where its files happen to lie."""
        program = self.program
        return json.dumps([program.digest, program.language, program.made_with, *program.argv[1:]])


@dataclass(frozen=True, slots=True)
class CourseAgent:
    """A directory or file with `my_player3.py` or one of its sisters."""

    path: Path
    python: str | None = None
    """Runs Python agents instead of what the file's name asks for."""

    @property
    def spelling(self) -> str:
        """The path, in full, so that a capsule can be replayed from anywhere."""
        return str(self.path.absolute())

    @property
    def name(self) -> str:
        """The directory's name, which tells agents apart better than `my_player3.py` does."""
        path = self.path.absolute()
        return (path.parent if path.is_file() else path).name

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:
        """Copy and build the files. Raises UsageError, BuildFailed with the compiler's words."""
        return PreparedProgram(build_program(self.path, workshop, supervisor, python=self.python))

    def made_with(self) -> str:
        """What it would be built and run with, found out without building it. Raises UsageError."""
        return made_with_what(main_file(self.path), self.python)

    def copy_files(self, folder: Path) -> None:
        """The directory that the agent's file lies in."""
        copy_agent(main_file(self.path).parent, folder)

    def at(self, folder: Path) -> Entrant:
        """The agent of that directory, by the same file if it was named by one."""
        named = self.path.name in MAIN_FILES
        return replace(self, path=folder / self.path.name if named else folder)


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """A command that speaks the file protocol."""

    command: str

    @property
    def spelling(self) -> str:
        """`cmd:` and the command."""
        return f"cmd:{self.command}"

    @property
    def name(self) -> str:
        """The program's name."""
        return Path(self.command.split()[0]).name if self.command.split() else "cmd"

    def prepare(self, workshop: Path, supervisor: Supervisor) -> Prepared:  # noqa: ARG002 - an Entrant
        """Find the program. Raises UsageError."""
        return PreparedProgram(command_program(self.command))

    def copy_files(self, folder: Path) -> None:
        """Nothing: a command plays from where it is."""

    def at(self, folder: Path) -> Entrant:  # noqa: ARG002 - an Entrant
        """Itself."""
        return self
