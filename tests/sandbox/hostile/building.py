"""Building a hostile agent as any other is built, and looking for damage."""

from __future__ import annotations

import os
import re
from pathlib import Path

from littlego.arena.building import BUILD_LIMITS, BuildInterrupted, build_program
from littlego.core.errors import UsageError
from littlego.core.rules import Verdict
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import KIB, MIB, Limits
from tests.sandbox.hostile.case import Build

_HURRIED = Limits(cpu_seconds=1, wall_seconds=5, memory_bytes=256 * MIB, stderr_bytes=64 * KIB)


def play_build(
    build: Build, supervisor: Supervisor, directory: Path, *, secret: Path, python: Path
) -> tuple[Verdict | None, str, list[str]]:
    """Build the agent in `directory`; returns the verdict (see `Case.build`), the message and the breaches."""
    source, into = directory / "source", directory / "built"
    for name, text in build.files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("SECRET", str(secret)))
    for name in build.links:
        (source / name).symlink_to(secret)
    limits = _HURRIED if build.hurried else BUILD_LIMITS
    verdict, message = None, ""
    try:
        build_program(source, into, supervisor, python=str(python), limits=limits)
    except UsageError as refusal:
        verdict, message = Verdict.CRASH, str(refusal)
    except BuildInterrupted as failure:
        verdict, message = Verdict.VOID, str(failure)
    return verdict, message, _breaches(build, verdict, message, into, secret.read_text(encoding="utf-8"))


def _breaches(build: Build, verdict: Verdict | None, message: str, into: Path, secret: str) -> list[str]:
    found = []
    if verdict is Verdict.CRASH and not re.search(build.words, message):
        found.append(f"it was refused with another message: {message[-500:]}")
    if len(message) > 2 * BUILD_LIMITS.stderr_bytes:
        found.append(f"{len(message)} characters of errors were kept")
    if secret in message:
        found.append("the errors contain the secret")
    for path in into.rglob("*"):
        if path.is_symlink() or path.name == "loot":
            found.append(f"left {path.name}")
        elif path.is_file() and secret.encode() in path.read_bytes():
            found.append(f"the secret is in {path.name}")
    if os.path.lexists(into.with_name(f"{into.name}.building")):
        found.append("left the directory of the build")
    return found
