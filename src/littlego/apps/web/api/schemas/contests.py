"""The responses about tournaments."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from littlego.apps.web.api.schemas.responses import Interval, ResponseBody, Winner


class TournamentLine(ResponseBody):
    """A tournament in a list."""

    id: str
    name: str
    job: Annotated[str | None, Field(description="The last job that played it")]
    created: float | None = None
    updated: float | None = None


class WinsLosses(ResponseBody):
    """A player's results with one colour."""

    wins: int
    losses: int
    ties: int


class Standing(ResponseBody):
    """A player's place in a tournament. Not all formats have the last fields."""

    player: str
    games: int
    wins: int
    losses: int
    ties: int
    as_black: WinsLosses
    as_white: WinsLosses
    forfeits: int
    distinct_games: int
    win_rate: float
    interval_95: Interval
    rating: float | None = None
    rating_interval_95: Interval | None = None
    superiority: float | None = None
    risen: Annotated[int | None, Field(description="Places won in the last `recent_games` games; null: not known")]
    score: float | None = None
    buchholz: float | None = None
    byes: int | None = None


class Place(ResponseBody):
    """A player's place in the competition of 2019."""

    rank: int
    player: str
    points: float
    matches_won: int
    matches_lost: int
    matches_open: int
    games_won: int


class Pair(ResponseBody):
    """The games of two players with the same colours."""

    black: str
    white: str
    games: int
    black_wins: int
    white_wins: int
    ties: int


class TournamentRules(ResponseBody):
    """The rules of a tournament's games."""

    edition: str
    size: int
    komi: float
    max_moves: int
    ko: Literal["simple", "positional"]
    ending: Literal["two_passes", "no_move"]
    attempts: int


class Tournament(TournamentLine):
    """A tournament with its standings."""

    format: str
    rules: TournamentRules
    limits: dict[str, float | None]
    seed: int
    games_a_pair: int
    planned_games: int | None
    games: int
    recent_games: Annotated[int, Field(description="The last tenth of the games, at least one a player")]
    distinct_games: int
    verdicts: dict[str, int]
    black_advantage: float
    black_advantage_interval_95: Interval
    standings: list[Standing]
    competition: list[Place] | None = None
    crosstable: list[Pair]


class TournamentGame(ResponseBody):
    """A game of a tournament in a list."""

    number: int
    black: str
    white: str
    moves: int
    winner: Winner
    verdict: str | None
    text: str
    forfeit: bool
    capsule: Annotated[bool, Field(description="Whether there is a capsule to replay")]
