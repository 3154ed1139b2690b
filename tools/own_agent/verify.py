"""Verifying the book: the agent as shipped, walked through every reply, against the oracle.

For each colour the walk goes from the empty board through all answers of the opponent, taking the move that the agent
itself finds in its files, and all of them where it would draw. In a won position the oracle must confirm that the move
wins; a position missing from the files is a gap. Below the book the agent's own search is compared with the oracle on
random positions.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from littlego.agent import my_player3 as agent
from littlego.core.board import Colour
from littlego.core.position import Position
from littlego.solve.oracle import Oracle
from own_agent.book import AgentSpot, BookLevel, StageWatch, answers, first_level, reading
from own_agent.decide import core_move, position_of


@dataclass
class Verification:
    """The result; `faults` is empty if the book is right."""

    positions: dict[str, int] = field(default_factory=dict)
    """Positions of the walk with the agent to move, by colour."""
    lost: dict[str, int] = field(default_factory=dict)
    """Those lost with best play."""
    levels: dict[str, dict[int, int]] = field(default_factory=dict)
    """The positions by colour and plies left."""
    lost_levels: dict[str, dict[int, int]] = field(default_factory=dict)
    searched: int = 0
    """Searches compared with the oracle."""
    most_nodes: int = 0
    """The nodes of the longest of them."""
    faults: list[str] = field(default_factory=list)


def verify_agent(
    oracle: Oracle,
    *,
    searches: int,
    book: Path | None = None,
    colours: tuple[Colour, ...] = tuple(Colour),
    watch: StageWatch = lambda *_: None,
) -> Verification:
    """Walk the whole book of these colours, then compare `searches` searches below it with the oracle.

    By default the shipped book; else `book`, with corridor.txt beside it. Raises UsageError if there is none.
    """
    with reading(book):
        return _verified(oracle, searches, colours, watch)


def _verified(oracle: Oracle, searches: int, colours: tuple[Colour, ...], watch: StageWatch) -> Verification:
    found = Verification()
    below: list[tuple[AgentSpot, int, int]] = []
    for side in colours:
        colour, name = side.value, side.word
        target = agent.TARGETS[colour]
        left, level = first_level(colour)
        found.lost[name], found.levels[name], found.lost_levels[name] = 0, {}, {}
        while level and left >= agent.book_least():
            found.levels[name][left], lost = len(level), found.lost[name]
            level = _verify_level(level, left, target, name, oracle, found, watch)
            found.lost_levels[name][left] = found.lost[name] - lost
            left -= 2
        found.positions[name] = sum(found.levels[name].values())
        below += [(spot, left, target) for spot in level.values()]
    chosen = random.Random(1).sample(below, min(searches, len(below)))
    for number, (spot, left, target) in enumerate(chosen, start=1):
        _compare_search(spot, left, target, oracle, found)
        if not number % 20:
            watch("the agent's own search", number, len(chosen))
    return found


def _verify_level(
    level: BookLevel, left: int, target: int, name: str, oracle: Oracle, found: Verification, watch: StageWatch
) -> BookLevel:
    following: BookLevel = {}
    for number, spot in enumerate(level.values(), start=1):
        position = position_of(spot, left, target)
        moves = moves_of(spot, left)
        losing = [move for move in moves if oracle.value(position.play(core_move(move))) is not position.to_move]
        if losing or not moves:
            if oracle.value(position) is position.to_move:
                what = f"{position.move_name(core_move(losing[0]))} gives it away" if losing else "no move in the book"
                found.faults.append(f"{name}, {left} plies left, won: {what}:\n{position}")
            else:
                found.lost[name] += 1
        for move in moves or [agent.searched_move(*spot, left, target)]:
            for answer in answers(spot, move, target):
                following[agent.book_key(*answer, left - 2)[0]] = answer
        if not number % 100 or number == len(level):
            watch(f"{name}, {left} plies left", number, len(level))
    return following


def moves_of(spot: AgentSpot, left: int) -> list[int]:
    """What the agent may play by its files; none if they have nothing, or nothing legal."""
    moves = agent.corridor_moves(*spot, left) or [agent.book_move(*spot, left)]
    legal = {move[0] for move in agent.legal_moves(*spot)} | {agent.PASS}
    return [move for move in moves if move in legal]


def _compare_search(spot: AgentSpot, left: int, target: int, oracle: Oracle, found: Verification) -> None:
    position: Position = position_of(spot, left, target)
    clock = agent.Clock(agent.SURE_NODES, float("inf"))
    found.searched += 1
    try:
        won = agent.Search(clock).wins(*spot, left, target)
    except agent.OutOfTime:
        found.faults.append(f"{left} plies left: the search gave up: {position.board}")
        return
    found.most_nodes = max(found.most_nodes, agent.SURE_NODES - clock.nodes)
    if won != (oracle.value(position) is position.to_move):
        found.faults.append(f"{left} plies left: the search says {'won' if won else 'lost'}: {position.board}")
