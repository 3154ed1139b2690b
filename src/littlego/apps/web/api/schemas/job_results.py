"""Jobs and their results: one model for each kind.

Results may be years old, so the server sends them as they are stored. Tests compare them with these models.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi.responses import JSONResponse
from pydantic import Field, TypeAdapter

from littlego.apps.web.api.schemas.responses import Cells, Interval, MoveName, ResponseBody, Side

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Value = Annotated[
    Literal["black", "white", "tie"] | None, Field(description="Who wins with best play; null: not known")
]
Record = Annotated[dict[str, Any], Field(description="A game as a JSON record, as `docs/formats.md` describes it")]


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


class MoveReviewed(ResponseBody):
    """What a move did to the value of its game, in figures and in words."""

    number: int
    colour: Side
    move: MoveName
    before: Value
    after: Value
    verdict: str
    good_moves: Annotated[list[MoveName] | None, Field(description="All the best moves; null if not all are known")]
    one_good_move: MoveName | None
    margin_before: int | None
    margin_after: int | None
    slip: Annotated[int | None, Field(description="Stones given away")]
    is_mistake: bool
    illegal: Annotated[dict[str, str], Field(description="Before a mistake: illegal points, and why")]
    words: str
    better: str
    sentence: str
    challenge: str
    keeps: str
    tone: str
    sign: str


class Review(ResponseBody):
    """A game, move by move."""

    summary: str
    complete: bool
    losing_move: int | None
    forfeited: str | None
    value_at_the_end: Value
    margins_left: Annotated[int, Field(description="With more plies left only who wins is worked out, not by how much")]
    moves: list[MoveReviewed]


class CheckLine(ResponseBody):
    """The finding of one check."""

    title: str
    status: Literal["passed", "remark", "failed", "skipped"]
    detail: str


class Checked(ResponseBody):
    """The check of an agent, as far as it has come."""

    checks: list[CheckLine]


class LostGame(ResponseBody):
    """A game that an agent did not win."""

    id: int
    repeat: int
    game: int
    colour: Side
    verdict: str | None
    outcome: str
    remarks: list[str]
    stderr: str
    record: Record


class ColourGrade(ResponseBody):
    """An agent's results with one colour."""

    games: int
    wins: int
    win_rate: float
    interval_95: Interval


class OpponentGrade(ResponseBody):
    """An agent's points against one opponent, and the line of the rubric that gives them."""

    opponent: str
    points: float
    max_points: float
    rubric_line: str
    games: int
    planned_games: int
    wins: int
    losses: int
    ties: int
    win_rate: float
    interval_95: Interval
    distinct_games: int
    forfeits: int
    by_colour: dict[Side, ColourGrade]
    cpu_seconds: float
    slowest_move_seconds: float
    lost: list[LostGame]


class BatchGraded(ResponseBody):
    """A stage of the grading, and its budget of time."""

    stage: str
    title: str
    points: float
    max_points: float
    complete: bool
    cpu_seconds: float
    budget_seconds: float
    budget_binding: bool
    overrun: bool
    problem: Annotated[str, Field(description="Why its agent cannot play at all; empty when it can")] = ""
    opponents: list[OpponentGrade]


class Repeat(ResponseBody):
    """One run of all stages."""

    repeat: int
    points: float
    batches: list[BatchGraded]


class AgentName(ResponseBody):
    """The agent that was graded."""

    name: str
    spelling: str
    stages: Annotated[
        dict[str, str], Field(default_factory=dict, description="Of a submission with an agent for each stage")
    ]


class Grade(ResponseBody):
    """A grading as far as it has come."""

    agent: AgentName
    edition: str
    edition_digest: str = ""
    stage: str
    seed: int
    limits: dict[str, float | None]
    points: float
    earned: Annotated[float | None, Field(description="Before anything is taken off for being late")] = None
    late_days: int = 0
    max_points: float
    complete: bool
    problem: Annotated[str, Field(description="Why the agent cannot play at all; empty when it can")]
    failures: Annotated[list[str], Field(description="Games that could not be played, through no fault of the agent")]
    games: int
    planned_games: int
    counted_repeat: int
    cpu_seconds: float
    isolation: str
    runtime: str
    lacked_here: Annotated[
        str, Field(description="A package of the course that only this server lacks, so that this is no grade")
    ] = ""
    repeats: list[Repeat]
    regret: dict[str, Any] | None


class Played(ResponseBody):
    """A tournament that was played."""

    games: int


class DeckMade(ResponseBody):
    """A deck that was made."""

    deck: str
    drills: int
    left_out: Annotated[int, Field(description="Mistakes too early in a game to know all right answers")]


class Measure(ResponseBody):
    """How well a learner played after some games."""

    games: int
    wins: Annotated[dict[str, list[int]], Field(description="By opponent, wins as Black and as White")]
    coverage: int
    value_error: float | None
    regret: float | None
    by_stage: Annotated[
        list[list[int]], Field(description="Solved positions after 8-11, 12-15, 16-19, 20-23 moves: thrown away, won")
    ] = Field(default_factory=list)
    by_point: Annotated[
        list[int], Field(description="How many it threw away by a stone on each point, and, last, by a pass")
    ] = Field(default_factory=list)


class LearnerChoice(ResponseBody):
    """A position that the side to move wins, and the learner's move in it."""

    cells: Cells
    to_move: Side
    played: Annotated[int, Field(description="Moves played before it")]
    move: MoveName
    winning: list[MoveName]


class Training(ResponseBody):
    """A Little-Go learner as far as it has come."""

    model: str
    test_games: int
    curve: list[Measure]
    choices: Annotated[
        list[LearnerChoice], Field(default_factory=list, description="Its moves now in a few positions that are won")
    ]


class TicTacToePoint(ResponseBody):
    """Two learners after some games: shares of results, and what the first moves are worth."""

    games: int
    first: float
    second: float
    draws: float
    values: list[float]


class TicTacToe(ResponseBody):
    """Two learners of tic-tac-toe as far as they have come."""

    curve: list[TicTacToePoint]
    truth: Annotated[
        list[float], Field(default_factory=list, description="What each first move is worth with best play")
    ]


class ReviewJob(JobLine):
    """The job that reviews a game."""

    kind: Literal["review"]
    result: Review | None


class CheckJob(JobLine):
    """The job that checks an agent."""

    kind: Literal["check"]
    result: Checked | None


class GradeJob(JobLine):
    """The job that grades an agent."""

    kind: Literal["grade"]
    result: Grade | None


class TournamentJob(JobLine):
    """The job that plays a tournament."""

    kind: Literal["tournament"]
    result: Played | None


class DeckJob(JobLine):
    """The job that makes a deck of drills."""

    kind: Literal["deck"]
    result: DeckMade | None


class TrainingJob(JobLine):
    """The job that trains a Little-Go learner."""

    kind: Literal["train"]
    result: Training | None


class TicTacToeJob(JobLine):
    """The job in which two learners of tic-tac-toe play each other."""

    kind: Literal["tictactoe"]
    result: TicTacToe | None


Job = Annotated[
    ReviewJob | CheckJob | GradeJob | TournamentJob | DeckJob | TrainingJob | TicTacToeJob, Field(discriminator="kind")
]
JOB: TypeAdapter[Job] = TypeAdapter(Job)


def job_response(job: dict[str, Any], status: int = 200) -> JSONResponse:
    """A job as it is stored, not checked against its model."""
    return JSONResponse(job, status)
