"""The games of every format except the Swiss, whose rounds depend on results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.roster import Participant
from littlego.arena.tournament.store import GameKey
from littlego.core.errors import UsageError
from littlego.core.seeds import derive_seed

QUALIFYING_POINTS = 80.0
"""Points from stage 1 that the competition of 2019 requires."""


def planned_games(plan: TournamentPlan, participants: Sequence[Participant]) -> Iterator[GameKey]:
    """Every pair's first game, then every pair's second, and so on, so that all pairs progress alike."""
    pairs = list(first_blacks(plan, participants))
    for number in range(plan.games):
        for first, second in pairs:
            yield GameKey(first, second, number) if number % 2 == 0 else GameKey(second, first, number)


def first_blacks(plan: TournamentPlan, participants: Sequence[Participant]) -> Iterator[tuple[int, int]]:
    """The pairs that meet, Black of their first game first (who has Black once more if games are odd)."""
    if plan.format is Format.COURSE_2019:
        for one, other in combinations(qualified(participants), 2):
            yield _by_stage_1(plan.seed, one, other)
        return
    for one, other in _pairs(plan, participants):
        low, high = sorted((one.id, other.id))
        # By the sum, not by who is lower: otherwise someone would have Black first against everyone.
        yield (low, high) if (low + high) % 2 else (high, low)


def _pairs(plan: TournamentPlan, participants: Sequence[Participant]) -> Iterable[tuple[Participant, Participant]]:
    if plan.format is Format.ROUND_ROBIN:
        return combinations(participants, 2)
    challengers = [participant for participant in participants if participant.listed.challenger]
    field = [participant for participant in participants if not participant.listed.challenger]
    if participants and not (challengers and field):
        raise UsageError("a gauntlet needs a player with 'challenger = true' and one without: edit tournament.toml")
    return product(challengers, field)


def qualified(participants: Sequence[Participant]) -> list[Participant]:
    """Those with enough points from stage 1. Raises UsageError if a participant has none listed."""
    for participant in participants:
        if participant.listed.stage1 is None:
            raise UsageError(
                f"{participant.name}: the competition of 2019 needs its points from stage 1: "
                "add 'stage1 = POINTS' in tournament.toml"
            )
    return [participant for participant in participants if (participant.listed.stage1 or 0) >= QUALIFYING_POINTS]


def _by_stage_1(seed: int, one: Participant, other: Participant) -> tuple[int, int]:
    points, others = one.listed.stage1 or 0.0, other.listed.stage1 or 0.0
    if points == others:
        low, high = sorted((one, other), key=lambda participant: participant.name)
        ahead = derive_seed(seed, "lot", low.name, high.name) % 2 == 0
        one, other = (low, high) if ahead else (high, low)
    elif points < others:
        one, other = other, one
    return one.id, other.id
