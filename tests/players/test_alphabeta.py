from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest

from imperfect import EVALUATIONS, Searcher
from littlego.core.board import Colour
from littlego.core.game import Player
from littlego.core.points import PASS, Move, parse_move, parse_point, points_of, spiral
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, edition_rules
from littlego.players import course as alphabeta
from littlego.players.course import (
    BRANCHING,
    DEPTH,
    AlphaBeta,
    answer_to_centre,
    candidates,
    search,
    stone_difference,
)
from tests.players.logged import logged_moves


def after(moves: str, *, size: int = 5) -> Position:
    position = Position.initial(edition_rules(size=size))
    for text in moves.split():
        position = position.play(parse_move(text, size))
    return position


def chosen(position: Position) -> str:
    return position.move_name(AlphaBeta().choose(position))


def random_positions(seed: int, *, size: int = 5, edition: str = "2025") -> Iterator[Position]:
    """Every position of a random game that is not over."""
    rng = random.Random(seed)
    position = Position.initial(edition_rules(edition, size))
    while position.outcome() is None:
        yield position
        points = points_of(position.legal_points())
        position = position.play(rng.choice(points) if points else PASS)


def games_against_random(seed: int) -> Iterator[Position]:
    """The positions in which an AlphaBeta, Black for even seeds, is to move against random play."""
    rng = random.Random(seed)
    position = Position.initial()
    while position.outcome() is None:
        if position.moves_played % 2 == seed % 2:
            yield position
            move = AlphaBeta().choose(position)
        else:
            points = points_of(position.legal_points())
            move = rng.choice(points) if points else PASS
        position = position.play(move)


def plain_minimax(position: Position, player: Colour, plies: int) -> tuple[int, Move | None]:
    """The twin of `search`: the same candidates and evaluation, nothing pruned."""
    moves = candidates(position) if plies and position.passes < 2 else ()
    if not moves:
        return stone_difference(position, player), None
    values = {move: plain_minimax(position.play(move), player, plies - 1)[0] for move in moves}
    best = max(values.values()) if position.to_move is player else min(values.values())
    return best, next(move for move in moves if values[move] == best)


def logged_choices() -> dict[Position, Move]:
    """What the course's alphabeta played in each distinct position of its logged games."""
    choices: dict[Position, Move] = {}
    for position, move in logged_moves("alphabeta"):
        assert choices.setdefault(position, move) == move, "the course's player is deterministic"
    return choices


def test_plays_every_logged_move_of_the_course_s_own_player() -> None:
    logged = logged_choices()
    assert len(logged) == 61
    differing = {
        repr(p): (p.move_name(move), chosen(p)) for p, move in logged.items() if chosen(p) != p.move_name(move)
    }
    assert not differing


@pytest.mark.parametrize(("depth", "missed"), [(0, 21), (1, 17), (3, 11)])
def test_another_depth_would_miss_logged_moves(depth: int, missed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alphabeta, "DEPTH", depth)
    assert sum(AlphaBeta().choose(position) != move for position, move in logged_choices().items()) == missed


@pytest.mark.parametrize(("branching", "missed"), [(9, 3), (11, 0), (12, 1)])
def test_another_width_explains_no_more(branching: int, missed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alphabeta, "BRANCHING", branching)
    assert sum(AlphaBeta().choose(position) != move for position, move in logged_choices().items()) == missed


@pytest.mark.slow
def test_off_the_logged_lines_it_loses_with_black_and_wins_with_white() -> None:
    """Against students' usual searches: docs/grading.md gives the numbers."""
    won = Counter[Colour]()
    games: set[tuple[Move, ...]] = set()
    for colour, depth, evaluation, seed in product(Colour, (2, 3, 4), range(len(EVALUATIONS)), range(2)):
        players: dict[Colour, Player] = {colour: AlphaBeta(), colour.opponent: Searcher(depth, evaluation, seed)}
        position, moves = Position.initial(), []
        while (outcome := position.outcome()) is None:
            moves.append(players[position.to_move].choose(position))
            position = position.play(moves[-1])
        won[colour] += outcome.winner is colour
        games.add(tuple(moves))
    assert len(games) == 34
    assert won == {Colour.BLACK: 7, Colour.WHITE: 12}


def test_openings() -> None:
    assert chosen(after("")) == "2,2"
    assert chosen(after("2,2")) == "3,3"
    assert chosen(after("PASS 2,2")) == "3,3"
    assert chosen(after("1,1")) == "2,2"
    assert chosen(after("2,2 PASS")) == "3,2"


@pytest.mark.parametrize(("size", "answer"), [(2, "0,0"), (3, "2,2"), (4, "3,3"), (7, "4,4"), (19, "10,10")])
def test_answers_the_centre_on_other_sizes(size: int, answer: str) -> None:
    opened = AlphaBeta().choose(Position.initial(edition_rules(size=size)))
    assert opened == size // 2 * (size + 1)
    assert chosen(Position.initial(edition_rules(size=size)).play(opened)) == answer


@pytest.mark.parametrize("edition", ["2019", "2025"])
@pytest.mark.parametrize(("size", "plies"), [(2, 3), (3, 1), (3, 2), (3, 3), (3, 4), (4, 3), (5, 2)])
def test_pruning_changes_neither_value_nor_move(size: int, plies: int, edition: str) -> None:
    for seed in range(3):
        for position in random_positions(seed, size=size, edition=edition):
            pruned = search(position, position.to_move, plies, -size * size - 1, size * size + 1)
            assert pruned == plain_minimax(position, position.to_move, plies), (seed, position)


def test_chooses_as_plain_minimax_does() -> None:
    """Apart from its one rule for the opening."""
    for position in random_positions(11):
        if answer_to_centre(position) is None:
            expected = plain_minimax(position, position.to_move, 1 + DEPTH)[1]
            assert AlphaBeta().choose(position) == expected, position


def test_searches_no_deeper_and_no_wider_than_the_course_says(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Position.initial()
    played: Counter[int] = Counter()
    play_legal = Position.play_legal

    def counted(self: Position, move: Move) -> Position:
        played[self.moves_played] += 1
        return play_legal(self, move)

    monkeypatch.setattr(Position, "play_legal", counted)
    AlphaBeta().choose(start)
    assert (DEPTH, BRANCHING) == (2, 10)
    assert played[0] == BRANCHING
    assert sorted(played) == list(range(1 + DEPTH))
    # Without pruning there would be as many leaves as lines.
    assert BRANCHING < played[2] < BRANCHING**3 / 3


def test_looks_at_the_first_ten_legal_points_of_the_spiral() -> None:
    assert [divmod(point, 5) for point in spiral(5)[:12]] == [
        *[(2, 2), (3, 2), (3, 3), (2, 3), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1)],
        *[(4, 1), (4, 2), (4, 3)],
    ]
    for position in random_positions(7):
        legal = set(points_of(position.legal_points()))
        expected: list[Move] = [point for point in spiral(5) if point in legal]
        assert list(candidates(position)) == (expected[:BRANCHING] or [PASS])


@pytest.mark.parametrize("size", range(2, 20))
def test_the_spiral_meets_every_point_once(size: int) -> None:
    assert sorted(spiral(size)) == list(range(size * size))


def test_saves_its_stones_rather_than_following_the_spiral() -> None:
    """Black would take 2,2 on 2,3; the first legal point of the spiral is 3,3."""
    threatened = after("3,2 2,2 1,2 0,0 2,1 4,4 0,4")
    assert candidates(threatened)[0] == parse_point("3,3", 5)
    assert chosen(threatened) == "2,3"


def test_takes_a_stone_that_would_run_away() -> None:
    """White's stone on 3,1 would get two liberties on 4,1."""
    assert chosen(after("2,1 3,1 3,2 1,4 3,0 1,2")) == "4,1"


def test_leaves_a_capture_for_later() -> None:
    """With Black on 4,0 as well, White's stone cannot run: 4,1 loses two stones on 4,2."""
    position = after("2,1 3,1 3,2 1,4 3,0 1,2 4,0 0,0")
    assert position.captures(parse_point("4,1", 5)) == 1
    assert parse_point("4,1", 5) in candidates(position)
    assert chosen(position) == "2,2"


def test_often_leaves_captures_for_later() -> None:
    chances = left = 0
    for seed in range(12):
        for position in games_against_random(seed):
            move = AlphaBeta().choose(position)
            if any(position.captures(point) for point in points_of(position.legal_points())):
                chances += 1
                left += move is PASS or not position.captures(move)
    assert chances > 50
    assert 0.2 < left / chances < 0.8


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 9])
def test_is_legal_deterministic_and_passes_only_without_a_point(size: int, edition: str) -> None:
    for position in random_positions(size, size=size, edition=edition):
        move = AlphaBeta(1).choose(position)
        assert position.is_legal(move)
        assert move == AlphaBeta(2).choose(position)
        assert (move is PASS) == (not position.legal_points())
