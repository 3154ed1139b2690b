"""Reviews as people see them: a page, and notes in the game's own SGF."""

from __future__ import annotations

from typing import Final

from littlego.core.board import BLACK, Colour
from littlego.core.points import Pass, Point, vertex_name
from littlego.formats.html.page import Cell, Page, Replay, Tone
from littlego.formats.sgf import SgfNode, parse_collection, points_value, write_collection, write_sgf
from littlego.formats.text import verdict_sentence
from littlego.review.values import Value
from littlego.review.verdicts import GameReview, Judgement, MoveReview
from littlego.review.words import better_words, judgement_words, sentence, strip, summary, tone

_TONES: Final[dict[str, Tone]] = {"good": "good", "even": "good", "bad": "bad", "soft": "plain"}


def review_page(review: GameReview) -> Page:
    record = review.record
    page = Page(f"{record.black} against {record.white}", f"{verdict_sentence(record)} {summary(review)}")
    moves = review.moves
    page.facts(_facts(review))
    page.text("Who wins with best play (X is Black, O White), with ^ under each mistake:").pre("\n".join(strip(review)))
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
    return [
        str(move.number),
        str(move.colour),
        move.position.move_name(move.move),
        Cell(judgement_words(move), tone=_TONES[tone(move)]),
        "?" if move.after is None else str(move.after),
        better_words(move),
        move.slip,
    ]


SIGN: Final = "Little-Go: "
"""Begins every line that a review writes, so that an older review is found and replaced."""
_OURS: Final = "XLG"
"""A property of our own: the names of the marks that a review added to a node, so that no others are removed."""
_MARKS: Final = frozenset({"BM", "TE", "TR", "DM", "GB", "GW"})
"""Every mark that a review may add."""


def annotated_sgf(review: GameReview, tree: SgfNode | None = None) -> str:
    """The reviewed game as SGF with the verdicts, in its own `tree` if it has one; marked as UTF-8 if it has to be."""
    root = tree or parse_collection(write_sgf(review.record))[0]
    annotate(root, review)
    text = write_collection([root])
    if "CA" in root.properties or not text.isascii():
        root.set_text("CA", "UTF-8")
        text = write_collection([root])
    return text


def annotate(root: SgfNode, review: GameReview) -> None:
    """Write what is known into the nodes of the main line; variations and other content are left alone.

    Each move gets a line of comment, and who wins after it (`GB`, `GW`, `DM`); a mistake is marked bad (`BM`) with
    triangles on the right moves, an only move good (`TE`). An earlier review is replaced.
    """
    moves = iter(review.moves)
    for node in root.main_line():
        _clean(node)
        if "B" in node.properties or "W" in node.properties:
            move = next(moves, None)
            if move is None:
                break
            comment = node.text("C")
            node.set_text("C", f"{comment}\n{SIGN}{note(move)}" if comment else SIGN + note(move))
            _mark(node, move)


def note(move: MoveReview) -> str:
    """The verdict on a move, with points as Go programs name them."""
    return sentence(move, name=lambda other: vertex_name(other, move.position.size))


def _clean(node: SgfNode) -> None:
    for name in _MARKS.intersection(node.properties.pop(_OURS, [])):
        node.properties.pop(name, None)
    comment = node.text("C")
    if comment is None or SIGN not in comment:
        return
    kept = "\n".join(line for line in comment.split("\n") if not line.startswith(SIGN)).strip("\n")
    if kept:
        node.set_text("C", kept)
    else:
        del node.properties["C"]


def _mark(node: SgfNode, move: MoveReview) -> None:
    node_marks: dict[str, list[str]] = {}
    if move.judgement.is_mistake:
        node_marks["BM"] = ["1"]
        points = [point for point in move.better if not isinstance(point, Pass)]
        if points:
            node_marks["TR"] = points_value(points, move.position.size)
    elif move.judgement is Judgement.ONLY_MOVE:
        node_marks["TE"] = ["1"]
    if move.after is not None:
        node_marks["DM" if move.after is Value.TIE else "GB" if move.after.winner is BLACK else "GW"] = ["1"]
    new = {name: values for name, values in node_marks.items() if name not in node.properties}
    node.properties |= new
    if new:
        node.properties[_OURS] = list(new)
