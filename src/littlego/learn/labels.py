"""Labelled positions: who wins with best play, as a small file. The learner is measured against them.

One position per line, tab-separated; `#` begins a comment:

    board            25 digits row by row: 0 empty, 1 Black, 2 White
    to_move          1 or 2
    played           moves played, 0 to 23
    ko               row,column where the ko may not be retaken, or -
    wins             1 if the side to move wins with best play, else 0
    winning          its winning moves: row,column or PASS, separated by spaces, or -

The values come from the solver, which this package does not use, so `tools/make_labels.py` writes the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from littlego.core.board import BLACK, Board, Colour
from littlego.core.errors import FormatError
from littlego.core.points import PASS, Move, parse_move, parse_point
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE as SIZE
from littlego.core.rules import Rules, edition_rules
from littlego.kernel.words import POINTS
from littlego.kernel.xorshift import seeded_state
from littlego.learn.learned import Learned
from littlego.storage.files import read_text

COLUMNS = ("board", "to_move", "played", "ko", "wins", "winning")


@dataclass(frozen=True)
class Label:
    """A position of the course's game, and the moves that win it."""

    position: Position
    winning: frozenset[Move]

    @property
    def wins(self) -> bool:
        """Whether the side to move wins with best play."""
        return bool(self.winning)


Labels = tuple[Label, ...]


STAGES = (range(8, 12), range(12, 16), range(16, 20), range(20, 24))
"""Parts of the game that are judged separately, by moves played."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How near values are to the truth."""

    error: float
    """The mean of |value of the best move - (1 if won else 0)|."""
    by_stage: tuple[tuple[int, int], ...]
    """For each of STAGES: won positions given away, because the best move by value is not a winning one; and all."""
    given_away: int
    """The same for all stages."""
    tried: int
    """Won positions."""

    @property
    def regret(self) -> float:
        """The share of won positions that are given away. 0 for a perfect player."""
        return self.given_away / max(self.tried, 1)


def accuracy(labels: Labels, values: Learned) -> Accuracy:
    """Compare values with labelled positions."""
    error, given_away, tried = 0.0, 0, 0
    by_stage = [[0, 0] for _ in STAGES]
    for label, (move, value) in zip(labels, best_moves(labels, values), strict=True):
        error += abs(value - label.wins)
        if label.wins:
            is_thrown = move not in label.winning
            tried += 1
            given_away += is_thrown
            for stage, counts in zip(STAGES, by_stage, strict=True):
                if label.position.moves_played in stage:
                    counts[0] += is_thrown
                    counts[1] += 1
    stages = tuple((thrown, won) for thrown, won in by_stage)
    return Accuracy(error / max(len(labels), 1), stages, given_away, tried)


def best_moves(labels: Labels, values: Learned) -> list[tuple[Move, float]]:
    """In each position, a move of the best value, and that value."""
    state = seeded_state(1)
    found: list[tuple[Move, float]] = []
    for position in (label.position for label in labels):
        board, mover = position.board, position.to_move
        sides = board.stones(mover), board.stones(mover.opponent)
        colour, played = int(mover is not BLACK), position.moves_played
        move, value = values.best_move(*sides, position.legal_points(), colour, played, state)
        found.append((PASS if move == POINTS else move, value))
    return found


def random_regret(labels: Labels) -> float:
    """How often a move at random gives a won position away."""
    won = (label for label in labels if label.wins)
    shares = [1 - len(label.winning) / len(label.position.legal_moves()) for label in won]
    return sum(shares) / max(len(shares), 1)


def are_for(rules: Rules) -> bool:
    """Whether labels say who wins a game of these rules: they are for the course's on 5x5."""
    course = edition_rules()
    return (rules.size, rules.komi, rules.max_moves) == (course.size, course.komi, course.max_moves)


def shipped_labels() -> Labels:
    """The labelled positions that ship with the package: from games of mixed players, 8 to 22 moves old.

    In two thirds of them the side to move wins, but not with every move. Settings may be chosen by them; claims are
    measured on others.
    """
    return parse_labels(files("littlego.learn").joinpath("labels.tsv").read_text(), "labels.tsv")


def read_labels(path: Path) -> Labels:
    """The labelled positions of a file. Raises UsageError; a FormatError names the line."""
    return parse_labels(read_text(path), str(path))


def parse_labels(text: str, path: str) -> Labels:
    """The labelled positions of a text; `path` is for messages. Raises FormatError."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            found.append(_parse(line.split("\t")))
        except (ValueError, FormatError) as error:
            raise FormatError(f"{path}: line {number}: {error}") from error
    if not found:
        raise FormatError(f"{path}: expected at least one labelled position")
    return tuple(found)


def _parse(cells: list[str]) -> Label:
    if len(cells) != len(COLUMNS):
        raise ValueError(f"expected {len(COLUMNS)} columns ({', '.join(COLUMNS)}), got {len(cells)}")
    board, to_move, played, ko, wins, winning = cells
    if len(board) != POINTS or set(board) - set("012"):
        raise ValueError(f"board: expected 25 of 0, 1 and 2, got {board!r}")
    if to_move not in ("1", "2") or wins not in ("0", "1") or not played.isdigit() or int(played) > 23:
        raise ValueError("expected to_move 1 or 2, played 0 to 23 and wins 0 or 1")
    moves = frozenset() if winning == "-" else frozenset(parse_move(text, SIZE) for text in winning.split())
    if bool(moves) != (wins == "1"):
        raise ValueError("expected winning moves where the side to move wins, and only there")
    black, white = (sum(1 << point for point, cell in enumerate(board) if cell == digit) for digit in "12")
    ko_point = None if ko == "-" else parse_point(ko, SIZE)
    return Label(
        Position(edition_rules(), Board(SIZE, black, white), Colour(int(to_move)), ko_point, 0, int(played)), moves
    )
