"""The strongest player for any rules: the agent, on small boards perfect play, else who was measured to be best."""

from __future__ import annotations

from typing import Final

from littlego.core.game import Player
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_SIZE
from littlego.players.agent import AgentPlayer
from littlego.players.catalogue import make_player
from littlego.players.strengths import strengths_for

_EXACT: Final = ("agent", "perfect")


class StrongestPlayer:
    """On 5x5 with the simple ko the agent: from the empty board it answers at once and keeps what is won.

    Off its book, after an odd opening, it takes longer and may throw a won position away. Smaller boards are solved in
    a moment. Elsewhere, also on 5x5 with another length or komi, it is the best of the round robin with that ko on that
    size (`strengths`), or the champion if there was none.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._agent = AgentPlayer()
        self._others: dict[str, Player] = {}

    def choose(self, position: Position) -> Move:
        if self._agent.plays(position.rules):
            return self._agent.choose(position)
        name = _best_for(position)
        if name not in self._others:
            self._others[name] = make_player(name, seed=self._seed)
        return self._others[name].choose(position)


def _best_for(position: Position) -> str:
    if position.size < DEFAULT_SIZE:
        from littlego.solve.oracle import why_unsolvable

        if why_unsolvable(position) is None:
            return "perfect"
    measured = strengths_for(position.rules)
    # The exact players would refuse: a course game with another length or komi is in no book, and too long to solve.
    others = [player.name for player in measured.players if player.name not in _EXACT] if measured else []
    return others[0] if others else "champion"
