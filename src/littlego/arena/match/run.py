"""Playing a match: the games that are not finished, each stored as soon as it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from littlego.arena.entrants.kinds import Prepared
from littlego.arena.games import Fixture, GamesJob, Spending, play_missing
from littlego.arena.match.plan import MatchPlan
from littlego.arena.match.store import MatchStore
from littlego.arena.pool.tasks import Executor, Failure, InProcess
from littlego.arena.results import GameResult
from littlego.core.colour import Colour
from littlego.core.errors import PlayerFault
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.verdict import Verdict


def run_match(
    plan: MatchPlan,
    job: GamesJob,
    store: MatchStore[int],
    executor: Executor,
    *,
    on_result: Callable[[int, GameResult], None] = lambda _number, _result: None,
    on_void: Callable[[Failure], None] = lambda _failure: None,
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Play all games of the plan that `store` lacks, as `play_missing` does.

    When a program has used up its budget it loses the remaining games without playing; games under way are abandoned.
    """
    fixtures = plan.fixtures()
    spent = Spending(plan.budget_seconds)
    for kept in store.games():
        if kept.key < plan.games:
            spent.add(fixtures[kept.key], kept.result)

    def count(fixture: Fixture[int], result: GameResult) -> None:
        spent.add(fixture, result)
        on_result(fixture.key, result)

    def is_enough() -> bool:
        return enough() or spent.overdrawn() is not None

    play_missing(job, fixtures, store, executor, on_result=count, on_void=on_void, enough=is_enough)
    if not enough() and (chair := spent.overdrawn()) is not None:
        for fixture in fixtures:
            result = _not_played(plan, job, fixture, chair == fixture.black, spent.seconds[chair])
            if store.add(fixture.key, result):
                on_result(fixture.key, result)


def played(plan: MatchPlan, names: tuple[str, str], prepared: Sequence[Prepared]) -> Iterator[GameRecord]:
    """The games of a plan, played one after the other in this process; nothing is stored."""
    for _, result in InProcess().run(plan.job(names, prepared), plan.fixtures()):
        yield result.record


def _not_played(plan: MatchPlan, job: GamesJob, fixture: Fixture[int], is_black: bool, used: float) -> GameResult:
    """The result of a game that Black, or White, forfeits because its budget is used up."""
    start = Position.initial(plan.rules)
    reason = (
        f"its moves took {used:.1f} s of CPU time in total, and the budget for the match is {plan.budget_seconds:g} s"
    )
    record = GameRecord(job.chairs[fixture.black].name, job.chairs[fixture.white].name, start)
    loser = Colour.BLACK if is_black else Colour.WHITE
    return GameResult(record.forfeited(loser, PlayerFault(Verdict.BATCH_BUDGET, reason), start), "not played")
