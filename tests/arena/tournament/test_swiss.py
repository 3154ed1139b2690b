"""Swiss rounds: everyone plays, nobody twice against the same while that can be, colours even out."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from littlego.arena.tournament.folder import Pairing
from littlego.arena.tournament.pairings import (
    default_rounds,
    pair_round,
    preferred_matching,
    progress_after,
    round_games,
)


def first_matching(graph: dict[int, set[int]]) -> dict[int, int] | None:
    """In which lower numbers choose first, and lower ones; by trying everything."""
    if not graph:
        return {}
    one = min(graph)
    for other in sorted(graph[one]):
        left = graph.keys() - {one, other}
        if (rest := first_matching({v: graph[v] & left for v in left})) is not None:
            return {**rest, one: other, other: one}
    return None


@pytest.mark.parametrize("seed", range(20))
def test_matchings_are_found_whenever_there_are_any(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(30):
        size = rng.choice([2, 4, 6, 8, 10])
        graph: dict[int, set[int]] = {v: set() for v in range(size)}
        for one, other in combinations(range(size), 2):
            if rng.random() < rng.choice([0.2, 0.4, 0.7]):
                graph[one].add(other)
                graph[other].add(one)
        wishes = {one: sorted(others) for one, others in graph.items()}
        assert preferred_matching(range(size), wishes) == first_matching(graph), graph


def simulate(players: int, rounds: int, games: int, seed: int) -> tuple[list[list[Pairing]], Counter[int]]:
    """Whole tournaments in which a higher number mostly wins; the rounds, and Blacks less Whites."""
    rng = random.Random(seed)
    names = {k: f"p{k}" for k in range(players)}
    scores: Counter[int] = Counter()
    blacks: Counter[int] = Counter()
    played: list[list[Pairing]] = []
    for number in range(rounds):
        stand = progress_after(names, played, scores, games)
        pairings = pair_round(stand, names, number=number, seed=seed)
        again = pair_round(stand, dict(names), number=number, seed=seed)
        assert pairings == again
        played.append(pairings)
        for key in round_games(number, pairings, games):
            blacks[key.black] += 1
            blacks[key.white] -= 1
            scores[max(key.black, key.white) if rng.random() < 0.9 else min(key.black, key.white)] += 1
    return played, blacks


@pytest.mark.parametrize(("players", "rounds"), [(2, 1), (3, 3), (4, 3), (7, 5), (8, 4), (9, 9), (16, 5), (33, 8)])
@pytest.mark.parametrize("games", [1, 2])
def test_nobody_meets_twice_or_sits_out_twice(players: int, rounds: int, games: int) -> None:
    played, blacks = simulate(players, rounds, games, seed=players)
    met = Counter(frozenset((one.first, one.second)) for pairs in played for one in pairs if one.second is not None)
    byes = Counter(one.first for pairs in played for one in pairs if one.second is None)
    assert set(met.values()) <= {1}
    assert set(byes.values()) <= {1}
    for pairs in played:
        seated = [one for pair in pairs for one in (pair.first, pair.second) if one is not None]
        assert sorted(seated) == list(range(players))
    if games % 2 == 0:
        assert not any(blacks.values())
    else:
        assert max(map(abs, blacks.values())) <= 3


def test_rematches_come_when_there_is_no_one_else() -> None:
    played, _ = simulate(4, 6, 1, seed=1)
    met = Counter(frozenset((one.first, one.second)) for pairs in played for one in pairs)
    assert set(met.values()) == {2}, "all six pairs once before any twice, then all twice"


def test_game_numbers_of_a_rematch_are_new() -> None:
    keys = [*round_games(0, [Pairing(0, 1)], 2), *round_games(3, [Pairing(0, 1), Pairing(2, None)], 2)]
    assert len(set(keys)) == 4


def test_equals_meet() -> None:
    """After a first round in which the higher number won, winners meet winners."""
    names = {k: f"p{k}" for k in range(8)}
    first = [Pairing(0, 1), Pairing(2, 3), Pairing(4, 5), Pairing(6, 7)]
    stand = progress_after(names, [first], {1: 1.0, 3: 1.0, 5: 1.0, 7: 1.0}, 1)
    for pairing in pair_round(stand, names, number=1, seed=5):
        assert pairing.second is not None
        assert pairing.first % 2 == pairing.second % 2


def test_rounds_by_default() -> None:
    assert [default_rounds(players) for players in (2, 3, 4, 8, 100)] == [1, 2, 3, 4, 8]
