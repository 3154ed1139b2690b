"""Numbers that others have published (legal positions: OEIS A094777)."""

from __future__ import annotations

import pytest

from littlego.core.board import Board, grid
from littlego.core.points import symmetries
from littlego.core.position import Position
from littlego.core.rules import edition_rules


def perft(position: Position, depth: int) -> int:
    """Lines of `depth` moves, passes included; that games end is ignored."""
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play_legal(move), depth - 1) for move in moves)


PERFT = {
    2: [5, 21, 73, 193, 493, 1149, 2697],
    3: [10, 91, 748, 5453, 35446],
    5: [26, 651, 15676, 362317],
}


@pytest.mark.parametrize(
    ("size", "depth", "lines"),
    [(size, depth, lines) for size, counts in PERFT.items() for depth, lines in enumerate(counts, start=1)],
)
def test_perft(size: int, depth: int, lines: int) -> None:
    assert perft(Position.initial(edition_rules(size=size)), depth) == lines


def legal_boards(size: int) -> int:
    """Boards without a dead group, counted once for each way to turn them and swap their colours."""
    full = grid(size).full
    total = 0
    for stones in range(full + 1):
        images = {symmetry.mask(stones) for symmetry in symmetries(size)}
        if stones != min(images):
            continue
        first = stones & -stones
        rest = stones ^ first
        black, count = rest, 0
        while True:  # every colouring in which the first stone is black; the others mirror them
            count += all_have_liberties(Board(size, black | first, rest ^ black))
            if not black:
                break
            black = black - 1 & rest
        total += count * len(images) * (2 if stones else 1)
    return total


def all_have_liberties(board: Board) -> bool:
    """Whether the stones of each side that are connected to an empty point are all of them."""
    g = grid(board.size)
    beside = g.next_to(board.empty)
    return all(g.flood(stones & beside, stones) == stones for stones in (board.black, board.white))


@pytest.mark.parametrize(("size", "boards"), [(2, 57), (3, 12675)])
def test_legal_boards(size: int, boards: int) -> None:
    assert legal_boards(size) == boards


@pytest.mark.exhaustive
def test_legal_boards_of_4x4() -> None:
    assert legal_boards(4) == 24318165
