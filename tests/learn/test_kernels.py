"""Every compiled function against its slow twin, on positions of random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from littlego.core.board import BLACK, Colour
from littlego.core.points import PASS, points_of, symmetries
from littlego.core.position import Position
from littlego.core.rules import Ending, Rules, edition_rules
from littlego.kernel import any_size
from littlego.kernel.words import NO_KO
from littlego.kernel.xorshift import seeded_state
from littlego.learn import games, opponents, values
from littlego.learn.features import SIZES, Features, View
from littlego.learn.games import planned
from littlego.learn.labels import shipped_labels
from littlego.players.course import AggressivePlayer, AlphaBeta, GreedyPlayer, RandomPlayer, SimplePlayer
from own_agent.look import look
from tests.helpers import random_game
from tests.learn.twins import find_groups, indices, most_lost, see

pytestmark = pytest.mark.xdist_group("compiled")  # once, in one process

BOARDS = [edition_rules(), edition_rules("2019", 5), edition_rules("2019", 7), edition_rules("2025", 4)]
"""One of every kind: the simple and the positional ko, with and without passing, even and odd sizes."""
MYSELF = np.array([opponents.SELF])
GAME = any_size.compiled_rules(edition_rules())


def positions(count: int, rules: Rules | None = None) -> Iterator[Position]:
    for seed in range(count):
        for position, _ in random_game(rules or edition_rules(), seed):
            yield position


def sides(position: Position) -> tuple[int, int]:
    board, mover = position.board, position.to_move
    return board.stones(mover), board.stones(mover.opponent)


def ko_of(position: Position) -> int:
    return NO_KO if position.ko is None else position.ko


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_rules(rules: Rules) -> None:
    game = any_size.compiled_rules(rules)
    repeats = 0
    for seed in range(12):
        seen = np.zeros((rules.max_moves, 2), dtype=np.int64)
        for position, move in random_game(rules, seed):
            board, played, own, other = position.board, position.moves_played, *sides(position)
            seen[played] = board.black, board.white
            before = any_size.find_legal(game, own, other, ko_of(position))
            legal = any_size.without_repeats(game, own, other, before, played, seen)
            repeats += legal != before
            assert legal == position.legal_points()
            assert any_size.black_wins(game, board.black, board.white) == (position.score().winner is BLACK)
            number = game.points if move is PASS else int(move)
            mover, opponent, ko, passes = any_size.make_move(game, number, own, other, position.passes)
            after = position.play(move)
            assert (opponent, mover) == sides(after)
            assert passes == after.passes
            if not game.superko:
                assert ko == ko_of(after)
    assert repeats or not game.superko, "no game came to a board that may not be repeated"


@pytest.mark.parametrize("rules", BOARDS, ids=str)
@pytest.mark.parametrize(
    ("name", "twin"), [("random", RandomPlayer), ("greedy", GreedyPlayer), ("aggressive", AggressivePlayer)]
)
def test_simple_opponents(name: str, twin: type[SimplePlayer], rules: Rules) -> None:
    state = seeded_state(1)
    player = twin(1)
    game = any_size.compiled_rules(rules)
    for position in positions(5, rules):
        legal = position.legal_points()
        number = opponents.NAMES.index(name)
        move = opponents.choose(game, number, *sides(position), position.passes, legal, state)
        assert move in player.choices(position, points_of(legal)) if legal else move == game.points


def test_aggressive_weighs_points_near_the_centre() -> None:
    position = Position.initial().play(12)
    state = seeded_state(1)
    legal = position.legal_points()
    drawn = [opponents.choose(GAME, 2, *sides(position), 0, legal, state) for _ in range(4000)]
    for point, weight in ((7, 4), (11, 3), (13, 2), (17, 1)):
        assert drawn.count(point) / 4000 == pytest.approx(weight / 10, abs=0.03)


@pytest.mark.parametrize("size", SIZES)
def test_alphabeta(size: int) -> None:
    rules = edition_rules(size=size)
    player = AlphaBeta()
    game = any_size.compiled_rules(rules)
    for position in positions(40 // size, rules):
        move = opponents.alphabeta(game, *sides(position), position.passes, position.legal_points())
        assert (PASS if move == game.points else move) == player.choose(position)


def afterstates(count: int, rules: Rules | None = None) -> Iterator[tuple[int, int, int, int]]:
    """Own stones, other stones, colour and moves played, after each move of random games."""
    for position in positions(count, rules):
        if 0 < position.moves_played < position.rules.max_moves:
            own, other = sides(position)
            yield other, own, int(position.to_move is BLACK), position.moves_played


@pytest.mark.parametrize("size", SIZES)
def test_features(size: int) -> None:
    rules = edition_rules(size=size)
    for view in (values.WHOLE_VIEW, View(), View(3, ("groups",)), View(2, ("margins",))):
        blank = values.new_arrays(rules, view)
        features = Features(size, view, rules.max_moves)
        proven = 0
        for own, other, colour, played in afterstates(4, rules):
            known = values.fill_indices(blank, own, other, colour, played)
            seen = see(features, rules.komi, own, other, colour, played)
            assert known == (0 if seen.winner is None else 1 if seen.winner else -1)
            if known:
                proven += 1
            else:
                assert list(blank.indices) == indices(features, seen, colour, played)
                assert max(blank.indices) < features.weights
        assert (proven > 0) == ("proofs" in view.kinds)


@pytest.mark.parametrize(("komi", "length"), [(0.5, 24), (7.5, 24), (-1.5, 24), (2.5, 40)])
def test_features_of_a_game_with_another_komi_or_length(komi: float, length: int) -> None:
    rules = edition_rules().but(komi=komi, max_moves=length)
    blank = values.new_arrays(rules)
    features = Features(5, values.WHOLE_VIEW, length)
    kinds = set()
    for own, other, colour, played in afterstates(4, rules):
        known = values.fill_indices(blank, own, other, colour, played)
        seen = see(features, komi, own, other, colour, played)
        kinds.add(known)
        assert known == (0 if seen.winner is None else 1 if seen.winner else -1)
        if not known:
            assert list(blank.indices) == indices(features, seen, colour, played)
            assert max(blank.indices) < features.weights
    assert kinds == {-1, 0, 1}


def test_what_is_proven_is_not_learned() -> None:
    learned = values.new_arrays(edition_rules())
    proven = 0
    for own, other, colour, played in afterstates(10):
        winner = see(Features(5, values.WHOLE_VIEW, 24), 2.5, own, other, colour, played).winner
        if winner is not None:
            values.learn_value(learned, own, other, colour, played, 0.5, 1.0)
            assert values.value_of(learned, own, other, colour, played) == float(winner)
            proven += 1
    assert proven > 10
    assert not learned.weights.any()


def test_sure_margins() -> None:
    """With best play the final lead lies between the two margins: everything is played out on a small board."""
    rules = Rules(3, 1.5, 8)

    def best_lead(position: Position, mover: Colour) -> int:
        board = position.board
        if position.outcome() is not None:
            return board.stones(mover).bit_count() - board.stones(mover.opponent).bit_count()
        choose = max if position.to_move is mover else min
        return choose(best_lead(position.play(move), mover) for move in position.legal_moves())

    compared = tight = 0
    for position in positions(20, rules):
        if position.moves_played in (4, 5, 6) and not position.passes:
            mover, board = position.to_move.opponent, position.board
            turns, own_turns = (position.plies_left + 1) // 2, position.plies_left // 2
            even = board.stones(mover).bit_count() - board.stones(mover.opponent).bit_count() + own_turns - turns
            sure = even - most_lost(find_groups(board, mover), turns, own_turns, is_first=False)
            possible = even + most_lost(find_groups(board, mover.opponent), own_turns, turns, is_first=True)
            lead = best_lead(position, mover)
            assert sure <= lead <= possible
            compared += 1
            tight += lead in (sure, possible)
    assert compared > 30
    assert tight > 3


def test_endings() -> None:
    """Who wins near the end, against playing out everything."""
    blank = values.new_arrays(edition_rules())

    @cache
    def wins(position: Position) -> bool:
        if (outcome := position.outcome()) is not None:
            return outcome.winner is position.to_move
        return any(not wins(position.play(move)) for move in position.legal_moves())

    found = []
    for position in positions(30):
        if position.plies_left <= 4:
            here = (*sides(position), ko_of(position), position.passes, position.moves_played)
            found.append(games.wins_ending(blank, *here))
            assert found[-1] == wins(position)
    assert 30 < sum(found) < len(found) - 30


def test_endings_agree_with_the_solver() -> None:
    """The labels come from the solver, which shares no code with this search."""
    blank = values.new_arrays(edition_rules())
    compared = 0
    for label in shipped_labels():
        position = label.position
        if position.plies_left <= 7:
            found = games.wins_ending(blank, *sides(position), ko_of(position), 0, position.moves_played)
            assert found == label.wins
            compared += 1
    assert compared > 900


def test_proofs_agree_with_the_solver() -> None:
    blank = values.new_arrays(edition_rules())
    proven = {1: 0, -1: 0}
    for label in shipped_labels():
        position, played = label.position, label.position.moves_played
        own, other = sides(position)
        legal = any_size.find_legal(GAME, own, other, ko_of(position))
        for point in points_of(legal):
            mover, opponent, _ = any_size.play(GAME, point, own, other)
            if played < GAME.length - 1:
                known = values.fill_indices(blank, mover, opponent, position.to_move.value - 1, played + 1)
                if known:
                    proven[known] += 1
                    assert (known == 1) == (point in label.winning)
    assert min(proven.values()) > 1000


def row(moves: games.Moves, k: int) -> games.Moves:
    return games.Moves(*(part[k] for part in moves))


def recorded_games(rates: games.Rates, count: int) -> Iterator[tuple[games.Moves, int, bool, np.ndarray]]:
    """Games of self-play: their moves, how many, whether Black won, and the targets that are learned from them."""
    learned, record = values.new_arrays(edition_rules()), games.new_games(count, GAME.length)
    games.play_games(learned, count, 0, rates, record, seeded_state(2))
    for k in range(count):
        moves, played, black_won = row(record.moves, k), int(record.lengths[k]), bool(record.black_won[k])
        learned.targets[:] = np.nan
        games.learn_game(learned, moves, played, black_won, 1, rates)
        yield moves, played, black_won, learned.targets


def test_targets_near_the_end_are_exact() -> None:
    """Who wins with best play, however badly the game went on."""
    blank = values.new_arrays(edition_rules())
    rates = games.Rates(1.0, 1.0, 1.0, 1.0, 0.0, 0, 4, np.array([0]), MYSELF)
    compared = 0
    for moves, played, _, targets in recorded_games(rates, 60):
        own, other = int(moves.owns[19]), int(moves.others[19])
        # Of a board after a capture it is not known whether there was a ko.
        if played == GAME.length and own.bit_count() + other.bit_count() == 20:
            assert targets[19] == 1 - games.wins_ending(blank, other, own, NO_KO, 0, 20)
            compared += 1
    assert compared > 3


def test_openers_make_the_first_moves() -> None:
    """`aggressive` opens in the centre but for random moves; after the opening a blank learner plays anything."""
    blank = values.new_arrays(edition_rules())
    moves = row(games.new_games(1, GAME.length).moves, 0)
    state, centre, games_played = seeded_state(1), 1 << 12, 300
    opened = {}
    for opener in (0, 2):
        rates = games.Rates(0.0, 1.0, 0.0, 0.0, 1.0, 1, 0, np.array([opener]), MYSELF)
        first, explored = 0, 0
        for _ in range(games_played):
            games.practice_game(blank, -1, 0, rates, moves, state)
            first += moves.owns[0] == centre
            explored += moves.explored.sum()
        assert explored == games_played, "one move of another in each game, and no more"
        opened[opener] = first / games_played
    slips = games.OPENING_SLIPS
    assert opened[0] == pytest.approx(1 / 25, abs=0.05)
    assert opened[2] == pytest.approx(1 - slips + slips / 25, abs=0.08)


@pytest.mark.parametrize("ending", Ending)
def test_looking_ahead(ending: Ending) -> None:
    """Alpha-beta finds what plain minimax over the same values finds."""
    rules = Rules(3, 1.5, 8, ending=ending)
    model = values.new_arrays(rules)
    rng = random.Random(1)
    for own, other, colour, played in afterstates(10, rules):
        values.learn_value(model, own, other, colour, played, rng.random(), 3.0)

    def minimax(position: Position, depth: int) -> float:
        if (outcome := position.outcome()) is not None:
            return float(outcome.winner is position.to_move)
        return max(value_of(position.play(move), depth - 1) for move in position.legal_moves())

    def value_of(after: Position, depth: int) -> float:
        mine, theirs = sides(after)
        if depth:
            return 1 - minimax(after, depth)
        colour, played = after.to_move.opponent.value - 1, after.moves_played
        return float(games.value_after(model, theirs, mine, colour, played, after.passes))

    compared = 0
    for position in positions(6, rules):
        for depth in (1, 2, 3):
            found = look(model, position, depth, 0.0, 1.0)
            assert found == pytest.approx(minimax(position, depth), abs=1e-6)
            compared += 1
    assert compared > 40


@pytest.mark.parametrize("ending", Ending)
def test_planning_ahead(ending: Ending) -> None:
    """The compiled plan is that of plain positions: the likeliest reply at a glance, then the best of all moves."""
    rules = Rules(3, 1.5, 8, ending=ending)
    model = values.new_arrays(rules)
    rng = random.Random(2)
    for own, other, colour, played in afterstates(10, rules):
        values.learn_value(model, own, other, colour, played, rng.random(), 3.0)

    def glance(after: Position) -> float:
        mine, theirs = sides(after)
        colour, played = after.to_move.opponent.value - 1, after.moves_played
        return float(games.value_after(model, theirs, mine, colour, played, after.passes))

    def plan(position: Position, plans: int) -> float:
        planner = position.to_move.opponent
        if (outcome := position.outcome()) is None:
            position = max((position.play(move) for move in position.legal_moves()), key=glance)
        if (outcome := position.outcome()) is not None:
            return float(outcome.winner is planner)
        after = [position.play(move) for move in position.legal_moves()]
        if plans == 1:
            return max(map(glance, after))
        return max(plan(each, plans - 1) for each in after)

    compared = 0
    for position in positions(6, rules):
        for plans in (1, 2, 3):
            found = planned(model, *sides(position), ko_of(position), position.passes, position.moves_played, plans)
            assert found == pytest.approx(plan(position, plans), abs=1e-6)
            compared += 1
    assert compared > 40


def test_values_are_the_same_for_all_symmetries_and_are_learned() -> None:
    learned = values.new_arrays(edition_rules())
    rng = random.Random(1)
    for own, other, colour, played in afterstates(5):
        values.learn_value(learned, own, other, colour, played, rng.random(), 0.5)
    for own, other, colour, played in afterstates(2):
        before = values.value_of(learned, own, other, colour, played)
        for symmetry in symmetries(5):
            image = symmetry.mask(own), symmetry.mask(other)
            assert values.value_of(learned, *image, colour, played) == pytest.approx(before, abs=1e-6)
        if before in (0, 1):
            continue  # it is proven
        values.learn_value(learned, own, other, colour, played, 1.0, 0.5)
        after = values.value_of(learned, own, other, colour, played)
        assert before < after < 1


def test_the_end_of_a_game_is_known_exactly() -> None:
    blank = values.new_arrays(edition_rules())
    black_ahead, white_ahead = (0b1111, 0b10000000000), (0b1, 0b111110000000000)
    assert games.value_after(blank, *black_ahead, 0, 24, 0) == 1.0
    assert games.value_after(blank, *white_ahead, 0, 24, 0) == 0.0
    assert games.value_after(blank, *black_ahead, 0, 9, 2) == 1.0
    assert games.value_after(blank, *white_ahead, 0, 9, 1) == 0.0, "the opponent ends it by passing too"
    assert games.value_after(blank, *black_ahead, 0, 9, 1) == 0.5


def test_the_result_of_a_game_is_the_target_of_all_its_moves() -> None:
    """With lambda 1 and without exploring moves it is handed back to the first, from side to side."""
    rates = games.Rates(1.0, 1.0, 1.0, 0.0, 0.0, 0, 0, np.array([0]), MYSELF)
    for _, played, black_won, targets in recorded_games(rates, 20):
        assert list(targets[:played]) == [float(black_won == (ply % 2 == 0)) for ply in range(played)]
