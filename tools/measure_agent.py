"""Measures the agent with White: how often opponents of many kinds make no mistake from the first move to the last.

    python tools/measure_agent.py --games 100                           # a table for docs/submission.md
    python tools/measure_agent.py --games 100 --only "playouts 1000"

Every position is won or lost with best play, and the agent keeps a won one to the end: `littlego agent verify` proves
that. So a game is over as soon as the opponent has given the win away. `errs` is the share of won labelled positions
that the opponent throws away: how fallible it is in ordinary games.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from imperfect import imperfect_opponents
from littlego.core.board import Board
from littlego.core.colour import WHITE, Colour
from littlego.core.game import Player
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.core.seeds import derive_seed
from littlego.learn.labels import Label, shipped_labels
from littlego.players.agent import AgentPlayer
from littlego.players.catalogue import make_player
from littlego.players.perfect import shared_oracle
from littlego.stats import Tally, wilson_interval

BUILT_IN: Final = ("random", "greedy", "aggressive", "smart", "qlearning", "alphabeta", "learner", "champion")
LABELS: Final = 100
"""Won labels that an opponent is tried on."""

Maker = Callable[[int], Player]


@dataclass(frozen=True, slots=True)
class Row:
    """How the agent did with White against one opponent."""

    opponent: str
    games: int
    distinct: Tally
    """The same game played twice proves no more than once."""
    errors: int
    tried: int

    def __str__(self) -> str:
        low, high = self.distinct.interval
        worst, best = wilson_interval(self.errors, self.tried)
        return (
            f"| {self.opponent} | {self.errors / self.tried:.0%} ({worst:.0%}-{best:.0%}) "
            f"| {self.games} | {self.distinct.wins} of {self.distinct.games} | {low:.0%}-{high:.0%} |"
        )


def opponents() -> dict[str, Maker]:
    built_in: dict[str, Maker] = {name: partial(_built_in, name) for name in BUILT_IN}
    return built_in | imperfect_opponents()


def _built_in(name: str, seed: int) -> Player:
    return make_player(name, seed=seed)


def measure(name: str, maker: Maker, *, games: int, labels: int = LABELS) -> Row:
    results: dict[str, bool] = {}
    for number in range(games):
        won, line = agent_wins(maker(derive_seed(1, name, number)), AgentPlayer(derive_seed(2, name, number)))
        results[line] = won
    chosen = random.Random(1).sample([label for label in shipped_labels() if label.wins], labels)
    player = maker(1)
    errors = sum(player.choose(position_of(label)) not in label.winning for label in chosen)
    return Row(name, games, Tally.of(results.values()), errors, labels)


def agent_wins(black: Player, agent: Player) -> tuple[bool, str]:
    """Whether the agent wins with White, and the moves until that was certain."""
    position = Position.initial()
    moves: list[str] = []
    while (outcome := position.outcome()) is None:
        if position.to_move is WHITE and shared_oracle().value(position) is WHITE:
            return True, " ".join(moves)
        move = (agent if position.to_move is WHITE else black).choose(position)
        moves.append(position.move_name(move))
        position = position.play(move)
    return outcome.winner is WHITE, " ".join(moves)


def position_of(label: Label) -> Position:
    board = Board(5, label.black, label.white)
    return Position(edition_rules(), board, Colour(label.to_move + 1), label.ko, 0, label.played)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the agent with White against imperfect opponents.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--only", action="append", help="one opponent; may be repeated")
    asked = parser.parse_args()
    print(
        "| opponent | errs | games | lost its win, of distinct games | 95% interval |\n| --- | --- | --- | --- | --- |"
    )
    for name, maker in opponents().items():
        if not asked.only or name in asked.only:
            print(measure(name, maker, games=asked.games), flush=True)


if __name__ == "__main__":
    main()
