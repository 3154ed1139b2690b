"""`littlego grade --autograder` and `--classroom`: grading that happens on other systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from littlego.apps.cli import output
from littlego.core.errors import UsageError

if TYPE_CHECKING:
    from littlego.course.grading.elsewhere.autograder import AutograderTerms


def write_for_elsewhere(
    terms: AutograderTerms, autograder: Path | None, classroom: Path | None, graded: str | Path | None
) -> None:
    """Write what was asked for, and print what to do with it. Raises UsageError if somebody was to be graded too."""
    from littlego.course.grading.elsewhere.autograder import write_autograder, write_classroom

    if graded is not None:
        raise UsageError(f"--autograder and --classroom grade nothing now: leave {graded} out")
    games = sum(batch.games for batch in terms.edition.scheme.selected(terms.stage))
    games *= terms.repeats or terms.edition.scheme.repeats_of(terms.stage)
    if autograder is not None:
        with output.writing(autograder):
            write_autograder(autograder, terms)
        print(f"{autograder}: upload it under Configure Autograder; {games} games for every submission.")
        output.note(
            "Choose the container's time limit for that many games; nothing is shown of a run that it cuts off."
        )
    if classroom is not None:
        with output.writing(classroom):
            for path in write_classroom(classroom, terms):
                print(path)
        output.note(f"Commit them to the template repository: every push is graded, in {games} games.")
