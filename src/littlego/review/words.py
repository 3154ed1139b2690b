"""A review in words: the same sentences in the terminal and on pages."""

from __future__ import annotations

from typing import Final

from littlego.core.colour import BLACK
from littlego.core.game import GameRecord
from littlego.core.points import Move, Pass
from littlego.core.position import Position
from littlego.review.values import Value
from littlego.review.verdicts import GameReview, Judgement, MoveReview

_WORDS: Final = {
    Judgement.KEPT: "kept the win",
    Judgement.ONLY_MOVE: "the only move",
    Judgement.LOSING_MOVE: "the losing move",
    Judgement.THREW_AWAY: "threw the win away",
    Judgement.KEPT_TIE: "kept the tie",
    Judgement.LOST_ANYWAY: "was lost anyway",
    Judgement.FORCED: "had no choice",
    Judgement.UNKNOWN: "not known yet",
    Judgement.AFTER_THE_END: "after the end of the game",
}


def judgement_words(move: MoveReview) -> str:
    """The verdict on a move, in a few words."""
    if move.judgement.is_mistake and move.before is Value.TIE:
        return "gave the tie away"
    if move.judgement.is_mistake and move.after is Value.TIE:
        return "let the win slip to a tie"
    if move.judgement is Judgement.ONLY_MOVE and move.after is Value.TIE:
        return "the only move that kept the tie"
    return _WORDS[move.judgement]


def better_words(move: MoveReview) -> str:
    """What would have been right instead of a mistake; empty for other moves, or if that is not known yet."""
    if not move.judgement.is_mistake:
        return ""
    would = "would have won" if move.before is not Value.TIE else "would have tied"
    name = move.position.move_name
    if move.good:
        return f"{_listed([name(good) for good in move.good])} {would}"
    if move.one_good is not None:
        return f"{name(move.one_good)} {would}"
    return ""


def slip_words(move: MoveReview) -> str:
    """How many stones a move gave away; empty for none, or if that is not known."""
    if not move.slip:
        return ""
    return f"{move.slip} stone{'s' if move.slip > 1 else ''} given away"


def sentence(move: MoveReview) -> str:
    """All that is said of a move."""
    told = [judgement_words(move)]
    if better := better_words(move):
        told[0] += f": {better}"
    if slip := slip_words(move):
        told.append(slip)
    return "; ".join(told)


def summary(review: GameReview) -> str:
    """The game in a sentence: where it was lost, or that it never was."""
    record, losing = review.record, review.losing_move
    if review.forfeited:
        return f"{review.forfeited}."
    if losing is not None:
        who = f"{losing.colour} ({record.player(losing.colour)})"
        better = better_words(losing)
        return f"{who} lost it at move {losing.number}, {losing.position.move_name(losing.move)}" + (
            f": {better}." if better else "."
        )
    known = [move for move in review.moves if move.judgement is not Judgement.UNKNOWN]
    if not known:
        return "Nothing is known of this game yet."
    if None not in [value for move in review.moves for value in (move.before, move.after)]:
        return "Nobody threw the game away: its value never changed."
    return f"No mistake from move {known[0].number} on; before that not everything is known."


def strip(review: GameReview) -> list[str]:
    """Who wins after each move, in one line of X, O, = (a tie) and ?, under a ruler; ^ below marks mistakes."""
    moves = review.moves
    first = review.positions[0].moves_played
    values = [moves[0].before if moves else None, *(move.after for move in moves)]
    symbols = "".join("?" if value is None else _symbol(value) for value in values)
    ruler = [" "] * (len(values) + 3)
    for k in range(len(values)):
        if (number := first + k) % 5 == 0:
            ruler[k : k + len(str(number))] = str(number)
    marks = " " + "".join("^" if move.judgement.is_mistake else " " for move in moves)
    lines = ["after move  " + "".join(ruler), "wins        " + symbols, "            " + marks]
    return [line.rstrip() for line in lines if line.strip()]


def diagram(move: MoveReview) -> str:
    """The board before a mistake: `*` on the moves that were right, `?` on the one that was made."""
    position = move.position
    good = move.good or (() if move.one_good is None else (move.one_good,))
    size = position.size
    rows = ["   " + " ".join(str(column % 10) for column in range(size))]
    for row in range(size):
        cells = [_cell(position, row * size + column, move.move, good) for column in range(size)]
        rows.append(f"{row:2} {' '.join(cells)}")
    return "\n".join(rows)


def heading(record: GameRecord) -> str:
    """The two players and how the game ended."""
    end = f"{record.outcome}." if record.outcome else "Not finished."
    return f"{record.black} (X) against {record.white} (O), {len(record.moves)} moves. {end}"


def _cell(position: Position, point: int, played: Move, good: tuple[Move, ...]) -> str:
    if stone := position.board.at(point):
        return stone.symbol
    if point == played:
        return "?"
    return "*" if point in good else "."


def _symbol(value: Value) -> str:
    return "=" if value is Value.TIE else "X" if value.winner is BLACK else "O"


def _listed(names: list[str]) -> str:
    shown = ["a pass" if name == Pass.PASS.value else name for name in names]
    if len(shown) > 6:
        shown = [*shown[:5], f"{len(shown) - 5} more"]
        return f"{', '.join(shown[:-1])} and {shown[-1]}"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
