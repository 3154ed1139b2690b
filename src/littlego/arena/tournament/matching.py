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
    parent: dict[int, int] = {}
    base = {vertex: vertex for vertex in graph}
    reached, queue = {root}, deque([root])
    while queue:
        at = queue.popleft()
        for to in graph[at]:
            if base[at] == base[to] or mates.get(at) == to:
                continue
            if to == root or (to in mates and mates[to] in parent):
                _contract(at, to, root, base, parent, mates, reached, queue)
            elif to not in parent:
                parent[to] = at
                if to not in mates:
                    _exchange(to, parent, mates)
                    return True
                reached.add(mates[to])
                queue.append(mates[to])
    return False


def _exchange(end: int, parent: dict[int, int], mates: Mates) -> None:
    vertex: int | None = end
    while vertex is not None:
        before = parent[vertex]
        following = mates.get(before)
        mates[vertex], mates[before] = before, vertex
        vertex = following


def _contract(
    one: int,
    other: int,
    root: int,
    base: dict[int, int],
    parent: dict[int, int],
    mates: Mates,
    reached: set[int],
    queue: deque[int],
) -> None:
    """Contract an odd cycle: from now on its vertices count as one, and paths may start at each."""
    top = _common_base(one, other, root, base, parent, mates)
    cycle: set[int] = set()
    for start, child in ((one, other), (other, one)):
        vertex = start
        while base[vertex] != top:
            cycle |= {base[vertex], base[mates[vertex]]}
            parent[vertex] = child
            child = mates[vertex]
            vertex = parent[child]
    for vertex, its_base in base.items():
        if its_base in cycle:
            base[vertex] = top
            if vertex not in reached:
                reached.add(vertex)
                queue.append(vertex)


def _common_base(one: int, other: int, root: int, base: dict[int, int], parent: dict[int, int], mates: Mates) -> int:
    above: set[int] = set()
    vertex = base[one]
    while True:
        above.add(vertex)
        if vertex == base[root]:
            break
        vertex = base[parent[mates[vertex]]]
    vertex = base[other]
    while vertex not in above:
        vertex = base[parent[mates[vertex]]]
    return vertex
