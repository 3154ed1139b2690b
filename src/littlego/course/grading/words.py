"""A grading in words, shared by the terminal, Gradescope and the page."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from littlego.arena.games import capsule_path, held_up_words, write_capsule
from littlego.core.board import Colour
from littlego.course.editions.edition import ALL, SUBMIT
from littlego.course.grading.report import BatchGrade, GradedGame, GradeReport, OpponentGrade, agent_won
from littlego.formats.text import draw_game, listed, plural

if TYPE_CHECKING:
    from littlego.review.regret import Regret

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
    """A game, and the later ones against the same opponent with the same moves."""

    game: GradedGame
    opponent: str
    same: tuple[GradedGame, ...]
    numbers: tuple[int, ...]
    """Of all of these games: the ones that `littlego review` and the capsules have."""

    @property
    def number(self) -> int:
        return self.numbers[0]

    @property
    def title(self) -> str:
        numbers = list(map(str, self.numbers))
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
    groups: dict[object, list[tuple[OpponentGrade, GradedGame]]] = {}
    for grade, game in games:
        outcome = game.result.record.outcome
        moves = game.result.record.moves
        key = (grade.opponent, moves, outcome and (outcome.winner, outcome.verdict))
        groups.setdefault(key, []).append((grade, game))
    return [
        Story(
            members[0][1],
            members[0][0].opponent,
            tuple(game for _, game in members[1:]),
            tuple(game.number for _, game in members),
        )
        for members in groups.values()
    ]


REGRET_COLUMNS = ("as", "opening", "middle", "endgame", "total", "95% interval")


def regret_rows(regret: Regret) -> list[tuple[str, ...]]:
    """Won positions thrown away, by colour and phase, under `REGRET_COLUMNS`."""
    from littlego.review.regret import Count, Phase

    def row(name: str, colours: Iterable[Colour]) -> tuple[str, ...]:
        phases = [sum((regret.counts[colour, phase] for colour in colours), Count()) for phase in Phase]
        total = sum(phases, Count())
        low, high = total.interval
        shown = [f"{count.thrown} of {count.won}" if count.won or not count.unknown else "–" for count in phases]
        return (name, *shown, f"{total.thrown} of {total.won}", f"{100 * low:.1f}-{100 * high:.1f}%")

    return [*(row(str(colour), [colour]) for colour in Colour), row("both", list(Colour))]


def regret_remark(regret: Regret) -> str:
    """A sentence on what the regret is based on, and what is missing."""
    made = f"From {regret.distinct_games} distinct games, by the exact solver; advisory, without effect on the points."
    if regret.complete:
        return made
    unknown = regret.total.unknown
    return f"{made} Time ran out before the {unknown} earliest positions were solved: --regret S allows more."


def write_capsules(report: GradeReport) -> None:
    """Write a capsule for `littlego replay` for every forfeit. Raises OSError."""
    folder = Path(report.directory)
    for batch in report.batches:
        for grade in batch.opponents:
            for game in grade.lost:
                if game.result.capsule is not None:
                    write_capsule(capsule_path(folder, game.number), game.result.capsule)
