"""Whether a class of 2019 is ready to submit, point by point."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from littlego.arena.entrants.program_player import ProgramPlayer
from littlego.arena.entrants.python_sources import foreign_modules
from littlego.arena.entrants.trees import NotPlain, read_plain
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core.colour import Colour
from littlego.core.errors import UsageError
from littlego.core.game import Player, play, tell_players
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.core.verdict import Verdict
from littlego.course.check.finding import Check, Status
from littlego.course.kits.starter import KIT_2019
from littlego.course.python_class.agent import ClassAgent, parse_class_agent
from littlego.players.catalogue import make_player
from littlego.storage.scratch import temporary_directory

TITLES: Final = (
    "the file has a class MyPlayer with get_input",
    "no library of machine learning",
    "it needs no go.py of its own",
    "it plays whole games as Black and as White",
    "its moves are in time",
)
_LEARNING_LIBRARIES: Final = {"caffe", "jax", "keras", "mxnet", "sklearn", "tensorflow", "theano", "torch", "xgboost"}
_SUGGESTED_SECONDS: Final = 20 * 60 / 400
"""A game's share of the 20 minutes that the course suggests for its 400 games."""


def class_checks(text: str, supervisor: Supervisor, limits: Limits, python: str | None = None) -> Iterator[Check]:
    """Run the checks one by one; `text` is a path, or `PATH:NAME` for a class of another name."""
    first, libraries, own_go, games, times = TITLES
    try:
        agent = parse_class_agent(text, python=python, edition="2019")
    except UsageError as error:
        yield Check(first, Status.FAILED, str(error))
        yield from (Check(title, Status.SKIPPED, "there is no class") for title in TITLES[1:])
        return
    yield Check(first, Status.PASSED)
    found = sorted(foreign_modules(agent.path.parent) & _LEARNING_LIBRARIES)
    yield Check(libraries, Status.FAILED if found else Status.PASSED, ", ".join(found))
    other_go = _has_other_go(agent.path.parent)
    detail = "its go.py is replaced by ours" if other_go else ""
    yield Check(own_go, Status.REMARK if other_go else Status.PASSED, detail)
    problems, seconds = _games(agent, supervisor, limits)
    yield Check(games, Status.FAILED if problems else Status.PASSED, "; ".join(problems))
    if not seconds:
        yield Check(times, Status.SKIPPED, "it made no move")
        return
    slowest, mean = max(map(max, seconds)), sum(map(sum, seconds)) / len(seconds)
    detail = f"{slowest:.2f} s of CPU time for the slowest move, {mean:.1f} s a game"
    if mean > _SUGGESTED_SECONDS:
        detail += "; the 400 games of stage 1 would take more than the 20 minutes that the course suggests"
    yield Check(times, Status.REMARK if mean > _SUGGESTED_SECONDS else Status.PASSED, detail)


def _has_other_go(folder: Path) -> bool:
    """Whether there is a `go.py` that is not the starter kit's."""
    try:
        return read_plain(folder / "go.py") != (KIT_2019 / "go.py").read_bytes()
    except FileNotFoundError:
        return False
    except (NotPlain, OSError):
        return True


def _games(agent: ClassAgent, supervisor: Supervisor, limits: Limits) -> tuple[list[str], list[list[float]]]:
    """What went wrong in a game against `random` with each colour, and the CPU seconds of the moves of each."""
    problems: list[str] = []
    seconds: list[list[float]] = []
    with temporary_directory("littlego-check-") as workshop:
        prepared = agent.prepare(workshop, supervisor)
        for colour in Colour:
            with prepared.seated(1, supervisor, limits) as player:
                assert isinstance(player, ProgramPlayer)
                sides: dict[Colour, Player] = {colour: player, colour.opponent: make_player("random", seed=1)}
                start = Position.initial(edition_rules("2019"))
                outcome = play(sides, start=start, observer=tell_players(sides)).outcome
                assert outcome is not None
                if outcome.verdict is not Verdict.SCORE and outcome.winner is not colour:
                    last_line = player.last.result.stderr.strip().splitlines()[-1:] if player.last else []
                    problems.append(f"as {colour}: {outcome.reason}" + "".join(f" ({line})" for line in last_line))
                if player.cpu_seconds:
                    seconds.append(player.cpu_seconds)
    return problems, seconds
