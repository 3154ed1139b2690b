"""Making corridor.txt: the agent's moves where it is lost with best play, and wherever they lead off the book.

The walk starts at the lost positions of the agent's first move and follows every winning reply to the end of the game.
A move that the book would not have played leads to positions that the book may not have, and after a mistake these are
won. As far as the agent needs a book, a winning move for each of them is written, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from littlego.agent import my_player3 as agent
from littlego.core.board import WHITE
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.players.exact import framed, spot_of
from littlego.solve.oracle import Oracle
from own_agent.book import AgentSpot, StageWatch, answers, canonical_point, first_level, reading
from own_agent.corridor import MOST_DRAWN, NEAR, Corridor, Vector
from own_agent.decide import core_move, position_of
from own_agent.fallible import fallible_opponents, opponents_identity

CORRIDOR_LEFT: Final = 17
"""With more plies left it plays the book's move: after another one the book would lack thousands of won positions."""
SELDOM: Final = 0.003
"""Lost positions that are reached less often are left to the agent's own search."""
ASKED: Final = "corridor-{}.jsonl"
"""What the oracle and the opponents were asked, in the directory of intermediate results; with the identity of the
opponents, since what others would have done must not be continued."""


@dataclass(slots=True)
class Lost:
    """A lost position with the agent to move."""

    position: Position
    reached: Vector
    """How often each kind of opponent comes here."""


@dataclass(slots=True)
class CorridorBook:
    """What is written to corridor.txt, and the statistics of the walk."""

    lines: dict[int, str] = field(default_factory=dict)
    """The letters of the moves, by key."""
    lost: dict[int, int] = field(default_factory=dict)
    """Lost positions, by plies left."""
    won: int = 0
    """Won positions that the book does not have."""
    survival: dict[str, float] = field(default_factory=dict)
    """How likely each kind of opponent is to make no mistake."""

    @property
    def text(self) -> str:
        return "".join(f"{key:x} {letters}\n" for key, letters in sorted(self.lines.items()))

    def add(self, position: Position, moves: list[Move]) -> None:
        spot, left = spot_of(position), position.plies_left
        points = sorted({canonical_point(spot, left, bit_of(move)) for move in moves})
        self.lines[agent.book_key(*spot, left)[0]] = "".join(chr(ord("a") + point) for point in points)


def build_corridor(
    work: Path, oracle: Oracle, *, book: Path | None = None, watch: StageWatch = lambda *_: None
) -> CorridorBook:
    """Walk White's corridor beside a book, by default the shipped one.

    What was asked is kept in `work`, so that the next call continues.
    """
    corridor = Corridor(oracle, fallible_opponents(), work / ASKED.format(opponents_identity()))
    with reading(book):
        return _walked(corridor, watch)


def _walked(corridor: Corridor, watch: StageWatch) -> CorridorBook:
    made = CorridorBook()
    target = agent.TARGETS[WHITE.value]
    left, level = first_level(WHITE.value)
    lost: dict[int, Lost] = {}
    for key, spot in level.items():
        position = position_of(spot, left, target)
        if corridor.oracle.value(position) is not WHITE:
            lost[key] = Lost(position, corridor.weights)
    over = 0 * corridor.weights
    while lost:
        made.lost[left] = len(lost)
        following: dict[int, Lost] = {}
        for number, item in enumerate(lost.values(), start=1):
            watch(f"White, lost, {left} plies left", number, len(lost))
            moves = chosen(corridor, item)
            made.add(item.position, moves)
            for move in moves:
                over = over + _follow(item, move, len(moves), corridor, made, following)
        lost = {key: item for key, item in following.items() if float(item.reached.sum()) >= SELDOM}
        over = over + sum((item.reached for key, item in following.items() if key not in lost), 0 * over)
        left -= 2
    made.survival = dict(zip(corridor.names, (over / corridor.weights).tolist(), strict=True))
    return made


def chosen(corridor: Corridor, item: Lost) -> list[Move]:
    """The moves to draw from in a lost position."""
    position = item.position
    if position.plies_left > CORRIDOR_LEFT:
        bit = agent.book_move(*spot_of(position), position.plies_left)
        assert bit is not None, f"not in the book: {position!r}"
        return [core_move(bit)]
    ways = corridor.ways(position, item.reached)
    least = float(item.reached @ ways[0].survival)
    return [way.move for way in ways if float(item.reached @ way.survival) <= NEAR * least][:MOST_DRAWN]


def _follow(
    item: Lost, move: Move, drawn: int, corridor: Corridor, made: CorridorBook, following: dict[int, Lost]
) -> Vector:
    """Go on after a move and every reply; how often the game is over then."""
    after = item.position.play_legal(move)
    if after.outcome() is not None:
        return item.reached / drawn
    over = 0 * item.reached
    replies = {reply.move: reply.chances for reply in corridor.replies(after)}
    for reply, chances in replies.items():
        reached = item.reached * chances / drawn
        next_position = after.play_legal(reply)
        if next_position.outcome() is not None:
            over = over + reached
            continue
        key = agent.book_key(*spot_of(next_position), next_position.plies_left)[0]
        known = following.setdefault(key, Lost(next_position, 0 * reached))
        known.reached = known.reached + reached
    for reply in after.legal_moves():
        if reply not in replies:
            _win(after.play_legal(reply), corridor.oracle, made)
    return over


def _win(position: Position, oracle: Oracle, made: CorridorBook) -> None:
    """See to it that the agent keeps a won position, as far down as it needs a book."""
    spot, left = spot_of(position), position.plies_left
    target = agent.TARGETS[position.to_move.value]
    if left < agent.book_least() or position.outcome() is not None or _may_pass(position, target):
        return
    key = agent.book_key(*spot, left)[0]
    if key in made.lines or _book_wins(position, spot, oracle):
        return
    search = agent.Search(agent.Clock(1 << 30, float("inf")))
    moves = [core_move(bit) for bit, *_ in search.moves(*spot, left, target)]
    move = next(move for move in moves if oracle.value(position.play_legal(move)) is position.to_move)
    made.add(position, [move])
    made.won += 1
    for answer in answers(spot, bit_of(move), target):
        _win(position_of(answer, left - 2, target), oracle, made)


def _may_pass(position: Position, target: int) -> bool:
    """Whether the opponent has passed and the agent wins by passing, too."""
    mine, theirs, _ = spot_of(position)
    return position.passes > 0 and agent.count(mine) - agent.count(theirs) >= target


def _book_wins(position: Position, spot: AgentSpot, oracle: Oracle) -> bool:
    """Whether the book has a move that wins, and with it the positions after that move."""
    bit = agent.book_move(*spot, position.plies_left)
    if bit is None or not position.is_legal(core_move(bit)):
        return False
    if position.plies_left - 2 >= agent.book_least():
        return bool(agent.has_witnesses(*spot, position.plies_left, bit))
    return oracle.value(position.play_legal(core_move(bit))) is position.to_move


def bit_of(move: Move) -> int:
    """The inverse of `core_move`."""
    return framed(1 << move) if isinstance(move, int) else agent.PASS
