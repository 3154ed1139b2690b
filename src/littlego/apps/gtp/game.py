"""The game of a GTP engine: moves of either colour, undo, setup, loading."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

from littlego.core.board import Board, Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import GameRecord, Player
from littlego.core.points import PASS, Move, Pass, Point
from littlego.core.position import Position
from littlego.core.rules import Rules


@dataclass(frozen=True, slots=True)
class _Step:
    before: Position
    """With the side that moved to move, in turn or not."""
    move: Move
    after: Position


class GtpGame:
    """A game by the rules of an edition, with one player, which may move for both colours.

    GTP lets a side move twice in a row; a move out of turn counts as one move and lifts the ko.
    """

    def __init__(
        self,
        seated: Callable[[Colour], AbstractContextManager[Player]],
        *,
        rules_on: Callable[[int | None], Rules],
        size: int | None = None,
        komi: float | None = None,
        max_moves: int | None = None,
    ) -> None:
        """`seated` gives a player for a colour; it is called again whenever earlier moves have changed.

        `rules_on` gives the rules on a board of a size, or on the usual one; `komi` and `max_moves` replace theirs.
        Raises UsageError.
        """
        self._seated = seated
        self._seats = ExitStack()
        self._rules_on = rules_on
        self._komi = komi
        self._max_moves = max_moves
        self._players: dict[Colour, Player] = {}
        self._steps: list[_Step] = []
        self.start = Position.initial(self._rules(size))

    def _rules(self, size: int | None) -> Rules:
        return self._rules_on(size).but(komi=self._komi, max_moves=self._max_moves)

    @property
    def position(self) -> Position:
        return self._steps[-1].after if self._steps else self.start

    def turn(self, colour: Colour) -> Position:
        """The position with `colour` to move, in turn or not."""
        now = self.position
        return now if now.to_move is colour else now._replace(to_move=colour, ko=None)

    def resize(self, size: int) -> None:
        """Start with an empty board of this size, and its number of moves. A komi that was set stays."""
        self._begin(Position.initial(self._rules(size)))

    def clear(self) -> None:
        """Start again on the same size."""
        self.resize(self.start.size)

    def set_komi(self, komi: float) -> None:
        """Works during a game too. Raises UsageError."""
        rules = self.start.rules.but(komi=komi)
        self._komi = komi
        self.start = self.start._replace(rules=rules)
        self._steps = [
            _Step(step.before._replace(rules=rules), step.move, step.after._replace(rules=rules))
            for step in self._steps
        ]
        self.close()

    def play(self, colour: Colour, move: Move) -> None:
        """Make a move. Raises IllegalMove, and UsageError for a stone after the end of the game."""
        before = self.turn(colour)
        if before.plies_left == 0 or (before.outcome() is not None and not before.rules.passing):
            if not isinstance(move, Pass):
                raise UsageError(f"illegal move: the game is over after {before.moves_played} moves")
            # Some controllers pass twice to end a game that is already over.
            self._steps.append(_Step(before, move, before._replace(to_move=colour.opponent)))
            return
        step = _Step(before, move, before.play(move))
        self._steps.append(step)
        for player in self._players.values():
            _observe(player, step)

    def undo(self) -> None:
        """Raises UsageError if there is no move."""
        if not self._steps:
            raise UsageError("cannot undo: no move has been played")
        self._steps.pop()
        self.close()

    def place(self, points: list[Point]) -> None:
        """Place Black's handicap stones, which are not moves of the game; White is to move. Raises UsageError."""
        if self._steps or self.start != Position.initial(self.start.rules):
            raise UsageError("board not empty")
        board = Board(self.start.size, sum(1 << point for point in set(points))).checked()
        self._begin(self.start._replace(board=board, to_move=Colour.WHITE))

    def load(self, record: GameRecord, moves: int) -> None:
        """Load the first moves of a game, by its own rules."""
        self._komi = record.start.rules.komi
        self._begin(record.start)
        for move in record.moves[:moves]:
            before = self.position
            self._steps.append(_Step(before, move, before.play(move)))

    def generate(self, colour: Colour) -> Move:
        """The player's move, not made yet; a pass once the game is over.

        Raises what the player raises, and IllegalMove for an illegal move.
        """
        position = self.turn(colour)
        if position.outcome() is not None:
            return PASS
        move = self._player(colour).choose(self._as_usual(position))
        if why := position.why_illegal(move):
            raise IllegalMove(position.move_name(move), why)
        return move

    def _as_usual(self, position: Position) -> Position:
        """A longer game as players know games: with no more moves left than the usual one has at its start."""
        usual = self._rules_on(position.size).max_moves
        if position.plies_left <= usual:
            return position
        return position._replace(rules=position.rules.but(max_moves=position.moves_played + usual))

    def _begin(self, start: Position) -> None:
        self.start = start
        self._steps = []
        self.close()

    def close(self) -> None:
        """Dismiss the players, which also happens when earlier moves change: their memory is out of date."""
        self._seats.close()
        self._players = {}

    def _player(self, colour: Colour) -> Player:
        if colour not in self._players:
            player = self._seats.enter_context(self._seated(colour))
            for step in self._steps:
                _observe(player, step)
            own = [step.after.board for step in self._steps if step.before.to_move is colour]
            if hasattr(player, "resume"):
                player.resume(own[-1] if own else None)
            self._players[colour] = player
        return self._players[colour]


def _observe(player: Player, step: _Step) -> None:
    if hasattr(player, "observe"):
        player.observe(step.before, step.move, step.after)


def handicap_points(moves: list[Move]) -> list[Point]:
    """Points fit for handicap stones. Raises FormatError."""
    points = [move for move in moves if not isinstance(move, Pass)]
    if len(points) < 2 or len(set(points)) != len(moves):
        raise FormatError("bad vertex list: expected two or more different points")
    return points
