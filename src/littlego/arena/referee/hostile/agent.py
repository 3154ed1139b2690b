"""One agent program with a switch for every misdeed, and what the other modules of misdeeds share: see `act`.

A misdeed that succeeds is written to `loot.txt`, so that the suite sees it; one that is refused is passed
over, and the agent then plays a good move. So each case ends with a verdict and with or without loot.
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
from typing import Any, Callable, Dict, List

CASES: Dict[str, Callable[[], None]] = {}
FACTS: Dict[str, Any] = {}
MEBI = 1 << 20


def case(function: Callable[[], None]) -> Callable[[], None]:
    CASES[function.__name__] = function
    return function


def play(text: str = "2,3\n") -> None:
    with open("output.txt", "w") as file:
        file.write(text)


def loot(text: str) -> None:
    with open("loot.txt", "a") as file:
        file.write(text + "\n")


def attempt(action: Callable[[], object], describe: str) -> None:
    """Try a misdeed; then play as if nothing had happened."""
    try:
        result = action()
    except (OSError, PermissionError):
        pass
    else:
        loot("%s: %r" % (describe, result))
    play()


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


# Honest agents, and honest mistakes.


@case
def good() -> None:
    with open("input.txt") as file:
        file.read()
    play()


@case
def state_persists() -> None:
    count = 0
    if os.path.exists("count.txt"):
        with open("count.txt") as file:
            count = int(file.read())
    with open("count.txt", "w") as file:
        file.write(str(count + 1))
    play("%d,0\n" % (count + 1))


@case
def rewrites_itself() -> None:
    with open(__file__, "a") as file:
        file.write("# once more\n")
    play()


@case
def segfault() -> None:
    ctypes.string_at(0)


@case
def aborts() -> None:
    os.abort()


@case
def exit_status() -> None:
    sys.exit(3)


@case
def crash_after_output() -> None:
    play()
    ctypes.string_at(0)


@case
def threads_and_children() -> None:
    thread = threading.Thread(target=spin, args=(0.01,))
    thread.start()
    thread.join()
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    play()


# CPU time and real time.


@case
def cpu_spin() -> None:
    spin()


@case
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


@case
def waited_children() -> None:
    for _ in range(40):
        os.waitpid(fork_spinner(0.1), 0)
    play()


@case
def unwaited_children() -> None:
    for _ in range(4):
        fork_spinner(0.5)
    time.sleep(1000)
    play()


def ignore_children() -> None:
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    except OSError:
        pass


@case
def sigchld_ignored() -> None:
    ignore_children()
    for _ in range(4):
        fork_spinner(0.5)
    time.sleep(1000)
    play()


@case
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
        try:
            os.waitpid(-1, os.WNOHANG)  # in case SIGCHLD could not be ignored
        except OSError:
            pass
    play()


@case
def orphans() -> None:
    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
            fork_spinner(0.5)
            os._exit(0)
    time.sleep(1000)
    play()


@case
def relay() -> None:
    if os.fork() == 0:
        while True:
            spin(0.005)
            if os.fork() != 0:
                os._exit(0)
    time.sleep(1000)


@case
def sigxcpu_ignored() -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    spin()


@case
def limits_raised() -> None:
    for which in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
        try:
            resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError):
            pass
    spin()


@case
def counter_switched_off() -> None:
    try:
        system_call(157, 167, 31, 0, 0, 0, 0)  # prctl(PR_TASK_PERF_EVENTS_DISABLE)
    except OSError:
        pass
    spin()


@case
def cpu_affinity() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    spin()


@case
def sleep() -> None:
    time.sleep(1000)


@case
def stops_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


@case
def waits_for_input() -> None:
    sys.stdin.read()  # nothing to read: it ends at once
    play()


# Memory and processes.


def hold(size: int) -> bytearray:
    block = bytearray(size)
    block[::4096] = b"x" * len(block[::4096])
    return block


@case
def memory_hog() -> None:
    blocks = []
    while True:
        blocks.append(hold(8 * MEBI))


@case
def memory_children() -> None:
    for _ in range(4):
        if os.fork() == 0:
            kept = hold(FACTS["memory"] * 2 // 5)
            time.sleep(1000)
            del kept
    time.sleep(1000)


@case
def memory_mapped() -> None:
    kept = []
    while True:
        block = mmap.mmap(-1, 8 * MEBI, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        block.write(b"x" * (8 * MEBI))
        kept.append(block)


@case
def memory_in_nameless_files() -> None:
    def hoard() -> int:
        files: List[int] = []
        while len(files) * 4 * MEBI < 2 * FACTS["memory"]:
            files.append(os.memfd_create("hoard"))
            os.write(files[-1], bytes(4 * MEBI))
        return len(files)

    attempt(hoard, "memory that no process seems to hold")


@case
def fork_bomb() -> None:
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.01)


@case
def daemon() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    os.wait()
    play()


@case
def hopper() -> None:
    """A daemon that is never the same process for long, so that whoever kills it comes too late."""
    play()
    if os.fork() == 0:
        while True:
            if os.fork() != 0:
                os._exit(0)
            os.setsid()


# Files.


@case
def stderr_flood() -> None:
    while True:
        os.write(2, b"x" * 65536)


@case
def stderr_much() -> None:
    for _ in range(320):
        os.write(2, b"x" * 65536)
    os.write(2, b"the end")
    play()


@case
def many_files() -> None:
    for number in range(10 * FACTS["files"]):
        with open("file%d" % number, "w"):
            pass
    play()


@case
def large_file() -> None:
    with open("large", "wb") as file:
        while True:
            file.write(bytes(MEBI))


@case
def sparse_file() -> None:
    with open("sparse", "wb") as file:
        file.truncate(1 << 40)


@case
def many_bytes() -> None:
    for number in range(100):
        with open("bytes%d" % number, "wb") as file:
            file.write(bytes(MEBI))
    play()


@case
def deep_directories() -> None:
    here = os.getcwd()
    for _ in range(200):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(here)
    play()


@case
def output_missing() -> None:
    pass


@case
def output_empty() -> None:
    play("")


@case
def output_huge() -> None:
    play("2,3\n" * (FACTS["output"] // 2))


@case
def output_binary() -> None:
    with open("output.txt", "wb") as file:
        file.write(b"\x00\xff2,3")


@case
def output_symlink() -> None:
    os.symlink(FACTS["secret"], "output.txt")


@case
def output_fifo() -> None:
    os.mkfifo("output.txt")


@case
def output_directory() -> None:
    os.mkdir("output.txt")


@case
def output_hard_link() -> None:
    with open("move", "w") as file:
        file.write("2,3\n")
    os.link("move", "output.txt")


@case
def output_hard_link_outside() -> None:
    try:
        os.link(FACTS["secret"], "output.txt")
    except OSError:
        pass


@case
def output_stale() -> None:
    if not os.path.exists("played"):
        with open("played", "w"):
            pass
        play()


@case
def output_late() -> None:
    if os.fork() == 0:
        os.setsid()
        time.sleep(0.3)
        play()
        os._exit(0)


@case
def input_planted_link() -> None:
    os.unlink("input.txt")
    os.symlink(FACTS["victim_file"], "input.txt")
    play()


@case
def input_planted_directory() -> None:
    if os.path.isfile("input.txt"):
        os.unlink("input.txt")
        os.makedirs("input.txt/deeper/still")
    play()


@case
def directory_locked() -> None:
    play()
    os.chmod(".", 0)
    time.sleep(0.6)  # until somebody looks


# What lies outside.


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(100)


def write(path: str) -> str:
    with open(path, "w") as file:
        file.write("mine")
    return path


@case
def read_secret() -> None:
    attempt(lambda: read(FACTS["secret"]), "read the secret")


@case
def read_opponent() -> None:
    attempt(lambda: read(os.path.join(FACTS["opponent"], "book.txt")), "read the opponent's files")


@case
def read_host_environment() -> None:
    def look() -> bytes:
        found = read("/proc/%d/environ" % FACTS["victim"])
        if not found:
            raise OSError("empty")
        return found

    attempt(look, "read the host's environment")


@case
def environment() -> None:
    known = {"PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE"}
    if set(os.environ) - known:
        loot("inherited the environment: %s" % sorted(set(os.environ) - known))
    play()


@case
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


@case
def write_outside() -> None:
    attempt(lambda: write(os.path.join(FACTS["outside"], "mine")), "wrote outside")


@case
def delete_outside() -> None:
    attempt(lambda: os.unlink(FACTS["victim_file"]), "deleted outside")


@case
def chmod_outside() -> None:
    attempt(lambda: os.chmod(FACTS["victim_file"], 0o777), "changed a mode outside")


@case
def write_tmp() -> None:
    attempt(lambda: write(FACTS["temporary"]), "wrote to /tmp")


@case
def write_shared_memory() -> None:
    attempt(lambda: write(FACTS["shared_memory"]), "wrote to /dev/shm")


@case
def system_v_memory() -> None:
    attempt(lambda: system_call(29, 194, FACTS["key"], 4096, 0o1600), "made System V shared memory")


@case
def rename_directory() -> None:
    here = os.getcwd()

    def rename() -> None:
        os.rename(here, here + "-moved")
        os.mkdir(here)

    attempt(rename, "renamed the work directory")


# The network.


@case
def tcp() -> None:
    attempt(lambda: socket.create_connection(("127.0.0.1", FACTS["tcp"]), 1).send(b"hello"), "sent over TCP")


@case
def udp() -> None:
    def send() -> int:
        return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("127.0.0.1", FACTS["udp"]))

    attempt(send, "sent over UDP")


def unix(address: str) -> int:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        return connection.send(b"hello")


@case
def abstract_socket() -> None:
    attempt(lambda: unix("\0" + FACTS["abstract"]), "sent over an abstract socket")


@case
def path_socket() -> None:
    attempt(lambda: unix(FACTS["socket"]), "sent over a socket in the file system")


# Other processes, and the kernel.


@case
def signal_host() -> None:
    attempt(lambda: os.kill(FACTS["victim"], signal.SIGTERM), "sent a signal to the host")


@case
def signal_keeper() -> None:
    parent = os.getppid()
    for number in (signal.SIGINT, signal.SIGCHLD, signal.SIGTERM, signal.SIGUSR1, signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(parent, number)
        except OSError:
            pass
    time.sleep(0.1)
    play()


@case
def keeper_memory() -> None:
    attempt(lambda: os.close(os.open("/proc/%d/mem" % os.getppid(), os.O_RDWR)), "opened the keeper's memory")


@case
def ptrace_host() -> None:
    def seize() -> int:
        return system_call(101, 117, 0x4206, FACTS["victim"], 0, 0)  # PTRACE_SEIZE

    attempt(seize, "attached to the host")


@case
def process_memory() -> None:
    def peek() -> int:
        buffer = ctypes.create_string_buffer(16)
        here = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(buffer), 16), 16)
        there = ctypes.create_string_buffer(struct.pack("QQ", FACTS["victim_address"], 16), 16)
        return system_call(310, 270, FACTS["victim"], here, 1, there, 1, 0)

    attempt(peek, "read the host's memory")


@case
def io_uring() -> None:
    attempt(lambda: system_call(425, 425, 4, ctypes.create_string_buffer(120)), "made an io_uring")


@case
def new_namespaces() -> None:
    attempt(lambda: system_call(272, 97, 0x10000000 | 0x40000000), "made new namespaces")


@case
def cloned_namespaces() -> None:
    def clone() -> int:
        pid = system_call(56, 220, 0x10000000 | int(signal.SIGCHLD), 0, 0, 0, 0)
        if pid == 0:
            os._exit(0)
        return pid

    attempt(clone, "cloned into new namespaces")


@case
def keyring() -> None:
    attempt(lambda: system_call(250, 219, 0, -4, 1), "reached a keyring")  # keyctl(GET_KEYRING_ID, user session)


@case
def performance_events() -> None:
    def measure() -> int:
        attributes = struct.pack("=IIQQQQQ", 1, 112, 1, 0, 0, 0, 1 << 5).ljust(112, b"\0")
        return system_call(298, 241, ctypes.create_string_buffer(attributes, 112), 0, -1, -1, 0)

    attempt(measure, "opened a performance event")
