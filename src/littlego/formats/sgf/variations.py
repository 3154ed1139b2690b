"""A game as SGF with variations: other moves that were tried at some of its positions."""

from __future__ import annotations

from collections.abc import Iterable

from littlego.core.game import GameRecord
from littlego.core.points import Move, Pass
from littlego.formats.sgf.games import write_sgf
from littlego.formats.sgf.points import colour_letter, points_value
from littlego.formats.sgf.tree import SgfNode, parse_collection, write_collection

Variation = tuple[int, tuple[Move, ...]]
"""After how many moves of the game it begins, and its moves, which must be legal there."""


def write_variations(record: GameRecord, variations: Iterable[Variation]) -> str:
    """The SGF text of a game; moves that variations share, with each other or with the game, are written once."""
    text = write_sgf(record)
    variations = list(variations)
    if not variations:
        return text
    root = parse_collection(text)[0]
    nodes = list(root.main_line())
    for ply, moves in variations:
        node = nodes[ply]
        colour = record.start.to_move.opponent if ply % 2 else record.start.to_move
        for move in moves:
            node = _child(node, colour_letter(colour), _at(move, record.start.size))
            colour = colour.opponent
    return write_collection([root])


def _at(move: Move, size: int) -> str:
    return "" if isinstance(move, Pass) else points_value([move], size)[0]


def _child(node: SgfNode, letter: str, at: str) -> SgfNode:
    for child in node.children:
        if child.properties.get(letter) == [at]:
            return child
    node.children.append(SgfNode({letter: [at]}))
    return node.children[-1]
