"""Openings: all of them once, up to symmetry, and those of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from littlego.arena import openings as arena_openings
from littlego.arena.openings import Opening, openings, read_openings
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import move_name, parse_move
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.solve.oracle import Oracle

RULES = edition_rules()


def after(moves: Opening) -> Position:
    position = Position.initial(RULES)
    for move in moves:
        position = position.play(move)
    return position


def test_there_is_one_of_each_up_to_symmetry() -> None:
    """Six kinds of points; 25 * 24 ways to put two stones, of which 85 differ when the board is turned and mirrored."""
    assert len(openings(RULES, 1)) == 6
    found = openings(RULES, 2)
    # Burnside: of the ordered pairs of points, each of four mirrors leaves 5 * 4 as they are, and no rotation any.
    assert len(found) == (25 * 24 + 4 * 5 * 4) // 8
    assert len({after(moves).canonical()[0].key() for moves in found}) == len(found)
    assert found == openings(RULES, 2), "in the same order every time"


@pytest.mark.slow
def test_settled_openings_are_those_of_the_solved_game_and_come_last() -> None:
    text = Path(arena_openings.__file__).with_name("settled_openings.txt").read_text()
    assert text == settled_openings(), "python -m tests.arena.test_openings > src/littlego/arena/settled_openings.txt"
    settled = {tuple(parse_move(word, 5) for word in line.split()) for line in text.splitlines()[1:]}
    for plies in (1, 2, 3):
        is_settled = [moves in settled for moves in openings(RULES, plies)]
        assert is_settled == sorted(is_settled)
        assert any(is_settled)


def settled_openings() -> str:
    """The openings after which the player to move is known to have two winning moves, or to have lost."""
    oracle = Oracle(memory=1 << 26)
    lines = ["# The winner is settled: the player to move has at least two winning moves, or none."]
    for plies in (1, 2, 3):
        for moves in sorted(openings(RULES, plies)):
            position = after(moves)
            replies = [oracle.is_known_won(position.play(move)) for move in position.legal_moves()]
            if replies.count(False) >= 2 or oracle.is_known_won(position) is False:
                lines.append(" ".join(move_name(move, 5) for move in moves))
    return "\n".join(lines) + "\n"


def test_a_number_of_moves_that_cannot_be() -> None:
    for plies in (0, 5):
        with pytest.raises(UsageError, match="expected 1 to 4"):
            openings(RULES, plies)
    with pytest.raises(UsageError, match="on 19x19: too many"):
        openings(edition_rules(size=19), 3)
    with pytest.raises(UsageError, match="on 2x2: there are none"):
        openings(edition_rules(size=2), 3)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# two\n2,2 1,2\n\n0,0 PASS 4,4 # three moves\n")
    assert [len(moves) for moves in read_openings(path, RULES)] == [2, 3]
    for text, words in [
        ("2,2 2,2", "line 1: 2,2"),
        ("2,2\nx", "line 2: x"),
        ("# none", "no opening in it"),
        ("PASS PASS", "the game is over"),
    ]:
        path.write_text(text)
        with pytest.raises(FormatError, match=words):
            read_openings(path, RULES)
    with pytest.raises(UsageError, match="cannot be read"):
        read_openings(tmp_path / "none", RULES)


if __name__ == "__main__":
    print(settled_openings(), end="")
