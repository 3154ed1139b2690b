"""What a program did wrong, from the keeper's report and the content of the directory."""

from __future__ import annotations

import errno
import signal

from littlego.sandbox import files
from littlego.sandbox.plan import HELD_UP, Plan, Report, Void

TYPE_CHECKING = False  # that of `typing`, which is slow to import
if TYPE_CHECKING:
    from littlego.sandbox.plan import Message


def judge(plan: Plan, report: Report) -> Message:
    """The reply for one move. `fault` is the value of a `limits.Fault`, or None if there is an output.

    Call it when the tree is dead; it also keeps the files for the next move, unless it raises Void: for a program that
    SIGKILL ended before it had played, and for a disk of ours that is full. An exceeded limit decides, then the
    directory, then the output; how the program ended matters only if it left no output, as with the course's host.
    """
    fault, message, output = _decide(plan, report)
    if much := _keep_files(plan):
        fault, message, output = (report.stopped, report.reason, None) if report.stopped else ("memory", much, None)
    return {
        "fault": fault,
        "message": message,
        "output": None if output is None else output.decode("latin-1"),
        "cpu_seconds": report.cpu_seconds,
        "wall_seconds": report.wall_seconds,
        "waited_seconds": report.waited_seconds,
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
    try:
        output = files.read_output(plan.directory_fd, int(plan.limits["output_bytes"]))
    except files.BadOutput as bad:
        return "bad_format", str(bad), None
    ending = f"it {describe_ending(report.status)}" if report.status else ""
    if output is not None:
        return None, _warning(ending, report, plan.limits["wall_seconds"]), output
    if report.status == -signal.SIGKILL:  # by a person, by the kernel for lack of memory, or by itself: nobody can tell
        raise Void("its program was ended by SIGKILL", is_ours=False)
    if ending:
        return "crash", f"{ending} and left no {files.OUTPUT}", None
    return "no_output", f"it ended without writing {files.OUTPUT}", None


def _keep_files(plan: Plan) -> str:
    """Keep the work directory's files for the next move. Returns what there is too much of, or "". Raises Void."""
    limits = plan.limits
    files_, size = int(limits["directory_files"]), int(limits["directory_bytes"])
    try:
        if plan.kept_fd < 0:
            files.measure(plan.directory_fd, files=files_, size=size)
        else:
            files.copy(plan.directory_fd, plan.kept_fd, files=files_, size=size)
    except files.TooMuch as much:
        return str(much)
    except OSError as error:
        # An agent may hold more files than our disk has room for. It must not get its game played again for that.
        is_ours = error.errno != errno.ENOSPC or files.is_full_without(f"/proc/self/fd/{plan.kept_fd}/")
        raise Void(f"its files could not be kept: {error.strerror}", is_ours=is_ours) from error
    return ""


def _warning(ending: str, report: Report, limit: float) -> str:
    """What is odd about a move that counts anyway; empty if nothing is."""
    warnings = [f"{ending} after it had written {files.OUTPUT}"] if ending else []
    if report.left_behind:
        processes = "1 process" if report.left_behind == 1 else f"{report.left_behind} processes"
        warnings.append(f"it left {processes} running, which the referee ended")
    if report.waited_seconds > HELD_UP or report.wall_seconds > limit:
        waited, wall = report.waited_seconds, report.wall_seconds
        warnings.append(f"of {wall:.1f} s it waited {waited:.1f} s for a core, because the machine is busy")
    return f"warning: {'; '.join(warnings)}" if warnings else ""


def describe_ending(status: int) -> str:
    """How a program ended, as a verb phrase."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
