"""How participants are spelled, everywhere.

greedy               a built-in player
learner:DIR          the built-in learner with the model that `littlego train` wrote there
path/to/agent        a directory, or its my_player3.py, my_player.cpp, ...; also further down, or in a .zip
class:FILE:NAME      a Python class of 2019, with `get_input(go, piece_type)`
cmd:'./agent -x'     a command that reads input.txt and writes output.txt
object:FILE:NAME     a Python class with `choose(position)`, trusted, in our own process
gtp:'gnugo --mode gtp'  an engine that speaks GTP, started for every game
"""

from __future__ import annotations

import atexit
import os
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from littlego.arena.building import main_file
from littlego.arena.participants import BuiltIn, CommandAgent, CourseAgent, Entrant
from littlego.arena.untrusted import read_plain
from littlego.core.errors import UnknownPlayer, UsageError
from littlego.core.rules import DEFAULT_EDITION, Rules
from littlego.players.catalogue import MODEL, entry
from littlego.storage.scratch import remove_tree

if TYPE_CHECKING:
    from littlego.arena.tournament.folder import Parse
    from littlego.arena.tournament.plan import TournamentPlan

UNCONFINED: Final = ("gtp:", "object:")
"""Spellings of what runs with all our rights: not to be taken from files that others send."""


def parse_entrant(text: str, *, python: str | None = None, edition: str = DEFAULT_EDITION) -> Entrant:
    """The entrant that a spelling names. Raises UsageError, which suggests what could be meant.

    `python` is the interpreter for agents written in Python; `edition` is the match's.
    """
    kind, colon, rest = text.partition(":")
    if colon and kind == "class":
        from littlego.course.python_class.agent import parse_class_agent

        return parse_class_agent(rest, python=python, edition=edition)
    if colon and kind == "object":
        from littlego.course.python_class.object_agent import parse_object_agent

        return parse_object_agent(rest)
    if colon and kind == "cmd":
        return CommandAgent(rest)
    if colon and kind == "gtp":
        from littlego.arena.gtp import GtpAgent, engine_command

        engine_command(rest)  # finds the program, so that a wrong name is reported before anything is played
        return GtpAgent(rest)
    if colon and kind == MODEL:
        found = entry(text)
        found.make(0)  # reads the model, so that a wrong path is reported before anything is played
        return BuiltIn(found.name)
    path = Path(text)
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except OSError as error:
        raise UsageError(f"{text[:80]}: cannot be read: {error.strerror}") from error
    if "/" in text or os.sep in text or text in (".", "..") or is_file:
        return _course_agent(path, python)
    try:
        found = entry(text)
    except UnknownPlayer as error:
        if is_folder:
            return _course_agent(path, python)
        raise UnknownPlayer(f"{error}, or the path of an agent's directory") from error
    if is_folder:
        raise UsageError(f"{text} is both a built-in player and a directory here: write ./{text} for the directory")
    return BuiltIn(found.name)


def parse_for_plan(plan: TournamentPlan) -> Parse:
    """The parser of spellings by a tournament's rules and interpreter."""
    return lambda text: parse_entrant(text, python=plan.python, edition=classes_like(plan.rules))


def classes_like(rules: Rules) -> str:
    """The edition whose classes play by these rules: of a course without passing they are like those of 2019."""
    return DEFAULT_EDITION if rules.passing else "2019"


def is_class_of_2019(main: Path) -> bool:
    """Whether an agent's file is a 2019 class and not a program. Raises UsageError, OSError."""
    if main.name != "my_player.py":
        return False
    from littlego.course.python_class.agent import is_class_alone

    return is_class_alone(read_plain(main).decode(errors="replace"))


def is_misnamed_class(main: Path) -> bool:
    """Whether an agent's file can only be meant as a 2019 class, but is not one. Raises UsageError, OSError."""
    if main.name != "my_player.py":
        return False
    from littlego.course.python_class.agent import is_class_alone, is_no_program

    text = read_plain(main).decode(errors="replace")
    return not is_class_alone(text) and is_no_program(text)


def _course_agent(path: Path, python: str | None) -> CourseAgent:
    from littlego.course.packed import is_wrapped

    found = _unwrapped(path) if is_wrapped(path) else path
    main = main_file(found)
    if is_class_of_2019(main):
        raise UsageError(f"{main}: a 2019 class, not a program: write {shlex.quote(f'class:{path}')}")
    return CourseAgent(found, python, None if found == path else path)


def _unwrapped(path: Path) -> Path:
    """The agent's directory; an archive is unpacked for as long as this process lives. Raises UsageError."""
    from littlego.course.packed import found_agent

    place = Path(tempfile.mkdtemp(prefix="littlego-unpacked-"))
    atexit.register(remove_tree, place)
    return found_agent(path, place)
