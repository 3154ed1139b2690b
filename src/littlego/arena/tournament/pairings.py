"""Who meets whom: the games of every format, and the rounds of a Swiss, decided by the results and the seed alone."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from littlego.arena.tournament.folder import GameKey, Pairing, Participant
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.core.errors import UsageError
from littlego.core.game import derive_seed

Graph = Mapping[int, set[int]]
"""The vertices that each may be matched with; symmetric."""
Mates = dict[int, int]


def perfect_matching(graph: Graph) -> Mates | None:
    """A matching of all vertices, or None if there is none."""
    mates: Mates = {}
    for vertex in graph:
        if vertex not in mates and not _augment(graph, mates, vertex):
            return None
    return mates


def preferred_matching(
    graph: Graph, order: Sequence[int], preferences: Callable[[int, Iterable[int]], Iterable[int]]
) -> Mates | None:
    """A perfect matching in which vertices choose in `order`; None if there is no perfect matching.

    Each takes the first of its `preferences` among those still free with which the others can be matched.
    """
    mates = perfect_matching(graph)
    if mates is None:
        return None
    free, chosen = set(graph), Mates()
    for vertex in order:
        if vertex not in free:
            continue
        for wish in preferences(vertex, graph[vertex] & free):
            rest = _matched_without(graph, mates, free, vertex, wish)
            if rest is not None:
                free -= {vertex, wish}
                chosen[vertex], chosen[wish], mates = wish, vertex, rest
                break
    return chosen


def _matched_without(graph: Graph, mates: Mates, free: set[int], one: int, other: int) -> Mates | None:
    """The matching of `free` without `one` and `other`, derived from `mates`; None if there is none."""
    left, right = mates[one], mates[other]
    rest = {vertex: mate for vertex, mate in mates.items() if not {vertex, mate} & {one, other}}
    if left == other:
        return rest
    if right in graph[left]:
        rest[left], rest[right] = right, left
        return rest
    among = free - {one, other}
    smaller = {vertex: graph[vertex] & among for vertex in among}
    return rest if _augment(smaller, rest, left) else None


def _augment(graph: Graph, mates: Mates, root: int) -> bool:
    """Match `root` too, if exchanging mates along a path allows it; False changes nothing."""
    return _Search(graph, mates, root).run()


class _Search:
    """The search for a path from `root` along which mates can be exchanged."""

    def __init__(self, graph: Graph, mates: Mates, root: int) -> None:
        self._graph, self._mates, self._root = graph, mates, root
        self._parent: dict[int, int] = {}
        self._base = {vertex: vertex for vertex in graph}
        self._reached, self._queue = {root}, deque([root])

    def run(self) -> bool:
        base, mates = self._base, self._mates
        while self._queue:
            at = self._queue.popleft()
            for to in self._graph[at]:
                if base[at] == base[to] or mates.get(at) == to:
                    continue
                if to == self._root or (to in mates and mates[to] in self._parent):
                    self._contract(at, to)
                elif to not in self._parent:
                    self._parent[to] = at
                    if to not in mates:
                        self._exchange(to)
                        return True
                    self._reach(mates[to])
        return False

    def _reach(self, vertex: int) -> None:
        self._reached.add(vertex)
        self._queue.append(vertex)

    def _exchange(self, end: int) -> None:
        vertex: int | None = end
        while vertex is not None:
            before = self._parent[vertex]
            following = self._mates.get(before)
            self._mates[vertex], self._mates[before] = before, vertex
            vertex = following

    def _contract(self, one: int, other: int) -> None:
        """Contract an odd cycle: from now on its vertices count as one, and paths may start at each."""
        base, mates = self._base, self._mates
        top = self._common_base(one, other)
        cycle: set[int] = set()
        for start, child in ((one, other), (other, one)):
            vertex = start
            while base[vertex] != top:
                cycle |= {base[vertex], base[mates[vertex]]}
                self._parent[vertex] = child
                child = mates[vertex]
                vertex = self._parent[child]
        for vertex, its_base in base.items():
            if its_base in cycle:
                base[vertex] = top
                if vertex not in self._reached:
                    self._reach(vertex)

    def _common_base(self, one: int, other: int) -> int:
        above = {vertex := self._base[one]}
        while vertex != self._base[self._root]:
            above.add(vertex := self._above(vertex))
        vertex = self._base[other]
        while vertex not in above:
            vertex = self._above(vertex)
        return vertex

    def _above(self, vertex: int) -> int:
        return self._base[self._parent[self._mates[vertex]]]


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


QUALIFYING_POINTS = 80.0
"""Points from stage 1 that the competition of 2019 requires."""


def planned_games(plan: TournamentPlan, participants: Sequence[Participant]) -> Iterator[GameKey]:
    """Every pair's first game, then every pair's second, and so on, so that all pairs progress alike."""
    pairs = list(first_blacks(plan, participants))
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
    challengers = [participant for participant in participants if participant.listed.challenger]
    field = [participant for participant in participants if not participant.listed.challenger]
    if participants and not (challengers and field):
        raise UsageError("a gauntlet needs a player with 'challenger = true' and one without: edit tournament.toml")
    return product(challengers, field)


def qualified(participants: Sequence[Participant]) -> list[Participant]:
    """Those with enough points from stage 1. Raises UsageError if a participant has none listed."""
    for participant in participants:
        if participant.listed.stage1 is None:
            raise UsageError(
                f"{participant.name}: the competition of 2019 needs its points from stage 1: "
                "add 'stage1 = POINTS' in tournament.toml"
            )
    return [participant for participant in participants if (participant.listed.stage1 or 0) >= QUALIFYING_POINTS]


def _by_stage_1(seed: int, one: Participant, other: Participant) -> tuple[int, int]:
    points, others = one.listed.stage1 or 0.0, other.listed.stage1 or 0.0
    if points == others:
        low, high = sorted((one, other), key=lambda participant: participant.name)
        ahead = derive_seed(seed, "lot", low.name, high.name) % 2 == 0
        one, other = (low, high) if ahead else (high, low)
    elif points < others:
        one, other = other, one
    return one.id, other.id
