from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlego.core.board import BLACK, WHITE, Board
from littlego.core.errors import IllegalMove, UsageError
from littlego.core.points import PASS, symmetries
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, Ending, Ko, Rules, Score, Verdict, Why, edition_rules
from tests.helpers import at, played, random_game

editions = st.sampled_from(EDITIONS)
seeds = st.integers(0, 2**32)


def test_positions_are_values() -> None:
    one, other = (played(Position.initial(), "2,2 1,1") for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != played(Position.initial(), "1,1 2,2")
    with pytest.raises(AttributeError):
        one.ko = 3  # type: ignore[misc]  # that it cannot be set is the test
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.rules.komi = 1.0  # type: ignore[misc]  # the same


def test_ten_and_komi_beat_twelve() -> None:
    position = at("X X X X X\nX X X X X\nX X . O O\nO O O O .\nO O O O .", moves_played=24)
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.score == Score(12.0, 12.5)
    assert outcome.winner is WHITE
    assert str(outcome) == "White wins by 0.5 (12-12.5)"


def test_even_sizes_can_tie() -> None:
    outcome = at("X X\n. .", rules=edition_rules("2025", 2).but(komi=2), moves_played=3).outcome()
    assert outcome is not None
    assert outcome.winner is None
    assert str(outcome) == "A tie, 2-2"


def test_two_passes_in_a_row_end_the_game() -> None:
    start = Position.initial()
    assert played(start, "PASS").outcome() is None, "Black passing on the empty board is an ordinary pass"
    assert played(start, "PASS 2,2 PASS").outcome() is None
    ended = played(start, "2,2 PASS PASS").outcome()
    assert ended is not None
    assert (ended.verdict, ended.winner) == (Verdict.SCORE, WHITE)


def test_the_last_move_of_the_length_ends_the_game() -> None:
    almost = Position.initial()._replace(moves_played=23)
    assert almost.outcome() is None
    assert almost.plies_left == 1
    assert almost.play(12).outcome() is not None
    assert almost.play(PASS).outcome() is not None, "a pass is a move"


def test_2019_does_not_pass_and_ends_without_a_move() -> None:
    position = Position.initial(edition_rules("2019"))
    assert position.why_illegal(PASS) is Why.NO_PASSING
    assert PASS not in position.legal_moves()
    stuck = at(". X .\nX X X\nX X X", WHITE, rules=edition_rules("2019", 3), moves_played=1)
    assert stuck.legal_moves() == ()
    outcome = stuck.outcome()
    assert outcome is not None
    assert outcome.winner is BLACK


def test_2019_forbids_any_earlier_board() -> None:
    """Long cycles are legal under simple ko and not in 2019; some random 2x2 game soon meets one."""
    rules = Rules(2, 1.0, 60, Ko.POSITIONAL, Ending.NO_MOVE)
    found = 0
    for seed in range(20):
        for position, _ in random_game(rules, seed):
            repeats = [p for p in range(4) if position.why_illegal(p) is Why.REPEATS]
            simple = Position(Rules(2, 1.0, 60), position.board, position.to_move)
            assert all(simple.is_legal(p) and p not in position.legal_moves() for p in repeats)
            assert all(simple.play(p).board in position.earlier for p in repeats)
            found += len(repeats)
    assert found


def test_positions_print_as_people_speak() -> None:
    empty = "/".join(["....."] * 5)
    assert repr(Position.initial()) == f"<Position 2025 5x5, move 1 of 24, Black to move: {empty}>"
    ko = played(at(". . . . .\n. . O X .\n. O X . X\n. . O X .\n. . . . .", WHITE), "2,3")
    assert repr(ko).endswith("move 2 of 24, Black to move, ko 2,2: ...../..OX./.O.OX/..OX./.....>")
    assert str(ko).splitlines()[0].split() == ["0", "1", "2", "3", "4"]
    assert str(ko).splitlines()[3] == " 2 . O . O X"
    assert str(ko).splitlines()[-1] == "move 2 of 24, Black (X) to move, ko at 2,2"
    assert str(ko.board) == "\n".join(str(ko).splitlines()[:-1])
    assert str(played(Position.initial(), "PASS")).splitlines()[-1].endswith("White (O) to move, after a pass")


def variations(position: Position) -> list[Position]:
    """The same position with each fact that decides its value changed, one at a time."""
    rules, board = position.rules, position.board
    return [
        position._replace(rules=rules.but(komi=rules.komi + 1)),
        position._replace(rules=rules.but(max_moves=rules.max_moves + 1)),
        position._replace(rules=dataclasses.replace(rules, ending=Ending.NO_MOVE, edition="custom")),
        position._replace(rules=dataclasses.replace(rules, ko=Ko.POSITIONAL, edition="custom")),
        position._replace(board=Board(board.size, board.white, board.black)),
        position._replace(board=board._replace(black=board.black ^ (board.empty & -board.empty))),
        position._replace(to_move=position.to_move.opponent),
        position._replace(ko=0 if position.ko is None else None),
        position._replace(passes=position.passes + 1),
        position._replace(moves_played=position.moves_played + 1),
        position._replace(earlier=position.earlier | {board}),
    ]


@given(seeds)
def test_key_and_repr_tell_all_positions_apart(seed: int) -> None:
    *_, (position, _) = random_game(edition_rules(), seed)
    others = [other for other in variations(position) if other != position]
    for tell in (Position.key, repr):
        assert len({tell(one) for one in (position, *others)}) == len({position, *others})


def test_the_key_is_that_of_the_value_not_of_the_path_or_the_name() -> None:
    one = played(Position.initial(), "2,2 1,1 3,3")
    other = played(Position.initial(), "3,3 1,1 2,2")
    assert one.key() == other.key() != played(Position.initial(), "2,2 1,1 3,2").key()
    renamed = one._replace(rules=dataclasses.replace(one.rules, edition="custom"))
    assert renamed.key() == one.key()
    assert len(one.key()) == 24


@given(editions, st.integers(2, 7), seeds)
def test_symmetric_positions_share_the_key_of_their_canonical_image(edition: str, size: int, seed: int) -> None:
    for position, _ in random_game(edition_rules(edition, size).but(max_moves=12), seed):
        bare = position._replace(earlier=frozenset())
        keys = {bare.transformed(symmetry).canonical()[0].key() for symmetry in symmetries(size)}
        assert keys == {bare.canonical()[0].key()}


@given(editions, st.integers(2, 7), seeds)
def test_no_group_is_ever_without_liberties(edition: str, size: int, seed: int) -> None:
    for position, _ in random_game(edition_rules(edition, size), seed):
        assert position.board.checked() is position.board


@given(editions, st.integers(2, 6), seeds, st.integers(0, 7))
def test_symmetries_commute_with_play(edition: str, size: int, seed: int, k: int) -> None:
    symmetry = symmetries(size)[k]
    for position, move in random_game(edition_rules(edition, size), seed):
        turned = position.transformed(symmetry)
        assert turned.legal_points() == symmetry.mask(position.legal_points())
        assert turned.play(symmetry.move(move)) == position.play(move).transformed(symmetry)
        assert turned.canonical()[0]._replace(earlier=frozenset()) == position.canonical()[0]._replace(
            earlier=frozenset()
        )


@given(editions, st.integers(2, 6), seeds)
def test_swapping_colours_negates_the_stone_difference(edition: str, size: int, seed: int) -> None:
    def swapped(position: Position) -> Position:
        return position._replace(
            board=_swapped(position.board),
            to_move=position.to_move.opponent,
            earlier=frozenset(map(_swapped, position.earlier)),
        )

    def _swapped(board: Board) -> Board:
        return Board(board.size, board.white, board.black)

    def difference(position: Position) -> float:
        return position.score().black - position.score().white + position.rules.komi

    for position, move in random_game(edition_rules(edition, size), seed):
        after = position.play(move)
        assert swapped(position).play(move) == swapped(after)
        assert difference(swapped(after)) == -difference(after)


@given(editions, st.integers(2, 5), seeds)
def test_legal_moves_are_those_not_refused(edition: str, size: int, seed: int) -> None:
    for position, _ in random_game(edition_rules(edition, size), seed):
        legal = set(position.legal_moves())
        for move in (*range(-1, size * size + 1), PASS):
            assert (move in legal) == position.is_legal(move)
            if move in legal:
                assert position.play(move) == position.play_legal(move)
            else:
                with pytest.raises(IllegalMove):
                    position.play(move)


def test_every_size_plays_a_whole_game() -> None:
    for size in range(2, 20):
        *_, (last, move) = random_game(edition_rules("2022", size), seed=size)
        assert last.play(move).outcome() is not None


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (lambda: edition_rules("2023"), "expected one of 2019, 2022, 2024, 2025"),
        (lambda: edition_rules("2022", 1), "expected 2 to 19"),
        (lambda: edition_rules("2022", 20), "expected 2 to 19"),
        (lambda: edition_rules().but(komi=0.3), "multiple of 0.5"),
        (lambda: edition_rules().but(komi=float("nan")), "multiple of 0.5"),
        (lambda: edition_rules().but(max_moves=0), "at least one move"),
    ],
)
def test_impossible_rules_are_refused(rules: object, message: str) -> None:
    assert callable(rules)
    with pytest.raises(UsageError, match=message):
        rules()


def test_changed_rules_no_longer_claim_an_edition() -> None:
    rules = edition_rules("2024")
    assert rules.but() is rules
    assert rules.but(komi=2.5) is rules
    assert rules.but(komi=0.5) == Rules(5, 0.5, 24)
    assert [edition_rules(edition).passing for edition in EDITIONS] == [False, True, True, True]


@pytest.mark.parametrize("board", [Board(2, 1, 1), Board(2, 16), Board(2, -1), Board(2, 1, 6)])
def test_impossible_boards_are_refused(board: Board) -> None:
    with pytest.raises(UsageError):
        board.checked()
