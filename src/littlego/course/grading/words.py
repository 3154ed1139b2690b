"""A grading in words: its heading and times, why games were forfeited and lost, luck."""

from __future__ import annotations

import itertools
import math
import random
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from littlego.arena.games import capsule_path, held_up_words, write_capsule
from littlego.core.board import Colour
from littlego.core.rules import Verdict
from littlego.course.edition import ALL, SUBMIT
from littlego.course.failures import blamed, missing_module, what_helps
from littlego.course.grading.report import BatchGrade, GradedGame, GradeReport, OpponentGrade, agent_won
from littlego.formats.text import clipped, draw_game, listed, plural

_LAST_WORDS = 8
"""How many lines of an agent's stderr are shown."""


def points(value: float) -> str:
    """Without trailing zeros: 53.75, 90."""
    return f"{round(value, 4):g}"


def points_of(value: float, most: float) -> str:
    return f"{points(value)} of {points(most)}"


def heading(report: GradeReport) -> str:
    every = "both stages" if len(report.repeats[0]) == 2 else "all stages"
    stage = {ALL: every, SUBMIT: "submit"}.get(report.plan.stage, f"stage {report.plan.stage}")
    if report.plan.stage in ("submit1", "submit2"):
        stage = f"submit for stage {report.plan.stage[-1]}"
    so_far = "" if report.complete else " so far"
    total = f"{points_of(report.points, report.max_points)} points{so_far}{changes(report)}"
    return f"{report.plan.name}: {total}, edition {report.plan.edition.name}, {stage}"


def changes(report: GradeReport) -> str:
    """What was taken off for being late, and what the teacher changed, in brackets; nothing if nothing was."""
    days, rule, by_hand = report.plan.late_days, report.plan.edition.late, report.plan.by_hand
    found = []
    if days > rule.days:
        found.append(f"{plural(days, 'day')} late, and after {rule.days} days nothing counts")
    elif days:
        found.append(f"{plural(days, 'day')} late: -{points(float(100 - 100 * rule.share(days)))}%")
    if by_hand or report.plan.note:
        found.append(f"by hand {'+' if by_hand >= 0 else ''}{points(by_hand)}: {report.plan.note}")
    return f" ({points(report.earned)} earned; {'; '.join(found)})" if found else ""


def time_line(batch: BatchGrade) -> str:
    """A sentence on the time a batch took of its budget, and its slowest move."""
    used, budget = batch.cpu_seconds, batch.batch.budget_seconds
    if batch.problem:
        return f"Its agent cannot be run: {batch.problem}"
    if not batch.played:
        return "No games were played."
    slowest = max(grade.slowest_move for grade in batch.opponents)
    if not used:
        return "The CPU time of built-in players and GTP engines is not measured."
    share = f"{used:.1f} s of {budget:g} s ({100 * used / budget:.1f}%)"
    if batch.overrun:
        unplayed = batch.batch.games - batch.played
        left = f"; {unplayed} games were not played" if unplayed else ""
        return f"CPU time {share}: over budget, so the batch scores nothing{left}."
    late = "" if batch.batch.binding or used <= budget else ", over the recommended limit"
    games = [game for grade in batch.opponents for game in grade.games]
    waited = (game.result.waited_seconds.get(game.key.agent_colour.word, ()) for game in games)
    busy = held_up_words(itertools.chain.from_iterable(waited))
    return f"CPU time {share}{late}; the slowest move {slowest:.2f} s. {busy}".rstrip()


LOGGED: Final = {"random": 361, "greedy": 355, "aggressive": 373, "alphabeta": 8, "qlearning": 40}
"""Built-in players that play as the course's did, and the distinct games of the course's that say so."""


def evidence(batch: BatchGrade) -> str:
    """A sentence on what is known of the opponents, or nothing."""
    known = [rubric.opponent for rubric in batch.batch.rubrics if rubric.spelling in LOGGED and not rubric.player]
    if not known:
        return ""
    counts = ", ".join(f"{name} by {LOGGED[name]}" for name in known)
    return f"Known from distinct logged games of the course's own players: {counts}."


def repetition_remark(batch: BatchGrade) -> str:
    """A sentence about opponents against whom games repeated, or nothing."""
    few = [grade for grade in batch.opponents if 0 < grade.distinct * 2 <= grade.tally.games]
    if not few:
        return ""
    counts = ", ".join(f"{grade.opponent} {grade.distinct} of {grade.tally.games}" for grade in few)
    return f"Few distinct games ({counts}): repeated games are no new evidence, so the interval is too narrow there."


@dataclass(frozen=True)
class Story:
    """Games against an opponent with the same moves and the same end."""

    opponent: str
    games: tuple[GradedGame, ...]

    @property
    def game(self) -> GradedGame:
        return self.games[0]

    @property
    def number(self) -> int:
        """The one that `littlego review` and the capsules have."""
        return self.game.number

    @property
    def title(self) -> str:
        numbers = [str(game.number) for game in self.games]
        shown = listed(numbers, most=6)
        word = "Game" if len(numbers) == 1 else "Games"
        return f"{word} {shown} against {self.opponent}"

    @property
    def colour(self) -> Colour:
        """The agent's colour."""
        return self.game.key.agent_colour

    @property
    def sentence(self) -> str:
        outcome = self.game.result.record.outcome
        assert outcome is not None
        if outcome.verdict.is_forfeit:
            move = len(self.game.result.record.moves) + 1
            return f"as {self.colour}, forfeited at move {move} ({outcome.verdict.value}): {outcome.reason}"
        return f"as {self.colour}, {outcome}"

    def text(self) -> str:
        lines = [f"{self.title}: {self.sentence}", draw_game(self.game.result.record, colour=False)]
        return "\n".join([*lines, *(f"  | {line}" for line in self.last_words())])

    def last_words(self) -> list[str]:
        """The end of the agent's stderr in a game that it forfeited."""
        capsule = self.game.result.capsule
        lines = capsule["stderr"].strip().splitlines() if capsule else []
        return [line for line in lines if line.strip(" ^~")][-_LAST_WORDS:]


def losses(grades: Iterable[OpponentGrade]) -> list[Story]:
    """The lost games; repeated games share a story."""
    return _stories((grade, game) for grade in grades for game in grade.lost)


def all_losses(report: GradeReport) -> list[Story]:
    """The repeat that counts comes first."""
    return losses(_counted_first(report))


def all_wins(report: GradeReport) -> list[Story]:
    """The repeat that counts comes first."""
    grades = _counted_first(report)
    return _stories((grade, game) for grade in grades for game in grade.games if agent_won(game))


def _counted_first(report: GradeReport) -> list[OpponentGrade]:
    order = sorted(range(len(report.repeats)), key=lambda repeat: repeat != report.best)
    return [grade for repeat in order for batch in report.repeats[repeat] for grade in batch.opponents]


def _stories(games: Iterable[tuple[OpponentGrade, GradedGame]]) -> list[Story]:
    groups: dict[tuple[str, object], list[GradedGame]] = {}
    for grade, game in games:
        record = game.result.record
        end = record.outcome and (record.outcome.winner, record.outcome.verdict)
        groups.setdefault((grade.opponent, (record.moves, end)), []).append(game)
    return [Story(opponent, tuple(same)) for (opponent, _), same in groups.items()]


def write_capsules(report: GradeReport) -> None:
    """Write a capsule for `littlego replay` for every forfeit. Raises OSError."""
    folder = Path(report.directory)
    for batch in report.batches:
        for grade in batch.opponents:
            for game in grade.lost:
                if game.result.capsule is not None:
                    write_capsule(capsule_path(folder, game.number), game.result.capsule)


_DRAWS: Final = 2000
_SEED: Final = 1


def points_interval(grades: Sequence[OpponentGrade]) -> tuple[float, float]:
    """The middle 95% of the points in another grading with as many games.

    The true win rate with each colour is as uncertain as the games leave it (a Beta distribution with Jeffreys' prior),
    and another grading draws as many games from it. Ties count as losses, as in the rubric. If games repeat, as between
    players that never vary, the rate is known less well than this says.
    """
    rng = random.Random(_SEED)
    totals = sorted(sum(_drawn(grade, rng) for grade in grades) for _ in range(_DRAWS))
    return totals[math.floor(0.025 * _DRAWS)], totals[math.ceil(0.975 * _DRAWS) - 1]


def _drawn(grade: OpponentGrade, rng: random.Random) -> float:
    if grade.overrun or not grade.tally.games:
        return grade.award.points
    won = 0
    for tally in filter(lambda each: each.games, map(grade.tally_as, Colour)):
        rate = rng.betavariate(tally.wins + 0.5, tally.games - tally.wins + 0.5)
        won += sum(rng.random() < rate for _ in range(tally.games))
    return grade.rubric.award(won, grade.tally.games).points


def luck(report: GradeReport) -> str:
    """A sentence on the points that luck could have changed; nothing before all games are played.

    Nor for an agent that only forfeited, or if the best of several repeats counts: its games are not a fair sample.
    """
    grades = report.grades
    is_one_sample = report.complete and not report.problem and len(report.repeats) == 1
    if not is_one_sample or all(grade.forfeits == grade.tally.games for grade in grades):
        return ""  # a program that forfeits every game is not unlucky
    share = float(report.plan.edition.late.share(report.plan.late_days))
    low, high = (max(0.0, share * end + report.plan.by_hand) for end in points_interval(grades))
    return (
        f"Graded again with the same number of games, this agent would score {low:g} to {high:g} points in 19 cases "
        "out of 20."
    )


_MOVE: Final = re.compile(r"^(?:PASS|\d+,\d+): ")
_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")

_LONGEST: Final = 300
"""Characters of a file's name or of a message: an agent may print anything."""

_LEFT_WORDS: Final = (Verdict.CRASH, Verdict.NO_OUTPUT)
"""The verdicts that standard error explains."""

_WHAT: Final = {
    Verdict.CRASH: "it crashed",
    Verdict.CPU_TIME: "it used too much CPU time",
    Verdict.WALL_TIME: "it took too long",
    Verdict.MEMORY: "it used too much memory",
    Verdict.NO_OUTPUT: "it left no output.txt",
    Verdict.BAD_FORMAT: "its output was not a move",
}


@dataclass(frozen=True)
class Cause:
    """A reason for which games were forfeited."""

    verdict: Verdict
    place: str
    """The agent's file and line, such as `my_player3.py, line 12`; empty if nothing names it."""
    message: str
    """The exception, or what was wrong with the move."""
    games: tuple[tuple[OpponentGrade, GradedGame], ...]
    """In the order of play."""

    @property
    def sentence(self) -> str:
        what = _WHAT.get(self.verdict, "it made an illegal move" if "illegal" in self.verdict.value else "it failed")
        where = f" at {self.place}" if self.place else ""
        return f"{what}{where}: {self.message}" if self.message else f"{what}{where}"

    @property
    def number(self) -> int:
        """Of the first of its games."""
        return self.games[0][1].number

    @property
    def example(self) -> str:
        """Where to look: the first of its games."""
        grade, game = self.games[0]
        return f"game {self.number} against {grade.opponent}, move {len(game.result.record.moves) + 1}"


def causes(report: GradeReport) -> list[Cause]:
    """Of the forfeits in the repeat that counts; the most frequent first."""
    return causes_of(report.grades, report.places)


def causes_of(grades: Iterable[OpponentGrade], places: Mapping[int, str] | None = None) -> list[Cause]:
    """`places` says where the agent was when its time ran out, by the numbers of games."""
    groups: dict[tuple[Verdict, str, str], list[tuple[OpponentGrade, GradedGame]]] = {}
    messages: dict[tuple[Verdict, str, str], str] = {}
    for grade in grades:
        for game in grade.lost:
            outcome = game.result.record.outcome
            if outcome is None or not outcome.verdict.is_forfeit:
                continue
            stderr = game.result.capsule["stderr"] if game.result.capsule else ""
            place, exception = blamed(stderr) if outcome.verdict in _LEFT_WORDS else ("", "")
            place = clipped(place, _LONGEST)
            message = clipped(exception or _MOVE.sub("", outcome.reason), _LONGEST)
            # Numbers differ from game to game; the cause is the same.
            key = outcome.verdict, place, _DIGITS.sub("#", message)
            groups.setdefault(key, []).append((grade, game))
            messages.setdefault(key, message)
    found = [
        Cause(key[0], key[1] or (places or {}).get(games[0][1].number, ""), messages[key], tuple(games))
        for key, games in groups.items()
    ]
    return sorted(found, key=lambda cause: -len(cause.games))


def first_fix(report: GradeReport) -> str:
    """What to fix first, in a sentence or two; empty if nothing was forfeited."""
    found = causes(report)
    if not found:
        return ""
    played = sum(grade.tally.games for grade in report.grades)
    cost = f"That cost {len(found[0].games)} of {played} games; see {found[0].example}."
    module = missing_module(found[0].message)
    # An agent can print any message: what it imports decides.
    fix = what_helps(module) if module in report.lacking else found[0].sentence
    return f"Fix this first: {fix}. {cost}"


CAUSE_COLUMNS = ("forfeited because", "games", "for instance", "to see it again")


def cause_rows(report: GradeReport, *, here: bool) -> list[tuple[str, str, str, str]]:
    """`here`: for whoever has the directory of the games; others get the capsule, a file, from its owner."""
    return [
        (cause.sentence, str(len(cause.games)), cause.example, replay_command(report, cause.number, here=here))
        for cause in causes(report)
    ]


def replay_command(report: GradeReport, number: int, *, here: bool) -> str:
    """The command that reproduces the forfeit of a game."""
    capsule = capsule_path(Path(report.directory), number)
    return f"littlego replay {shlex.quote(str(capsule))}" if here else f"littlego replay {capsule.name} --agent DIR"


def causes_to_list(report: GradeReport) -> list[dict[str, Any]]:
    """As JSON values, the costliest first."""
    return [
        {
            "verdict": cause.verdict.value,
            "place": cause.place,
            "message": cause.message,
            "sentence": cause.sentence,
            "games": [game.number for _, game in cause.games],
            "replay": replay_command(report, cause.number, here=True),
        }
        for cause in causes(report)
    ]
