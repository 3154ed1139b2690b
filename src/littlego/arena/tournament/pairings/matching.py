"""Perfect matchings of a graph, by Edmonds' blossom algorithm."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

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
