"""An edition in words: what a teacher's file means, for `littlego edition check`."""

from __future__ import annotations

from collections.abc import Iterator

from littlego.core.board import Colour
from littlego.core.rules import Ending, Ko
from littlego.course.editions.edition import Band, Batch, Edition, Kit, Language, Rubric
from littlego.formats.text import plural
from littlego.sandbox.limits import MIB


def edition_words(edition: Edition) -> list[str]:
    """Lines, each a sentence or a row of a stage's points."""
    return [
        f"Edition {edition.name}{f': {edition.title}' if edition.title else ''}. Digest {edition.digest()}.",
        "",
        *_rules(edition),
        "",
        *_limits(edition),
        "",
        *_grading(edition),
    ]


def _rules(edition: Edition) -> Iterator[str]:
    rules = edition.rules()
    size, komi = f"{rules.size}x{rules.size}", f"{rules.komi:g}"
    yield f"Board: {size}; White gets {komi} points of komi."
    early = {
        Ending.TWO_PASSES: "or when both sides pass in turn",
        Ending.NO_MOVE: "or when the side to move has no legal move; passing is not allowed",
    }[rules.ending]
    yield f"A game ends after {rules.max_moves} moves, {early}."
    yield {
        Ko.SIMPLE: "Ko: a move may not bring back the board before the opponent's last move.",
        Ko.POSITIONAL: "Ko: a move may not bring back any earlier board of the game.",
    }[rules.ko]
    if rules.attempts > 1:
        yield f"A player in the host's process has {rules.attempts} attempts at a legal move."
    if edition.board.komi is None and edition.board.length is None:
        yield "On another board (--size N) komi is N/2, and a game has N*N-1 moves."


def _limits(edition: Edition) -> Iterator[str]:
    limits = edition.limits
    if limits.game_seconds is None:
        yield f"Time: {limits.cpu_seconds:g} s of CPU time a move, and at most {limits.wall_seconds:g} s of real time."
    else:
        more = f", and {limits.increment_seconds:g} s more after every move" if limits.increment_seconds else ""
        yield f"Time: {limits.game_seconds:g} s of CPU time for all moves of a game{more}."
        yield f"No move may take more than {limits.cpu_seconds:g} s of it, or {limits.wall_seconds:g} s of real time."
    yield f"Memory: {limits.memory_bytes // MIB} MiB, in at most {limits.processes} processes."
    languages = ", ".join(language.value for language in edition.languages)
    python = f"; Python {edition.python} where the machine has it" if edition.python else ""
    yield f"Agents are written in {languages}{python}."
    if Language.PYTHON in edition.languages:
        packages = " and ".join(edition.packages) or "nothing"
        yield f"Besides its own library, the course's Python has {packages}."
    kind = "a program, started for every move" if edition.kit is Kit.PROGRAM else "a Python class, as in 2019"
    yield f"The starter kit is {kind}."


def _grading(edition: Edition) -> Iterator[str]:
    scheme = edition.scheme
    graded, tried = scheme.selected("all"), [batch for batch in scheme.batches if batch.on_submit]
    total = sum(batch.max_points for batch in graded)
    yield f"Graded out of {total:g} points, in {plural(sum(batch.games for batch in graded), 'game')}."
    if scheme.repeats > 1:
        yield f"All of it is played {scheme.repeats} times, and the best total counts."
    late = edition.late
    if late.days:
        worst = float(100 * late.share(late.days))
        yield (
            f"Late submissions lose {late.percent:g}% of their points a day, for {plural(late.days, 'day')} at most "
            f"({worst:g}% is left then); after that nothing counts."
        )
    else:
        yield "It says nothing about late submissions."
    for batch in graded:
        yield from _batch(batch)
    for batch in tried:
        yield from _batch(batch)


def _batch(batch: Batch) -> Iterator[str]:
    colours = {
        tuple(Colour): f"{batch.games_per_colour} with each colour",
        (Colour.BLACK,): "all with Black",
        (Colour.WHITE,): "all with White",
    }[batch.colours]
    over = "a batch that takes longer scores nothing" if batch.binding else "more is only remarked on"
    when = "played on submission, not part of the grade" if batch.on_submit else f"{batch.max_points:g} points"
    yield ""
    yield f"{batch.title} (--stage {batch.key}): {when}."
    yield f"  {plural(batch.games_each, 'game')} against each opponent, {colours}; {batch.budget_seconds:g} s of CPU"
    yield f"  time for all {batch.games} ({over})."
    if batch.folder:
        yield f"  A submission with an agent for each stage has this one's in {batch.folder}/."
    for rubric in batch.rubrics:
        player = f" ({rubric.player})" if rubric.player else ""
        reserved = ", reserved until the homework is due" if rubric.reserved else ""
        yield f"  {rubric.opponent}{player}{reserved}: {'; '.join(_lines(rubric))}."


def _lines(rubric: Rubric) -> Iterator[str]:
    for number, band in enumerate(rubric.bands):
        if band.at_least:
            yield f"{_points(band)} from {band.at_least}% of the games won"
        elif number == 0:
            yield _points(band)
        else:
            yield f"below that {_points(band)}" if band.points else "below that nothing"


def _points(band: Band) -> str:
    return f"{band.points:g} x the rate" if band.times_rate and band.points else f"{band.points:g}"
