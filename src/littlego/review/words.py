"""A review in words. The terminal, the browser, SGF comments and pages show these sentences, and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from littlego.core.board import Colour, draw_marked
from littlego.core.game import GameRecord
from littlego.core.points import Move, Pass
from littlego.formats.text import joined, listed, plural, verdict_sentence
from littlego.review.values import Judgement, Value

if TYPE_CHECKING:
    from littlego.review.verdicts import GameReview, MoveReview

VerdictTone = Literal["good", "bad", "even", "soft"]
Naming = Callable[[Move], str]
"""How a display names points: `2,3`, or `D3` where Go programs read it."""

_SHOWN: Final[dict[Judgement, tuple[str, VerdictTone]]] = {
    Judgement.KEPT: ("kept the win", "good"),
    Judgement.ONLY_MOVE: ("the only move", "good"),
    Judgement.LOSING_MOVE: ("the losing move", "bad"),
    Judgement.THREW_AWAY: ("threw the win away", "bad"),
    Judgement.KEPT_TIE: ("kept the tie", "even"),
    Judgement.LOST_ANYWAY: ("was lost anyway", "soft"),
    Judgement.FORCED: ("had no choice", "soft"),
    Judgement.UNKNOWN: ("not known yet", "soft"),
    Judgement.AFTER_THE_END: ("after the end of the game", "soft"),
}
_LISTED: Final = 6
"""The most better moves that are named; further ones are counted."""


def tone(move: MoveReview) -> VerdictTone:
    return _SHOWN[move.judgement][1]


def judgement_words(move: MoveReview) -> str:
    """The verdict: `threw the win away`."""
    if move.judgement.is_mistake and move.before is Value.TIE:
        return "gave the tie away"
    if move.judgement.is_mistake and move.after is Value.TIE:
        return "let the win slip to a tie"
    if move.judgement is Judgement.ONLY_MOVE and move.after is Value.TIE:
        return "the only move that kept the tie"
    return _SHOWN[move.judgement][0]


def better_words(move: MoveReview, *, name: Naming | None = None) -> str:
    """The right moves, for a mistake: `2,1 or 3,3 would have won`; empty for other moves, or if none is known yet."""
    if not move.judgement.is_mistake or not move.better:
        return ""
    would = "would have tied" if move.before is Value.TIE else "would have won"
    return f"{_listed([_named(good, name or move.position.move_name) for good in move.better])} {would}"


def sentence(move: MoveReview, *, name: Naming | None = None) -> str:
    """The verdict, the better moves and the stones given away."""
    better = better_words(move, name=name)
    words = judgement_words(move) + (f": {better}" if better else "")
    return f"{words}; {plural(move.slip, 'stone')} given away" if move.slip else words


def summary(review: GameReview) -> str:
    """The game in one sentence: where it was lost, that it never was, or how much is known so far."""
    if review.forfeited:
        return f"{review.forfeited}."
    moves = review.moves[: review.length]
    if not moves:
        return "No move was played."
    if (losing := review.losing_move) is not None:
        return _lost_at(losing, review.record)
    unknown = sum(move.judgement is Judgement.UNKNOWN for move in moves)
    if unknown == len(moves):
        return "Nothing is known about this game yet."
    mistakes = [str(move.number) for move in moves if move.judgement.is_mistake]
    if unknown:
        return f"So far {len(moves) - unknown} of {len(moves)} moves are known, {_with_mistakes(mistakes)}."
    if mistakes:
        return f"All {len(moves)} moves are known, {_with_mistakes(mistakes)}."
    return _flawless(moves, review.record)


def _lost_at(losing: MoveReview, record: GameRecord) -> str:
    did = "lost it" if losing.before is not Value.TIE and losing.after is not Value.TIE else judgement_words(losing)
    played = _named(losing.move, losing.position.move_name)
    better = better_words(losing)
    where = f"{_player(losing.colour, record)} {did} at move {losing.number}, {played}"
    return f"{where}: {better}." if better else f"{where}."


def _with_mistakes(numbers: list[str]) -> str:
    if not numbers:
        return "and none of them is a mistake"
    if len(numbers) == 1:
        return f"with one mistake, move {numbers[0]}"
    return f"with mistakes at moves {joined(numbers)}"


def _flawless(moves: Sequence[MoveReview], record: GameRecord) -> str:
    winner = None if moves[0].before is None else moves[0].before.winner
    if winner is None:
        return "Nobody made a mistake: it was a tie from the start."
    start = f"Nobody threw the game away: {_player(winner, record)} had it won from the start"
    mine = [move for move in moves if move.colour is winner]
    only = sum(move.judgement is Judgement.ONLY_MOVE for move in mine)
    if not only:
        return f"{start}."
    return f"{start}, and found the only winning move at least {'once' if only == 1 else f'{only} times'}."


def _player(colour: Colour, record: GameRecord) -> str:
    return f"{colour} ({record.player(colour)})"


def strip(review: GameReview) -> list[str]:
    """Who wins after each move, as a line of X, O, = (a tie) and ?, under a ruler; ^ below marks mistakes."""
    moves = review.moves[: review.length]
    first = review.positions[0].moves_played
    values = [moves[0].before if moves else None, *(move.after for move in moves)]
    symbols = "".join("?" if value is None else value.winner.symbol if value.winner else "=" for value in values)
    ruler = [" "] * (len(values) + 3)
    for k in range(len(values)):
        if (number := first + k) % 5 == 0:
            ruler[k : k + len(str(number))] = str(number)
    marks = " " + "".join("^" if move.judgement.is_mistake else " " for move in moves)
    lines = ["after move  " + "".join(ruler), "wins        " + symbols, "            " + marks]
    return [line.rstrip() for line in lines if line.strip()]


def diagram(move: MoveReview) -> str:
    """The board before a mistake: `*` on the right moves, `?` on the move that was played."""
    marks = [*((better, "*") for better in move.better), (move.move, "?")]
    return draw_marked(move.position.board, {point: mark for point, mark in marks if not isinstance(point, Pass)})


def diagram_heading(move: MoveReview) -> str:
    stars = "* would have kept it, " if any(not isinstance(good, Pass) for good in move.better) else ""
    played = "a pass was played" if isinstance(move.move, Pass) else "? was played"
    return f"Move {move.number}, {move.colour} ({move.colour.symbol}) to move: {stars}{played}."


def heading(record: GameRecord) -> str:
    return f"{record.black} (X) against {record.white} (O), {len(record.moves)} moves. {verdict_sentence(record)}"


def _named(move: Move, name: Naming) -> str:
    return "a pass" if isinstance(move, Pass) else name(move)


def _listed(names: list[str]) -> str:
    return listed(names, most=_LISTED - 1) if len(names) > _LISTED else joined(names, "or")
