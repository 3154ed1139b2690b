from __future__ import annotations

from dataclasses import replace

import pytest

from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.players.exact import AgentPlayer, StrongestPlayer, _best_for


def test_it_is_the_agent_on_5x5() -> None:
    position = Position.initial().play(12)
    assert StrongestPlayer().choose(position) == AgentPlayer().choose(position)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        edition_rules("2019"),
        edition_rules("2025", 4),
        edition_rules("2025", 7),
        replace(edition_rules(), max_moves=1000),
        replace(edition_rules(), komi=0.5),
    ],
    ids=str,
)
def test_it_refuses_no_rules(rules: Rules) -> None:
    position = Position.initial(rules)
    assert position.is_legal(StrongestPlayer(1).choose(position))
    with pytest.raises(UsageError, match="the agent plays 5x5"):
        AgentPlayer().choose(position)


def test_it_does_not_search_5x5_with_another_length() -> None:
    assert _best_for(Position.initial(edition_rules("2025", 4))) == "perfect"
    for rules in (edition_rules().but(max_moves=30), edition_rules().but(komi=0.5)):
        assert _best_for(Position.initial(rules)) not in ("perfect", "agent")
