"""The first hostile cases, and what all modules of cases share; `act` runs one of them in the sandbox.

A misdeed that succeeds is written to `loot.txt` for the suite to see; after one that is refused the agent plays a good
move. So each case ends with a verdict, and with or without loot.
"""

import ctypes
import hashlib
import mmap
import os
import resource
import signal
import socket
import stat
import struct
import sys
import threading
import time
from contextlib import suppress
from typing import Any, Callable, Dict, List, NamedTuple, Tuple, Union

Act = Callable[[], object]
FACTS: Dict[str, Any] = {}
MEBI = 1 << 20
SEIZE = 0x4206  # PTRACE_SEIZE, which ends with us
PLAYS = "plays on"
"""Stands for no verdict: the agent played, and whatever else it tried was refused."""


class Declared(NamedTuple):
    """A case as its module declares it; `case.Case` explains the fields."""

    act: Act
    proves: str
    verdicts: Tuple[str, ...]
    group: str
    module: str
    sandboxed: bool = False
    """Whether L0 does not promise to contain it."""
    moves: int = 1
    output: str = "2,3\n"


CASES: Dict[str, Declared] = {}


class Group:
    """Cases of one kind, all in the same module."""

    def __init__(self, name: str, module: str) -> None:
        self._name = name
        self._module = module.rpartition(".")[2]

    def add(self, name: str, proves: str, act: Act, *verdicts: str, **options: Any) -> None:
        """Declare a case that may end in any of the verdicts; the options are the last fields of `Declared`."""
        CASES[name] = Declared(act, proves, verdicts or (PLAYS,), self._name, self._module, **options)

    def __call__(self, proves: str, *verdicts: str, **options: Any) -> Callable[[Act], Act]:
        """A decorator that declares a case under the function's name."""

        def declare(act: Act) -> Act:
            self.add(act.__name__, proves, act, *verdicts, **options)
            return act

        return declare

    def refused(self, name: str, proves: str, misdeed: Act) -> None:
        """Declare a misdeed that every sandboxed level refuses, after which the agent plays on."""
        self.add(name, proves, lambda: attempt(misdeed), sandboxed=True)

    def misdeed(self, proves: str) -> Callable[[Act], None]:
        """`refused` as a decorator."""
        return lambda act: self.refused(act.__name__, proves, act)


def play(output: Union[str, bytes] = "2,3\n") -> None:
    write("output.txt", output)


def loot(text: str) -> None:
    with open("loot.txt", "a") as file:
        file.write(text + "\n")


def attempt(misdeed: Act) -> None:
    """Try a misdeed; then play as if nothing had happened."""
    try:
        result = misdeed()
    except OSError:
        pass
    else:
        loot("it was not refused: %r" % (result,))
    play()


def change(act: Act, look: Act) -> None:
    """Try what the kernel may only pretend to do: a look before and after tells."""
    with suppress(OSError):
        before = look()
        act()
        if look() != before:
            loot("it took effect: %r, then %r" % (before, look()))
    play()


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        found = file.read(100)
    if not found:
        raise OSError("empty")
    return found


def write(path: str, content: Union[str, bytes] = "mine") -> str:
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def descend(depth: int) -> None:
    """Make a chain of directories here, and go to its end."""
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")


def opened(path: str, flags: int) -> str:
    os.close(os.open(path, flags))
    return path


def spin(seconds: float = 1e9) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def system_call(number_x86_64: int, number_aarch64: int, *arguments: Any) -> int:
    """A raw system call; raises OSError when it is refused."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = number_x86_64 if os.uname().machine == "x86_64" else number_aarch64
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return int(result)


def read_memory(process: int, address: int = 0) -> int:
    """Read a few bytes of another process: at our own buffer's address, unless another is given."""
    buffer = ctypes.create_string_buffer(16)
    ours = ctypes.addressof(buffer)
    here, there = (ctypes.create_string_buffer(struct.pack("QQ", at, 16), 16) for at in (ours, address or ours))
    return system_call(310, 270, process, here, 1, there, 1, 0)


case = Group("honest", __name__)


@case("a good agent is left alone")
def good() -> None:
    with open("input.txt") as file:
        file.read()
    play()


@case("small files are kept from move to move", moves=3, output="3,0\n")
def state_persists() -> None:
    count = 0
    if os.path.exists("count.txt"):
        with open("count.txt") as file:
            count = int(file.read())
    write("count.txt", str(count + 1))
    play("%d,0\n" % (count + 1))


@case("an agent may change files in its own directory", moves=2)
def rewrites_itself() -> None:
    with open(__file__, "a") as file:
        file.write("# once more\n")
    play()


@case("threads and children are allowed")
def threads_and_children() -> None:
    thread = threading.Thread(target=spin, args=(0.01,))
    thread.start()
    thread.join()
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    play()


@case("standard input is empty, not a terminal")
def waits_for_input() -> None:
    sys.stdin.read()  # nothing to read: it ends at once
    play()


@case("a good output counts, with a warning")
def crash_after_output() -> None:
    play()
    ctypes.string_at(0)


case.add("segfault", "a segmentation fault is a crash", lambda: ctypes.string_at(0), "crash")
case.add("aborts", "an abort is a crash", os.abort, "crash")
case.add("exit_status", "a bad exit status without output is a crash", lambda: sys.exit(3), "crash")


case = Group("time", __name__)
case.add("cpu_spin", "CPU time is limited", spin, "cpu_time")


@case("threads are counted together", "cpu_time")
def four_threads() -> None:
    def work() -> None:
        while True:
            hashlib.sha256(bytes(MEBI)).digest()  # lets the other threads run

    for _ in range(4):
        threading.Thread(target=work).start()


def fork_spinner(seconds: float) -> int:
    pid = os.fork()
    if pid == 0:
        spin(seconds)
        os._exit(0)
    return pid


def spinners() -> None:
    for _ in range(4):
        fork_spinner(0.5)
    time.sleep(1000)


@case("children that ended are counted", "cpu_time")
def waited_children() -> None:
    for _ in range(40):
        os.waitpid(fork_spinner(0.1), 0)
    play()


case.add("unwaited_children", "children nobody waited for are counted", spinners, "cpu_time")


def ignore_children() -> None:
    with suppress(OSError):
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)


@case("children the kernel discards are counted", "cpu_time")
def sigchld_ignored() -> None:
    ignore_children()
    spinners()


@case("short-lived ones are counted too", "cpu_time")
def sigchld_ignored_short() -> None:
    ignore_children()
    read_end, write_end = os.pipe()
    for number in range(400):
        if number >= 4:
            os.read(read_end, 1)  # so that only a few are alive at once
        if os.fork() == 0:
            spin(0.005)
            os.write(write_end, b"x")
            os._exit(0)
        with suppress(OSError):
            os.waitpid(-1, os.WNOHANG)  # in case SIGCHLD could not be ignored
    play()


@case("orphans in sessions of their own are counted", "cpu_time")
def orphans() -> None:
    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
            fork_spinner(0.5)
            os._exit(0)
    time.sleep(1000)


@case("work handed on from process to process is counted", "cpu_time")
def relay() -> None:
    if os.fork() == 0:
        while True:
            spin(0.005)
            if os.fork() != 0:
                os._exit(0)
    time.sleep(1000)


@case("ignoring SIGXCPU does not help", "cpu_time")
def sigxcpu_ignored() -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    spin()


@case("raising its limits does not help", "cpu_time")
def limits_raised() -> None:
    for which in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
        with suppress(OSError, ValueError):
            resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    spin()


@case("an agent cannot switch the counter off", "cpu_time")
def counter_switched_off() -> None:
    with suppress(OSError):
        system_call(157, 167, 31, 0, 0, 0, 0)  # prctl(PR_TASK_PERF_EVENTS_DISABLE)
    spin()


@case("choosing a processor does not help", "cpu_time")
def cpu_affinity() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    spin()


case.add("sleep", "real time is limited", lambda: time.sleep(1000), "wall_time")
case.add(
    "stops_itself", "a stopped process runs out of time too", lambda: os.kill(os.getpid(), signal.SIGSTOP), "wall_time"
)


def hold(size: int) -> bytearray:
    block = bytearray(size)
    block[::4096] = b"x" * len(block[::4096])
    return block


case = Group("memory and processes", __name__)


@case("memory is limited", "memory")
def memory_hog() -> None:
    blocks = []
    while True:
        blocks.append(hold(8 * MEBI))


@case("memory is limited for all processes together", "memory")
def memory_children() -> None:
    for _ in range(4):
        if os.fork() == 0:
            kept = hold(FACTS["memory"] * 2 // 5)
            time.sleep(1000)
            del kept
    time.sleep(1000)


@case("mapped memory counts", "memory")
def memory_mapped() -> None:
    kept = []
    while True:
        block = mmap.mmap(-1, 8 * MEBI, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        block.write(b"x" * (8 * MEBI))
        kept.append(block)


@case.misdeed("no memory escapes the count")
def memory_in_nameless_files() -> int:
    files: List[int] = []
    while len(files) * 4 * MEBI < 2 * FACTS["memory"]:
        files.append(os.memfd_create("hoard"))
        os.write(files[-1], bytes(4 * MEBI))
    return len(files)


@case("the number of processes is limited", "cpu_time", "memory")
def fork_bomb() -> None:
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.01)


@case("nothing survives a move")
def daemon() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    os.wait()
    play()


@case("not even a daemon that forks itself all the time", "cpu_time", PLAYS)
def hopper() -> None:
    """A daemon that is never the same process for long, so that whoever kills it comes too late."""
    play()
    if os.fork() == 0:
        while True:
            if os.fork() != 0:
                os._exit(0)
            os.setsid()


case = Group("files", __name__)


@case("a flood of stderr uses up the time", "cpu_time", "wall_time")
def stderr_flood() -> None:
    while True:
        os.write(2, b"x" * 65536)


@case("only the end of stderr is kept")
def stderr_much() -> None:
    for _ in range(320):
        os.write(2, b"x" * 65536)
    os.write(2, b"the end")
    play()


@case("the number of files is limited", "memory")
def many_files() -> None:
    for number in range(10 * FACTS["files"]):
        write("file%d" % number, "")
    play()


@case("the size of a file is limited", "crash")
def large_file() -> None:
    with open("large", "wb") as file:
        while True:
            file.write(bytes(MEBI))


@case("sparse files are limited too", "crash")
def sparse_file() -> None:
    with open("sparse", "wb") as file:
        file.truncate(1 << 40)


@case("the bytes of all files are limited", "memory")
def many_bytes() -> None:
    for number in range(100):
        write("bytes%d" % number, bytes(MEBI))
    play()


@case("nesting is limited", "memory")
def deep_directories() -> None:
    here = os.getcwd()
    descend(200)
    os.chdir(here)
    play()


@case("an agent cannot lock us out of its directory")
def directory_locked() -> None:
    play()
    os.chmod(".", 0)
    time.sleep(0.6)  # until somebody looks


case = Group("output and input", __name__)
case.add("output_missing", "a missing output is noticed", lambda: None, "no_output")
case.add("output_empty", "an empty output counts as missing", lambda: play(""), "no_output")
case.add("output_huge", "a huge output is not read", lambda: play("2,3\n" * (FACTS["output"] // 2)), "bad_format")

case.add("output_binary", "a binary output is refused", lambda: play(b"\x00\xff2,3"), "bad_format")
case.add(
    "output_symlink", "a symbolic link is not followed", lambda: os.symlink(FACTS["secret"], "output.txt"), "bad_format"
)
case.add("output_fifo", "a FIFO does not hang the referee", lambda: os.mkfifo("output.txt"), "bad_format")
case.add("output_directory", "a directory is not an output", lambda: os.mkdir("output.txt"), "bad_format")


@case("an output with a second name is refused", "bad_format")
def output_hard_link() -> None:
    os.link(write("move", "2,3\n"), "output.txt")


@case("so is a second name for a file outside", "bad_format", "no_output")
def output_hard_link_outside() -> None:
    with suppress(OSError):
        os.link(FACTS["secret"], "output.txt")


@case("the last move's output does not count again", "no_output", moves=2)
def output_stale() -> None:
    if not os.path.exists("played"):
        write("played")
        play()


@case("what a survivor writes comes too late", "no_output")
def output_late() -> None:
    if os.fork() == 0:
        os.setsid()
        time.sleep(0.3)
        play()
        os._exit(0)


@case("a planted link is not written through", moves=2)
def input_planted_link() -> None:
    os.unlink("input.txt")
    os.symlink(FACTS["victim_file"], "input.txt")
    play()


@case("a planted directory is removed", moves=3)
def input_planted_directory() -> None:
    if os.path.isfile("input.txt"):
        os.unlink("input.txt")
        os.makedirs("input.txt/deeper/still")
    play()


case = Group("outside", __name__)


@case("the host's environment is not passed on")
def environment() -> None:
    known = {"PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE"}
    if set(os.environ) - known:
        loot("inherited the environment: %s" % sorted(set(os.environ) - known))
    play()


@case("no descriptors are inherited")
def inherited_descriptors() -> None:
    found = []
    for descriptor in range(3, 256):
        try:
            found.append("%d: %s" % (descriptor, stat.filemode(os.fstat(descriptor).st_mode)))
        except OSError:
            continue
    if found:
        loot("inherited descriptors: %s" % found)
    play()


case.refused("read_secret", "files outside cannot be read", lambda: read(FACTS["secret"]))
case.refused(
    "read_opponent", "the opponent's files cannot be read", lambda: read(os.path.join(FACTS["opponent"], "book.txt"))
)


case.refused(
    "read_host_environment", "the host's environment cannot be read", lambda: read("/proc/%d/environ" % FACTS["victim"])
)
case.refused("write_outside", "nothing can be written outside", lambda: write(os.path.join(FACTS["outside"], "mine")))
case.refused("delete_outside", "nothing can be deleted outside", lambda: os.unlink(FACTS["victim_file"]))
case.refused("chmod_outside", "no mode can be changed outside", lambda: os.chmod(FACTS["victim_file"], 0o777))
case.refused("write_tmp", "nothing can be written to /tmp", lambda: write(FACTS["temporary"]))
case.refused("write_shared_memory", "nothing can be written to shared memory", lambda: write(FACTS["shared_memory"]))
case.refused("system_v_memory", "no System V shared memory", lambda: system_call(29, 194, FACTS["key"], 4096, 0o1600))


@case.misdeed("the work directory stays where it is")
def rename_directory() -> None:
    here = os.getcwd()
    os.rename(here, here + "-moved")
    os.mkdir(here)


case = Group("network", __name__)
case.refused("tcp", "no TCP", lambda: socket.create_connection(("127.0.0.1", FACTS["tcp"]), 1).send(b"hello"))


@case.misdeed("no UDP")
def udp() -> int:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("127.0.0.1", FACTS["udp"]))


def unix(address: str) -> int:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        return connection.send(b"hello")


case.refused("abstract_socket", "no abstract sockets", lambda: unix("\0" + FACTS["abstract"]))
case.refused("path_socket", "no sockets in the file system", lambda: unix(FACTS["socket"]))


case = Group("processes and kernel", __name__)
case.refused("signal_host", "no signals to the host", lambda: os.kill(FACTS["victim"], signal.SIGTERM))


@case("no signals to the keeper", sandboxed=True)
def signal_keeper() -> None:
    parent = os.getppid()
    for number in (signal.SIGINT, signal.SIGCHLD, signal.SIGTERM, signal.SIGUSR1, signal.SIGSTOP, signal.SIGKILL):
        with suppress(OSError):
            os.kill(parent, number)
    time.sleep(0.1)
    play()


case.refused(
    "keeper_memory", "the keeper's memory is out of reach", lambda: opened("/proc/%d/mem" % os.getppid(), os.O_RDWR)
)


case.refused("ptrace_host", "no tracing of the host", lambda: system_call(101, 117, SEIZE, FACTS["victim"], 0, 0))
case.refused(
    "process_memory", "the host's memory cannot be read", lambda: read_memory(FACTS["victim"], FACTS["victim_address"])
)
case.refused("io_uring", "no io_uring", lambda: system_call(425, 425, 4, ctypes.create_string_buffer(120)))
case.refused("new_namespaces", "no new namespaces", lambda: system_call(272, 97, 0x10000000 | 0x40000000))


@case.misdeed("no new namespaces by clone")
def cloned_namespaces() -> int:
    pid = system_call(56, 220, 0x10000000 | int(signal.SIGCHLD), 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid


case.refused("keyring", "no keyrings", lambda: system_call(250, 219, 0, -4, 1))  # keyctl(GET_KEYRING_ID, user session)


@case.misdeed("no performance events")
def performance_events() -> int:
    attributes = struct.pack("=IIQQQQQ", 1, 112, 1, 0, 0, 0, 1 << 5).ljust(112, b"\0")
    return system_call(298, 241, ctypes.create_string_buffer(attributes, 112), 0, -1, -1, 0)
