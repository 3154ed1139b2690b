"""A review as one HTML file: the graph of its value, the game to step through, every verdict in a table."""

from __future__ import annotations

from littlego.core.colour import Colour
from littlego.formats.page import Cell, Page, Replay, Tone
from littlego.review.graph import draw_value_graph
from littlego.review.verdicts import GameReview, Judgement, MoveReview
from littlego.review.words import better_words, judgement_words, sentence, summary

_GOOD = (Judgement.KEPT, Judgement.ONLY_MOVE, Judgement.KEPT_TIE)


def review_page(review: GameReview) -> Page:
    """The page of a review, as far as it is known."""
    record = review.record
    end = f"{record.outcome}." if record.outcome else "Not finished."
    page = Page(f"{record.black} against {record.white}", f"{end} {summary(review)}")
    moves = review.moves
    page.facts(_facts(review))
    page.figure(draw_value_graph(review), "Who wins with best play after each move. A red dot is a mistake.")
    if not review.complete:
        unknown = sum(move.judgement is Judgement.UNKNOWN for move in moves)
        page.text(f"Of {unknown} moves the value is not known yet: searching them takes longer.", tone="doubt")
    losing = review.losing_move
    page.section("The game", "It opens at the move that lost it; step through with the arrow keys." if losing else "")
    page.games([_replay(review, losing)])
    page.section("Every move").table(
        ["Move", "Player", "Point", "Verdict", "Wins after it", "Better", "Stones given away"],
        [_row(move) for move in moves],
    )
    return page


def _facts(review: GameReview) -> list[tuple[str, str]]:
    facts = []
    for colour in Colour:
        mine = [move for move in review.moves if move.colour is colour]
        mistakes = sum(move.judgement.is_mistake for move in mine)
        facts.append((f"Mistakes of {colour} ({review.record.player(colour)})", f"{mistakes} in {len(mine)} moves"))
    losing = review.losing_move
    facts.append(("The losing move", f"{losing.number}" if losing else "none"))
    return facts


def _replay(review: GameReview, losing: MoveReview | None) -> Replay:
    moves = review.moves
    marks: dict[int, Tone] = {}
    for k, move in enumerate(moves, start=1):
        if move.judgement.is_mistake:
            marks[k] = "bad"
        elif move.judgement is Judgement.ONLY_MOVE:
            marks[k] = "good"
    notes = {k: f"{told[0].upper()}{told[1:]}." for k, told in enumerate(map(sentence, moves), start=1)}
    shown = None if losing is None else moves.index(losing) + 1
    return Replay(review.record, notes=notes, marks=marks, shown_first=shown, opened=True, id="game")


def _row(move: MoveReview) -> list[str | int | float | Cell | None]:
    tone: Tone = "bad" if move.judgement.is_mistake else "good" if move.judgement in _GOOD else "plain"
    return [
        str(move.number),
        str(move.colour),
        move.position.move_name(move.move),
        Cell(judgement_words(move), tone=tone),
        "?" if move.after is None else str(move.after),
        better_words(move),
        move.slip,
    ]
