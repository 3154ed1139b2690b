"""The strongest player there is, whatever the rules: the agent where it can play, else the champion."""

from __future__ import annotations

from littlego.core.game import Player
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.players.agent import AgentPlayer


class StrongestPlayer:
    """On 5x5 with the simple ko the agent, which answers at once and never gives a won game away."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._agent = AgentPlayer()
        self._champion: Player | None = None

    def choose(self, position: Position) -> Move:
        """Its move; never refuses."""
        if self._agent.plays(position.rules):
            return self._agent.choose(position)
        if self._champion is None:
            from littlego.players.champion import Champion

            self._champion = Champion(self._seed)
        return self._champion.choose(position)
