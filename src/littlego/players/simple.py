"""The course's simple players: random, greedy, aggressive and smart.

Where the course's text is not specific they do what its own programs did. `choices` gives the moves
that a player may make and their weights; `choose` draws from them with the player's seed.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from itertools import combinations

from littlego.core.board import Board
from littlego.core.colour import Colour
from littlego.core.points import PASS, Mask, Move, Point, points_of
from littlego.core.position import Position

PointWeights = dict[Point, int]


class SimplePlayer(ABC):
    """A player that draws from the moves it thinks best, and passes when it has no move."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    @abstractmethod
    def choices(self, position: Position, points: tuple[Point, ...]) -> PointWeights:
        """The points it may play, each with its weight; `points` are the legal ones, at least one."""

    def choose(self, position: Position) -> Move:
        points = points_of(position.legal_points())
        if not points:
            return PASS
        weights = self.choices(position, points)
        return self._random.choices(tuple(weights), tuple(weights.values()))[0]


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
    in_danger = stones_in_danger(board, colour)
    if not in_danger:
        return 0
    after, _ = board.after(colour, point)
    return (in_danger & ~stones_in_danger(after, colour)).bit_count()


def stones_in_danger(board: Board, colour: Colour) -> Mask:
    """The stones of `colour` in groups with one liberty."""
    return sum(group for group in board.groups(colour) if board.liberties(group).bit_count() == 1)


def centre_distance(point: Point, size: int) -> int:
    """Twice the Manhattan distance from a point to the middle of the board."""
    row, column = divmod(point, size)
    return abs(2 * row - size + 1) + abs(2 * column - size + 1)


def nearest_to_centre(points: tuple[Point, ...], size: int) -> tuple[Point, ...]:
    """The points of `points` nearest the middle of the board, in row-major order."""
    nearest = min(centre_distance(point, size) for point in points)
    return tuple(point for point in points if centre_distance(point, size) == nearest)


def weighted_to_the_front(points: tuple[Point, ...]) -> PointWeights:
    """Of k points, weights k for the first, k-1 for the second, down to 1."""
    return {point: len(points) - k for k, point in enumerate(points)}
