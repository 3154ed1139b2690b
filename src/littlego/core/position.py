"""A position: everything that decides what may be played next and who has won."""

from __future__ import annotations

import hashlib
import json
import operator
import re
from typing import Final, NamedTuple, SupportsIndex

from littlego.core.board import BLACK, Board, Colour, grid, parse_board
from littlego.core.errors import FormatError, IllegalMove
from littlego.core.points import (
    PASS,
    Mask,
    Move,
    Pass,
    Point,
    Symmetry,
    canonical_symmetry,
    move_name,
    parse_point,
    points_of,
    read_move,
)
from littlego.core.rules import EDITIONS, Ko, Outcome, Rules, Score, Verdict, Why, edition_rules

_ONLY_PASS: tuple[Move, ...] = (PASS,)
_SIMPLE, _POSITIONAL = Ko.SIMPLE, Ko.POSITIONAL
_KEY_LENGTH: Final = 24
"""Hexadecimal digits of a key: 96 bits, so that no two positions are likely to share one."""
_TURN: Final = re.compile(
    r"move (?P<number>\d+) of (?P<length>\d+), (?P<colour>Black|White) \([XO]\) to move"
    r"(, ko at (?P<ko>\d+,\d+))?(, after (?P<passes>a|\d+) pass(es)?)?"
)
"""The last line of a drawn position."""


class Position(NamedTuple):
    """A board, whose turn it is, and the parts of the past that still matter.

    Immutable and hashable: `play` returns a new position. Start from `Position.initial(rules)`.
    A named tuple for speed, as `Board` is; its order of fields is not part of the interface.
    """

    rules: Rules
    board: Board
    to_move: Colour = BLACK
    ko: Point | None = None
    """The point where a simple ko may not be retaken on this move."""
    passes: int = 0
    """Passes in a row, up to now."""
    moves_played: int = 0
    earlier: frozenset[Board] = frozenset()
    """All boards of the game before this one; kept under positional ko only."""

    @classmethod
    def initial(cls, rules: Rules | None = None) -> Position:
        """The empty board of `rules` (default: the newest edition), Black to move.

        >>> lg.Position.initial(lg.edition_rules("2019", 7))
        <Position 2019 7x7, move 1 of 48, Black to move: ......./......./......./......./......./......./.......>
        """
        if rules is not None and not isinstance(rules, Rules):
            raise TypeError(f"rules: expected something like edition_rules('2019', 7), got {rules!r}")
        rules = rules or edition_rules()
        return cls(rules, Board(rules.size))

    @classmethod
    def from_diagram(
        cls, text: str, *, to_move: Colour | None = None, moves_played: int | None = None, rules: Rules | None = None
    ) -> Position:
        """The position of a drawn board, `X` for Black and `O` for White. Raises FormatError.

        What is not given is read from the last line, if that says whose move it is, as `str` of a position does.
        Otherwise Black is to move after the shortest game that leads there, without a ko. The rules are by default
        those of the newest edition.

        >>> print(Position.from_diagram("X O . / . X . / . . .".replace(" / ", chr(10))))
           0 1 2
         0 X O .
         1 . X .
         2 . . .
        move 5 of 8, Black (X) to move
        """
        passes, ko = 0, None
        drawing, _, last = text.rstrip().rpartition("\n")
        if turn := _TURN.fullmatch(last.strip()):
            board = parse_board(drawing)
            rules = rules or edition_rules(size=board.size).but(max_moves=int(turn["length"]))
            moves_played = int(turn["number"]) - 1 if moves_played is None else moves_played
            to_move = to_move or Colour[turn["colour"].upper()]
            passes = int((turn["passes"] or "0").replace("a", "1"))
            ko = parse_point(turn["ko"], board.size) if turn["ko"] else None
        else:
            board = parse_board(text)
        if rules is not None and rules.size != board.size:
            raise FormatError(f"diagram: expected a board of {rules.size} rows, as the rules have, got {board.size}")
        to_move = to_move or BLACK
        played = fewest_moves(board, to_move) if moves_played is None else moves_played
        return cls(rules or edition_rules(size=board.size), board, to_move, ko, passes, played)

    @property
    def size(self) -> int:
        return self.rules.size

    @property
    def plies_left(self) -> int:
        """Moves until the game ends by its length."""
        return max(0, self.rules.max_moves - self.moves_played)

    def why_illegal(self, move: Move | str | SupportsIndex) -> Why | None:
        """The rule that `move`, or the move of that name, breaks, or None. Whether the game is over is not checked.

        >>> lg.Position.initial().play("2,2").why_illegal("2,2")
        <Why.OCCUPIED: 'the point is occupied'>
        """
        move = self.as_move(move)
        if isinstance(move, Pass):
            return None if self.rules.passing else Why.NO_PASSING
        board = self.board
        if not 0 <= move < self.size * self.size:
            return Why.OFF_BOARD
        if (board.black | board.white) >> move & 1:
            return Why.OCCUPIED
        if move == self.ko:
            return Why.KO
        if board.is_suicide(self.to_move, move):
            return Why.SUICIDE
        if self.earlier and self.board.after(self.to_move, move)[0] in self.earlier:
            return Why.REPEATS
        return None

    def is_legal(self, move: Move | str | SupportsIndex) -> bool:
        """Whether the rules allow `move`, or the move of that name, now. Whether the game is over is not checked.

        >>> Position.initial().play("C3").is_legal("2,2")
        False
        """
        return self.why_illegal(move) is None

    def legal_points(self) -> Mask:
        """The set of points where the side to move may place a stone.

        >>> lg.Position.initial(lg.edition_rules(size=2)).legal_points() == 0b1111
        True
        """
        points = self.board.playable(self.to_move)
        if self.ko is not None:
            return points & ~(1 << self.ko)
        if self.earlier:
            for point in points_of(points):
                if self.board.after(self.to_move, point)[0] in self.earlier:
                    points ^= 1 << point
        return points

    def legal_moves(self) -> tuple[Move, ...]:
        """Every legal move: points in row-major order, then the pass where there is one.

        >>> lg.Position.initial(lg.edition_rules(size=2)).legal_moves()
        (0, 1, 2, 3, PASS)
        """
        points: tuple[Move, ...] = points_of(self.legal_points())
        return points + _ONLY_PASS if self.rules.passing else points

    def captures(self, point: Point) -> int:
        """How many stones the side to move would capture on an empty point.

        >>> lg.Position.from_diagram("X . .\\nO . .\\n. . .", to_move=lg.WHITE).captures(1)
        1
        """
        return self.board.captured_by(self.to_move, point).bit_count()

    def play(self, move: Move | str | SupportsIndex) -> Position:
        """The position after `move`, or after the move of that name. Raises IllegalMove, which says why.

        >>> Position.initial().play("2,2") == Position.initial().play("C3")
        True

        Whether the game is over is not checked: the game loop asks `outcome` first, and a record
        from elsewhere may go on after two passes.
        """
        move = self.as_move(move)
        if why := self.why_illegal(move):
            raise IllegalMove(self.move_name(move), why)
        return self.play_legal(move)

    def play_legal(self, move: Move) -> Position:
        """The position after `move`, which the caller knows to be legal: nothing is checked.

        >>> lg.Position.initial().play_legal(12) == lg.Position.initial().play("C3")
        True
        """
        earlier = self.earlier
        if self.rules.ko is _POSITIONAL:
            earlier |= {self.board}
        if isinstance(move, Pass):
            return Position(
                self.rules, self.board, self.to_move.opponent, None, self.passes + 1, self.moves_played + 1, earlier
            )
        board, captured = self.board.after(self.to_move, move)
        ko = None
        if captured and self.rules.ko is _SIMPLE:
            ko = _ko_point(board, self.to_move, move, captured)
        return Position(self.rules, board, self.to_move.opponent, ko, 0, self.moves_played + 1, earlier)

    def score(self) -> Score:
        """The score if the game ended now.

        >>> print(lg.Position.initial().play("C3").score())
        1-2.5
        """
        return Score(float(self.board.black.bit_count()), self.board.white.bit_count() + self.rules.komi)

    def outcome(self) -> Outcome | None:
        """How the game ended on the board, or None while it goes on.

        >>> print(lg.Position.initial().outcome())
        None
        >>> print(lg.Position.initial().play("pass").play("pass").outcome())
        White wins by 2.5 (0-2.5)
        """
        rules = self.rules
        if self.moves_played < rules.max_moves and self.passes < 2 and (rules.passing or self.legal_points()):
            return None
        score = self.score()
        return Outcome(score.winner, Verdict.SCORE, score)

    def move_name(self, move: Move) -> str:
        """The text of a move, even of one that is off the board.

        >>> lg.Position.initial().move_name(13), lg.Position.initial().move_name(lg.PASS)
        ('2,3', 'PASS')
        """
        return move_name(move, self.size)

    def parse_move(self, text: str) -> Move:
        """The move that `2,3`, `D3` or `pass` names on this board. Raises FormatError.

        >>> lg.Position.initial().parse_move("D3"), lg.Position.initial().parse_move("2,3")
        (13, 13)
        """
        return read_move(text, self.size)

    def as_move(self, move: Move | str | SupportsIndex) -> Move:
        """A move as this package stores it: from its name, or from any integer, such as NumPy's.

        Raises TypeError for anything else and FormatError for a name of no move. Legality is not checked.

        >>> lg.Position.initial().as_move("D3")
        13
        """
        if isinstance(move, Pass):
            return move
        if isinstance(move, str):
            return self.parse_move(move)
        try:
            return operator.index(move)
        except TypeError:
            raise TypeError(f"expected a move: '2,3', 'D3', 'pass' or the number of a point, got {move!r}") from None

    def transformed(self, symmetry: Symmetry) -> Position:
        """This position turned or mirrored.

        >>> mirror = lg.symmetries(5)[1]
        >>> lg.Position.initial().play("0,0").transformed(mirror) == lg.Position.initial().play("0,4")
        True
        """
        return self._replace(
            board=_image(self.board, symmetry),
            ko=None if self.ko is None else symmetry.point(self.ko),
            earlier=frozenset(_image(board, symmetry) for board in self.earlier),
        )

    def canonical(self) -> tuple[Position, Symmetry]:
        """One image for all eight symmetries of a position, and the symmetry that leads to it.

        Earlier boards (positional ko) are transformed too, but do not affect which image is chosen.

        >>> corners = [lg.Position.initial().play(move) for move in ("0,0", "0,4", "4,0", "4,4")]
        >>> len({position.canonical()[0] for position in corners})
        1
        """
        ko = 0 if self.ko is None else 1 << self.ko
        symmetry = canonical_symmetry(self.size, self.board.black, self.board.white, ko)
        return self.transformed(symmetry), symmetry

    def key(self) -> str:
        """A short text that identifies this position by everything that decides who wins.

        That is the rules (but not the edition's name), both sides' stones, whose turn it is, ko, passes, the moves
        played and, under positional ko, the earlier boards. Symmetric positions have different keys; their canonical
        images share one, unless boards of the past (positional ko) tell them apart.

        >>> lg.Position.initial().key() == lg.Position.initial(lg.edition_rules("2022")).key()
        True
        """
        rules, board = self.rules, self.board
        fields = [
            rules.size, rules.komi, rules.max_moves, rules.ko.value, rules.ending.value, board.black, board.white,
            self.to_move.value, self.ko, self.passes, self.moves_played, sorted(self.earlier),
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:_KEY_LENGTH]

    def __str__(self) -> str:
        """The board as a diagram, the turn, the ko and the passes; `from_diagram` reads it back."""
        turn = f"move {self.moves_played + 1} of {self.rules.max_moves}, {self.to_move} ({self.to_move.symbol}) to move"
        if self.ko is not None:
            turn += f", ko at {self.move_name(self.ko)}"
        if self.passes:
            turn += ", after a pass" if self.passes == 1 else f", after {self.passes} passes"
        return f"{self.board}\n{turn}"

    def __repr__(self) -> str:
        """Everything that decides equality, on one line."""
        rules = self.rules
        named = rules.edition in EDITIONS and rules == edition_rules(rules.edition, rules.size)
        facts = [
            f"{rules.edition} {rules.size}x{rules.size}" if named else repr(rules),
            f"move {self.moves_played + 1} of {rules.max_moves}",
            f"{self.to_move} to move",
        ]
        if self.ko is not None:
            facts.append(f"ko {self.move_name(self.ko)}")
        if self.passes:
            facts.append(f"passes {self.passes}")
        if self.earlier:
            facts.append(f"after {' '.join('/'.join(board.rows()) for board in sorted(self.earlier))}")
        return f"<Position {', '.join(facts)}: {'/'.join(self.board.rows())}>"

    def _repr_svg_(self) -> str:
        from littlego.core.svg import draw_svg

        return draw_svg(self)


def fewest_moves(board: Board, to_move: Colour) -> int:
    """The length of the shortest game that can lead to a board."""
    black, white = board.black.bit_count(), board.white.bit_count()
    return 2 * max(black, white) if to_move is BLACK else 2 * max(black - 1, white) + 1


def shortest_game_to(board: Board, to_move: Colour) -> Position:
    """The position of a board after `fewest_moves` by the newest edition, without a ko."""
    return Position(edition_rules(size=board.size), board, to_move, moves_played=fewest_moves(board, to_move))


def _image(board: Board, symmetry: Symmetry) -> Board:
    return Board(board.size, symmetry.mask(board.black), symmetry.mask(board.white))


def _ko_point(board: Board, mover: Colour, point: Point, captured: Mask) -> Point | None:
    """Where the opponent would recreate the board before `mover` took `captured` from `point`.

    There is such a point only if one stone was taken by a stone that stands alone and whose one
    liberty is where the taken stone was. Retaking it then captures nothing else: any other group
    next to the taken stone had a liberty elsewhere, or it would have been dead already.
    """
    if captured & captured - 1:
        return None
    neighbours = grid(board.size).neighbours[point]
    if neighbours & board.stones(mover) or neighbours & board.empty != captured:
        return None
    return captured.bit_length() - 1
