"""The sandbox's trial of itself: it holds here, and a broken promise shows."""

import dataclasses

import pytest

from littlego.sandbox.limits import Fault, Level, probe
from littlego.sandbox.selftest import TRIALS, SelfTrial, TrialOutcome, run_trials, table

pytestmark = pytest.mark.process


@pytest.mark.siege
@pytest.mark.parametrize("level", [pytest.param(level, id=str(level)) for level in Level])
def test_every_trial_ends_as_it_must(level: Level) -> None:
    if level not in probe().levels:
        pytest.skip(f"this machine cannot give {level}")
    outcomes = run_trials([level])
    assert len(outcomes) == sum(level >= trial.lowest for trial in TRIALS)
    assert [outcome for outcome in outcomes if not outcome.ok] == []


def test_what_a_level_does_not_hold_is_seen() -> None:
    """The portable level hides nothing: asked for what only others promise, it is found out."""
    reads = dataclasses.replace(next(trial for trial in TRIALS if trial.name == "reads"), lowest=Level.PORTABLE)
    spins = SelfTrial("spins", "nothing", "play()", Fault.CPU_TIME)
    outcomes = run_trials([Level.PORTABLE], trials=[TRIALS[0], reads, spins])
    assert [(outcome.ended, outcome.ok) for outcome in outcomes] == [
        ("plays on", True),
        ("escaped", False),
        ("plays on", False),
    ]
    assert "| escaped (BROKEN PROMISE) |" in table(outcomes)


def test_the_table_has_a_column_for_each_level() -> None:
    plays, reads = TRIALS[0], next(trial for trial in TRIALS if trial.name == "reads")
    outcomes = [
        TrialOutcome(plays, Level.PORTABLE, "plays on", "", True),
        TrialOutcome(plays, Level.LINUX, "crash", "", False),
        TrialOutcome(reads, Level.LINUX, "plays on", "", True),
    ]
    assert table(outcomes).splitlines()[2:] == [
        f"| `plays` | {plays.proves} | plays on | crash (BROKEN PROMISE) |",
        f"| `reads` | {reads.proves} | not promised | plays on |",
    ]
