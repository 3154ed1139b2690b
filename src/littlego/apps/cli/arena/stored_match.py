"""A match at the command line: played with progress, stored in a directory, continued by the same command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from littlego.apps.cli import output
from littlego.formats.phrases import plural

if TYPE_CHECKING:
    from littlego.arena.entrants.kinds import Prepared
    from littlego.arena.match.plan import MatchPlan
    from littlego.arena.match.sprt import Hypotheses, SequentialTest
    from littlego.arena.match.store import MatchStore
    from littlego.arena.pool.tasks import Executor
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
        from littlego.arena.match.store import MatchStore
        from littlego.arena.results import RESULTS

        identity = self.plan.identity(*self.prepared)
        store: MatchStore[int] = MatchStore(self.folder / RESULTS)
        with store:
            store.claim(identity, "match", "its players, their files, rules, limits or seed")
            store.describe(first=self.plan.first, second=self.plan.second, seed=self.plan.seed, **facts)
            try:
                self._play_missing(store, executor, title)
            finally:
                self.games = self._finished(store)
                self._write_capsules()

    def _finished(self, store: MatchStore[int]) -> list[Game]:
        return [game for game in store.games() if game.key < self.plan.games]

    def _play_missing(self, store: MatchStore[int], executor: Executor, title: str) -> None:
        from littlego.arena.games import void_words
        from littlego.arena.match.run import run_match
        from littlego.arena.progress import GamesProgress
        from littlego.arena.results import KeptGame

        self.games = self._finished(store)
        if len(self.games) == self.plan.games:
            output.note(f"{title}{plural(self.plan.games, 'game')} played before, none is missing.")
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
                on_void=lambda failure: output.note(void_words(failure, f"Game {failure.task.key + 1}")),
                enough=lambda: test is not None and test.answer is not None,
            )

    def test(self) -> SequentialTest | None:
        """The test of the hypotheses, with the games so far."""
        from littlego.arena.match.sprt import SequentialTest

        return SequentialTest(self.hypotheses, self.plan, self.games) if self.hypotheses else None

    def _write_capsules(self) -> None:
        from littlego.arena.capsule import capsule_path, write_capsule

        for game in self.games:
            if game.result.capsule is not None:
                write_capsule(capsule_path(self.folder, game.key + 1), game.result.capsule)
