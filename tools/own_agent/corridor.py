"""The corridor: the positions that are lost with best play, in which the agent waits for a mistake.

An opponent stays in the corridor by a winning reply; any other gives the game away. So the agent chooses the moves that
make it least likely to reach the corridor's end. An opponent is the same one during a whole game: one that stayed so
far because it is strong will probably find the next reply, too. That is why chances are kept for each kind of opponent
separately, and only their average decides.

    chance to reach the end from here    = sum over winning replies of
                                           chance of the reply * chance to reach the end from there
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from littlego.core.points import PASS, Move, parse_move
from littlego.core.position import Position
from littlego.solve.oracle import Oracle
from own_agent.fallible import Policy

CAREFUL: Final = 0.9
"""One more kind of opponent plays a winning move this often, and otherwise any move."""
WIDTHS: Final = {17: 4, 15: 4, 13: 3, 11: 2, 9: 2}
"""How many moves are walked to the end, by plies left; with fewer, one."""
RARE: Final = 0.02
"""What is reached less often is not walked: the opponent counts as having won."""
COARSE: Final = 3
"""A result is used again where the position is reached up to this many times as often as when it was found."""
NEAR: Final = 1.1
"""Moves whose chance is at most this many times the least are drawn from."""
MOST_DRAWN: Final = 4

Vector = np.ndarray
"""A number for each kind of opponent."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that keeps the win."""

    move: Move
    chances: Vector


@dataclass(frozen=True, slots=True)
class Way:
    """A move of the agent, and each opponent's chance to reach the end of the corridor after it."""

    move: Move
    survival: Vector


class Corridor:
    """Finds the moves of lost positions. What it asks the oracle and the opponents is kept in a file."""

    def __init__(self, oracle: Oracle, opponents: Mapping[str, Policy], file: Path | None = None) -> None:
        self.oracle = oracle
        self._opponents = opponents
        self._file = file
        self._replies: dict[str, list[Reply]] = {}
        self._survival: dict[Position, tuple[float, Vector]] = {}
        self.names = (*opponents, "careful")
        self.weights: Vector = np.full(len(self.names), 1 / len(self.names))
        if file is not None and file.exists():
            for line in file.read_text().rpartition("\n")[0].splitlines():
                key, rows = json.loads(line)
                self._replies[key] = [Reply(parse_move(move, 5), np.array(chances)) for move, *chances in rows]

    def ways(self, position: Position, prior: Vector | None = None) -> list[Way]:
        """The moves worth playing in a lost position, best first.

        `prior` is how likely each kind of opponent is to have come here; by default all are equally likely.
        """
        return self._ways(position, self.weights if prior is None else prior, 1.0)

    def survival(self, position: Position, reached: float = 1.0) -> Vector:
        """Each opponent's chance to reach the end from a lost position with the agent to move."""
        if position.outcome() is not None:
            return np.ones(len(self.names))
        if reached < RARE:
            return np.ones(len(self.names))
        key = position.canonical()[0]
        then, survival = self._survival.get(key, (0.0, self.weights))
        if reached > COARSE * then:
            survival = self._ways(position, self.weights, reached)[0].survival
            self._survival[key] = reached, survival
        return survival

    def _ways(self, position: Position, prior: Vector, reached: float) -> list[Way]:
        distinct = {position.play_legal(move).canonical()[0]: move for move in position.legal_moves()}
        moves: list[Move] = [move for move in distinct.values() if move is not PASS]
        moves = moves or [PASS]
        likely = sorted(moves, key=lambda move: float(prior @ self._staying(position.play_legal(move))))
        found: list[Way] = []
        enough = float("inf")
        for move in likely[: WIDTHS.get(position.plies_left, 1)]:
            survival = self._after(position.play_legal(move), prior, reached, enough)
            if survival is not None:
                found.append(Way(move, survival))
                enough = min(enough, NEAR * float(prior @ survival))
        return sorted(found, key=lambda way: float(prior @ way.survival))

    def _staying(self, position: Position) -> Vector:
        """Each opponent's chance to make a winning reply."""
        return sum((reply.chances for reply in self.replies(position)), np.zeros(len(self.names)))

    def _after(self, position: Position, prior: Vector, reached: float, enough: float) -> Vector | None:
        """Each opponent's chance to reach the end with its reply; None as soon as they are above `enough` together."""
        total = np.zeros(len(self.names))
        for reply in sorted(self.replies(position), key=lambda reply: float(-prior @ reply.chances)):
            share = float(prior @ reply.chances) / float(prior.sum())
            total += reply.chances * self.survival(position.play_legal(reply.move), reached * share)
            if float(prior @ total) > enough + 1e-9:
                return None
        return total

    def replies(self, position: Position) -> list[Reply]:
        """The opponent's winning replies; a game that is over has been won without one."""
        if position.outcome() is not None:
            return [Reply(PASS, np.ones(len(self.names)))]
        key = position.key()
        if key not in self._replies:
            self._replies[key] = self._ask(position)
            if self._file is not None:
                rows = [[position.move_name(reply.move), *reply.chances.tolist()] for reply in self._replies[key]]
                with self._file.open("a") as file:
                    file.write(json.dumps([key, rows]) + "\n")
        return self._replies[key]

    def _ask(self, position: Position) -> list[Reply]:
        winning = self.oracle.winning_moves(position)
        chances = [policy(position) for policy in self._opponents.values()]
        careful = CAREFUL / max(len(winning), 1) + (1 - CAREFUL) / len(position.legal_moves())
        # Rounded here, not in the file alone: a walk that is continued makes the same choices.
        rows = (np.array([*(chance[move] for chance in chances), careful]).round(5) for move in winning)
        return [Reply(move, row) for move, row in zip(winning, rows, strict=True)]
