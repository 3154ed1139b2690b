"""A review as one HTML file: the graph of its value, the game to step through, every verdict in a table."""

from __future__ import annotations

from typing import Final

from littlego.core.colour import Colour
from littlego.core.points import Pass, Point
from littlego.formats.html.page import Cell, Page, Replay, Tone
from littlego.formats.html.replay import verdict_sentence
from littlego.review.graph import draw_value_graph
from littlego.review.verdicts import GameReview, Judgement, MoveReview
from littlego.review.words import sentence, summary

_TONES: Final[dict[str, Tone]] = {"good": "good", "even": "good", "bad": "bad", "soft": "plain"}


def review_page(review: GameReview) -> Page:
    record = review.record
    page = Page(f"{record.black} against {record.white}", f"{verdict_sentence(record)} {summary(review)}")
    moves = review.moves
    page.facts(_facts(review))
    page.figure(draw_value_graph(review), "Who wins with best play after each move. A red dot is a mistake.")
    if not review.complete:
        unknown = sum(move.judgement is Judgement.UNKNOWN for move in moves)
        which = "Some moves are" if not unknown else "1 move is" if unknown == 1 else f"{unknown} moves are"
        page.text(f"{which} not fully judged yet: searching takes longer.", tone="doubt")
    losing = review.losing_move
    page.section(
        "The game",
        "It opens at the move that lost it, with the better moves as green dots; step through with the arrow keys."
        if losing
        else "",
    )
    page.games([_replay(review, losing)])
    if review.refutation is not None:
        page.text(f"Why it lost: {review.refutation.words()}")
        page.pre(f"{review.refutation.heading()}\n{review.refutation.diagram()}")
    page.section("Every move").table(
        ["Move", "Player", "Point", "Verdict", "Wins after it", "Better", "Stones given away"],
        [_row(move) for move in moves],
    )
    return page


def _facts(review: GameReview) -> list[tuple[str, str]]:
    facts = []
    moves = review.moves[: review.length]
    for colour in Colour:
        mine = [move for move in moves if move.colour is colour]
        mistakes = sum(move.judgement.is_mistake for move in mine)
        unknown = sum(move.judgement is Judgement.UNKNOWN for move in mine)
        count = f"{mistakes} in {len(mine)} moves" + (f", {unknown} not known yet" if unknown else "")
        facts.append((f"Mistakes of {colour} ({review.record.player(colour)})", count))
    unknown = any(move.judgement is Judgement.UNKNOWN for move in moves)
    losing = review.losing_move
    number = str(losing.number) if losing else "not known yet" if unknown else "none"
    return [*facts, ("The losing move", number)]


def _replay(review: GameReview, losing: MoveReview | None) -> Replay:
    moves = review.moves
    marks: dict[int, Tone] = {}
    for k, move in enumerate(moves, start=1):
        if move.judgement.is_mistake:
            marks[k] = "bad"
        elif move.judgement is Judgement.ONLY_MOVE:
            marks[k] = "good"
    notes = {k: f"{text[0].upper()}{text[1:]}." for k, text in enumerate(map(sentence, moves), start=1)}
    shown = None if losing is None else moves.index(losing) + 1
    if shown is not None and review.refutation is not None:
        notes[shown] = f"{notes[shown]} {review.refutation.words()}"
    points: dict[int, dict[Tone, list[Point]]] = {}
    for k, move in enumerate(moves, start=1):
        better = [good for good in move.better if not isinstance(good, Pass)]
        if move.judgement.is_mistake and better:
            points[k] = {"good": better}
    return Replay(review.record, notes=notes, marks=marks, points=points, shown_first=shown, opened=True, id="game")


def _row(move: MoveReview) -> list[str | int | float | Cell | None]:
    words = move.words
    return [
        str(move.number),
        str(move.colour),
        move.position.move_name(move.move),
        Cell(words.words, tone=_TONES[words.tone]),
        "?" if move.after is None else str(move.after),
        words.better,
        move.slip,
    ]
