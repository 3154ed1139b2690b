"""Which games the formats ask for, and the ranking of the competition of 2019."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import combinations, pairwise

from littlego.arena.store import Meeting
from littlego.arena.tournament.folder import GameKey, Participant
from littlego.arena.tournament.pairings import planned_games
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.summary import Place, leaderboard, rank_points


def participant(number: int, *, challenger: bool = False, stage1: float | None = None) -> Participant:
    return Participant(number, f"p{number}", "random", challenger, stage1, False, "", "random")


def games(form: Format, participants: list[Participant], number: int) -> list[GameKey]:
    return list(planned_games(TournamentPlan(form, number), participants))


def test_everyone_meets_everyone_with_both_colours() -> None:
    keys = games(Format.ROUND_ROBIN, [participant(k) for k in range(5)], 4)
    assert len(keys) == len(set(keys)) == 40
    assert set(Counter((key.black, key.white) for key in keys).values()) == {2}


def test_an_odd_game_more_is_shared_out() -> None:
    blacks = Counter(key.black for key in games(Format.ROUND_ROBIN, [participant(k) for k in range(6)], 3))
    assert max(blacks.values()) - min(blacks.values()) <= 1


def test_a_new_player_changes_no_game() -> None:
    few, more = ([participant(k) for k in range(count)] for count in (4, 5))
    assert set(games(Format.ROUND_ROBIN, few, 3)) < set(games(Format.ROUND_ROBIN, more, 3))


def test_games_beside_each_other_have_different_players() -> None:
    """But where one round of all players ends and the next begins."""
    for count in range(4, 10):
        keys = games(Format.ROUND_ROBIN, [participant(k) for k in range(count)], 2)
        shared = sum(not {one.black, one.white}.isdisjoint(other[:2]) for one, other in pairwise(keys))
        assert shared < 2 * count


def test_in_a_gauntlet_challengers_meet_the_field_only() -> None:
    participants = [
        participant(0, challenger=True),
        participant(1, challenger=True),
        participant(2),
        participant(3),
        participant(4),
    ]
    met = {frozenset((key.black, key.white)) for key in games(Format.GAUNTLET, participants, 2)}
    assert met == {frozenset((one, other)) for one in (0, 1) for other in (2, 3, 4)}
    assert games(Format.GAUNTLET, participants[2:], 2) == [], "the challengers have left"


def test_2019_the_better_stage_1_has_black_six_times() -> None:
    participants = [
        participant(0, stage1=79.9),
        participant(1, stage1=80),
        participant(2, stage1=95),
        participant(3, stage1=95),
    ]
    blacks = Counter((key.black, key.white) for key in games(Format.COURSE_2019, participants, 11))
    assert not any(0 in pair for pair in blacks), "79.9 points are not enough"
    assert blacks[2, 1] == blacks[3, 1] == 6
    assert blacks[1, 2] == blacks[1, 3] == 5
    assert sorted((blacks[2, 3], blacks[3, 2])) == [5, 6], "equals: by lot"


def test_2019_lots_fall_on_both_sides_and_stay() -> None:
    participants = [participant(k, stage1=90.0) for k in range(12)]
    keys = games(Format.COURSE_2019, participants, 1)
    assert keys == games(Format.COURSE_2019, list(reversed(participants)), 1)[::-1] or set(keys) == set(
        games(Format.COURSE_2019, list(reversed(participants)), 1)
    )
    assert 15 < sum(key.black < key.white for key in keys) < 51


def test_2019_points_by_rank() -> None:
    assert [rank_points(rank) for rank in range(1, 13)] == [20, 20, 15, 15, 15, 10, 10, 10, 10, 10, 5, 5]


def places_of(
    scores: dict[tuple[int, int], tuple[int, int]], players: int, guests: Collection[str] = ()
) -> list[Place]:
    """From wins and losses of pairs, all with Black."""
    met = [
        Meeting(f"p{black}", f"p{white}", wins + losses, wins, losses, 0, 0, 0, wins + losses)
        for (black, white), (wins, losses) in scores.items()
    ]
    return leaderboard([f"p{k}" for k in range(players)], met, 11, guests)


def test_2019_matches_count_and_not_games() -> None:
    """p0 wins both matches 6:5, p1 wins one 11:0 and so more games."""
    places = places_of({(0, 1): (6, 5), (0, 2): (6, 5), (1, 2): (11, 0)}, 3)
    assert [(one.rank, one.player, one.points, one.matches_won) for one in places] == [
        (1, "p0", 20, 2), (2, "p1", 20, 1), (3, "p2", 15, 0),
    ]  # fmt: skip
    assert places[1].games_won == 16 > places[0].games_won


def test_2019_a_guest_takes_no_rank_and_no_points_from_anybody() -> None:
    """ "Note that TAs may also participate in this competition": p0 beats everyone, and p1 is still the first."""
    scores = dict.fromkeys(combinations(range(4), 2), (6, 5))
    places = {one.player: one for one in places_of(scores, 4, {"p0"})}
    assert [(places[f"p{k}"].rank, places[f"p{k}"].points) for k in range(4)] == [(0, 0), (1, 20), (2, 20), (3, 15)]
    assert places["p1"].matches_lost == 1


def test_2019_a_match_that_may_still_turn_is_open() -> None:
    places = {one.player: one for one in places_of({(0, 1): (5, 5), (0, 2): (6, 0)}, 3)}
    assert (places["p0"].matches_won, places["p0"].matches_open) == (1, 1)
    assert (places["p2"].matches_lost, places["p2"].matches_open) == (1, 1)


def test_2019_equals_share_the_better_rank() -> None:
    """A ring of three, and twelve players in all: everyone below the ring lost to it."""
    scores = dict.fromkeys(combinations(range(12), 2), (6, 5))
    scores[0, 2] = (5, 6)
    places = places_of(scores, 12)
    assert [one.rank for one in places[:4]] == [1, 1, 1, 4]
    assert [one.points for one in places] == [20, 20, 20, 15, 15, 10, 10, 10, 10, 10, 5, 5]
