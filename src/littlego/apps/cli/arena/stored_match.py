"""A match at the command line: played with progress, stored in a directory, continued by the same command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from littlego.apps.cli import output
from littlego.core.errors import UsageError

if TYPE_CHECKING:
    from littlego.arena.entrants.kinds import Prepared
    from littlego.arena.match.plan import MatchPlan
    from littlego.arena.match.sprt import Hypotheses, SequentialTest
    from littlego.arena.pool.tasks import Executor, Failure
    from littlego.arena.results import GameResult, KeptGame

    Game: TypeAlias = KeptGame[int]


@dataclass
class StoredMatch:
    """A match and its results; with `hypotheses` it ends as soon as their test has an answer."""

    plan: MatchPlan
    names: tuple[str, str]
    prepared: Sequence[Prepared]
    folder: Path
    hypotheses: Hypotheses | None = None
    games: list[Game] = field(default_factory=list)
    """The finished games of the plan, once it has been played or stopped."""

    def play(self, executor: Executor, *, title: str = "", **facts: Any) -> None:
        """Play the games that are missing; `facts` describe the match in its store, beside what is always there.

        Raises UsageError if the folder holds another match. An interrupt leaves `games` and the capsules complete, too.
        """
        from littlego.arena.match.store import Store

        identity = self.plan.identity(*self.prepared)
        store: Store[int] = Store(self.folder / "results.sqlite")
        with store:
            if (earlier := store.fact("identity")) not in (None, identity):
                raise UsageError(
                    f"{self.folder}: holds another match ({earlier}): its players, their files, rules, limits or seed "
                    "differ. Choose another --out, or leave it out"
                )
            plan = self.plan
            store.describe(identity=identity, first=plan.first, second=plan.second, seed=plan.seed, **facts)
            try:
                self._play_missing(store, executor, title)
            finally:
                self.games = [game for game in store.games() if game.key < plan.games]
                self._write_capsules()

    def _play_missing(self, store: Any, executor: Executor, title: str) -> None:
        from littlego.arena.match.run import run_match
        from littlego.arena.progress import GamesProgress
        from littlego.arena.results import KeptGame

        self.games = store.games()
        test = self.test()
        known = [game.result for game in self.games]
        progress = GamesProgress(self.plan.games, workers=executor.workers, known=known, about=self.names[0])

        def count(number: int, result: GameResult) -> None:
            progress.add(result)
            if test:
                test.add(KeptGame(number, result))
            step()

        with output.live(lambda: f"{title}{progress.line()}{f', {test.line()}' if test else ''}") as step:
            run_match(
                self.plan,
                self.plan.job(self.names, self.prepared),
                store,
                executor,
                on_result=count,
                on_void=_tell_void,
                enough=lambda: test is not None and test.answer is not None,
            )

    def test(self) -> SequentialTest | None:
        """The test of the hypotheses, with the games so far."""
        from littlego.arena.match.sprt import SequentialTest

        return SequentialTest(self.hypotheses, self.plan, self.games) if self.hypotheses else None

    def capsule_path(self, game: Game) -> Path:
        return self.folder / "capsules" / f"game-{game.key + 1}.json"

    def _write_capsules(self) -> None:
        from littlego.storage.whole_files import write_capsule

        for game in self.games:
            if game.result.capsule is not None:
                write_capsule(self.capsule_path(game), game.result.capsule)


def _tell_void(failure: Failure) -> None:
    game = f"Game {failure.task.key + 1}"
    output.note(f"{game} is void, through no fault of the players, and is played again: {failure.reason}")
