"""The responses of the API: one model for each, so that `/api/openapi.json` describes all of them.

Models forbid unknown fields, so that a response that is not described here fails the tests. The values of each
`Literal` are those of an enum in a lower layer; a test compares them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Side = Literal["black", "white"]
MoveName = Annotated[str, Field(description="`row,column` counted from 0 at the top left, or `PASS`", examples=["2,3"])]
Cells = Annotated[str, Field(description="A board, row after row: 0 empty, 1 Black, 2 White")]
Winner = Annotated[Side | None, Field(description="null: a tie, or not decided")]
Interval = Annotated[list[float], Field(min_length=2, max_length=2, description="95% interval: low, high")]


class ResponseBody(BaseModel):
    """The body of a response. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid")


class Problem(ResponseBody):
    """Why a request was refused, in a sentence."""

    detail: str


class Misfit(ResponseBody):
    """A wrong field of a request."""

    loc: list[str]
    msg: str
    type: str


class Invalid(ResponseBody):
    """Why a request was refused: a sentence, or the wrong fields."""

    detail: str | list[Misfit]


class Nothing(ResponseBody):
    """Done: there is nothing to report."""


class EditionLine(ResponseBody):
    """An edition of the course, or another course."""

    name: str
    size: Annotated[int, Field(description="Of its board")]
    any_size: Annotated[bool, Field(description="Whether it can be played on other boards too")]
    stages: Annotated[list[str], Field(description="What can be graded")]


class StudentShown(ResponseBody):
    """A student of the class that the server is for."""

    name: str
    called: Annotated[str, Field(description="The name in tournaments: a pseudonym")]


class About(ResponseBody):
    """What a page needs to know about the server."""

    version: str
    local: Annotated[bool, Field(description="Whether only this machine can reach it")]
    owner: Annotated[bool, Field(description="Whether this request is the owner's")]
    student: Annotated[StudentShown | None, Field(description="Whose request this is, if it is a student's")]
    has_class: Annotated[bool, Field(description="Whether students have tokens of their own here")]
    editions: list[EditionLine]


class PlayerLine(ResponseBody):
    """A built-in player."""

    name: str
    summary: str
    rating: float | None
    """Its measured strength on 5x5, in Elo; null for those that were not measured."""
    quick: Annotated[bool, Field(description="Whether it moves at once; others may take seconds")]


class Seats(ResponseBody):
    """Who plays each colour: `human`, a built-in player, or `agent:ID`."""

    black: str
    white: str


class RulesShown(ResponseBody):
    """The rules of a game."""

    edition: str
    size: int
    komi: float
    max_moves: int
    passing: bool
    ko: Literal["simple", "positional"]


class ByColour(ResponseBody):
    """A count or a score for each side."""

    black: float
    white: float


class OutcomeShown(ResponseBody):
    """How a game ended."""

    winner: Winner
    verdict: str
    text: Annotated[str, Field(examples=["Black wins by 0.5 (13-12.5)"])]


class LineShown(ResponseBody):
    """A game or a line of moves as pages draw it: every board, so that they need no rules."""

    black: str
    white: str
    rules: RulesShown
    start_move: Annotated[int, Field(description="Moves played before the first board")]
    first: Side
    moves: list[MoveName]
    seconds: list[float]
    boards: Annotated[list[Cells], Field(description="One more than moves: the first is the start")]
    kos: Annotated[
        list[MoveName | None], Field(description="For each board, the point where the ko may not be retaken")
    ]
    captured: Annotated[ByColour, Field(description="Stones that each side has captured")]
    to_move: Side
    legal: list[MoveName]
    illegal: Annotated[dict[str, str], Field(description="By illegal point, why it is illegal")]
    score: ByColour
    plies_left: int
    unsolvable: Annotated[str | None, Field(description="Why there are no exact values; null if there are")]
    outcome: OutcomeShown | None


class Game(LineShown):
    """A game on this server, as it stands."""

    id: str
    version: Annotated[int, Field(description="Grows with every change: of two states the higher is newer")]
    seats: Seats
    thinking: Annotated[bool, Field(description="Whether a player is choosing a move")]
    trouble: Annotated[str | None, Field(description="Why a player failed to move")]
    elapsed: Annotated[float, Field(description="Seconds since the turn began")]


Result = Literal["won", "lost", "tie", "unfinished", "other"]


class GameLine(ResponseBody):
    """A game in a list."""

    id: str
    updated: float
    black: str
    white: str
    size: int
    moves: int
    winner: Winner
    verdict: str | None
    you: Annotated[Side | None, Field(description="The side of the only person; null if there is none, or two")]
    result: Annotated[Result, Field(description="Of that person; `other` if there is none, or two")]
    final: list[str]
    seats: Seats


class OpponentResults(ResponseBody):
    """How people fared against an opponent."""

    opponent: str
    won: int
    lost: int
    tie: int


class Week(ResponseBody):
    """How people played in a week, by the reviews of their games."""

    week: Annotated[str, Field(examples=["2026-W47"])]
    games: int
    won_positions: Annotated[int, Field(description="Positions in which they were to move and could win")]
    thrown_away: Annotated[int, Field(description="How many of those they did not win with their move")]


class Weeks(ResponseBody):
    """Weeks with games, the first first, and the games that have no review yet."""

    weeks: list[Week]
    not_reviewed: list[str]


class LearnedValues(ResponseBody):
    """What a learner thinks of a position: for each move the chance, 0 to 1, that the side to move wins."""

    to_move: Side
    values: dict[str, float]


class GameValues(ResponseBody):
    """Who wins with best play after each move of a game, as far as it can be found in a moment."""

    values: Annotated[
        list[Literal["black", "white", "tie"] | None],
        Field(description="One for each board: one more than moves; null if not known"),
    ]


class MoveValues(ResponseBody):
    """Who wins after each legal move with best play, as far as it is known."""

    key: Annotated[str, Field(description="Names the position: other values come as news of the topic values:KEY")]
    to_move: Side
    plies_left: int
    value: Annotated[Literal["black", "white", "tie", "unknown"], Field(description="Who wins the position")]
    values: dict[str, Literal["black", "white", "tie"]]
    missing: Annotated[list[MoveName], Field(description="The moves whose value is not known yet")]
    leads: Annotated[
        dict[str, float],
        Field(description="By move, how many points the side to move is ahead in the end, komi counted; if asked for"),
    ]
    leads_missing: Annotated[int, Field(description="How many more of these will come")]
    margins_left: Annotated[int, Field(description="With more plies left only who wins is worked out, not by how much")]
    state: Annotated[
        Literal["settled", "working", "paused", "given_up"],
        Field(description="Whether the server is searching; asking again resumes a paused search"),
    ]
    words: Annotated[str, Field(examples=["3 of 18 moves keep the win."])]


class DeckLine(ResponseBody):
    """A deck, with how many of its drills were tried and solved."""

    id: str
    name: str
    drills: int
    tried: int
    solved: int


class DeckId(ResponseBody):
    """The id of a deck that was stored."""

    id: str


class NextDrill(LineShown):
    """The drill to solve now, with the game up to its position."""

    id: str
    deck: Annotated[str, Field(description="The id of the deck, where it is answered")]
    title: str
    difficulty: Annotated[
        Literal["easy", "medium", "hard"] | None,
        Field(description="By how often our players fail; null for drills that did not ship"),
    ]
    drills: int
    tried: int
    solved: int


class TodaysPuzzle(NextDrill):
    """The puzzle of the day."""

    date: Annotated[str, Field(examples=["2026-11-16"])]


class DrillAnswer(ResponseBody):
    """Whether an answer was right."""

    right: bool
    accepted: Annotated[list[MoveName], Field(description="Every move that keeps the win")]
    played: Annotated[MoveName | None, Field(description="The move that threw the win away; null for a forfeit")]
    drills: int
    tried: int
    solved: int


class Agent(ResponseBody):
    """An agent of this server; `agent:ID` names it wherever a player is asked for."""

    id: str
    name: str
    label: Annotated[str, Field(description="The name, with part of the id if others have the same name")]
    jobs: Annotated[dict[str, str], Field(description="By kind, the last job")]
    path: Annotated[str | None, Field(description="Its path, if it was added by a path on the server's machine")]
    student: Annotated[str | None, Field(description="The name of the student whose it is; null if the owner's")]
    created: float | None = None
    updated: float | None = None


class GradingLine(ResponseBody):
    """A grading in the list of an agent's gradings."""

    id: str
    job: str
    edition: str
    stage: str
    repeats: int | None
    digest: Annotated[str, Field(description="Changes with the agent's files")]
    created: float
    state: str
    points: float | None
    max_points: float | None
    complete: bool | None
    report: Annotated[bool, Field(description="Whether there is a report")]


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


State = Literal["waiting", "running", "done", "failed", "cancelled"]


class JobAhead(ResponseBody):
    """The job that another waits for."""

    id: str
    title: str
    done: int
    total: int


class JobLine(ResponseBody):
    """A job without its result."""

    id: str
    kind: str
    title: str
    state: State
    done: int
    total: int
    message: str
    result_version: Annotated[int, Field(description="Counts the changes of the result")]
    crashes: Annotated[int, Field(description="How often its process died and was started again")]
    created: float
    updated: float
    waiting_for: JobAhead | None
    seconds: Annotated[float | None, Field(description="For how long it has run, or waited if it waits; null: ended")]


class JobShown(JobLine):
    """A job with its result, as its function in `jobs/kinds.py` returns it."""

    result: dict[str, Any] | None
