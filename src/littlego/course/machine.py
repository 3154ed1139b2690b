"""What this machine can do for Little-Go, and what to install for more."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlego.arena.building import COURSE_VERSIONS, find_python, find_tool, tool_identity
from littlego.arena.pool import cores
from littlego.core.errors import UsageError
from littlego.sandbox.limits import GIB, Level, probe
from littlego.storage.scratch import PREFIX, total_memory

COURSE_PYTHON: Final = COURSE_VERSIONS["my_player3.py"]
_OTHER_PYTHONS: Final = ("2.7", *(f"3.{minor}" for minor in range(6, 16)))
_ENOUGH_MEMORY: Final = 2.0
_ENOUGH_DISK: Final = 1.0
"""GiB."""


@dataclass(frozen=True, slots=True)
class Ability:
    """Something that this machine can do, or cannot."""

    subject: str
    found: str
    advice: str = ""
    """What to do for more; empty if all is well."""


def examine_machine() -> Iterator[Ability]:
    """Look at everything, quickest first."""
    yield Ability("Little-Go's Python", f"{sys.version.split()[0]}, {sys.executable}")
    yield _processor_and_memory()
    yield _disk()
    yield _tool("C++ agents", "g++")
    yield _java()
    yield _browser()
    yield _pythons()
    yield _isolation()


def _processor_and_memory() -> Ability:
    memory = total_memory() / GIB
    advice = "" if memory >= _ENOUGH_MEMORY else "early positions of 5x5 take long to solve with less than 2 GiB"
    return Ability("Processors, memory", f"{cores()} for games, {memory:.1f} GiB", advice)


def _disk() -> Ability:
    place = Path(tempfile.gettempdir())
    if place.name.startswith(PREFIX):  # this command's own directory
        place = place.parent
    free = shutil.disk_usage(place).free / GIB
    advice = "" if free >= _ENOUGH_DISK else f"make room, or set TMPDIR to another disk: games use {place}"
    return Ability("Room for games", f"{free:.1f} GiB free in {place}", advice)


def _tool(subject: str, name: str) -> Ability:
    try:
        return Ability(subject, tool_identity(find_tool(name)))
    except UsageError:
        return Ability(subject, "no", f"install {name}")


def _java() -> Ability:
    compiler, runtime = _tool("Java agents", "javac"), _tool("Java agents", "java")
    if compiler.advice or runtime.advice:
        return Ability("Java agents", "no", "install a Java development kit (javac and java)")
    return compiler


def _browser() -> Ability:
    try:
        webbrowser.get()
    except webbrowser.Error:
        return Ability("Browser", "none here", "open the address that 'littlego web' prints from another machine")
    return Ability("Browser", "yes")


def _pythons() -> Ability:
    versions = [version for version in _OTHER_PYTHONS if _has_python(version)]
    advice = (
        ""
        if COURSE_PYTHON in versions
        else (f"to run agents as the course does: 'pyenv install {COURSE_PYTHON}', or conda")
    )
    return Ability("Pythons for agents", ", ".join(versions) or "none", advice)


def _has_python(version: str) -> bool:
    try:
        return find_python(version).version.startswith(f"{version}.")
    except UsageError:
        return False


def _isolation() -> Ability:
    try:
        found = probe()
    except (OSError, subprocess.SubprocessError) as error:
        return Ability("Isolation of agents", "none", f"agents cannot be run here: {error}")
    how = f"{found.default}: {found.default.description}"
    weak = found.default is Level.PORTABLE
    advice = "run only agents that you trust: 'littlego sandbox' says what keeps this machine from more" if weak else ""
    return Ability("Isolation of agents", how, advice)
