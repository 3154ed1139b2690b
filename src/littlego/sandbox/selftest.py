"""The sandbox tries itself out: a small program for each thing that a level promises, and how it must end.

`littlego sandbox --test` runs these on the machine at hand. The project's tests attack with ten times as many.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from littlego.sandbox.client import MoveRequest, Supervisor, SupervisorFailed
from littlego.sandbox.limits import MIB, Fault, Level, Limits

LIMITS = Limits(
    cpu_seconds=1.0,
    wall_seconds=20.0,
    memory_bytes=128 * MIB,
    processes=16,
    file_bytes=8 * MIB,
    directory_files=100,
    directory_bytes=32 * MIB,
    output_bytes=4096,
)
_SHORT_WALL = 1.0
_VOID = "void"
_ESCAPED = b"escaped"

_PREAMBLE = """
import ctypes, json, os, socket, subprocess, sys, time
facts = json.loads(sys.argv[1])
def play(move="2,3"):
    with open("output.txt", "w") as file:
        file.write(move)
def refused(act, *arguments):
    try:
        act(*arguments)
    except OSError:
        play()
    else:
        play("escaped")
def call(number_x86_64, number_aarch64, *arguments):
    number = number_x86_64 if os.uname().machine == "x86_64" else number_aarch64
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(*map(ctypes.c_long, (number, *arguments))) < 0:
        raise OSError(ctypes.get_errno(), "refused")
"""


@dataclass(frozen=True, slots=True)
class SelfTrial:
    """A program that tries one thing."""

    name: str
    proves: str
    """What is shown if it ends as it must."""
    source: str
    fault: Fault | None = None
    """How it must end; None if it must play its move, whatever else it tried."""
    lowest: Level = Level.PORTABLE
    """The lowest level that promises this."""
    moves: int = 1


_SANDBOXED = Level.LINUX
TRIALS = (
    SelfTrial("plays", "a good program is left alone", "open('input.txt').read(); play()"),
    SelfTrial(
        "keeps_files",
        "small files are kept from move to move",
        "if os.path.exists('kept'): play()\nopen('kept', 'w').close()",
        moves=2,
    ),
    SelfTrial("crashes", "a crash is a crash", "sys.exit(3)", Fault.CRASH),
    SelfTrial("writes_nothing", "no output is noticed", "pass", Fault.NO_OUTPUT),
    SelfTrial("output_link", "no link is followed", "os.symlink(facts['secret'], 'output.txt')", Fault.BAD_FORMAT),
    SelfTrial("output_huge", "the output is small", "play('2,3' * 5000)", Fault.BAD_FORMAT),
    SelfTrial("spins", "CPU time is limited", "while True: pass", Fault.CPU_TIME),
    SelfTrial(
        "children_spin",
        "children count",
        "for _ in range(3): subprocess.Popen([sys.executable, '-S', '-c', 'while True: pass'])\ntime.sleep(600)",
        Fault.CPU_TIME,
    ),
    SelfTrial("sleeps", "real time is limited", "time.sleep(600)", Fault.WALL_TIME),
    SelfTrial(
        "hoards",
        "memory is limited",
        "kept = []\nwhile True: kept.append(b'x' * (4 << 20)); time.sleep(0.002)",
        Fault.MEMORY,
    ),
    SelfTrial(
        "multiplies",
        "processes are limited",
        "for _ in range(40): subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(600)'])\n"
        "time.sleep(600)",
        Fault.MEMORY,
    ),
    SelfTrial(
        "fills",
        "the work directory is limited",
        "for name in range(200): open('f%d' % name, 'w').close()\nplay()",
        Fault.MEMORY,
    ),
    SelfTrial(
        "leaves_a_process",
        "nothing survives a move",
        "subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(600)', facts['mark']])\nplay()",
    ),
    SelfTrial("reads", "nothing outside can be read", "refused(open, facts['secret'])", lowest=_SANDBOXED),
    SelfTrial("writes", "nothing outside can be written", "refused(open, facts['secret'], 'w')", lowest=_SANDBOXED),
    SelfTrial(
        "connects",
        "no network",
        "refused(socket.create_connection, ('127.0.0.1', facts['port']), 1)",
        lowest=_SANDBOXED,
    ),
    SelfTrial("signals", "no signal reaches others", "refused(os.kill, facts['victim'], 15)", lowest=_SANDBOXED),
    SelfTrial("signals_us", "none reaches the keeper", "refused(os.kill, os.getppid() or 1, 19)", lowest=_SANDBOXED),
    SelfTrial("traces", "no process can be traced", "refused(call, 101, 117, 0, 0, 0, 0)", lowest=_SANDBOXED),
    SelfTrial("unshares", "no new namespaces", "refused(call, 272, 97, 0x10000000)", lowest=_SANDBOXED),
    SelfTrial("mounts", "no mounts", "refused(call, 430, 430, 0, 0)", lowest=_SANDBOXED),
    SelfTrial("hides_memory", "no memory escapes the count", "refused(os.memfd_create, 'x')", lowest=_SANDBOXED),
    SelfTrial(
        "is_nobody",
        "a program has a user of its own",
        "play() if os.getuid() not in (0, facts['user']) else play('escaped')",
        lowest=Level.ROOT,
    ),
)


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """How one trial ended at one level."""

    trial: SelfTrial
    level: Level
    ended: str
    """The fault, `plays on`, or `void`."""
    message: str
    ok: bool


def run_trials(
    levels: Iterable[Level],
    *,
    trials: Sequence[SelfTrial] = TRIALS,
    without: frozenset[str] = frozenset(),
    progress: Callable[[TrialOutcome], None] = lambda _outcome: None,
) -> list[TrialOutcome]:
    """Every trial at every level that promises it. `without` leaves mechanisms out, for tests."""
    outcomes = []
    for level in levels:
        with Supervisor(level=level, without=without) as supervisor:
            for trial in trials:
                if level >= trial.lowest:
                    outcomes.append(_run(trial, supervisor))
                    progress(outcomes[-1])
    return outcomes


def _run(trial: SelfTrial, supervisor: Supervisor) -> TrialOutcome:
    with _surroundings() as (base, facts):
        work = base / "work"
        work.mkdir()
        (work / "agent.py").write_text(_PREAMBLE + trial.source, encoding="utf-8")
        interpreter = Path(sys.executable).resolve()
        is_sleep = trial.fault is Fault.WALL_TIME
        request = MoveRequest(
            argv=(str(interpreter), "-S", "agent.py", json.dumps(facts)),
            directory=work,
            input=b"1\n" + b"00000\n" * 10,
            limits=dataclasses.replace(LIMITS, wall_seconds=_SHORT_WALL) if is_sleep else LIMITS,
            readable=(interpreter.parent.parent, Path(sys.base_prefix)),
        )
        try:
            for _ in range(trial.moves):
                result = supervisor.run(request)
        except SupervisorFailed as failure:
            return TrialOutcome(trial, supervisor.level, _VOID, str(failure), False)
        escaped = (
            result.output == _ESCAPED or _is_alive(facts["mark"]) or (base / "secret").read_text() != facts["mark"]
        )
    ended = result.fault.value if result.fault else "plays on"
    ok = result.fault is trial.fault and not escaped
    return TrialOutcome(trial, supervisor.level, "escaped" if escaped else ended, result.message or result.stderr, ok)


@contextlib.contextmanager
def _surroundings() -> Iterator[tuple[Path, dict[str, object]]]:
    """A directory with a secret, a victim process and a listening socket, and what a program is told of them."""
    with contextlib.ExitStack() as closing:
        base = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="littlego-selftest-"))).resolve()
        mark = f"littlego-selftest-{os.urandom(8).hex()}"
        (base / "secret").write_text(mark)
        victim = subprocess.Popen(
            [sys.executable, "-S", "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL
        )
        closing.callback(victim.wait)
        closing.callback(victim.kill)
        listener = closing.enter_context(socket.create_server(("127.0.0.1", 0)))
        user = os.getuid() if hasattr(os, "getuid") else -1
        facts = {"secret": str(base / "secret"), "mark": mark, "victim": victim.pid, "user": user}
        yield base, facts | {"port": listener.getsockname()[1]}


def _is_alive(mark: object) -> bool:
    """Whether a process that has `mark` among its arguments is left."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(mark).encode() in entry.read_bytes():
                return True
    return False


def table(outcomes: Iterable[TrialOutcome]) -> str:
    """The outcomes as a Markdown table: a row for each trial, a column for each level."""
    outcomes = list(outcomes)
    levels = sorted({outcome.level for outcome in outcomes})
    by_place = {(outcome.trial, outcome.level): outcome for outcome in outcomes}
    lines = [
        "| trial | what it shows | " + " | ".join(map(str, levels)) + " |",
        "| --- | --- | " + " | ".join("---" for _ in levels) + " |",
    ]
    for trial in dict.fromkeys(outcome.trial for outcome in outcomes):
        cells = []
        for level in levels:
            outcome = by_place.get((trial, level))
            cells.append(
                "not promised" if outcome is None else outcome.ended + ("" if outcome.ok else " (BROKEN PROMISE)")
            )
        lines.append(f"| `{trial.name}` | {trial.proves} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
