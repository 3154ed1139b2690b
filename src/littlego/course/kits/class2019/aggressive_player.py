"""The aggressive player."""

from greedy_player import GreedyPlayer, largest_captures


def groups(go, piece_type):
    """The groups of piece_type, each as its stones and its liberties."""
    seen = set()
    for i in range(go.size):
        for j in range(go.size):
            if go.board[i][j] == piece_type and (i, j) not in seen:
                stones = go.ally_dfs(i, j)
                seen.update(stones)
                around = {point for stone in stones for point in go.detect_neighbor(*stone)}
                yield stones, {(x, y) for x, y in around if go.board[x][y] == 0}


def best_pair(go, piece_type, points):
    """The two points that, played one after the other, capture most; of equals nearest the centre.

    None if no two moves capture anything. No single move may capture anything: then two capture
    just the groups whose liberties they are.
    """
    captured = {}
    for stones, liberties in groups(go, 3 - piece_type):
        if len(liberties) == 2 and liberties <= set(points):
            pair = tuple(sorted(liberties))
            captured[pair] = captured.get(pair, 0) + len(stones)

    def worth(pair):
        return -captured[pair], sum(centre_distance(go, point) for point in pair), pair

    return min(captured, key=worth) if captured else None


def centre_distance(go, point):
    """Twice the distance from a point to the middle of the board, along the lines."""
    return abs(2 * point[0] - go.size + 1) + abs(2 * point[1] - go.size + 1)


def near_centre(go, points):
    """The points nearest the centre; of k such points the first has weight k, the last 1."""
    nearest = min(centre_distance(go, point) for point in points)
    near = [point for point in points if centre_distance(go, point) == nearest]
    return {point: len(near) - k for k, point in enumerate(near)}


class AggressivePlayer(GreedyPlayer):
    """The largest capture now, else with two moves in a row, else near the centre."""

    type = "aggressive"

    def choices(self, go, piece_type, points):
        """The points of the first of these that is possible."""
        captured, best = largest_captures(go, piece_type, points)
        if captured:
            return dict.fromkeys(best, 1)
        pair = best_pair(go, piece_type, points)
        return {pair[0]: 1} if pair else near_centre(go, points)
