"""Reviews and drills in one call, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Sequence

from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.review.drills.deck import Deck, make_deck
from littlego.review.regret import regret_of
from littlego.review.verdicts import GameReview
from littlego.solve.oracle import Oracle


def review_game(record: GameRecord, oracle: Oracle | None = None, *, seconds: float | None = None) -> GameReview:
    """Judge every move of a game by exact values. Raises UsageError if the game cannot be solved.

    `str` of the review names the move that lost; `moves` has a verdict for each. After `seconds` it is returned as far
    as it got: `work` continues it.

    >>> record = lg.play_game("smart", "greedy", seed=1, rules=lg.edition_rules(size=3))
    >>> print(lg.review_game(record))
    Nobody threw the game away: White (greedy) had it won from the start.
    """
    if not isinstance(record, GameRecord):
        raise TypeError(f"expected a GameRecord, got {record!r}; read_games reads those of a file")
    if seconds is not None and seconds < 0:
        raise UsageError(f"seconds {seconds}: expected 0 or more")
    review = GameReview(record, oracle or Oracle())
    review.work(seconds=seconds)
    return review


def make_drills(records: Sequence[GameRecord] | GameRecord, player: str, oracle: Oracle | None = None) -> Deck:
    """A drill for each win that a player threw away in these games, or in this one. Raises UsageError.

    >>> games = [lg.play_game("random", "random", seed=seed, rules=lg.edition_rules(size=3)) for seed in range(4)]
    >>> deck = lg.make_drills(games, "random")
    >>> all(drill.accepted for drill in deck.drills)
    True
    """
    oracle = oracle or Oracle()
    if isinstance(records, GameRecord):
        records = [records]
    deck, _ = make_deck(records, regret_of(records, player, oracle), oracle)
    return deck
