"""The hostile cases: what each does, how it must end, and which levels promise to contain it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from littlego.arena.referee.levels import Level
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
    module: str = "agent"
    """The file in which the misdeed stands."""


def _cases(group: str, *rows: Case, module: str = "agent") -> tuple[Case, ...]:
    return tuple(dataclasses.replace(row, group=group, module=module) for row in rows)


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


def _held(name: str, what: str, levels: frozenset[Level] = SANDBOXED) -> Case:
    """Memory that no process seems to hold: refused, so that the agent plays on, or noticed."""
    return _case(name, f"counted or refused: {what}", GOOD, Verdict.MEMORY, levels=levels)


_WAYS_OUT = (
    ("read_above", "no reading from above"),
    ("read_through_a_link", "nor through a link"),
    ("link_to_a_secret", "no second names for files outside"),
    ("read_users", "no list of users"),
    ("list_homes", "no look at what lies beside"),
    ("list_the_root", "nor at /tmp"),
    ("write_to_opponent", "the opponent's files cannot be written"),
    ("add_to_opponent", "nor added to"),
    ("rename_opponent", "nor taken away"),
    ("see_other_processes", "other processes are not seen"),
    ("host_root", "nor is anything through them"),
    ("host_directory", "nor their directories"),
    ("host_memory_file", "nor their memory"),
    ("renice_host", "nor can they be slowed down"),
    ("signal_host_queued", "nor be sent signals that queue"),
    ("stop_host", "nor be stopped"),
    ("mount_memory", "no mounts"),
    ("mount_by_descriptor", "nor by descriptor"),
    ("mount_copy", "nor copies of them"),
    ("new_root", "no other root"),
    ("file_handles", "no files by handle"),
    ("kernel_log", "no kernel log"),
    ("kernel_messages", "nor its device"),
    ("raw_memory", "no raw memory"),
    ("terminals", "no terminals"),
    ("kernel_settings", "no kernel settings"),
    ("other_cgroup", "no other cgroup"),
    ("kernel_programs", "no kernel programs"),
    ("kernel_clock", "no clock to adjust"),
    ("host_name", "no name to set"),
    ("capabilities", "no capabilities, and no way to gain any"),
    ("set_uid_programs", "set-uid programs give nothing"),
    ("become_root", "no other user or group"),
    ("tcp_listener", "no listening on TCP"),
    ("tcp_ipv6", "no IPv6"),
    ("kernel_socket", "no netlink"),
    ("raw_packets", "no raw packets"),
    ("machine_socket", "no sockets to the machine below"),
    ("crypto_socket", "no sockets for cryptography"),
    ("listens_for_opponent", "no abstract name for the opponent to find"),
)


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
        _case("fork_bomb", "the number of processes is limited", Verdict.MEMORY, Verdict.CPU_TIME),
        _case("daemon", "nothing survives a move"),
        _case("hopper", "not even what is a new process every moment", GOOD, Verdict.CPU_TIME),
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
    *_cases(
        "the keeper",
        _refused("limit_keeper_memory", "the keeper's memory cannot be limited, and so not the opponent's"),
        _refused("limit_keeper_descriptors", "nor its files"),
        _refused("limit_keeper_processes", "nor its processes"),
        _refused("limit_keeper_time", "nor its time"),
        _refused("limit_keeper_files", "nor what it writes"),
        _refused("limit_host", "nor any other process"),
        _refused("renice_keeper", "the keeper cannot be slowed down"),
        _refused("reschedule_keeper", "nor be made to run last"),
        _refused("pin_keeper", "nor lose processors"),
        _refused("keeper_io_priority", "nor wait for files"),
        _refused("starves_itself", "an agent cannot slow itself down, to pass for starved"),
        _refused("signal_flood", "no flood of signals reaches the keeper"),
        _refused("signal_keeper_queued", "no queued signal"),
        _refused("signal_keeper_thread", "none to its thread"),
        _refused("signal_keeper_by_descriptor", "none through a descriptor"),
        _refused("trace_keeper", "the keeper cannot be traced"),
        _refused("keeper_memory_by_call", "nor its memory read"),
        _refused("keeper_descriptors", "nor its descriptors taken"),
        _refused("keeper_open_files", "nor its open files seen"),
        _refused("keeper_maps", "nor its memory mapped out"),
        _refused("keeper_compared", "nor compared"),
        _refused("keeper_first_to_be_killed", "nor made the first to be killed"),
        _refused("keeper_file_system", "nor used as a way to files"),
        _case("zombies", "ended children nobody waits for are limited", Verdict.MEMORY),
        _case("thread_bomb", "the number of threads is limited", GOOD, Verdict.MEMORY, levels=EVERY),
        _case("spawn_loop", "programs started without end use up the time", Verdict.CPU_TIME),
        _case("stderr_held_open", "a survivor that holds stderr holds up nobody"),
        _case("stderr_binary", "stderr may hold anything"),
        _case("stderr_closed", "or be closed"),
        _case("stopped_children", "stopped children end with the move"),
        _case("children_that_ignore", "so do those that ignore every signal"),
        _case("kills_itself", "who kills itself has crashed", Verdict.CRASH, levels=SANDBOXED),
        _case("killed_by_its_child", "also by a child's hand", Verdict.CRASH, levels=SANDBOXED),
        _refused("killed_by_its_childs_end", "nor can a child's end kill it"),
        _case("kills_its_child", "its children are its own to kill"),
        _case("polite", "asking for less of the processor is no crash"),
        _case("huge_environment", "a program may start itself with a huge environment"),
        module="against_keeper",
    ),
    *_cases(
        "memory outside the count",
        _held("memory_shared_by_the_dead", "shared memory that dead children filled"),
        _held("memory_of_dev_zero", "the same by way of /dev/zero"),
        _held("memory_page_tables", "page tables", levels=EVERY),
        _held("memory_socket_buffers", "what is in sockets"),
        _held("memory_in_flight", "sockets on their way through another"),
        _held("memory_pipes", "what is in pipes"),
        _held("memory_deleted_files", "files without a name", levels=EVERY),
        _refused("memory_spliced", "pages pinned in a pipe"),
        _case("descriptor_flood", "the number of open files is limited"),
        _refused("watch_files", "no watches that keep files in memory"),
        _refused("asynchronous_io", "no rings of which the machine has few"),
        _refused("system_v_semaphores", "no System V semaphores"),
        _refused("system_v_messages", "no System V messages"),
        _refused("posix_messages", "no message queues"),
        _refused("keyring_entry", "no keys"),
        _refused("fault_handling", "no page faults of its own"),
        module="against_memory",
    ),
    *_cases(
        "what it leaves behind",
        _case("directories_joined", "chains of directories joined by renaming are found", Verdict.MEMORY),
        _case("directories_very_deep", "and so are deeper ones", Verdict.MEMORY),
        _case("mode_zero_inside", "directories without permissions are measured and removed", GOOD, Verdict.MEMORY),
        _refused("immutable_file", "nothing is made immutable"),
        _case("set_uid_left", "no set-uid program stays behind"),
        _refused("device_node", "no devices"),
        _case("fifo_as_state", "a FIFO among the kept files hangs nobody", moves=2),
        _case("odd_names", "names may hold anything", moves=2),
        _case("sparse_many", "holes count", Verdict.MEMORY),
        _case("many_links", "every name counts", Verdict.MEMORY),
        _case("reserved_space", "space cannot be reserved beyond the size of a file", GOOD, Verdict.CRASH),
        _case("link_loop", "links in circles are not followed", moves=2),
        _case("core_dump", "a crash leaves no core", Verdict.CRASH),
        _case("output_unreadable", "an output without permissions is read, or refused", GOOD, Verdict.BAD_FORMAT),
        _case("output_dangling_link", "a link to nothing is refused", Verdict.BAD_FORMAT),
        _case("output_circle", "and a link to itself", Verdict.BAD_FORMAT),
        _case("output_of_the_system", "and one to a system file", Verdict.BAD_FORMAT),
        _case("output_utf16", "no other encoding", Verdict.BAD_FORMAT),
        _case("output_marked", "no byte order mark", Verdict.BAD_FORMAT),
        _case("output_sparse", "no hole behind the move", Verdict.BAD_FORMAT),
        _case("output_replaced_late", "a survivor's swaps end with it", GOOD, Verdict.BAD_FORMAT),
        _case("input_planted_fifo", "a planted FIFO is removed", moves=3),
        _case("input_planted_tree", "a planted deep directory is removed", moves=3),
        _refused("interpreter_opened", "the interpreter stays as it is"),
        _refused("times_outside", "so do the times of files outside"),
        _refused("attributes_outside", "and their attributes"),
        _refused("truncate_outside", "and their lengths"),
        module="against_files",
    ),
    *_cases(
        "ways out",
        *(_refused(name, proves) for name, proves in _WAYS_OUT),
        module="against_kernel",
    ),
)
