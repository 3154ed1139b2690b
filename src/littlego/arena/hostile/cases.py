"""The hostile cases: what each does, how it must end, and which levels promise to contain it."""

from __future__ import annotations

from dataclasses import dataclass

from littlego.arena.levels import Level
from littlego.core.verdict import Verdict

GOOD = None  # no verdict: the agent played, and whatever else it tried was refused
EVERY = frozenset(Level)
SANDBOXED = EVERY - {Level.L0}


@dataclass(frozen=True, slots=True)
class Case:
    """One misdeed, or one honest act that must not be mistaken for one."""

    name: str
    """The switch of `agent.py`."""
    proves: str
    """What is shown when it ends as expected, as a line of the table."""
    verdicts: frozenset[Verdict | None]
    """How it may end where it is contained."""
    levels: frozenset[Level] = EVERY
    """The levels that promise to contain it."""
    moves: int = 1
    """How many moves are played in the same directory; the last one is judged."""
    output: bytes = b"2,3\n"
    """What it leaves as output, when it ends without a verdict."""
    group: str = ""


def _cases(group: str, *rows: Case) -> tuple[Case, ...]:
    return tuple(Case(row.name, row.proves, row.verdicts, row.levels, row.moves, row.output, group) for row in rows)


def _case(
    name: str,
    proves: str,
    *verdicts: Verdict | None,
    levels: frozenset[Level] = EVERY,
    moves: int = 1,
    output: bytes = b"2,3\n",
) -> Case:
    return Case(name, proves, frozenset(verdicts or (GOOD,)), levels, moves, output)


def _refused(name: str, proves: str) -> Case:
    """A misdeed that every sandboxed level refuses, after which the agent plays on."""
    return _case(name, proves, levels=SANDBOXED)


CASES: tuple[Case, ...] = (
    *_cases(
        "honest",
        _case("good", "a good agent is left alone"),
        _case("state_persists", "small files are kept from move to move", moves=3, output=b"3,0\n"),
        _case("rewrites_itself", "its own directory is its own", moves=2),
        _case("threads_and_children", "threads and children are allowed"),
        _case("waits_for_input", "standard input is empty, not a terminal"),
        _case("crash_after_output", "a good output counts, with a warning"),
        _case("segfault", "a segmentation fault is a crash", Verdict.CRASH),
        _case("aborts", "an abort is a crash", Verdict.CRASH),
        _case("exit_status", "a bad exit status without output is a crash", Verdict.CRASH),
    ),
    *_cases(
        "time",
        _case("cpu_spin", "CPU time is limited", Verdict.CPU_TIME),
        _case("four_threads", "threads are counted together", Verdict.CPU_TIME),
        _case("waited_children", "children that ended are counted", Verdict.CPU_TIME),
        _case("unwaited_children", "children nobody waited for are counted", Verdict.CPU_TIME),
        _case("sigchld_ignored", "children the kernel discards are counted", Verdict.CPU_TIME),
        _case("sigchld_ignored_short", "short ones too", Verdict.CPU_TIME),
        _case("orphans", "orphans in sessions of their own are counted", Verdict.CPU_TIME),
        _case("relay", "work handed on from process to process is counted", Verdict.CPU_TIME),
        _case("sigxcpu_ignored", "ignoring SIGXCPU does not help", Verdict.CPU_TIME),
        _case("limits_raised", "raising its limits does not help", Verdict.CPU_TIME),
        _case("counter_switched_off", "the counter is not the agent's to switch off", Verdict.CPU_TIME),
        _case("cpu_affinity", "choosing a processor does not help", Verdict.CPU_TIME),
        _case("sleep", "real time is limited", Verdict.WALL_TIME),
        _case("stops_itself", "a stopped process runs out of time too", Verdict.WALL_TIME),
    ),
    *_cases(
        "memory and processes",
        _case("memory_hog", "memory is limited", Verdict.MEMORY),
        _case("memory_children", "over all processes together", Verdict.MEMORY),
        _case("memory_mapped", "mapped memory counts", Verdict.MEMORY),
        _refused("memory_in_nameless_files", "no memory outside the count"),
        _case("fork_bomb", "the number of processes is limited", Verdict.MEMORY),
        _case("daemon", "nothing survives a move"),
        _case("hopper", "not even what is a new process every moment"),
    ),
    *_cases(
        "files",
        _case("stderr_flood", "a flood of stderr ends with the time", Verdict.CPU_TIME, Verdict.WALL_TIME),
        _case("stderr_much", "only the end of stderr is kept"),
        _case("many_files", "the number of files is limited", Verdict.MEMORY),
        _case("large_file", "the size of a file is limited", Verdict.CRASH),
        _case("sparse_file", "also of a sparse one", Verdict.CRASH),
        _case("many_bytes", "the bytes of all files are limited", Verdict.MEMORY),
        _case("deep_directories", "nesting is limited", Verdict.MEMORY),
        _case("directory_locked", "a directory without permissions is still ours"),
    ),
    *_cases(
        "output and input",
        _case("output_missing", "no output", Verdict.NO_OUTPUT),
        _case("output_empty", "an empty output is none", Verdict.NO_OUTPUT),
        _case("output_huge", "a huge output is not read", Verdict.BAD_FORMAT),
        _case("output_binary", "a binary output is refused", Verdict.BAD_FORMAT),
        _case("output_symlink", "a symbolic link is not followed", Verdict.BAD_FORMAT),
        _case("output_fifo", "a FIFO does not hang the referee", Verdict.BAD_FORMAT),
        _case("output_directory", "a directory is no output", Verdict.BAD_FORMAT),
        _case("output_hard_link", "a second name is refused", Verdict.BAD_FORMAT),
        _case("output_hard_link_outside", "also of a file outside", Verdict.BAD_FORMAT, Verdict.NO_OUTPUT),
        _case("output_stale", "the last move's output does not count again", Verdict.NO_OUTPUT, moves=2),
        _case("output_late", "what a survivor would write comes too late", Verdict.NO_OUTPUT),
        _case("input_planted_link", "a planted link is not written through", moves=2),
        _case("input_planted_directory", "a planted directory is removed", moves=3),
    ),
    *_cases(
        "outside",
        _case("environment", "the host's environment is not passed on"),
        _case("inherited_descriptors", "no descriptors are inherited"),
        _refused("read_secret", "files outside cannot be read"),
        _refused("read_opponent", "nor the opponent's"),
        _refused("read_host_environment", "nor the host's environment"),
        _refused("write_outside", "nothing can be written outside"),
        _refused("delete_outside", "nor deleted"),
        _refused("chmod_outside", "nor its mode changed"),
        _refused("write_tmp", "not in /tmp"),
        _refused("write_shared_memory", "not in shared memory"),
        _refused("system_v_memory", "not in System V shared memory"),
        _refused("rename_directory", "the work directory stays where it is"),
    ),
    *_cases(
        "network",
        _refused("tcp", "no TCP"),
        _refused("udp", "no UDP"),
        _refused("abstract_socket", "no abstract sockets"),
        _refused("path_socket", "no sockets in the file system"),
    ),
    *_cases(
        "processes and kernel",
        _refused("signal_host", "no signals to the host"),
        _refused("signal_keeper", "nor to the keeper"),
        _refused("keeper_memory", "the keeper's memory is out of reach"),
        _refused("ptrace_host", "no tracing of the host"),
        _refused("process_memory", "nor reading of its memory"),
        _refused("io_uring", "no io_uring"),
        _refused("new_namespaces", "no new namespaces"),
        _refused("cloned_namespaces", "not by clone either"),
        _refused("keyring", "no keyrings"),
        _refused("performance_events", "no performance events"),
    ),
)
