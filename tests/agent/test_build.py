"""Making the book and the corridor: what is continued after a kill ends as what was never stopped."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from littlego.agent import my_player3 as agent
from littlego.core.board import BLACK
from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.players.exact import shared_oracle
from own_agent.book import reading
from own_agent.build import build_book
from own_agent.corridor import Corridor
from own_agent.fallible import Chances, opponents_identity
from own_agent.verify import verify_agent
from tests.helpers import random_game


def evenly(position: Position) -> Chances:
    """Any move, equally often."""
    moves = position.legal_moves()
    return {move: 1 / len(moves) for move in moves}


def test_a_corridor_that_is_continued_knows_what_it_knew_before(tmp_path: Path) -> None:
    file = tmp_path / "corridor.jsonl"
    first = Corridor(shared_oracle(), {"evenly": evenly}, file)
    positions = [
        position
        for seed in range(40)
        for position, _ in random_game(edition_rules(), seed)
        if position.plies_left == 6 and shared_oracle().value(position) is position.to_move
    ]
    known = [first.replies(position) for position in positions]
    file.write_text(file.read_text()[:-9])  # as a kill may leave it: the last line is asked for again
    second = Corridor(shared_oracle(), {"evenly": evenly}, file)
    assert len(known) > 5
    for position, replies in zip(positions, known, strict=True):
        again = second.replies(position)
        assert [reply.move for reply in again] == [reply.move for reply in replies]
        assert all(np.array_equal(one.chances, other.chances) for one, other in zip(again, replies, strict=True))


def test_what_other_opponents_would_have_done_is_not_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The corridor of a model would otherwise have been made of the replies of the model before."""
    before = opponents_identity()
    package = tmp_path / "littlego"
    shutil.copytree(Path(str(resources.files("littlego"))), package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(resources, "files", lambda _name: package)
    assert opponents_identity() == before
    (package / "learn" / "model.json").write_text("{}")
    assert opponents_identity() != before


@pytest.mark.slow
@pytest.mark.process
def test_a_short_book_from_nothing_and_after_a_kill(tmp_path: Path) -> None:
    """The first two moves of each side. With at least 20 plies left the atlas knows every value."""
    told: dict[str, tuple[int, int]] = {}
    built = build_book(
        tmp_path / "work", jobs=1, memory=1 << 28, least=21, watch=lambda what, *done: told.update({what: done})
    )
    assert built.positions == {"black": {24: 1, 22: 6}, "white": {23: 7, 21: 62}}
    assert built.lost == {"black": {24: 0, 22: 0}, "white": {23: 1, 21: 1}}
    assert all(done == total for done, total in told.values()), "every stage has been seen to end"
    level = tmp_path / "work" / "level-21.jsonl"
    level.write_text(level.read_text()[: level.stat().st_size // 2])
    assert build_book(tmp_path / "work", jobs=1, memory=1 << 28, least=21).text == built.text
    book = tmp_path / "book.txt"
    book.write_text(built.text)
    verified = verify_agent(shared_oracle(), book=book, searches=0)
    assert verified.faults == []
    assert verified.positions == {"black": 7, "white": 69}
    assert (verified.levels, verified.lost_levels) == (built.positions, built.lost)
    with reading(book):
        opening = agent.book_move(0, 0, 0, 24)
        assert opening is not None
        assert shared_oracle().value(Position.initial().play(agent.POINTS.index(opening.bit_length() - 1))) is BLACK
    assert agent.book_least() == 12, "the shipped book again"
    with pytest.raises(UsageError, match="no such book"):
        verify_agent(shared_oracle(), book=tmp_path / "none.txt", searches=0)


def test_a_book_that_gives_a_win_away_is_found_out(tmp_path: Path) -> None:
    from own_agent.static_function import write_book

    corner = {agent.book_key(0, 0, 0, 24)[0]: 0}
    (tmp_path / "book.txt").write_text(write_book(corner, least=23))
    verified = verify_agent(shared_oracle(), book=tmp_path / "book.txt", searches=0, colours=(BLACK,))
    assert len(verified.faults) == 1
    assert "0,0 gives it away" in verified.faults[0]
