"""Who meets whom: the games of every format, and the rounds of a Swiss, decided by the results and the seed alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from littlego.arena.tournament.folder import GameKey, Pairing, Participant
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.core.game import derive_seed

_PRIME: Final = 2**31 - 1


def preferred_matching(order: Sequence[int], wishes: Mapping[int, Sequence[int]]) -> dict[int, int] | None:
    """The mates of everyone, who choose in `order`; None if they cannot all be matched.

    Each takes the first of its `wishes`, which are mutual, that leaves a mate for everybody else. After Rabin and
    Vazirani: of an antisymmetric matrix of random numbers modulo a prime, with 0 for two who cannot meet, the inverse
    exists if all can be matched, and is 0 for two who cannot be matched first. Numbers miss what is possible once in a
    million times, so others are tried before that is believed.
    """
    tries = (_matched(order, wishes, np.random.default_rng(seed)) for seed in range(1, 4))
    return next((mates for mates in tries if mates is not None), None)


def _matched(
    order: Sequence[int], wishes: Mapping[int, Sequence[int]], random: np.random.Generator
) -> dict[int, int] | None:
    place = {player: k for k, player in enumerate(order)}
    allowed = np.zeros((len(order), len(order)), dtype=bool)
    for one, others in wishes.items():
        allowed[place[one], [place[other] for other in others]] = True
    numbers = np.triu(random.integers(1, _PRIME, allowed.shape), 1)
    inverse = _inverse((numbers - numbers.T) * allowed % _PRIME)
    if inverse is None:
        return None
    mates: dict[int, int] = {}
    for one in order:
        if one not in mates:
            i = place[one]
            other = next((wish for wish in wishes[one] if wish not in mates and inverse[i, place[wish]]), None)
            if other is None:
                return None
            j = place[other]
            mates[one], mates[other] = other, one
            # Without the rows and columns of these two:
            both = np.outer(inverse[:, i], inverse[j]) % _PRIME - np.outer(inverse[:, j], inverse[i]) % _PRIME
            inverse = (inverse + both * pow(int(inverse[i, j]), -1, _PRIME)) % _PRIME
    return mates


def _inverse(matrix: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Modulo the prime, by Gauss and Jordan; None if there is none."""
    size = len(matrix)
    rows = np.hstack([matrix, np.eye(size, dtype=np.int64)])
    for k in range(size):
        pivots = np.flatnonzero(rows[k:, k])
        if not len(pivots):
            return None
        rows[[k, k + pivots[0]]] = rows[[k + pivots[0], k]]
        rows[k] = rows[k] * pow(int(rows[k, k]), -1, _PRIME) % _PRIME
        factors = rows[:, k].copy()
        factors[k] = 0
        rows = (rows - np.outer(factors, rows[k])) % _PRIME
    return rows[:, size:]


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
    lowest_first = reversed(order)
    byes = sorted(lowest_first, key=lambda player: stand[player].byes) if len(order) % 2 else [None]
    for meetings in range(max(max(one.met.values(), default=0) for one in stand.values()) + 1):
        for bye in byes:
            playing = [player for player in order if player != bye]
            mates = _mates(playing, stand, lots, meetings)
            if mates is not None:
                place = {player: k for k, player in enumerate(playing)}
                pairs = [(one, mates[one]) for one in playing if place[one] < place[mates[one]]]
                sitting = [Pairing(bye, None)] if bye is not None else []
                return [_coloured(one, other, stand, lots) for one, other in pairs] + sitting
    raise AssertionError("with enough meetings allowed everyone may meet everyone")


def _mates(
    playing: Sequence[int], stand: Mapping[int, SwissProgress], lots: Mapping[int, int], meetings: int
) -> dict[int, int] | None:
    def nearest(player: int) -> list[int]:
        mine = stand[player]
        return sorted(
            (other for other in playing if other != player and mine.met[other] <= meetings),
            key=lambda other: (
                mine.met[other],
                abs(mine.score - stand[other].score),
                abs(mine.blacks + stand[other].blacks),
                lots[other],
            ),
        )

    return preferred_matching(playing, {player: nearest(player) for player in playing})


def _coloured(one: int, other: int, stand: Mapping[int, SwissProgress], lots: Mapping[int, int]) -> Pairing:
    """Black in the first game for the one who has had it less."""
    first, second = sorted((one, other), key=lambda player: (stand[player].blacks, lots[player]))
    return Pairing(first, second)


QUALIFYING_POINTS = 80.0
"""Points from stage 1 that the competition of 2019 requires."""


def planned_games(plan: TournamentPlan, participants: Sequence[Participant]) -> Iterator[GameKey]:
    """Every pair's first game, then every pair's second, and so on, so that all pairs progress alike.

    Games that follow each other, and so are played at once, have different players as far as that can be.
    """
    pairs = sorted(first_blacks(plan, participants), key=lambda pair: sum(pair) % len(participants))
    for number in range(plan.games):
        for first, second in pairs:
            yield GameKey(first, second, number) if number % 2 == 0 else GameKey(second, first, number)


def first_blacks(plan: TournamentPlan, participants: Sequence[Participant]) -> Iterator[tuple[int, int]]:
    """The pairs that meet, Black of their first game first (who has Black once more if games are odd)."""
    if plan.format is Format.COURSE_2019:
        for one, other in combinations(qualified(participants), 2):
            yield _by_stage_1(plan.seed, one, other)
        return
    for one, other in _pairs(plan, participants):
        low, high = sorted((one.id, other.id))
        # By the sum, not by who is lower: otherwise someone would have Black first against everyone.
        yield (low, high) if (low + high) % 2 else (high, low)


def _pairs(plan: TournamentPlan, participants: Sequence[Participant]) -> Iterable[tuple[Participant, Participant]]:
    if plan.format is Format.ROUND_ROBIN:
        return combinations(participants, 2)
    challengers = [participant for participant in participants if participant.challenger]
    field = [participant for participant in participants if not participant.challenger]
    return product(challengers, field)


def qualified(participants: Sequence[Participant]) -> list[Participant]:
    """Those with enough points from stage 1."""
    return [participant for participant in participants if (participant.stage1 or 0) >= QUALIFYING_POINTS]


def _by_stage_1(seed: int, one: Participant, other: Participant) -> tuple[int, int]:
    points, others = one.stage1 or 0.0, other.stage1 or 0.0
    if points == others:
        low, high = sorted((one, other), key=lambda participant: participant.name)
        ahead = derive_seed(seed, "lot", low.name, high.name) % 2 == 0
        one, other = (low, high) if ahead else (high, low)
    elif points < others:
        one, other = other, one
    return one.id, other.id
