from __future__ import annotations

import pytest

from littlego.core.errors import UsageError
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.players.agent import AgentPlayer
from littlego.players.strongest import StrongestPlayer


def test_it_is_the_agent_on_5x5() -> None:
    position = Position.initial().play(12)
    assert StrongestPlayer().choose(position) == AgentPlayer().choose(position)


@pytest.mark.slow
@pytest.mark.parametrize(("edition", "size"), [("2019", 5), ("2025", 4), ("2025", 7)])
def test_it_refuses_no_rules(edition: str, size: int) -> None:
    position = Position.initial(edition_rules(edition, size))
    assert position.is_legal(StrongestPlayer(1).choose(position))
    with pytest.raises(UsageError, match="the agent plays 5x5"):
        AgentPlayer().choose(position)
