"""Ratings against published figures, simulated players, and results that are hard to rate."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from littlego.arena.ratings import ELO, PairScore, Ratings, fit_ratings

# The American League East of 1987, from Agresti's "Categorical Data Analysis": for every home team
# the home wins and away wins against each visitor, in the order of TEAMS.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
AT_HOME = {
    "Milwaukee": "- 4-3 4-2 4-3 6-1 4-2 6-0",
    "Detroit": "3-3 - 4-2 4-3 6-0 6-1 4-3",
    "Toronto": "2-5 4-3 - 2-4 4-3 4-2 6-0",
    "New York": "3-3 5-1 2-5 - 4-3 4-2 6-1",
    "Boston": "5-1 2-5 3-3 4-2 - 5-2 6-0",
    "Cleveland": "2-5 3-3 3-4 4-3 4-2 - 2-4",
    "Baltimore": "2-5 1-5 1-6 2-4 1-6 3-4 -",
}
# The published maximum likelihood estimates, as log odds with Baltimore at 0.
WITH_HOME = {
    "Milwaukee": 1.6196, "Detroit": 1.4754, "Toronto": 1.3271, "New York": 1.2813, "Boston": 1.1438,
    "Cleveland": 0.7047, "Baltimore": 0.0,
}  # fmt: skip
HOME_ADVANTAGE = 0.3023

NO_PRIOR = 1e-7


def baseball() -> list[PairScore]:
    results = []
    for home, row in AT_HOME.items():
        for away, score in zip(TEAMS, row.split(), strict=True):
            if away != home:
                won, lost = map(int, score.split("-"))
                results.append(PairScore(home, away, won + lost, won))
    return results


def over_baltimore(ratings: Ratings) -> dict[str, float]:
    last = ratings.of("Baltimore").rating
    return {player.name: (player.rating - last) / ELO for player in ratings.players}


def test_a_published_fit_with_home_advantage() -> None:
    ratings = fit_ratings(baseball(), prior=NO_PRIOR)
    assert over_baltimore(ratings) == pytest.approx(WITH_HOME, abs=6e-5)
    assert ratings.black_advantage / ELO == pytest.approx(HOME_ADVANTAGE, abs=6e-5)
    assert sum(player.rating for player in ratings.players) == pytest.approx(0, abs=1e-6)
    assert [player.name for player in ratings.players] == list(WITH_HOME)


def test_ratings_as_another_way_of_solving_found_them() -> None:
    """By conjugate gradients, with the same prior."""
    results = [("a", "b", 10, 7), ("b", "a", 10, 4), ("b", "c", 8, 5.5), ("c", "a", 6, 1), ("d", "c", 3, 3)]
    fitted = fit_ratings(PairScore(*result) for result in results)
    expected = {
        "a": (38.537083, -186.464308, 263.538473),
        "b": (-77.847994, -295.80309, 140.107102),
        "c": (-218.42259, -439.936899, 3.091718),
        "d": (257.733502, -305.47825, 820.945254),
    }
    for name, values in expected.items():
        player = fitted.of(name)
        assert (player.rating, *player.interval) == pytest.approx(values, abs=1e-5)


def test_two_players_who_do_as_well_with_either_colour_have_the_closed_form() -> None:
    ratings = fit_ratings([PairScore("a", "b", 8, 6), PairScore("b", "a", 8, 2)], prior=NO_PRIOR)
    assert ratings.of("a").rating - ratings.of("b").rating == pytest.approx(ELO * math.log(3), abs=1e-3)


def simulated(true: dict[str, float], advantage: float, games: int, rng: np.random.Generator) -> list[PairScore]:
    return [
        PairScore(a, b, games, int(rng.binomial(games, 1 / (1 + 10 ** (-(true[a] - true[b] + advantage) / 400)))))
        for a, b in itertools.permutations(true, 2)
    ]


def test_simulated_ratings_are_recovered_and_intervals_cover() -> None:
    rng = np.random.default_rng(7)
    true = {f"p{i}": float(rating) for i, rating in enumerate(np.linspace(-250, 250, 8))}
    covered = colour_covered = 0
    errors = []
    for _ in range(20):
        ratings = fit_ratings(simulated(true, 60, 12, rng), prior=0.1)
        for player in ratings.players:
            errors.append(player.rating - true[player.name])
            covered += player.interval[0] <= true[player.name] <= player.interval[1]
        colour_covered += ratings.black_advantage_interval[0] <= 60 <= ratings.black_advantage_interval[1]
    assert abs(float(np.mean(errors))) < 1e-6, "centred"
    assert float(np.std(errors)) < 40
    assert 0.88 <= covered / 160 <= 0.99
    assert colour_covered >= 16


def test_more_games_give_narrower_intervals() -> None:
    true = {"a": 100.0, "b": 0.0, "c": -100.0}
    widths = []
    for games in (20, 320):
        ratings = fit_ratings(simulated(true, 0, games, np.random.default_rng(3)))
        low, high = ratings.of("a").interval
        widths.append(high - low)
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.35), "sixteen times the games, a quarter of the width"


def test_the_undefeated_and_the_winless_stay_finite_with_honest_intervals() -> None:
    results = [
        PairScore("best", "middle", 5, 5), PairScore("middle", "best", 5, 0),
        PairScore("middle", "worst", 5, 5), PairScore("worst", "middle", 5, 0),
    ]  # fmt: skip
    ratings = fit_ratings(results)
    assert [player.name for player in ratings.players] == ["best", "middle", "worst"]
    best, worst = ratings.of("best"), ratings.of("worst")
    assert 300 < best.rating < 1500
    assert best.rating == pytest.approx(-worst.rating, abs=0.1)
    assert 0 < best.interval[0] < best.rating < best.interval[1] < 3000
    assert worst.interval[1] == pytest.approx(-best.interval[0], abs=1)


def test_groups_that_never_met_are_told_apart() -> None:
    results = [PairScore("a", "b", 10, 7), PairScore("c", "d", 10, 9), PairScore("d", "c", 10, 4)]
    ratings = fit_ratings(results)
    assert ratings.groups == (frozenset("ab"), frozenset("cd"))
    assert all(math.isfinite(player.rating) for player in ratings.players)
    assert ratings.of("a").rating + ratings.of("b").rating == pytest.approx(0, abs=30), "both stand around 0"


def test_everything_won_by_black_stays_finite() -> None:
    ratings = fit_ratings([PairScore("a", "b", 50, 50), PairScore("b", "a", 50, 50)])
    assert ratings.of("a").rating == pytest.approx(0, abs=1e-4)
    assert 400 < ratings.black_advantage < 1500


def test_the_order_of_results_does_not_matter() -> None:
    results = baseball()
    assert fit_ratings(results) == fit_ratings(random.Random(5).sample(results, len(results)))


def test_repeated_games_count_as_the_distinct_ones_with_the_same_share() -> None:
    repeated = fit_ratings([PairScore("a", "b", 80, 60, distinct=8), PairScore("b", "a", 4, 1)])
    once = fit_ratings([PairScore("a", "b", 8, 6), PairScore("b", "a", 4, 1)])
    assert repeated.of("a").rating == pytest.approx(once.of("a").rating)
    assert repeated.of("a").interval == pytest.approx(once.of("a").interval)


def test_no_interval_has_no_width() -> None:
    """Eight games of two deterministic players, two of them distinct, and other poor evidence."""
    for results in (
        [PairScore("a", "b", 4, 4, distinct=1), PairScore("b", "a", 4, 4, distinct=1)],
        [PairScore("a", "b", 1, 0)],
        [PairScore("a", "b", 1000, 1000)],
        [PairScore("a", "b", 2, 1.0), PairScore("c", "d", 2, 2)],
    ):
        ratings = fit_ratings(results)
        for low, high in (*(player.interval for player in ratings.players), ratings.black_advantage_interval):
            assert math.isfinite(low)
            assert math.isfinite(high)
            assert high - low > 20


def test_superiority_is_between_half_and_one_and_symmetric() -> None:
    ratings = fit_ratings([PairScore("a", "b", 20, 14), PairScore("b", "a", 20, 7), PairScore("c", "d", 4, 1)])
    sure = ratings.superiority("a", "b")
    assert sure is not None
    assert 0.9 < sure < 1
    assert ratings.superiority("b", "a") == pytest.approx(1 - sure)
    assert ratings.superiority("a", "c") is None, "they are of groups that never met"


def test_entries_add_up_and_ties_are_halves() -> None:
    together = [PairScore("a", "b", 3, 1.5)]
    apart = [PairScore("a", "b", 1, 1), PairScore("a", "b", 1, 0.5), PairScore("a", "b", 1, 0)]
    assert fit_ratings(together) == fit_ratings(apart)


def test_no_results_no_ratings() -> None:
    ratings = fit_ratings([])
    assert ratings.players == ()
    assert ratings.groups == ()


@pytest.mark.parametrize("score", [PairScore("a", "a", 1, 1), PairScore("a", "b", 1, 2), PairScore("a", "b", -1, 0)])
def test_results_that_cannot_be_are_refused(score: PairScore) -> None:
    with pytest.raises(ValueError, match="expected two players"):
        fit_ratings([score])


def test_a_long_chain_of_players_is_fitted() -> None:
    """Everyone met only the two neighbours."""
    pairs = [(f"p{i:03}", f"p{i + 1:03}") for i in range(300)]
    results = [score for a, b in pairs for score in (PairScore(a, b, 10, 6), PairScore(b, a, 10, 4))]
    ratings = fit_ratings(results, prior=NO_PRIOR)
    steps = [a.rating - b.rating for a, b in itertools.pairwise(sorted(ratings.players, key=lambda p: p.name))]
    assert steps[150] == pytest.approx(ELO * math.log(1.5), rel=0.01)
    assert len(ratings.groups) == 1


def test_few_games_of_many_players_are_fitted_too() -> None:
    """As a large tournament begins: a few players have met everyone, always as Black, once."""
    rng = random.Random(1)
    strength = [rng.gauss(0, 300) for _ in range(100)]
    results = [
        PairScore(f"p{i}", f"p{j}", 1, float(rng.random() < 1 / (1 + 10 ** ((strength[j] - strength[i]) / 400))))
        for i in range(5)
        for j in range(100)
        if i != j
    ]
    with np.errstate(all="raise"):
        fitted = fit_ratings(results)
    assert all(math.isfinite(end) for player in fitted.players for end in (player.rating, *player.interval))
