"""The course's players: random, greedy, aggressive, smart, qlearning and alphabeta.

Where the course's text is not specific they do what its own programs did. `choices` gives the moves
that a player may make and their weights; `choose` draws from them with the player's seed.

`qlearning` is inferred from its logged games: a few learned openings, then captures, then the centre. It could make
477 of the 480 moves that the course's Q-learning player made in 40 logged games, half with each colour. Our own player
that learns is `learner`.

`alphabeta` is minimax with alpha-beta pruning, depth at most 2, at most ten moves wide. The course says no more than
that. The rest was inferred from the logged games of its own program:

- in every position it considers the first ten legal points of a spiral that starts at the centre,
  goes down, and turns to the right, up, left and so on;
- it searches the position after each of its moves to depth 2, the answer and its own next move,
  compares stones, and plays the first of the best. All its logged moves with both colours follow
  from this, and from no other depth. So it may delay a capture that cannot escape;
- it does not count the moves: with its last one it still expects an answer and a move after it;
- it answers a stone on the centre with the point diagonally below it on the right (3,3 on 5x5).
  No evaluation that we tried explains this, so it is a separate rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, islice
from typing import Final, TypeVar

from littlego.core.board import BLACK, WHITE, Board, Colour, grid
from littlego.core.game import derive_seed
from littlego.core.points import PASS, Move, Point, centre_distance, parse_point, points_of, spiral
from littlego.core.position import Position
from littlego.core.rules import edition_rules

PointWeights = dict[Point, int]
T = TypeVar("T")

_WORD: Final = (1 << 64) - 1
_STEP: Final = 0x9E3779B97F4A7C15


class Draws:
    """What a player draws for one move, from its seed and the number of the move alone: splitmix64.

    A game can be continued from any of its positions, and is the same in a browser (`js/kernel/draws.js`).
    """

    def __init__(self, seed: int, moves_played: int) -> None:
        self._place = _mixed(seed + _STEP & _WORD) + (moves_played << 32)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, each equally likely."""
        self._place += 1
        return (_mixed(self._place * _STEP & _WORD) >> 32) * n >> 32

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def weighted(self, weights: dict[T, int]) -> T:
        """A key, as likely as its weight says."""
        drawn = self.below(sum(weights.values()))
        for item, weight in weights.items():
            drawn -= weight
            if drawn < 0:
                return item
        raise AssertionError("there are weights to draw from")

    def shuffled(self, items: Iterable[T]) -> list[T]:
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(len(rest))]


def _mixed(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _WORD
    return word ^ word >> 31


class Chances:
    """A player's draws, game after game: after a move, one that is no later in its game begins another."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._games, self._latest = 0, -1

    def at(self, position: Position) -> Draws:
        """For the move to be made now."""
        if position.moves_played <= self._latest:
            self._games += 1
        self._latest = position.moves_played
        seed = derive_seed(self._seed, "game", self._games) if self._games else self._seed
        return Draws(seed, position.moves_played)


class SimplePlayer(ABC):
    """A player that draws from the moves it thinks best, and passes when it has no move."""

    def __init__(self, seed: int = 0) -> None:
        self._chances = Chances(seed)

    @abstractmethod
    def choices(self, position: Position, points: tuple[Point, ...]) -> PointWeights:
        """The points it may play, each with its weight; `points` are the legal ones, at least one."""

    def choose(self, position: Position) -> Move:
        points = points_of(position.legal_points())
        if not points:
            return PASS
        return self._chances.at(position).weighted(self.choices(position, points))


class RandomPlayer(SimplePlayer):
    """Any legal point, each equally likely."""

    def choices(self, position: Position, points: tuple[Point, ...]) -> PointWeights:  # noqa: ARG002 - looks at nothing
        return dict.fromkeys(points, 1)


class GreedyPlayer(SimplePlayer):
    """One of the largest captures at random; without one, any legal point."""

    def choices(self, position: Position, points: tuple[Point, ...]) -> PointWeights:
        return dict.fromkeys(largest_captures(position, points)[1], 1)


class AggressivePlayer(SimplePlayer):
    """The largest capture now, else with two moves in a row, else near the centre."""

    def choices(self, position: Position, points: tuple[Point, ...]) -> PointWeights:
        """The first of these that applies; near the centre the earlier points are likelier."""
        captured, best = largest_captures(position, points)
        if captured:
            return dict.fromkeys(best, 1)
        if pair := best_pair(position, points):
            return {pair[0]: 1}
        return weighted_to_the_front(nearest_to_centre(points, position.size))


class SmartPlayer(AggressivePlayer):
    """Aggressive, and saves its own stones from capture when that is worth more."""

    def choices(self, position: Position, points: tuple[Point, ...]) -> PointWeights:
        """The points that save most, if that is more than can be captured; else those of aggressive."""
        rescues = {point: rescued for point in points if (rescued := stones_rescued(position, point))}
        most = max(rescues.values(), default=0)
        if most > largest_captures(position, points)[0]:
            saving = tuple(point for point, stones in rescues.items() if stones == most)
            return weighted_to_the_front(nearest_to_centre(saving, position.size))
        return super().choices(position, points)


def largest_captures(position: Position, points: tuple[Point, ...]) -> tuple[int, tuple[Point, ...]]:
    """How many stones one move can capture at most, and the points that do."""
    captures = [position.captures(point) for point in points]
    most = max(captures)
    return most, tuple(point for point, captured in zip(points, captures, strict=True) if captured == most)


def best_pair(position: Position, points: tuple[Point, ...]) -> tuple[Point, Point] | None:
    """The two points that, played one after the other, capture most; among equals, those nearest the centre.

    None if no two moves capture anything. Assumes that no single move does.
    """
    board, colour = position.board, position.to_move
    pairs = []
    for first, second in combinations(points, 2):
        after, _ = board.after(colour, first)
        if captured := after.captured_by(colour, second).bit_count():
            distance = centre_distance(first, board.size) + centre_distance(second, board.size)
            pairs.append((-captured, distance, first, second))
    return min(pairs)[2:] if pairs else None


def stones_rescued(position: Position, point: Point) -> int:
    """How many stones of the side to move, capturable now, are safe from capture after `point`."""
    board, colour = position.board, position.to_move
    in_danger = board.in_atari(colour)
    if not in_danger:
        return 0
    after, _ = board.after(colour, point)
    return (in_danger & ~after.in_atari(colour)).bit_count()


def nearest_to_centre(points: tuple[Point, ...], size: int) -> tuple[Point, ...]:
    """The points of `points` nearest the middle of the board, in row-major order."""
    nearest = min(centre_distance(point, size) for point in points)
    return tuple(point for point in points if centre_distance(point, size) == nearest)


def weighted_to_the_front(points: tuple[Point, ...]) -> PointWeights:
    """Of k points, weights k for the first, k-1 for the second, down to 1."""
    return {point: len(points) - k for k, point in enumerate(points)}


_OPENINGS = (
    (BLACK, "1,2 2,2 2,1 2,3 0,0"),
    (BLACK, "1,2 2,2 2,1 1,1 3,2 2,3 2,4"),
    (WHITE, "2,2 2,1 1,2 3,2"),
)
"""How it opened every logged game with each colour, where the rule after the opening does not say the same."""


class QLearningPlayer(SimplePlayer):
    """The learned answer in the few positions that have one; else the largest capture; else nearest the centre."""

    def choices(self, position: Position, points: tuple[Point, ...]) -> PointWeights:
        """The first of these that applies; equal points are equally likely."""
        if (learned := learned_answers().get((position.board, position.to_move))) is not None:
            return {learned: 1}
        captured, best = largest_captures(position, points)
        return dict.fromkeys(best if captured else nearest_to_centre(points, position.size), 1)


@cache
def learned_answers() -> dict[tuple[Board, Colour], Point]:
    """What it plays in each position of its openings."""
    answers = {}
    for colour, opening in _OPENINGS:
        position = Position.initial(edition_rules())
        for text in opening.split():
            point = parse_point(text, position.size)
            if position.to_move is colour:
                answers[position.board, colour] = point
            position = position.play(point)
    return answers


DEPTH: Final = 2
"""How deep it searches the positions that its own moves lead to."""
BRANCHING: Final = 10
"""Moves it considers in a position."""


class AlphaBeta:
    """Searches near the centre for the best difference of stones, and grows outwards on a spiral."""

    def __init__(self, seed: int = 0) -> None:
        del seed  # every player takes one; this one is deterministic

    def choose(self, position: Position) -> Move:
        opening = answer_to_centre(position)
        if opening is not None and position.is_legal(opening):
            return opening
        most = position.size**2
        _, move = search(position, position.to_move, 1 + DEPTH, -most - 1, most + 1)
        return PASS if move is None else move


def search(position: Position, player: Colour, plies: int, alpha: int, beta: int) -> tuple[int, Move | None]:
    """How many more stones than the opponent `player` has `plies` later, and the first move that leads there.

    The number is clipped to `alpha` and `beta`. There is no move if nothing is searched (no plies left,
    or both have passed) or if none is within the bounds.
    """
    moves = candidates(position) if plies and position.passes < 2 else ()
    if not moves:
        return min(max(stone_difference(position, player), alpha), beta), None
    best: Move | None = None
    maximises = position.to_move is player
    for move in moves:
        value, _ = search(position.play_legal(move), player, plies - 1, alpha, beta)
        if maximises and value > alpha:
            alpha, best = value, move
        elif not maximises and value < beta:
            beta, best = value, move
        if alpha >= beta:
            break
    return (alpha if maximises else beta), best


def candidates(position: Position) -> tuple[Move, ...]:
    """The moves to search: the first `BRANCHING` legal points of the spiral; without any, a pass if that is allowed."""
    # Legality is checked point by point until there are enough: on large boards with positional ko,
    # finding all legal points costs much more.
    playable = position.board.playable(position.to_move)
    legal = (point for point in spiral(position.size) if playable >> point & 1 and position.is_legal(point))
    points = tuple(islice(legal, BRANCHING))
    return points or ((PASS,) if position.rules.passing else ())


def stone_difference(position: Position, player: Colour) -> int:
    """How many more stones `player` has on the board than the opponent; negative for fewer."""
    board = position.board
    return board.stones(player).bit_count() - board.stones(player.opponent).bit_count()


def answer_to_centre(position: Position) -> Point | None:
    """Its answer to a lone stone of the opponent on the centre; None in any other position."""
    size = position.size
    centre = spiral(size)[0]
    board = position.board
    if board.stones(position.to_move) or board.stones(position.to_move.opponent) != 1 << centre:
        return None
    diagonal = centre + size + 1
    return diagonal if grid(size).full >> diagonal & 1 else None
