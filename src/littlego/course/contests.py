"""A tournament planned from names and an edition: once, for the command line, the library and the pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from littlego.arena.tournament.folder import Newcomer
from littlego.arena.tournament.pairings import QUALIFYING_POINTS, default_rounds
from littlego.arena.tournament.plan import DEFAULT_GAMES, Format, Listed, TournamentPlan, checked
from littlego.core.errors import UsageError
from littlego.core.rules import EDITIONS
from littlego.course.editions.edition import Edition
from littlego.course.grading.cohort.submissions import shown_name
from littlego.course.spelling import parse_for_plan
from littlego.sandbox.limits import Level, Limits
from littlego.storage.files import plain_name

GUEST: Final = math.inf
"""In place of points from stage 1: a teaching assistant's agent, which takes no rank."""


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player as somebody named it."""

    spelling: str
    name: str = ""
    """What standings call it; empty for its own name."""


def plan_tournament(
    form: Format,
    edition: Edition,
    players: int,
    *,
    games: int | None = None,
    rounds: int | None = None,
    size: int | None = None,
    seed: int = 1,
    openings: int = 0,
    limits: Limits | None = None,
    minimum_level: Level | None = None,
    python: str | None = None,
) -> TournamentPlan:
    """The plan of a tournament of so many players, whom `newcomers` finds. What is not given is the edition's.

    Raises UsageError.
    """
    if rounds is not None and form is not Format.SWISS:
        raise UsageError("only a Swiss has rounds")
    plan = TournamentPlan(
        form,
        (),
        DEFAULT_GAMES[form] if games is None else games,
        seed,
        edition.name,
        size or edition.board.size,
        (default_rounds(players) if rounds is None else rounds) if form is Format.SWISS else None,
        limits or edition.limits,
        minimum_level,
        python or edition.default_python,
        openings,
        None if edition.name in EDITIONS else edition.board,
    )
    return checked(plan, "tournament")


def newcomers(
    plan: TournamentPlan,
    players: Sequence[NamedPlayer],
    *,
    challengers: int = 1,
    stage1: Mapping[str, float] | None = None,
    on_broken: Callable[[str, UsageError], None] | None = None,
) -> list[Newcomer]:
    """The participants that players name, in a gauntlet the first as challengers, with their points from stage 1.

    Raises UsageError for a player that cannot be found; with `on_broken`, which is called with the spelling and the
    error, it is left out.
    """
    parse, found = parse_for_plan(plan), []
    for number, player in enumerate(players):
        try:
            entrant = parse(player.spelling)
        except UsageError as error:
            if on_broken is None:
                raise
            on_broken(player.spelling, error)
            continue
        # A course system's numbers and marks are nobody's business in standings.
        name = player.name or plain_name(shown_name(entrant.name))
        is_challenger = plan.format is Format.GAUNTLET and number < challengers
        points = (stage1 or {}).get(name)
        # A guest has the fewest points of all in the competition, so no student has Black less often against it.
        is_guest = points == GUEST
        listed = Listed(name, entrant.spelling, is_challenger, QUALIFYING_POINTS if is_guest else points, is_guest)
        if plan.format is Format.COURSE_2019 and listed.stage1 is None:
            raise UsageError(
                f"{name}: course2019 needs its points from stage 1: add --stage1 {name}=POINTS, or --grades DIR "
                "of a class that was graded with stage 1"
            )
        found.append(Newcomer(listed, entrant))
    return found
