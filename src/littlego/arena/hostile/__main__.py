"""Run the hostile suite and print its table: `python -m littlego.arena.hostile [L0 L1 ...]`. Exit 1 if one got out."""

from __future__ import annotations

import sys

from littlego.arena.hostile.suite import CaseOutcome, run_suite, table
from littlego.arena.levels import Level, probe


def main(words: list[str]) -> int:
    """Progress on stderr, the table on stdout."""
    levels = [Level[word] for word in words] or list(probe().levels)

    def show(outcome: CaseOutcome) -> None:
        print(f"{outcome.level} {outcome.case.name}: {outcome}", *outcome.breaches, sep="\n    ", file=sys.stderr)

    outcomes = run_suite(levels, progress=show)
    print(table(outcomes), end="")
    return 0 if all(outcome.ok for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
