"""Which games the formats ask for, except the Swiss, whose rounds depend on results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.roster import Listed
from littlego.arena.tournament.store import GameKey
from littlego.core.errors import UsageError
from littlego.core.seeds import derive_seed

QUALIFYING_POINTS = 80.0
"""Of stage 1, in the competition of 2019."""


def planned_games(plan: TournamentPlan, members: Sequence[Listed]) -> Iterator[GameKey]:
    """The games of a plan that is no Swiss: every pair's first, then every pair's second, and so on.

    So a tournament that is stopped early has played about as much of every pair.
    """
    pairs = list(first_blacks(plan, members))
    for number in range(plan.games):
        for first, second in pairs:
            yield GameKey(first, second, number) if number % 2 == 0 else GameKey(second, first, number)


def first_blacks(plan: TournamentPlan, members: Sequence[Listed]) -> Iterator[tuple[int, int]]:
    """The pairs that meet, first the one with Black in their first game, and so once more often if games are odd."""
    if plan.format is Format.COURSE_2019:
        for one, other in combinations(qualified(members), 2):
            yield _by_stage_1(plan.seed, one, other)
        return
    for one, other in _pairs(plan, members):
        low, high = sorted((one.joined.id, other.joined.id))
        # By the sum and not by who is lower: then nobody has Black first against everyone.
        yield (low, high) if (low + high) % 2 else (high, low)


def _pairs(plan: TournamentPlan, members: Sequence[Listed]) -> Iterable[tuple[Listed, Listed]]:
    if plan.format is Format.ROUND_ROBIN:
        return combinations(members, 2)
    challengers = [member for member in members if member.contestant.challenger]
    field = [member for member in members if not member.contestant.challenger]
    if members and not (challengers and field):
        raise UsageError("a gauntlet needs a player with 'challenger = true' and one without: edit tournament.toml")
    return product(challengers, field)


def qualified(members: Sequence[Listed]) -> list[Listed]:
    """Those with enough points of stage 1. Raises UsageError if somebody's are not given."""
    for member in members:
        if member.contestant.stage1 is None:
            raise UsageError(f"{member.contestant.name}: the competition of 2019 needs its points of stage 1: "
                             "give 'stage1 = POINTS' in tournament.toml")  # fmt: skip
    return [member for member in members if (member.contestant.stage1 or 0) >= QUALIFYING_POINTS]


def _by_stage_1(seed: int, one: Listed, other: Listed) -> tuple[int, int]:
    points, others = one.contestant.stage1 or 0.0, other.contestant.stage1 or 0.0
    if points == others:
        low, high = sorted((one, other), key=lambda member: member.contestant.name)
        ahead = derive_seed(seed, "lot", low.contestant.name, high.contestant.name) % 2 == 0
        one, other = (low, high) if ahead else (high, low)
    elif points < others:
        one, other = other, one
    return one.joined.id, other.joined.id
