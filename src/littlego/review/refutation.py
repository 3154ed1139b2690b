"""Why a move loses: one line that follows it, until stones fall or the game is counted.

The winner's moves are proven. The loser's are what a person would try: capture, save stones, threaten. Any other
defence loses too, since the position is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase, digits
from typing import Any, Final

from littlego.core.board import Board
from littlego.core.colour import Colour
from littlego.core.points import PASS, Move, Pass, Point, points_of
from littlego.core.position import Position
from littlego.formats.diagram import draw_marked
from littlego.formats.phrases import joined
from littlego.players.simple import stones_in_danger
from littlego.review.values import Values

_SEARCHED: Final = 16
"""With more plies left, captures are not tried for their own sake: each would take seconds."""
_CLEAR: Final = 2
"""A capture of this many stones ends the line. One of fewer does if they were there before it, and the winner leads."""
_NAMED: Final = 7
"""Moves that are named in words; the board has all of them."""
_LABELS: Final = digits[1:] + ascii_lowercase


@dataclass(frozen=True, slots=True)
class Refutation:
    """The line that follows a losing move."""

    after: Position
    """After the losing move: the winner is to move."""
    moves: tuple[Move, ...]
    fallen: tuple[Point, ...]
    """The stones that the last move captures; none if the line goes to the end of the game."""

    @property
    def winner(self) -> Colour:
        return self.after.to_move

    def final(self) -> Position:
        position = self.after
        for move in self.moves:
            position = position.play_legal(move)
        return position

    def words(self) -> str:
        """The line as sentences for someone who is new to Go."""
        if not self.moves:
            return f"The game is over. {self._count()}, so {self.winner} wins."
        if self.fallen and len(self.moves) == 1:
            return f"{self._line()} and captures {self._stones()}."
        return f"{self._line()}. {self._end()}"

    def _line(self) -> str:
        loser = self.winner.opponent
        first = self.moves[0]
        parts = [f"{self.winner} {'passes' if isinstance(first, Pass) else f'answers {self._name(first)}'}"]
        for number, move in enumerate(self.moves[1:_NAMED], start=1):
            parts.append(f"{loser if number % 2 else self.winner} {self._name(move)}")
        return ", ".join(parts) + (", and so on" if len(self.moves) > _NAMED else "")

    def _end(self) -> str:
        loser = self.winner.opponent
        if self.fallen:
            last = self.moves[-1]
            again = f", played again as move {len(self.moves)} of the line," if last in self.moves[:-1] else ""
            by = f"{self._name(last)}{again}"
            return (
                f"With {by} {self.winner} captures {self._stones()}. {loser} can try something else, but nothing wins."
            )
        count = self._count()
        return (
            f"No stones fall that would change it: at the end {count}, so {self.winner} wins. Other moves of {loser} "
            "do not change that."
        )

    def _count(self) -> str:
        score = self.final().score()
        return f"{Colour.BLACK} has {score.black:g} and {Colour.WHITE} {score.white:g} with komi"

    def _stones(self) -> str:
        points = [self.after.move_name(point) for point in self.fallen]
        return f"the stone at {points[0]}" if len(points) == 1 else f"{len(points)} stones, {joined(points)}"

    def _name(self, move: Move) -> str:
        return "passes" if isinstance(move, Pass) else self.after.move_name(move)

    def diagram(self) -> str:
        """The board after the losing move, with the moves that follow: 1, 2, ..., 9, a, b, ..."""
        label: dict[Point, str] = {}
        for move, text in zip(self.moves, _LABELS, strict=False):
            if not isinstance(move, Pass):
                label.setdefault(move, text)
        return draw_marked(self.after.board, label)

    def heading(self) -> str:
        if not self.moves:
            return "The board at the end:"
        return f"What follows: 1 is {self.winner}'s answer, 2 {self.winner.opponent}'s move, and so on."

    def to_dict(self) -> dict[str, Any]:
        name = self.after.move_name
        return {
            "winner": self.winner.word,
            "moves": [name(move) for move in self.moves],
            "captures": [name(point) for point in self.fallen],
            "words": self.words(),
        }


def find_refutation(after: Position, values: Values) -> Refutation:
    """A line from a position that is won for the side to move, which is not checked. Raises Stopped."""
    winner, position = after.to_move, after
    moves: list[Move] = []
    while position.outcome() is None:
        is_winner = position.to_move is winner
        move = _punishing(position, values) if is_winner else _defence(position)
        following = position.play_legal(move)
        moves.append(move)
        loser = winner.opponent
        fallen = position.board.stones(loser) & ~following.board.stones(loser)
        decides = fallen & after.board.stones(loser) and following.score().winner is winner
        if is_winner and (fallen.bit_count() >= _CLEAR or decides):
            return Refutation(after, tuple(moves), tuple(points_of(fallen)))
        position = following
    return Refutation(after, tuple(moves), ())


def _punishing(position: Position, values: Values) -> Move:
    """A winning move; the largest capture that wins, if one does and that is cheap to see."""
    winner = position.to_move
    captures = sorted(((position.captures(point), point) for point in points_of(position.legal_points())), reverse=True)
    for taken, point in captures:
        if not taken:
            break
        after = position.play_legal(point)
        search = position.plies_left <= _SEARCHED
        value = values.value(after) if search else values.known(after, plies=0)
        if value is not None and value.winner is winner:
            return point
    move = values.oracle.winning_move(position)
    assert move is not None, f"not won: {position!r}"
    return move


def _defence(position: Position) -> Move:
    """What a person would try: the largest capture, else save stones in atari, else threaten some."""
    own, other = position.to_move, position.to_move.opponent
    in_danger = _in_atari(position.board, own)

    def worth(point: Point) -> tuple[int, ...]:
        after = position.play_legal(point).board
        endangered = _in_atari(after, own)
        saved = in_danger - endangered
        from_centre = abs(point // position.size - position.size // 2) + abs(point % position.size - position.size // 2)
        return position.captures(point), saved, -endangered, _in_atari(after, other), -from_centre

    return max(points_of(position.legal_points()), key=worth, default=PASS)


def _in_atari(board: Board, colour: Colour) -> int:
    return stones_in_danger(board, colour).bit_count()
