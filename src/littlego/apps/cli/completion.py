"""Shell completion that typer cannot provide: players, paths of agents, editions, levels."""

from __future__ import annotations

from pathlib import Path

from littlego.core.rules import EDITIONS
from littlego.players.catalogue import PLAYERS

Offer = tuple[str, str]
"""A word and what it means; zsh and fish show both."""


def players(incomplete: str) -> list[Offer]:
    """The built-in players, and the directories here, which may be agents."""
    named = [(name, entry.summary) for name, entry in PLAYERS.items() if name.startswith(incomplete)]
    return named + _directories(incomplete)


def editions(incomplete: str) -> list[Offer]:
    return [(edition, f"the rules of {edition}") for edition in EDITIONS if edition.startswith(incomplete)]


def levels(incomplete: str) -> list[Offer]:
    levels = {"portable": "limits only", "linux": "any user of Linux", "root": "Linux, as root"}
    return [(level, meaning) for level, meaning in levels.items() if level.startswith(incomplete.lower())]


def _directories(incomplete: str) -> list[Offer]:
    """The directories whose path begins this way; unreadable ones are left out."""
    folder, _, beginning = incomplete.rpartition("/")
    prefix = f"{folder}/" if "/" in incomplete else ""
    try:
        found = [
            path.name
            for path in Path(prefix or ".").iterdir()
            if path.name.startswith(beginning) and path.is_dir() and (beginning or not path.name.startswith("."))
        ]
    except OSError:
        return []
    return [(f"{prefix}{name}/", "a directory") for name in sorted(found)]
