"""A match: a plan of games between two participants, the games that are not finished, and results by colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from littlego.arena.games import (
    Chair,
    Fixture,
    GamesJob,
    GamesProgress,
    Opening,
    capsule_path,
    opening_of,
    play_missing,
    run_identity,
    write_capsule,
)
from littlego.arena.participants import Prepared
from littlego.arena.pool import Executor, Failure, InProcess
from littlego.arena.store import RESULTS, GameResult, KeptGame, Store
from littlego.core.board import Colour
from littlego.core.game import GameRecord, derive_seed
from littlego.core.points import move_name
from littlego.core.rules import Rules
from littlego.formats.records import rules_to_dict
from littlego.sandbox.limits import Level, Limits
from littlego.stats import Tally

if TYPE_CHECKING:
    from littlego.arena.sprt import Hypotheses, SequentialTest


def distinct_names(first: str, second: str) -> tuple[str, str]:
    """The names of two participants in records."""
    return (first, second) if first != second else (f"{first}-1", f"{second}-2")


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that decides a match. An equal plan is the same match and continues it."""

    first: str
    """The spelling of the first participant, who has Black in games 0, 2, 4, ..."""
    second: str
    rules: Rules
    games: int
    seed: int
    limits: Limits = field(default_factory=Limits)
    level: Level | None = None
    """The required level of isolation; None takes the best available."""
    swap: bool = True
    """Whether the participants swap colours after every game."""
    openings: tuple[Opening, ...] = ()
    """Each is played twice in a row, then the next; after the last comes the first again."""

    def first_colour(self, number: int) -> Colour:
        """The colour of the first participant in a game, counted from 0."""
        return Colour.WHITE if self.swap and number % 2 else Colour.BLACK

    def first_won(self, game: KeptGame[int]) -> bool | None:
        """Whether the first participant won a game; None for a tie."""
        outcome = game.result.record.outcome
        return outcome.won_by(self.first_colour(game.key)) if outcome else None

    def fixtures(self) -> list[Fixture[int]]:
        """The participants' chairs are 0 and 1."""
        return [
            Fixture(number, black, 1 - black, self._seed_of(number), opening_of(self.openings, number))
            for number in range(self.games)
            for black in [int(self.first_colour(number) is Colour.WHITE)]
        ]

    def _seed_of(self, number: int) -> int:
        """A game with the match's own seed comes first, so that a match of one game is that game."""
        return derive_seed(self.seed, "game", number) if number else self.seed

    def job(self, names: tuple[str, str], prepared: Sequence[Prepared]) -> GamesJob:
        """`names` are the participants' names in records."""
        spellings = (self.first, self.second)
        chairs = {k: Chair(names[k], prepared[k], spellings[k]) for k in range(2)}
        return GamesJob(self.rules, self.limits, self.level, chairs)

    def identity(self, *prepared: Prepared) -> str:
        """A short hash of the plan and of the agents' files.

        The same for another number of games, which continue the match, and wherever the agents' files are.
        """
        openings = [[move_name(move, self.rules.size) for move in moves] for moves in self.openings]
        return run_identity(
            prepared,
            rules=rules_to_dict(self.rules),
            seed=self.seed,
            limits=self.limits.as_dict(),
            level=str(self.level),
            swap=self.swap,
            openings=openings,
        )


Follow: TypeAlias = "Callable[[GamesProgress, SequentialTest | None], AbstractContextManager[Callable[[], None]]]"
"""Shows the progress of a match and its test; the value is called when they have changed."""


@dataclass
class StoredMatch:
    """A match and its results in a folder; with `hypotheses` it ends as soon as their test has an answer."""

    plan: MatchPlan
    names: tuple[str, str]
    prepared: Sequence[Prepared]
    folder: Path
    hypotheses: Hypotheses | None = None
    games: list[KeptGame[int]] = field(default_factory=list)
    """The finished games of the plan, once it has been played or stopped."""

    def play(self, executor: Executor, follow: Follow, on_void: Callable[[Failure], None], **facts: Any) -> None:
        """Play the games that are missing; `facts` describe the match in its store, beside what is always there.

        Raises UsageError if the folder holds another match. An interrupt leaves `games` and the capsules complete, too.
        """
        identity = self.plan.identity(*self.prepared)
        store: Store[int] = Store(self.folder / RESULTS)
        with store:
            store.claim(identity, "match", "its players, their files, rules, limits or seed")
            store.note(first=self.plan.first, second=self.plan.second, seed=self.plan.seed, **facts)
            try:
                self._play_missing(store, executor, follow, on_void)
            finally:
                self.games = self._finished(store)
                for game in self.games:
                    if game.result.capsule is not None:
                        write_capsule(capsule_path(self.folder, game.key + 1), game.result.capsule)

    def _finished(self, store: Store[int]) -> list[KeptGame[int]]:
        return [game for game in store.games() if game.key < self.plan.games]

    def _play_missing(
        self, store: Store[int], executor: Executor, follow: Follow, on_void: Callable[[Failure], None]
    ) -> None:
        self.games = self._finished(store)
        test = self.test()
        known = [game.result for game in self.games]
        progress = GamesProgress(self.plan.games, workers=executor.workers, known=known, about=self.names[0])

        def count(fixture: Fixture[int], result: GameResult) -> None:
            progress.add(result)
            if test:
                test.add(KeptGame(fixture.key, result))
            step()

        with follow(progress, test) as step:
            play_missing(
                self.plan.job(self.names, self.prepared),
                self.plan.fixtures(),
                store,
                executor,
                on_result=count,
                on_void=on_void,
                enough=lambda: test is not None and test.answer is not None,
            )

    def test(self) -> SequentialTest | None:
        """The test of the hypotheses, with the games so far."""
        if self.hypotheses is None:
            return None
        from littlego.arena.sprt import SequentialTest

        return SequentialTest(self.hypotheses, self.plan, self.games)


def played(plan: MatchPlan, names: tuple[str, str], prepared: Sequence[Prepared]) -> Iterator[GameRecord]:
    """The games of a plan, played one after the other in this process; nothing is stored."""
    for _, result in InProcess().run(plan.job(names, prepared), plan.fixtures()):
        yield result.record


class ColourStanding(TypedDict):
    """A player's results with one colour."""

    player: str
    colour: str
    games: int
    wins: int
    losses: int
    ties: int
    forfeits: int
    win_rate: float
    interval_95: tuple[float, float]


def standings(records: list[GameRecord]) -> list[ColourStanding]:
    """One row for each player and colour, in the order of their first games."""
    rows = dict.fromkeys((record.player(colour), colour) for record in records for colour in Colour)
    return [_standing(records, player, colour) for player, colour in rows]


def _standing(records: list[GameRecord], player: str, colour: Colour) -> ColourStanding:
    outcomes = [record.outcome for record in records if record.player(colour) == player and record.outcome]
    tally = Tally.of(outcome.won_by(colour) for outcome in outcomes)
    return {
        "player": player,
        "colour": colour.word,
        "games": tally.games,
        "wins": tally.wins,
        "losses": tally.losses,
        "ties": tally.ties,
        "forfeits": sum(outcome.verdict.is_forfeit and not outcome.won_by(colour) for outcome in outcomes),
        "win_rate": tally.win_rate,
        "interval_95": tally.interval,
    }


def distinct_games(records: list[GameRecord]) -> int:
    """The number of different games; deterministic players repeat theirs."""
    return len({(record.start, record.moves, record.outcome and record.outcome.verdict) for record in records})
