"""The built-in players by name. A player's module is loaded when the player is made, not before."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Final

from littlego.core.errors import UnknownPlayer
from littlego.core.game import Player


@dataclass(frozen=True, slots=True)
class Entry:
    """A built-in player: what it does, in a line, and where its class is."""

    name: str
    summary: str
    factory: str
    """`module:class`; the class is called with a seed."""
    file: Path | None = None
    """The file that the player is read from, if any; the class is then called with it and the seed."""
    is_quick: bool = False
    """Whether it moves within milliseconds, without a search."""

    def make(self, seed: int) -> Player:
        """A new player of this kind whose random choices follow `seed`."""
        module, _, name = self.factory.partition(":")
        factory = getattr(import_module(f"littlego.players.{module}"), name)
        player: Player = factory(seed) if self.file is None else factory(self.file, seed)
        return player

    def identity(self) -> str:
        """A text that changes when the player would play differently: its name, and its file's digest."""
        if self.file is None:
            return self.name
        path = self.file / "model.json" if self.file.is_dir() else self.file
        return f"{self.name} {hashlib.sha256(path.read_bytes()).hexdigest()}"


MANUAL: Final = "manual"
STRONGEST: Final = "strongest"
MODELS: Final = ("learner", "qlearning")
"""What may come before the colon in the name of a user's own model; the second is the old spelling."""

_quick = partial(Entry, is_quick=True)
_ENTRIES: Final = (
    _quick("random", "plays any legal point", "simple:RandomPlayer"),
    _quick("greedy", "captures most stones now", "simple:GreedyPlayer"),
    _quick("aggressive", "captures most stones now, else with its next two moves", "simple:AggressivePlayer"),
    _quick("smart", "aggressive, and saves its own stones from capture", "simple:SmartPlayer"),
    _quick("alphabeta", "alpha-beta of depth 2 after each of its moves, at most 10 wide", "alphabeta:AlphaBeta"),
    _quick("qlearning", "the course's: its openings, then captures, then the centre", "qlearning:QLearningPlayer"),
    _quick("learner", "plays from values learned in practice games, one move ahead", "learner:LearnerPlayer"),
    Entry("champion", "the learner's values with a look two moves ahead", "champion:Champion"),
    Entry("perfect", "never leaves a won position; boards up to 5x5 with the simple ko", "perfect:PerfectPlayer"),
    Entry("agent", "the submission: a book of the opening, then exact search; 5x5", "agent:AgentPlayer"),
    Entry(STRONGEST, "the agent on 5x5, perfect on smaller boards, else champion", "strongest:StrongestPlayer"),
    Entry(MANUAL, "a person, at the terminal", "manual:at_terminal"),
)

PLAYERS: Final = {entry.name: entry for entry in _ENTRIES}


def entry(name: str) -> Entry:
    """The player of a name. Raises UnknownPlayer.

    `learner:PATH` is a player with the model that `littlego train` wrote to PATH. The old spelling
    `qlearning:PATH` still works.
    """
    kind, colon, path = name.partition(":")
    if kind in MODELS and colon:
        return Entry(f"learner:{path}", f"plays from the model in {path}", "learner:from_file", Path(path))
    if name not in PLAYERS:
        close = difflib.get_close_matches(name, PLAYERS, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise UnknownPlayer(f"no player is called {name!r}{meant or '.'} There are: {', '.join(PLAYERS)}")
    return PLAYERS[name]


def make_player(name: str, *, seed: int = 0) -> Player:
    """A new built-in player, its random choices following `seed`. Raises UnknownPlayer.

    Agents in directories, and commands, are not players of this process: `play_game`, `play_match`, `play_tournament`
    and `grade_agent` take them as they are spelled on the command line.

    >>> lg.make_player("aggressive", seed=1).choose(lg.Position.initial())
    12
    """
    try:
        return entry(name).make(seed)
    except UnknownPlayer as error:
        why = f"{name!r} is not a built-in player" if _names_an_agent(name) else str(error)
        raise UnknownPlayer(
            f"{why}. make_player makes built-in players only: give an agent's directory or a command to play_game, "
            "play_match, play_tournament or grade_agent"
        ) from error


def _names_an_agent(text: str) -> bool:
    """Whether something other than a misspelled name was meant: a path here, or a spelling such as `cmd:./agent`."""
    try:
        return ":" in text or Path(text).exists()
    except OSError:  # such as a name that is too long
        return False
