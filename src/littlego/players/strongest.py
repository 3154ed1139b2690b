"""The strongest player for any rules: the agent, on small boards perfect play, else the champion."""

from __future__ import annotations

from littlego.core.game import Player
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE
from littlego.players.agent import AgentPlayer


class StrongestPlayer:
    """On 5x5 with the simple ko the agent, which answers at once and never gives a won game away.

    Smaller boards are solved in a moment; elsewhere the champion plays.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._agent = AgentPlayer()
        self._perfect: Player | None = None
        self._champion: Player | None = None

    def choose(self, position: Position) -> Move:
        if self._agent.plays(position.rules):
            return self._agent.choose(position)
        if position.size < DEFAULT_SIZE:
            from littlego.players.perfect import PerfectPlayer
            from littlego.solve.oracle import why_unsolvable

            if why_unsolvable(position) is None:
                self._perfect = self._perfect or PerfectPlayer(self._seed)
                return self._perfect.choose(position)
        from littlego.players.champion import Champion

        self._champion = self._champion or Champion(self._seed)
        return self._champion.choose(position)
