"""Tests of one's own agent with pytest: the public face of `littlego.course.testing`.

Agent("my-agent").must_not_play(KO, "2,1")      fails with the board, and the agent's last words
"""

from littlego.course.testing import Agent, Where

__all__ = ["Agent", "Where"]
