"""The pairings of a Swiss, decided by the results so far and the seed alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from littlego.arena.tournament.pairings.matching import Mates, preferred_matching
from littlego.arena.tournament.store import GameKey, Pairing
from littlego.core.seeds import derive_seed


@dataclass(slots=True)
class SwissProgress:
    """A player's rounds so far."""

    score: float = 0.0
    """Points from games, ties as halves, and full points for byes."""
    blacks: int = 0
    """Games with Black minus games with White."""
    byes: int = 0
    met: Counter[int] = field(default_factory=Counter)


def default_rounds(players: int) -> int:
    """Enough rounds to find the best of that many, plus one; at most as many as there are opponents."""
    return max(1, min(math.ceil(math.log2(max(2, players))) + 1, players - 1))


def round_games(number: int, pairings: Iterable[Pairing], games: int) -> Iterator[GameKey]:
    """Rounds are counted from 0."""
    met = [(pairing.first, pairing.second) for pairing in pairings if pairing.second is not None]
    for game in range(games):
        for first, second in met:
            black, white = (first, second) if game % 2 == 0 else (second, first)
            yield GameKey(black, white, number * games + game)


def progress_after(
    players: Iterable[int],
    rounds: Sequence[Sequence[Pairing]],
    scores: Mapping[int, float],
    games: int,
    finished: Container[GameKey] | None = None,
) -> dict[int, SwissProgress]:
    """Every player's progress after whole rounds; `scores` are points from games played.

    A player whose opponent has left (is not in `players`) gets the unplayed games as points, as for a bye. `finished`
    has the keys of the games played; None means all.
    """
    stand = {player: SwissProgress(scores.get(player, 0.0)) for player in players}
    for number, pairings in enumerate(rounds):
        for pairing in pairings:
            if pairing.second is None:
                if pairing.first in stand:
                    stand[pairing.first].byes += 1
                    stand[pairing.first].score += games
                continue
            for player, other, extra in ((pairing.first, pairing.second, 1), (pairing.second, pairing.first, -1)):
                if player in stand:
                    stand[player].met[other] += 1
                    stand[player].blacks += extra * (games % 2)
                    if finished is not None and other not in stand:
                        keys = round_games(number, [pairing], games)
                        stand[player].score += sum(key not in finished for key in keys)
    return stand


def pair_round(
    stand: Mapping[int, SwissProgress], names: Mapping[int, str], *, number: int, seed: int
) -> list[Pairing]:
    """The pairings of a round, counted from 0.

    The best choose first, each the nearest in score that it has not met; players meet again only if someone would
    otherwise be left over. With an odd number the lowest of those with the fewest byes sits out. Ties are broken at
    random, by the seed and the round.
    """
    lots = {player: derive_seed(seed, "swiss", number, names[player]) for player in stand}
    order = sorted(stand, key=lambda player: (-stand[player].score, lots[player]))
    if len(order) < 2:
        return [Pairing(player, None) for player in order]
    for meetings in range(max(max(one.met.values(), default=0) for one in stand.values()) + 1):
        for bye in _bye_candidates(order, stand):
            playing = [player for player in order if player != bye]
            mates = _mates(playing, stand, lots, meetings)
            if mates is not None:
                place = {player: k for k, player in enumerate(playing)}
                pairs = [(one, mates[one]) for one in playing if place[one] < place[mates[one]]]
                sitting = [Pairing(bye, None)] if bye is not None else []
                return [_coloured(one, other, stand, lots) for one, other in pairs] + sitting
    raise AssertionError("with enough meetings allowed everyone may meet everyone")


def _bye_candidates(order: Sequence[int], stand: Mapping[int, SwissProgress]) -> list[int | None]:
    if len(order) % 2 == 0:
        return [None]
    lowest_first = list(reversed(order))
    return [*sorted(lowest_first, key=lambda player: stand[player].byes)]


def _mates(
    playing: Sequence[int], stand: Mapping[int, SwissProgress], lots: Mapping[int, int], meetings: int
) -> Mates | None:
    graph = {one: {k for k in playing if k != one and stand[one].met[k] <= meetings} for one in playing}

    def nearest(player: int, others: Iterable[int]) -> list[int]:
        mine = stand[player]
        return sorted(
            others,
            key=lambda other: (
                mine.met[other],
                abs(mine.score - stand[other].score),
                abs(mine.blacks + stand[other].blacks),
                lots[other],
            ),
        )

    return preferred_matching(graph, playing, nearest)


def _coloured(one: int, other: int, stand: Mapping[int, SwissProgress], lots: Mapping[int, int]) -> Pairing:
    """Black in the first game for the one who has had it less."""
    first, second = sorted((one, other), key=lambda player: (stand[player].blacks, lots[player]))
    return Pairing(first, second)
