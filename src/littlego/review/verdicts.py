"""Verdicts on every move of a game, found from its end, and the line that refutes the losing move.

In that line the winner's moves are proven. The loser's are what a person would try: capture, save stones, threaten.
Any other defence loses too, since the position is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from string import ascii_lowercase, digits
from typing import Any, Final

from littlego.core.board import BLACK, Colour, draw_marked
from littlego.core.errors import IllegalMove, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import PASS, Move, Pass, Point, points_of
from littlego.core.position import Position
from littlego.core.rules import Verdict
from littlego.formats.text import joined
from littlego.kernel.words import MOST_LEFT
from littlego.review.values import Judgement as Judgement  # so that readers of reviews find it here
from littlego.review.values import Value, Values, Watch, check_solvable, do_all
from littlego.review.words import better_words, judgement_words, sentence, summary, tone
from littlego.solve.oracle import Oracle

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
    in_danger = position.board.in_atari(own).bit_count()

    def worth(point: Point) -> tuple[int, ...]:
        after = position.play_legal(point).board
        endangered = after.in_atari(own).bit_count()
        saved = in_danger - endangered
        from_centre = abs(point // position.size - position.size // 2) + abs(point % position.size - position.size // 2)
        threatened = after.in_atari(other).bit_count()
        return position.captures(point), saved, -endangered, threatened, -from_centre

    return max(points_of(position.legal_points()), key=worth, default=PASS)


OTHERS_LEFT: Final = 15
"""With at most this many plies left every other move is valued too; earlier that is expensive."""
MARGINS_LEFT: Final = 16
"""With at most this many plies left margins are found too, each of which takes several searches."""


@dataclass(frozen=True, slots=True)
class MoveReview:
    """One move, and what is known about it so far."""

    number: int
    """Counted from 1 at the start of the game, even if the record begins later."""
    position: Position
    """Before the move."""
    move: Move
    before: Value | None
    """The value before the move; None: not known yet."""
    after: Value | None
    judgement: Judgement
    good: tuple[Move, ...] | None = None
    """Every move that keeps the best possible result; None if not all are known."""
    one_good: Move | None = None
    """One of them, where not all are known."""
    margin_before: int | None = None
    """Black's stones minus White's if both play for the margin, without komi; None: not worked out."""
    margin_after: int | None = None

    @property
    def colour(self) -> Colour:
        return self.position.to_move

    @property
    def better(self) -> tuple[Move, ...]:
        """The moves known to keep the best result; empty if none is."""
        return self.good or (() if self.one_good is None else (self.one_good,))

    @property
    def slip(self) -> int | None:
        """How many stones the move gave away; None where margins are not known."""
        if self.margin_before is None or self.margin_after is None:
            return None
        loss = self.margin_before - self.margin_after
        return loss if self.colour is BLACK else -loss

    def to_dict(self) -> dict[str, Any]:
        """What is known, and the words for it that every display shows, as JSON values."""
        name = self.position.move_name
        return {
            "number": self.number,
            "colour": self.colour.word,
            "move": name(self.move),
            "before": self.before.value if self.before else None,
            "after": self.after.value if self.after else None,
            "verdict": self.judgement.value,
            "good_moves": None if self.good is None else [name(move) for move in self.good],
            "one_good_move": None if self.one_good is None else name(self.one_good),
            "margin_before": self.margin_before,
            "margin_after": self.margin_after,
            "slip": self.slip,
            "is_mistake": self.judgement.is_mistake,
            "words": judgement_words(self),
            "better": better_words(self),
            "sentence": sentence(self),
            "tone": tone(self),
        }


class GameReview:
    """A game under review. `moves` may be read at any time, even while `work` runs in another thread.

    The work goes backwards from the end, where values are cheap. What it has not reached is not known yet.
    """

    def __init__(
        self,
        record: GameRecord,
        oracle: Oracle,
        *,
        search_left: int = MOST_LEFT,
        others_left: int = OTHERS_LEFT,
        margins_left: int = 0,
        values: Values | None = None,
        refute: bool = False,
    ) -> None:
        """With more than `search_left` plies left nothing is searched. Other moves are valued at `others_left` or fewer
        plies left and margins at `margins_left` or fewer; where a move threw the game away earlier, one better
        move is found. With `refute`, the line that follows the losing move is found too.

        Raises UsageError if the game cannot be solved or has an illegal move.
        """
        check_solvable(record.start)
        try:
            self.positions = tuple(record.positions())
        except IllegalMove as error:
            raise UsageError(f"this game cannot be reviewed: {error}") from error
        # Moves after two passes are not part of the game.
        self.length = next((k for k, p in enumerate(self.positions) if p.outcome() is not None), len(record.moves))
        self.record = record
        self.search_left = search_left
        self.values = values or Values(oracle)
        self.others_left = others_left
        self.margins_left = margins_left
        self.value: list[Value | None] = [None] * len(self.positions)
        """Of each position; None: not known yet."""
        self._good: dict[int, tuple[Move, ...]] = {}
        self._one_good: dict[int, Move] = {}
        self._margin: dict[int, int] = {}
        self._refute = refute
        self.refutation: Refutation | None = None
        """What follows the losing move; None: not asked for, or not known."""
        self._done = False

    @property
    def complete(self) -> bool:
        """Whether `work` is finished and every value is known."""
        return self._done and None not in self.value[: self.length + 1]

    @property
    def moves(self) -> tuple[MoveReview, ...]:
        """Every move of the game with what is known about it now."""
        value = list(self.value)
        decisive = self._decisive(value)
        return tuple(
            MoveReview(
                self.positions[k].moves_played + 1,
                self.positions[k],
                move,
                value[k],
                value[k + 1],
                self._judged(k, value, decisive),
                self._good.get(k),
                self._one_good.get(k),
                self._margin.get(k),
                self._margin.get(k + 1),
            )
            for k, move in enumerate(self.record.moves)
        )

    @property
    def losing_move(self) -> MoveReview | None:
        """The last move that gave a better result away, if one is known."""
        return next((move for move in self.moves if move.judgement is Judgement.LOSING_MOVE), None)

    @property
    def forfeited(self) -> str | None:
        """A sentence if a side resigned or forfeited a game that was not lost on the board; else None."""
        outcome, value = self.record.outcome, self.value[self.length]
        if outcome is None or outcome.winner is None or value is None or outcome.verdict is Verdict.SCORE:
            return None
        loser = outcome.winner.opponent
        if not value.rank(loser):
            return None
        how = "resigned" if outcome.verdict is Verdict.RESIGNED else "forfeited"
        return f"{loser} {how} a game that was {'won' if value.winner is loser else 'a tie'} on the board"

    def work(self, *, seconds: float | None = None, watch: Watch | None = None) -> bool:
        """Find out what is not known yet; whether everything has been looked at.

        Ends early after `seconds`, or when another thread calls `oracle.stop()`; a further call continues.

        >>> record = lg.play_game("random", "random", seed=1, rules=lg.edition_rules(size=3))
        >>> review = lg.GameReview(record, lg.Oracle())
        >>> review.work()
        True
        """
        finished = do_all(self._steps(), self.values.oracle, seconds=seconds, watch=watch)
        self._done |= finished
        return finished

    def __str__(self) -> str:
        return summary(self)

    def __repr__(self) -> str:
        return f"<GameReview of {self.record.black} - {self.record.white}: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """JSON values, without the record.

        >>> record = lg.play_game("random", "random", seed=2, rules=lg.edition_rules(size=3))
        >>> lg.review_game(record).to_dict()["losing_move"]
        7
        """
        losing = self.losing_move
        return {
            "summary": summary(self),
            "complete": self.complete,
            "losing_move": losing.number if losing else None,
            "forfeited": self.forfeited,
            "value_at_the_end": getattr(self.value[self.length], "value", None),
            "margins_left": self.margins_left,
            "moves": [move.to_dict() for move in self.moves],
        }

    def _steps(self) -> list[Callable[[], None]]:
        """The work to do, cheapest first: two more plies make a search ten times as expensive."""
        steps: list[tuple[int, Callable[[], None]]] = [(-1, self._find_known)]
        for k in range(self.length, -1, -1):
            left = self.positions[k].plies_left
            steps.append((left, partial(self.find_value, k)))
            if k < self.length:
                steps.append((left + 3, partial(self._find_good, k)))
            if left <= self.margins_left:
                steps.append((left + 2, partial(self._find_margin, k)))
        ordered = [step for _, step in sorted(steps, key=lambda item: item[0])]
        return [*ordered, self._find_refutation] if self._refute else ordered

    def _find_known(self) -> None:
        """What the atlas and the store know about the opening, before any expensive work."""
        played = self.positions[: self.length + 1]
        self.values.remember_known(played, down_to=self.others_left)
        for k, position in enumerate(played):
            if position.plies_left > self.others_left:
                self.value[k] = self.values.known(position, plies=0)

    def find_value(self, k: int) -> None:
        """Find the value of position `k`; cheaper if that of the next position is known.

        >>> record = lg.play_game("random", "random", seed=1, rules=lg.edition_rules(size=3))
        >>> review = lg.GameReview(record, lg.Oracle())
        >>> review.find_value(len(record))
        >>> print(review.value[len(record)])
        White wins
        """
        position = self.positions[k]
        after = self.value[k + 1] if k < self.length else None
        self.value[k] = self.values.before(position, after, search=position.plies_left <= self.search_left)

    def _find_good(self, k: int) -> None:
        """The moves that keep the best result: all of them late in the game, one after an early mistake."""
        position, value, after = self.positions[k], self.value[k], self.value[k + 1]
        if value is None or not value.rank(position.to_move) or k in self._good:
            return
        mover = position.to_move
        best = value.rank(mover)
        if position.plies_left <= self.others_left:
            afters = {move: self.values.value(position.play_legal(move)) for move in position.legal_moves()}
            self._good[k] = tuple(move for move, found in afters.items() if found.rank(mover) == best)
        elif after is not None and after.rank(mover) < best and k not in self._one_good:
            self._find_one_good(k, best)

    def _find_one_good(self, k: int, best: int) -> None:
        position = self.positions[k]
        mover = position.to_move
        afters = {move: position.play_legal(move) for move in position.legal_moves()}
        searched = position.plies_left <= self.search_left
        if searched and best == Value.of(mover).rank(mover) and (move := self.values.oracle.winning_move(position)):
            self._one_good[k] = move  # the one that the proof was found with: nothing is searched again
            return
        for search in (False, True) if searched else (False,):
            for move, after in afters.items():
                value = self.values.value(after) if search else self.values.known(after, plies=0)
                if value is not None and value.rank(mover) == best:
                    self._one_good[k] = move
                    return

    def _find_margin(self, k: int) -> None:
        self._margin[k] = self.values.margin(self.positions[k])

    def _find_refutation(self) -> None:
        """Of the losing move, unless it gave away half the game only: a tie has no line to show."""
        if (losing := self.losing_move) is not None and losing.after is not None and losing.after.winner is not None:
            self.refutation = find_refutation(losing.position.play_legal(losing.move), self.values)

    def _decisive(self, value: list[Value | None]) -> int | None:
        """The index of the last move that made the result worse for the side that moved."""
        for k in range(self.length - 1, -1, -1):
            before, after, mover = value[k], value[k + 1], self.positions[k].to_move
            if before is None or after is None:
                return None
            if after.rank(mover) < before.rank(mover):
                return k
        return None

    def _judged(self, k: int, value: list[Value | None], decisive: int | None) -> Judgement:
        if k >= self.length:
            return Judgement.AFTER_THE_END
        before, after, mover = value[k], value[k + 1], self.positions[k].to_move
        if before is None or after is None:
            return Judgement.UNKNOWN
        if len(self.positions[k].legal_moves()) == 1:
            return Judgement.FORCED
        if after.rank(mover) < before.rank(mover):
            # A side that won anyway, because the opponent gave up, made no losing move.
            won = self.record.outcome is not None and self.record.outcome.winner is mover
            return Judgement.LOSING_MOVE if k == decisive and not won else Judgement.THREW_AWAY
        if not before.rank(mover):
            return Judgement.LOST_ANYWAY
        if len(self._good.get(k, ())) == 1:
            return Judgement.ONLY_MOVE
        return Judgement.KEPT if after.winner is mover else Judgement.KEPT_TIE


def review_game(record: GameRecord, oracle: Oracle | None = None, *, seconds: float | None = None) -> GameReview:
    """Judge every move of a game by exact values. Raises UsageError if the game cannot be solved.

    `str` of the review names the move that lost; `moves` has a verdict for each. After `seconds` it is returned as far
    as it got: `work` continues it.

    >>> record = lg.play_game("smart", "greedy", seed=2, rules=lg.edition_rules(size=3))
    >>> print(lg.review_game(record))
    White (greedy) lost it at move 4, 2,2: 2,1 would have won.
    """
    if not isinstance(record, GameRecord):
        raise TypeError(f"expected a GameRecord, got {record!r}; read_games reads those of a file")
    if seconds is not None and seconds < 0:
        raise UsageError(f"seconds {seconds}: expected 0 or more")
    review = GameReview(record, oracle or Oracle())
    review.work(seconds=seconds)
    return review
