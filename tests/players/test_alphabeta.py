from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.core.colour import Colour
from littlego.core.points import PASS, Move, Point, parse_move, parse_point, points_of
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, edition_rules
from littlego.players import alphabeta
from littlego.players.alphabeta import BRANCHING, DEPTH, AlphaBeta, candidates, search, spiral

LOG = Path(__file__).parent.parent / "data" / "logged_games.tsv"


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


def plain_minimax(position: Position, player: Colour, depth: int) -> tuple[int, Point | None]:
    """The twin of `search`: the same candidates and evaluation, nothing pruned."""
    points = candidates(position) if depth and position.outcome() is None else ()
    if not points:
        return position.board.stones(player).bit_count(), None
    values = {point: plain_minimax(position.play(point), player, depth - 1)[0] for point in points}
    best = max(values.values()) if position.to_move is player else min(values.values())
    return best, next(point for point in points if values[point] == best)


def logged_choices() -> dict[Position, Move]:
    """What the course's alphabeta played in each distinct position of its logged games."""
    choices: dict[Position, Move] = {}
    for line in LOG.read_text().splitlines()[1:]:
        player, colour, _, _, moves = line.split("\t")
        if player != "alphabeta":
            continue
        position = Position.initial(edition_rules("2022"))
        for text in moves.split():
            move = parse_move(text, 5)
            if position.to_move is {"B": Colour.BLACK, "W": Colour.WHITE}[colour]:
                assert choices.setdefault(position, move) == move, "the course's player is deterministic"
            position = position.play(move)
    return choices


def test_plays_every_logged_move_of_the_course_s_own_player() -> None:
    logged = logged_choices()
    assert len(logged) == 23
    differing = {
        repr(p): (p.move_name(move), chosen(p)) for p, move in logged.items() if chosen(p) != p.move_name(move)
    }
    assert not differing


def test_without_its_search_it_would_miss_a_logged_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the logs do test the search, not the order of the candidates alone."""
    monkeypatch.setattr(alphabeta, "DEPTH", 1)
    missed = [position for position, move in logged_choices().items() if AlphaBeta().choose(position) != move]
    assert [position.moves_played for position in missed] == [18]


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
@pytest.mark.parametrize(("size", "depth"), [(2, DEPTH), (3, 1), (3, DEPTH), (3, 3), (4, 3), (5, DEPTH), (7, DEPTH)])
def test_pruning_changes_neither_value_nor_move(size: int, depth: int, edition: str) -> None:
    for seed in range(3):
        for position in random_positions(seed, size=size, edition=edition):
            pruned = search(position, position.to_move, depth, -1, size * size + 1)
            assert pruned == plain_minimax(position, position.to_move, depth), (seed, position)


def test_pruning_leaves_lines_out(monkeypatch: pytest.MonkeyPatch) -> None:
    play_legal = Position.play_legal
    made = 0

    def counted_play(self: Position, move: Move) -> Position:
        nonlocal made
        made += 1
        return play_legal(self, move)

    monkeypatch.setattr(Position, "play_legal", counted_play)
    AlphaBeta().choose(Position.initial())
    # The first move is searched in full; one answer as good for the opponent refutes each other.
    assert made == BRANCHING + BRANCHING + (BRANCHING - 1)


def test_looks_at_the_first_ten_legal_points_of_the_spiral() -> None:
    assert [divmod(point, 5) for point in spiral(5)[:12]] == [
        *[(2, 2), (3, 2), (3, 3), (2, 3), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1)],
        *[(4, 1), (4, 2), (4, 3)],
    ]
    for position in random_positions(7):
        legal = set(points_of(position.legal_points()))
        assert list(candidates(position)) == [point for point in spiral(5) if point in legal][:BRANCHING]


@pytest.mark.parametrize("size", range(2, 20))
def test_the_spiral_meets_every_point_once(size: int) -> None:
    assert sorted(spiral(size)) == list(range(size * size))


def test_saves_its_stones_rather_than_following_the_spiral() -> None:
    """Black would take 2,2 on 2,3; the first legal point of the spiral is 3,3."""
    threatened = after("3,2 2,2 1,2 0,0 2,1 4,4 0,4")
    assert candidates(threatened)[0] == parse_point("3,3", 5)
    assert chosen(threatened) == "2,3"


def test_leaves_a_capture_for_later() -> None:
    """White's stone on 0,0 can be taken on 1,0; nothing of Black's is in danger."""
    position = after("0,1 0,0 2,2 4,4")
    assert position.captures(parse_point("1,0", 5)) == 1
    assert chosen(position) == "3,2"


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 9])
def test_is_legal_deterministic_and_passes_only_without_a_point(size: int, edition: str) -> None:
    for position in random_positions(size, size=size, edition=edition):
        move = AlphaBeta(1).choose(position)
        assert position.is_legal(move)
        assert move == AlphaBeta(2).choose(position)
        assert (move is PASS) == (not position.legal_points())
