"""The built-in players by name, and how strong they were measured to be.

A player's module is loaded when the player is made, not before. `tools/measure_players.py` writes `strengths.json`.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from littlego.core.errors import UnknownPlayer
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE, Rules, edition_rules

if TYPE_CHECKING:
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
MODEL: Final = "learner"
"""What comes before the colon in the name of a user's own model."""

_quick = partial(Entry, is_quick=True)
_ENTRIES: Final = (
    _quick("random", "plays any legal point", "course:RandomPlayer"),
    _quick("greedy", "captures most stones now", "course:GreedyPlayer"),
    _quick("aggressive", "captures most stones now, else with its next two moves", "course:AggressivePlayer"),
    _quick("smart", "aggressive, and saves its own stones from capture", "course:SmartPlayer"),
    _quick("alphabeta", "alpha-beta of depth 2 after each of its moves, at most 10 wide", "course:AlphaBeta"),
    _quick("qlearning", "the course's: its openings, then captures, then the centre", "course:QLearningPlayer"),
    _quick("learner", "plays from values learned in practice games, one move ahead", "learned:LearnerPlayer"),
    Entry("champion", "the learner's values; plans three moves when it is not ahead", "learned:Champion"),
    Entry("perfect", "never leaves a won position; boards up to 5x5 with the simple ko", "exact:PerfectPlayer"),
    Entry("agent", "the submission: a book of the opening, then exact search; 5x5", "exact:AgentPlayer"),
    Entry(STRONGEST, "the agent on 5x5, perfect on smaller boards, else champion", "exact:StrongestPlayer"),
    Entry(MANUAL, "a person, at the terminal", "manual:at_terminal"),
)

PLAYERS: Final = {entry.name: entry for entry in _ENTRIES}


def entry(name: str) -> Entry:
    """The player of a name. Raises UnknownPlayer.

    `learner:PATH` is a player with the model that `littlego train` wrote to PATH.
    """
    kind, colon, path = name.partition(":")
    if kind == MODEL and colon:
        return Entry(f"learner:{path}", f"plays from the model in {path}", "learned:from_file", Path(path))
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


FILE: Final = Path(__file__).with_name("strengths.json")


@dataclass(frozen=True, slots=True)
class Strength:
    """One player in a round robin, with both colours.

    All pairs start from openings, except those with `agent` or `perfect`, which start from the empty board.
    """

    name: str
    rating: float
    """In Elo; 0 is the mean of the round robin."""
    interval: tuple[float, float]
    """95%, of the rating."""
    games: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a round robin, the strongest player first."""

    rules: Rules
    date: str
    players: tuple[Strength, ...]

    def of(self, name: str) -> Strength | None:
        """The strength of a player; None if it was not measured."""
        return next((player for player in self.players if player.name == name), None)


@cache
def measured_strengths() -> tuple[Measured, ...]:
    """Every round robin that was played, that of the newest edition on 5x5 first."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Measured(
            edition_rules(table["edition"], table["size"]),
            data["measured"],
            tuple(
                Strength(
                    row["name"],
                    row["rating"],
                    (row["interval_95"][0], row["interval_95"][1]),
                    row["black_games"] + row["white_games"],
                )
                for row in table["players"]
            ),
        )
        for table in data["tables"]
    )


def strengths_for(rules: Rules) -> Measured | None:
    """The round robin on this size with this ko and ending; None if there was none."""
    asked = (rules.size, rules.ko, rules.ending)
    return next(
        (each for each in measured_strengths() if (each.rules.size, each.rules.ko, each.rules.ending) == asked), None
    )


def course_strengths() -> Measured:
    """The round robin of the newest edition on 5x5."""
    found = strengths_for(edition_rules(DEFAULT_EDITION, DEFAULT_SIZE))
    assert found is not None, "strengths.json has it"
    return found
