"""What people type first, in a notebook or a script."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import littlego as lg
from littlego.core.vertex import read_move

DRAWN = """
. . X .
. X O .
. . X .
. . O .
"""


def test_a_move_is_named_in_either_way() -> None:
    position = lg.Position.initial()
    assert position.play("2,3") == position.play("D3") == position.play(" d3") == position.play(13)
    assert position.play("pass") == position.play("PASS") == position.play(lg.PASS)
    assert position.is_legal("0, 0")
    assert not position.play("A5").is_legal("0,0")


@pytest.mark.parametrize("text", ["5,5", "F1", "I3", "here", "", "2,", "12"])
def test_what_is_no_move_is_refused_with_words(text: str) -> None:
    with pytest.raises(lg.FormatError, match=r"expected|not on a 5x5 board"):
        lg.Position.initial().play(text)


def test_both_systems_name_all_points() -> None:
    named = {read_move(f"{row},{column}", 5): read_move("ABCDE"[column] + str(5 - row), 5)
             for row in range(5) for column in range(5)}  # fmt: skip
    assert named == {point: point for point in range(25)}


def test_a_drawn_position_is_read_back() -> None:
    position = lg.Position.from_diagram(DRAWN, to_move=lg.WHITE)
    assert position.board == lg.parse_board(DRAWN)
    assert (position.to_move, position.moves_played, position.plies_left) == (lg.WHITE, 5, 10)
    assert lg.Position.from_diagram(str(position).rpartition("\n")[0], to_move=lg.WHITE) == position
    assert lg.Position.from_diagram(DRAWN, moves_played=10).moves_played == 10
    with pytest.raises(lg.FormatError, match="expected a board of 5 rows"):
        lg.Position.from_diagram(DRAWN, rules=lg.edition_rules())


def test_a_game_in_one_call() -> None:
    record = lg.play_game("greedy", "random", seed=3)
    assert record.moves == lg.play_game("greedy", "random", seed=3).moves
    assert record.moves != lg.play_game("greedy", "random", seed=4).moves
    assert (record.black, record.white) == ("greedy", "random")
    assert len(record) == len(record.moves)
    assert list(record) == list(record.positions())
    assert repr(record).startswith(f"<GameRecord greedy - random, {len(record)} moves (")
    assert lg.GameRecord("a", "b", lg.Position.initial()), "a game without moves is still a game"


def test_a_game_with_a_player_of_my_own() -> None:
    class First:
        def choose(self, position: lg.Position) -> lg.Move:
            return position.legal_moves()[0]

    record = lg.play_game(First(), "random", rules=lg.edition_rules(size=3))
    assert (record.black, record.moves[0]) == ("First", 0)
    with pytest.raises(lg.UsageError):
        lg.play_game("random", "random", start=lg.Position.initial(), rules=lg.edition_rules(size=3))


def test_a_review_and_drills_in_one_call(tmp_path: Path) -> None:
    """On 3x3, where a game is reviewed at once."""
    games = [lg.play_game("random", "random", seed=seed, rules=lg.edition_rules(size=3)) for seed in range(6)]
    file = tmp_path / "games.sgf"
    file.write_text("".join(map(lg.write_sgf, games)))
    again = lg.read_games(str(file))
    assert [game.moves for game in again] == [game.moves for game in games]
    with lg.Oracle(memory=1 << 24) as oracle:
        review = lg.review_game(games[0], oracle)
        assert review.complete
        assert str(review) == review.to_dict()["summary"]
        deck = lg.make_drills(games, "random", oracle)
        for drill in deck.drills:
            assert drill.accepted
            assert {oracle.value(drill.position.play(move)) for move in drill.accepted} == {drill.position.to_move}
    assert deck.drills


def test_printing_draws_the_board() -> None:
    out = io.StringIO()
    print(lg.Position.initial().play("C3"), file=out)
    assert out.getvalue().splitlines()[3] == " 2 . . X . ."
