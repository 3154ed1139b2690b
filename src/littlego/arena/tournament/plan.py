"""The plan of a tournament: `tournament.toml`, read and written."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Final

from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_EDITION, DEFAULT_SIZE, Rules, edition_rules
from littlego.formats.fields import Fields
from littlego.formats.records import rules_to_dict
from littlego.formats.toml import RulesTable, format_rules_table, parse_rules_table, toml_text
from littlego.sandbox.limits import MIB, Level, Limits, parse_level

FILE: Final = "tournament.toml"
MAX_GAMES: Final = 10_000
"""Games a pair, or a pair and round of a Swiss."""
MAX_ROUNDS: Final = 100


class Format(enum.Enum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"
    """Everyone meets everyone."""
    GAUNTLET = "gauntlet"
    """The challengers meet everyone else."""
    SWISS = "swiss"
    """Every round pairs players with about equal scores who have not met."""
    COURSE_2019 = "course2019"
    """The competition of 2019: matches of eleven games between all who earned 80 points in stage 1."""


COURSE_GAMES: Final = 11
DEFAULT_GAMES: Final = {
    Format.ROUND_ROBIN: 10,
    Format.GAUNTLET: 10,
    Format.SWISS: 2,
    Format.COURSE_2019: COURSE_GAMES,
}


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Everything that decides which games are played, and how."""

    format: Format
    games: int
    """For each pair; in a Swiss, for each pair and round."""
    seed: int = 1
    edition: str = DEFAULT_EDITION
    size: int = DEFAULT_SIZE
    rounds: int | None = None
    """Of a Swiss."""
    limits: Limits = field(default_factory=Limits)
    minimum_level: Level | None = None
    """Programs do not play on machines with weaker isolation than this."""
    python: str | None = None
    """The interpreter for agents written in Python."""
    openings: int = 0
    """Games start from the positions after this many moves in turn, each twice with swapped colours; 0 for none."""
    board: RulesTable | None = None
    """The rules of an edition that does not come with the package; a copy, so that its file may change."""

    @property
    def rules(self) -> Rules:
        if self.board is None:
            return edition_rules(self.edition, self.size)
        return self.board.rules(self.edition, self.size)

    def settled(self) -> dict[str, Any]:
        """What cannot change after the first game, as JSON values."""
        settings: dict[str, Any] = {
            "format": self.format.value,
            "seed": self.seed,
            "edition": self.edition,
            "size": self.size,
            "limits": self.limits.as_dict(),
            "python": self.python,
        }
        if self.format is Format.SWISS:
            settings["games"] = self.games
        if self.board is not None:
            settings["rules"] = rules_to_dict(self.rules)
        if self.openings:
            settings["openings"] = self.openings
        return settings


def checked(plan: TournamentPlan, source: str) -> TournamentPlan:
    """The plan unchanged. Raises UsageError, whose message begins with `source`, if it makes no sense."""
    plan.rules  # noqa: B018 - raises for a wrong edition or size
    if not 1 <= plan.games <= MAX_GAMES:
        raise UsageError(f"{source}: games: expected 1 to {MAX_GAMES}, got {plan.games}")
    if plan.rounds is not None and not 1 <= plan.rounds <= MAX_ROUNDS:
        raise UsageError(f"{source}: rounds: expected 1 to {MAX_ROUNDS}, got {plan.rounds}")
    if plan.format is Format.COURSE_2019 and plan.games % 2 == 0:
        raise UsageError(
            f"{source}: games: a match of {plan.games} can end in a draw: expected an odd number, such as 11"
        )
    if plan.openings:
        from littlego.arena.games import MOST_PLIES

        if not 0 < plan.openings <= MOST_PLIES:
            raise UsageError(f"{source}: openings: expected 0 to {MOST_PLIES} moves, got {plan.openings}")
    if plan.limits.cpu_seconds <= 0 or plan.limits.wall_seconds <= 0 or plan.limits.memory_bytes < 16 * MIB:
        raise UsageError(f"{source}: limits: expected seconds above 0 and at least 16 MiB")
    return plan


def write_plan(plan: TournamentPlan) -> str:
    lines = [
        "# A littlego tournament. Games can be added at any time; what decides the games of a pair is fixed once the",
        "# first has been played. Players come and go with 'littlego tournament add' and 'remove'.",
        f"format = {toml_text(plan.format.value)}",
        f"games = {plan.games}",
        *([f"rounds = {plan.rounds}"] if plan.rounds is not None else []),
        f"edition = {toml_text(plan.edition)}",
        f"size = {plan.size}",
        f"seed = {plan.seed}",
        *([f"minimum_level = {toml_text(str(plan.minimum_level))}"] if plan.minimum_level is not None else []),
        *([f"python = {toml_text(plan.python)}"] if plan.python is not None else []),
        *([f"openings = {plan.openings}"] if plan.openings else []),
        "",
        *([*format_rules_table(plan.board), ""] if plan.board is not None else []),
        "[limits]  # for a program, per move",
        f"cpu_seconds = {float(plan.limits.cpu_seconds)}",
        f"wall_seconds = {float(plan.limits.wall_seconds)}",
        f"memory_mib = {plan.limits.memory_bytes // MIB}",
        *(["strict = true"] if plan.limits.strict else []),
    ]
    return "\n".join([*lines, ""])


def parse_plan(text: str, *, source: str = FILE) -> TournamentPlan:
    """The plan in a text of TOML. Raises FormatError, which names the place."""
    settings = Fields.of_toml(text, source)
    limits = settings.table("limits")
    form = settings.take_word("format", Format)
    board = parse_rules_table(settings.table("rules")) if "rules" in settings else None
    plan = TournamentPlan(
        form,
        settings.take("games", int, DEFAULT_GAMES[form]),
        settings.take("seed", int, 1),
        settings.take("edition", str, "2019" if form is Format.COURSE_2019 else DEFAULT_EDITION),
        settings.take("size", int, DEFAULT_SIZE),
        settings.take("rounds", int, None),
        Limits(
            cpu_seconds=limits.take("cpu_seconds", (int, float), 10.0),
            wall_seconds=limits.take("wall_seconds", (int, float), 30.0),
            memory_bytes=limits.take("memory_mib", int, 1024) * MIB,
            strict=limits.take("strict", bool, False),
        ),
        settings.take("minimum_level", str, None, parse_level),
        settings.take("python", str, None),
        settings.take("openings", int, 0),
        board,
    )
    settings.end()
    limits.end()
    return checked(plan, source)
