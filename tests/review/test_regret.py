"""Regret against a count by plain minimax, and its bounds on cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from littlego.core.board import Colour
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.review.regret import Phase, phase_of, regret_of
from littlego.solve.oracle import Oracle
from littlego.stats import wilson_interval
from tests.review.games import forfeited, logged_game, short_game, twin_value


def twin_counts(records: list[GameRecord], player: str) -> dict[tuple[Colour, Phase], tuple[int, int]]:
    counts = {(colour, phase): (0, 0) for colour in Colour for phase in Phase}
    for record in records:
        for position, after in _steps(record):
            mover = position.to_move
            if record.player(mover) == player and twin_value(position).winner is mover:
                won, thrown = counts[mover, phase_of(position)]
                counts[mover, phase_of(position)] = won + 1, thrown + (twin_value(after).winner is not mover)
    return counts


def _steps(record: GameRecord) -> Iterator[tuple[Position, Position]]:
    return pairwise(record.positions())


def test_counts_are_those_of_minimax(oracle: Oracle) -> None:
    records = [short_game(seed) for seed in range(12)]
    records += [short_game(seed, black="bob", white="ann") for seed in range(12, 24)]
    for player in ("ann", "bob"):
        regret = regret_of(records, player, oracle)
        assert regret.complete
        assert regret.games == regret.distinct_games == 24
        expected = twin_counts(records, player)
        assert {key: (count.won, count.thrown) for key, count in regret.counts.items()} == expected
        assert len(regret.mistakes) == regret.total.thrown > 0
        for mistake in regret.mistakes:
            record = records[mistake.game]
            assert mistake.move == record.moves[mistake.position.moves_played]
            assert record.player(mistake.position.to_move) == player


def test_repeated_games_count_once(oracle: Oracle) -> None:
    games = [short_game(1), short_game(2)]
    once, often = regret_of(games, "ann", oracle), regret_of(games * 5, "ann", oracle)
    assert often.games == 10
    assert often.distinct_games == once.distinct_games == 2
    assert often.counts == once.counts


def test_a_player_against_itself_counts_for_both_sides(oracle: Oracle) -> None:
    record = short_game(4, black="ann", white="ann")
    both = regret_of([record], "ann", oracle).total
    sides = [regret_of([replace(record, white="bob")], name, oracle).total for name in ("ann", "bob")]
    assert both == sides[0] + sides[1]


def test_a_forfeit_in_a_won_position_throws_it_away(oracle: Oracle) -> None:
    forfeits = 0
    for seed in range(12):
        record = forfeited(short_game(seed), 4)
        total = regret_of([record], "ann", oracle).total
        won = twin_value(record.final()).winner is Colour.BLACK
        assert total.forfeited == won
        assert total.thrown >= won
        forfeits += won
    assert forfeits


def test_what_may_not_be_searched_is_counted_as_unknown(oracle: Oracle) -> None:
    records = [logged_game(number) for number in (0, 1, 2)]
    steps: list[tuple[int, int]] = []
    regret = regret_of(records, "agent", oracle, search_left=8, watch=lambda *told: steps.append(told))
    assert steps[-1] == (75, 75)
    moves = sum(count.won + count.unknown for count in regret.counts.values())
    assert 0 < regret.total.unknown < moves <= 36
    assert not regret.complete
    assert not any(regret.counts[colour, Phase.ENDGAME].unknown for colour in Colour)
    stopped = regret_of(records, "agent", oracle, seconds=0)
    assert stopped.total.won == 0
    assert stopped.total.unknown == 36


def test_the_report_adds_up(oracle: Oracle) -> None:
    told = json.loads(json.dumps(regret_of([short_game(seed) for seed in range(8)], "bob", oracle).to_dict()))
    for key in ("won", "thrown_away", "by_forfeit", "unknown"):
        assert sum(part[key] for part in told["by_colour_and_phase"]) == told["total"][key]
    total = told["total"]
    assert total["interval_95"] == list(wilson_interval(total["thrown_away"], total["won"]))
    assert len(told["mistakes"]) == total["thrown_away"]


def test_phases_are_thirds() -> None:
    def phase(left: int) -> Phase:
        return phase_of(Position.initial()._replace(moves_played=24 - left))

    assert [phase(left) for left in (24, 17, 16, 9, 8, 1)] == [
        Phase.OPENING, Phase.OPENING, Phase.MIDDLE, Phase.MIDDLE, Phase.ENDGAME, Phase.ENDGAME,
    ]  # fmt: skip


def test_wrong_use_is_explained(oracle: Oracle) -> None:
    with pytest.raises(UsageError, match="no player is called 'eve' in these games; the players are ann, bob"):
        regret_of([short_game(1)], "eve", oracle)
    with pytest.raises(UsageError, match="depends on the whole history"):
        regret_of([GameRecord("ann", "bob", Position.initial(edition_rules("2019")))], "ann", oracle)


def test_the_report_counts_games_from_1(oracle: Oracle) -> None:
    regret = regret_of([short_game(seed) for seed in range(8)], "bob", oracle)
    shown = [mistake["game"] for mistake in regret.to_dict()["mistakes"]]
    assert shown == [mistake.game + 1 for mistake in regret.mistakes]
