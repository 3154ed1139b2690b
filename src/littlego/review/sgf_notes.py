"""A review written into its SGF file: a comment at every move, and marks that Go programs show."""

from __future__ import annotations

from typing import Final

from littlego.core.colour import BLACK
from littlego.core.points import Pass
from littlego.core.vertex import vertex_name
from littlego.formats.sgf.points import points_value
from littlego.formats.sgf.tree import SgfNode
from littlego.review.values import Value
from littlego.review.verdicts import GameReview, Judgement, MoveReview
from littlego.review.words import sentence

SIGN: Final = "Little-Go: "
"""Begins every line that a review writes, so that an older review is found and replaced."""
_OURS: Final = "XLG"
"""A property of our own: the names of the marks that a review added to a node, so that no others are removed."""


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
    for name in node.properties.pop(_OURS, []):
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
