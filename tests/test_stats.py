from __future__ import annotations

import pytest

from littlego.stats import Tally, whole, wilson_interval


def test_wilson_intervals_as_published() -> None:
    """Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    for successes, trials, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_nothing_tried_says_nothing() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_more_games_narrow_the_interval_and_it_holds_the_rate() -> None:
    widths = []
    for games in (10, 100, 1000):
        low, high = wilson_interval(0.9 * games, games)
        assert low < 0.9 < high
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)


def test_tallies_count() -> None:
    tally = Tally.of([True, True, False, None])
    assert (tally.wins, tally.losses, tally.ties, tally.games, tally.win_rate) == (2, 1, 1, 4, 0.5)
    assert Tally().win_rate == 0.0


def test_a_whole_number_is_never_minus_zero() -> None:
    assert [whole(value) for value in (-0.3, 0.0, -1.6, 12.4)] == ["0", "0", "-2", "12"]
