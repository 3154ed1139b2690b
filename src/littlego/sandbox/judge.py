"""What a program did wrong, from the keeper's report and the content of the directory."""

from __future__ import annotations

import signal

from littlego.sandbox import files
from littlego.sandbox.plan import Plan, Report, Void

TYPE_CHECKING = False  # that of `typing`, which is slow to import
if TYPE_CHECKING:
    from littlego.sandbox.plan import Message


def judge(plan: Plan, report: Report) -> Message:
    """The reply for one move. `fault` is the value of a `limits.Fault`, or None if there is an output.

    Call it when the tree is dead. An exceeded limit decides, then the directory, then the output; how the program ended
    matters only if it left no output, as with the course's host. Raises Void for a program that SIGKILL ended before it
    had played.
    """
    fault, message, output = _decide(plan, report)
    return {
        "fault": fault,
        "message": message,
        "output": None if output is None else output.decode("latin-1"),
        "cpu_seconds": report.cpu_seconds,
        "wall_seconds": report.wall_seconds,
        "peak_memory": report.peak_memory,
        "stderr": report.stderr,
        "status": report.status,
    }


def _decide(plan: Plan, report: Report) -> tuple[str | None, str, bytes | None]:
    if report.stopped:
        return report.stopped, report.reason, None
    if report.not_started:
        return "crash", f"it could not be started: {report.not_started}", None
    if not files.is_still(plan.directory, plan.directory_fd):
        return "crash", "it moved or replaced its work directory", None
    limits = plan.limits
    try:
        files.measure(plan.directory_fd, files=int(limits["directory_files"]), size=int(limits["directory_bytes"]))
        output = files.read_output(plan.directory_fd, int(limits["output_bytes"]))
    except files.TooMuch as much:
        return "memory", str(much), None
    except files.BadOutput as bad:
        return "bad_format", str(bad), None
    ending = f"it {describe_ending(report.status)}" if report.status else ""
    if output is not None:
        return None, _warning(ending, report.left_behind), output
    if report.status == -signal.SIGKILL:  # by a person, by the kernel for lack of memory, or by itself: nobody can tell
        raise Void("its program was ended by SIGKILL", is_ours=False)
    if ending:
        return "crash", f"{ending} and left no {files.OUTPUT}", None
    return "no_output", f"it ended without writing {files.OUTPUT}", None


def _warning(ending: str, left_behind: int) -> str:
    """What is odd about a move that counts anyway; empty if nothing is."""
    warnings = [f"{ending} after it had written {files.OUTPUT}"] if ending else []
    if left_behind:
        processes = "1 process" if left_behind == 1 else f"{left_behind} processes"
        warnings.append(f"it left {processes} running, which the referee ended")
    return f"warning: {'; '.join(warnings)}" if warnings else ""


def describe_ending(status: int) -> str:
    """How a program ended, as a verb phrase."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
