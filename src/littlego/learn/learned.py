"""Learned values in the kernel's memory, and what is asked of them."""

from __future__ import annotations

import threading
from typing import Self

import numpy as np

from littlego.core.rules import Rules, edition_rules
from littlego.kernel.host import KernelMemory, check_layout
from littlego.kernel.xorshift import State, seeded_state
from littlego.learn.features import View
from littlego.learn.games import PracticeGames, Rates, new_games
from littlego.learn.model import Model
from littlego.learn.values import WHOLE_VIEW, LearnedArrays, layout, new_arrays, with_scratch


class Record:
    """Practice games in a kernel's memory."""

    def __init__(self, memory: KernelMemory, games: int, length: int) -> None:
        """Room for `games` games of `length` moves. Raises KernelError."""
        self.memory = memory
        self.games: PracticeGames
        self.games, self.address = memory.put(new_games(games, length))
        self.count = 0
        """How many have been played."""


class Learned:
    """Values for one game. `siblings` share them, and threads may use one each; two may not learn at the same time."""

    def __init__(self, rules: Rules | None = None, *, view: View = WHOLE_VIEW, scale: float = 1.0) -> None:
        """Before any game of `rules`; `view` is what they look at. Raises UsageError, KernelError."""
        self.rules = rules or edition_rules()
        self._begin(KernelMemory(), new_arrays(self.rules, view, scale))

    def _begin(self, memory: KernelMemory, arrays: LearnedArrays) -> None:
        check_layout(layout())
        self._memory = memory
        self.arrays, self._address = memory.put(arrays)
        self._kernel = memory.instance()
        self._state = memory.array(seeded_state(1))
        self._rates: tuple[Rates | None, int] = (None, 0)
        self._lock = threading.Lock()

    @classmethod
    def of(cls, model: Model, rules: Rules) -> Self:
        """A model's values, for games of `rules`. Raises UsageError if the model is for another game."""
        model.check_plays(rules)
        values = cls(rules, view=model.view, scale=model.scale)
        values.weights[:] = model.weights
        return values

    def sibling(self) -> Learned:
        """The same values, for another thread. Raises KernelError."""
        found = Learned.__new__(Learned)
        found.rules = self.rules
        found._begin(self._memory, with_scratch(self.arrays))
        return found

    @property
    def weights(self) -> np.ndarray:
        """In the order of `features`."""
        return self.arrays.weights

    def value_after(self, own: int, other: int, colour: int, played: int, passes: int) -> float:
        """The value to `own`, which has just moved: exact if the game is over or a second pass would end it lost."""
        with self._lock:
            return self._kernel.number("learned_value_after", self._address, own, other, colour, played, passes)

    def planned(self, own: int, other: int, ko: int, passes: int, played: int, plans: int) -> float:
        """The chance that `other`, which has just moved, wins with its next `plans` moves: see `games`."""
        with self._lock:
            return self._kernel.number("learned_planned", self._address, own, other, ko, passes, played, plans)

    def best_move(self, own: int, other: int, legal: int, colour: int, played: int, state: State) -> tuple[int, float]:
        """A move of the best value for `own`, to move, and that value; the number after the last point is a pass."""
        with self._lock:
            move = self._drawing(state, "learned_best_move", own, other, legal, colour, 0, played, 0.0)
            return move, float(self.arrays.found[move])

    def match(self, games: int, opponent: int, colour: int, slack: float, state: State) -> int:
        """How many games it wins without learning, as colour 0 or 1, against an opponent by its number."""
        with self._lock:
            return self._drawing(state, "learned_match", games, opponent, colour, slack)

    def new_record(self, games: int) -> Record:
        """Raises KernelError."""
        return Record(self._memory, games, self.rules.max_moves)

    def play(self, record: Record, games: int, first_game: int, rates: Rates, state: State) -> None:
        """Play practice games."""
        with self._lock:
            self._drawing(state, "learned_play", games, first_game, self._at(rates), record.address)
            record.count = games

    def learn(self, record: Record, rates: Rates) -> None:
        """Learn from recorded games."""
        with self._lock:
            self._kernel.call(
                "learned_learn", self._address, record.count, self._at(rates), rates.alpha, record.address
            )

    def train(self, games: int, first_game: int, rates: Rates, state: State) -> None:
        """Play practice games, and learn from each before the next."""
        record = self.new_record(1)
        with self._lock:
            asked = (games, first_game, self._at(rates), rates.alpha, record.address)
            self._drawing(state, "learned_train", *asked)

    def _drawing(self, state: State, name: str, *asked: float) -> int:
        """Call an export that draws random numbers, and update their state."""
        self._state[:] = state
        found = self._kernel.call(name, self._address, *asked, self._memory.address_of(self._state))
        state[:] = self._state
        return found

    def _at(self, rates: Rates) -> int:
        """Where rates are in memory, but for their alpha, which changes often."""
        fixed = rates._replace(alpha=0.0)
        known, address = self._rates
        if known is None or known[:-2] != fixed[:-2] or known.openers is not fixed.openers:
            _, address = self._memory.put(fixed)
            self._rates = fixed, address
        return address
