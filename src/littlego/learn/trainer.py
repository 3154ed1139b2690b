"""Training with checkpoints: the same settings and seed give the same model, even after a kill."""

from __future__ import annotations

import json
import math
import os
import time
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np

from littlego.core.errors import FormatError, UsageError
from littlego.core.game import derive_seed
from littlego.core.rules import Rules, edition_rules
from littlego.formats.text import listed
from littlego.kernel.xorshift import State, seeded_state
from littlego.learn.features import View
from littlego.learn.games import Rates
from littlego.learn.labels import Labels, accuracy
from littlego.learn.learned import Learned, Record
from littlego.learn.model import FILE_NAME, SLACK, Model, write_model
from littlego.learn.opponents import NAMES, SELF
from littlego.learn.values import MOST_PLIES, WHOLE_VIEW, check_learnable

CHECKPOINT = "checkpoint.npz"
CURVE = "curve.json"
MOST_TESTS = 40
"""A test plays hundreds of games, so a short training is tested less often."""
LONGEST_STRETCH = 256
"""Games of one board between two times of learning, when threads wait for each other, for about a millisecond."""
REPLAY_LAG = 16
"""Stretches between the two times that a game is learned from."""
FRESHNESS = 32
"""A stretch has at most one game for every 32 that were played before it."""
STEPS = 383
"""A model rounds weights to this many steps up and down."""
LEAST_STEPS = 2
"""Smaller weights are dropped: a long training then fits into a submission. Its log-loss rises by half a percent."""


@dataclass(frozen=True)
class TrainingSettings:
    """Everything that decides what is learned."""

    games: int = 800_000
    alpha: float = 1.0
    """How far an update goes at the start of training; decreases linearly to a fiftieth of that."""
    gamma: float = 1.0
    """How much of a target counts one move earlier; the rest is an even chance."""
    lambda_: float = 0.7
    """The share of a target that comes from later in the game rather than from the next move."""
    epsilon: float = 0.1
    """The share of moves made at random."""
    starts: float = 1.0
    """The share of games whose first moves are made by openers, with some at random."""
    opening: float = 0.75
    """How long they go on at most, as a share of a game."""
    openers: tuple[str, ...] = ("self", "random", "greedy", "aggressive")
    """Who makes these moves, drawn for each side; `self` is what has been learned so far."""
    endings: int = 6
    """With this many moves left, or fewer, targets are exact: every line is played out. 0: never. Has no effect where
    passing is not allowed."""
    opponents: tuple[str, ...] = ("self",)
    """Who it learns against, drawn for every game; a name listed twice is drawn twice as often."""
    stages: int = WHOLE_VIEW.stages
    """Parts of the game, each with its own weights."""
    features: tuple[str, ...] = WHOLE_VIEW.kinds
    """What it looks at beside small blocks, of `littlego.learn.features.KINDS`."""
    replay: float = 0.5
    """Every game is learned from twice, some time later with this share of the learning rate; 0 for once."""
    boards: int = 2
    """Boards played on at the same time, by a thread each. Values change after a stretch of games on all of them (see
    `stretch`), or with one board and no replay after every game."""
    seed: int = 1
    rules: Rules = field(default_factory=edition_rules)
    chunks: int = 40
    """How many times it is tested and a checkpoint written."""
    test_games: int = 50
    """Games against each opponent, as each colour, at every test."""

    def __post_init__(self) -> None:
        if self.games < 1 or self.chunks < 1 or self.boards < 1:
            raise UsageError(
                f"{self.games} games in {self.chunks} chunks on {self.boards} boards: expected at least 1 of each"
            )
        for noun, names in (("opponent", self.opponents), ("opener", self.openers)):
            for name in names:
                if name != "self" and name not in NAMES:
                    raise UsageError(f"{noun} {name!r}: expected self, {', '.join(NAMES)}")
            if not names:
                raise UsageError(f"expected at least one {noun}")
        if not 0 <= self.endings <= MOST_PLIES:
            raise UsageError(f"endings {self.endings}: expected 0 to {MOST_PLIES}")

        check_learnable(self.rules)
        _ = self.view  # says what is wrong with its stages and kinds

    @classmethod
    def for_games(cls, games: int, **others: Any) -> TrainingSettings:
        """Settings for so many games, tested as often as that is worth. Raises UsageError."""
        chunks = min(MOST_TESTS, max(1, math.isqrt(max(games, 0)) // 4))
        return cls(games=games, **{"chunks": chunks, **others})

    @property
    def view(self) -> View:
        """What it looks at. Without passing, a side may have to give up what the margins call sure."""
        return View(self.stages, tuple(kind for kind in self.features if kind != "proofs" or self.rules.passing))

    def chunk(self, number: int) -> tuple[int, int]:
        """The first game of a part of the training, and how many games it has: more and more, as learning slows."""
        first, after = (self.games * k * k // self.chunks**2 for k in (number, number + 1))
        return first, after - first

    def alpha_at(self, game: int) -> float:
        return self.alpha * max(1 - game / self.games, 0.02)

    def stretch(self, first: int) -> int:
        """How many games each board plays with the same values from game `first` on: few as long as much changes."""
        return min(max(1, first // (FRESHNESS * self.boards)), LONGEST_STRETCH)


@dataclass(frozen=True)
class Measure:
    """How good the learner was at one point of its training."""

    games: int
    wins: dict[str, tuple[int, int]]
    """Against each opponent, wins as Black and as White in `test_games` games each."""
    coverage: int
    """Weights that were ever changed."""
    value_error: float | None = None
    """Mean distance of its values from the truth on labelled positions; None without labels."""
    regret: float | None = None
    """Share of won labelled positions where its move gives the win away; None without labels."""
    by_stage: tuple[tuple[int, int], ...] = ()
    """For each of `labels.STAGES`: positions given away, and all that are won; empty without labels."""


@dataclass
class Training:
    """A training in progress."""

    settings: TrainingSettings
    values: Learned
    state: State
    """Of the random numbers of each board."""
    chunks_done: int = 0
    curve: list[Measure] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._boards = [self.values.sibling() for _ in range(self.settings.boards)]
        self._idle: list[list[Record]] = []
        """Room for a stretch on all boards, which nothing is to be learned from any more."""

    @classmethod
    def new(cls, settings: TrainingSettings) -> Training:
        seeds = [derive_seed(settings.seed, "board", board) for board in range(1, settings.boards)]
        return cls(
            settings,
            Learned(settings.rules, view=settings.view),
            np.concatenate([seeded_state(seed) for seed in (settings.seed, *seeds)]),
        )

    @property
    def games_done(self) -> int:
        return self.settings.chunk(self.chunks_done)[0]

    @property
    def is_done(self) -> bool:
        return self.chunks_done == self.settings.chunks

    def advance(self, labels: Labels | None = None) -> Measure:
        """Learn from the next part of the games, and measure the result."""
        at = self.settings
        first, games = at.chunk(self.chunks_done)
        endings = at.endings if at.rules.passing else 0
        opening, drawn = int(at.opening * at.rules.max_moves), (_numbers(at.openers), _numbers(at.opponents))
        rates = Rates(at.alpha_at(first), at.gamma, at.lambda_, at.epsilon, at.starts, opening, endings, *drawn)
        if at.boards == 1 and at.replay == 0:
            self.values.train(games, first, rates, self.state)
        else:
            self._learn_from_boards(first, games, rates)
        self.chunks_done += 1
        self.curve.append(self.measure(labels))
        return self.curve[-1]

    def _learn_from_boards(self, first: int, games: int, rates: Rates) -> None:
        """Play a stretch of games on all boards at the same time, then learn from them board by board, and so on.

        Values do not change while games are played, so that it makes no difference which board is faster.
        """
        at = self.settings
        states = [self.state[board : board + 1] for board in range(at.boards)]
        once: deque[list[Record]] = deque()
        done, after = first, first + games
        with ThreadPoolExecutor(at.boards) as pool:
            while done < after:
                rates = rates._replace(alpha=at.alpha_at(done))
                again = rates._replace(alpha=at.replay * rates.alpha)
                each = min(at.stretch(done), -(-(after - done) // at.boards))
                starts = [min(done + board * each, after) for board in range(at.boards + 1)]
                records = self._idle.pop() if self._idle else self._new_records()
                counts = [end - start for start, end in pairwise(starts)]
                list(pool.map(Learned.play, self._boards, records, counts, starts, repeat(rates), states))
                self._learn(records, rates)
                once.append(records)
                if len(once) > REPLAY_LAG:
                    self._idle.append(once.popleft())
                    self._learn(self._idle[-1], again)
                done = starts[-1]
        for records in once:
            self._learn(records, again)
        self._idle += once

    def _new_records(self) -> list[Record]:
        most = min(LONGEST_STRETCH, self.settings.stretch(self.settings.games))
        return [self.values.new_record(most) for _ in range(self.settings.boards)]

    def _learn(self, records: Sequence[Record], rates: Rates) -> None:
        for record in records:
            if rates.alpha:
                self.values.learn(record, rates)

    def measure(self, labels: Labels | None = None) -> Measure:
        """Play test games, with separate random numbers so that testing does not change what is learned."""
        wins = {}
        for number, name in enumerate(NAMES):
            state = seeded_state(derive_seed(self.settings.seed, "test", self.chunks_done, name))
            black, white = (
                self.values.match(self.settings.test_games, number, colour, SLACK, state) for colour in (0, 1)
            )
            wins[name] = (black, white)
        measured = Measure(self.games_done, wins, int(np.count_nonzero(self.values.weights)))
        if not labels:
            return measured
        found = accuracy(labels, self.values)
        return replace(
            measured,
            value_error=found.error,
            regret=found.regret,
            by_stage=found.by_stage,
        )

    def model(self) -> Model:
        """What was learned, in a compact form: ten bits per weight."""
        weights, rules = self.values.weights, self.settings.rules
        scale = max(float(np.abs(weights).max()), 1e-9) / STEPS
        steps = np.where(np.abs(weights) < LEAST_STEPS * scale, 0, np.rint(weights / scale))
        return Model(
            array("h", steps.astype(np.int16).tobytes()),
            scale,
            self.settings.view,
            size=rules.size,
            komi=rules.komi,
            length=rules.max_moves,
            games=self.games_done,
            seed=self.settings.seed,
            settings=settings_to_dict(self.settings),
        )


def train(
    settings: TrainingSettings,
    directory: Path,
    *,
    labels: Labels | None = None,
    progress: Callable[[Training, float], None] | None = None,
) -> Training:
    """Train in a directory, continuing from its checkpoint if there is one, and write the model there.

    `progress` is called after every part with the seconds that part took. Raises UsageError if the
    directory has a training with other settings, or files that are of no training.
    """
    directory.mkdir(parents=True, exist_ok=True)
    training = load(directory, settings) or Training.new(settings)
    if progress:
        progress(training, 0.0)
    while not training.is_done:
        began = time.perf_counter()
        training.advance(labels)
        save(training, directory)
        if progress:
            progress(training, time.perf_counter() - began)
    write_model(directory / FILE_NAME, training.model())
    return training


def save(training: Training, directory: Path) -> None:
    """Write a checkpoint atomically: a kill at any moment leaves the old one or the new one."""
    path, part = directory / CHECKPOINT, directory / (CHECKPOINT + ".part")
    fields = {
        "settings": settings_to_dict(training.settings),
        "chunks_done": training.chunks_done,
        "curve": [asdict(measure) for measure in training.curve],
    }
    with part.open("wb") as file:
        np.savez(
            file,
            fields=np.array(json.dumps(fields)),
            state=training.state,
            weights=training.values.weights,
        )
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    (directory / CURVE).write_text(json.dumps(fields, indent=1) + "\n")


def load(directory: Path, settings: TrainingSettings) -> Training | None:
    """The training in a directory, or None if it is empty. Raises UsageError if it has other settings or files."""
    path = directory / CHECKPOINT
    if not path.exists():
        if others := sorted({path.name for path in directory.iterdir()} - {f"{CHECKPOINT}.part", ".DS_Store"}):
            raise UsageError(f"{directory}: holds {listed(others)} and no training: choose a new directory with --out")
        return None
    try:
        with np.load(path, allow_pickle=False) as kept:
            fields = json.loads(str(kept["fields"]))
            values = Learned(settings.rules, view=settings.view)
            if fields["settings"] != settings_to_dict(settings):
                raise UsageError(
                    f"{path}: a training with other settings ({_differences(fields['settings'], settings)});"
                    " choose another directory with --out, or the same settings to resume it"
                )
            values.weights[:] = kept["weights"]
            return Training(settings, values, kept["state"].copy(), int(fields["chunks_done"]), _curve(fields["curve"]))
    except (OSError, ValueError, KeyError) as error:
        raise FormatError(f"{path}: expected a checkpoint of 'littlego train': {error}") from error


def _numbers(names: Sequence[str]) -> np.ndarray:
    """Players as compiled code knows them."""
    return np.array([SELF if name == "self" else NAMES.index(name) for name in names], dtype=np.int64)


def _curve(rows: Sequence[dict[str, Any]]) -> list[Measure]:
    found = []
    for row in rows:
        wins = {name: (black, white) for name, (black, white) in row["wins"].items()}
        by_stage = tuple((thrown, won) for thrown, won in row.get("by_stage", ()))
        found.append(Measure(**{**row, "wins": wins, "by_stage": by_stage}))
    return found


def settings_to_dict(settings: TrainingSettings) -> dict[str, Any]:
    """Settings as JSON values: tuples become lists, and the rules stand among the others."""
    fields = asdict(settings)
    rules = fields.pop("rules")
    fields |= {name: rules[name] for name in ("edition", "size", "komi")} | {"length": rules["max_moves"]}
    fields |= {"ko": rules["ko"].value, "ending": rules["ending"].value}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def _differences(kept: dict[str, Any], settings: TrainingSettings) -> str:
    asked = settings_to_dict(settings)
    return ", ".join(
        f"{name} {kept.get(name)!r}, not {asked[name]!r}" for name in asked if kept.get(name) != asked[name]
    )
