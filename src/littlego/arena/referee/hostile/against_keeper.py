"""Misdeeds against the keeper, whose child the agent is, and against the opponent, whom the same keeper starts next."""

import ctypes
import os
import resource
import signal
import struct
import subprocess
import sys
import threading
import time
from typing import Callable, List

from littlego.arena.referee.hostile.agent import FACTS, attempt, case, loot, play, system_call

NICEST = 19
SCHED_IDLE = 5
IO_PROCESS, IO_IDLE = 1, 3 << 13


def limit(process: int, which: int, most: int) -> None:
    attempt(lambda: resource.prlimit(process, which, (most, most)), "limited another process")


@case
def limit_keeper_memory() -> None:
    limit(os.getppid(), resource.RLIMIT_AS, 90 << 20)  # the opponent needs more


@case
def limit_keeper_descriptors() -> None:
    limit(os.getppid(), resource.RLIMIT_NOFILE, 3)


@case
def limit_keeper_processes() -> None:
    limit(os.getppid(), resource.RLIMIT_NPROC, 0)


@case
def limit_keeper_time() -> None:
    limit(os.getppid(), resource.RLIMIT_CPU, 1)


@case
def limit_keeper_files() -> None:
    limit(os.getppid(), resource.RLIMIT_FSIZE, 0)


@case
def limit_host() -> None:
    limit(FACTS["victim"], resource.RLIMIT_NOFILE, 3)


def change(act: Callable[[], object], look: Callable[[], object], what: str) -> None:
    """Something that the kernel may pretend to do: only a look afterwards tells."""
    try:
        before = look()
        act()
        if look() != before:
            loot(what)
    except OSError:
        pass
    play()


@case
def renice_keeper() -> None:
    keeper = os.getppid()
    change(
        lambda: os.setpriority(os.PRIO_PROCESS, keeper, NICEST),
        lambda: os.getpriority(os.PRIO_PROCESS, keeper),
        "slowed the keeper down",
    )


@case
def reschedule_keeper() -> None:
    keeper = os.getppid()
    change(
        lambda: os.sched_setscheduler(keeper, SCHED_IDLE, os.sched_param(0)),
        lambda: os.sched_getscheduler(keeper),
        "let the keeper run only when nobody else does",
    )


@case
def pin_keeper() -> None:
    keeper = os.getppid()
    change(
        lambda: os.sched_setaffinity(keeper, {min(os.sched_getaffinity(keeper))}),
        lambda: os.sched_getaffinity(keeper),
        "took processors away from the keeper",
    )


@case
def keeper_io_priority() -> None:
    keeper = os.getppid()
    change(
        lambda: system_call(251, 30, IO_PROCESS, keeper, IO_IDLE),
        lambda: system_call(252, 31, IO_PROCESS, keeper),
        "let the keeper read and write last",
    )


@case
def starves_itself() -> None:
    """On a busy machine this would make it wait for a core, and a lost game void."""

    def be_last() -> None:
        os.setpriority(os.PRIO_PROCESS, 0, NICEST)
        os.sched_setscheduler(0, SCHED_IDLE, os.sched_param(0))

    change(be_last, lambda: (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)), "made itself wait")


@case
def signal_flood() -> None:
    def flood() -> int:
        for _ in range(20000):
            os.kill(os.getppid(), signal.SIGCHLD)
        return 20000

    attempt(flood, "woke the keeper")


@case
def signal_keeper_queued() -> None:
    information = ctypes.create_string_buffer(struct.pack("=iii", signal.SIGCHLD, 0, -1), 128)

    def queue() -> int:
        return system_call(129, 138, os.getppid(), int(signal.SIGCHLD), information)

    attempt(queue, "queued a signal for the keeper")


@case
def signal_keeper_thread() -> None:
    def send() -> int:
        return system_call(234, 131, os.getppid(), os.getppid(), int(signal.SIGCHLD))

    attempt(send, "sent a signal to the keeper's thread")


@case
def signal_keeper_by_descriptor() -> None:
    def send() -> int:
        descriptor = system_call(434, 434, os.getppid(), 0)  # pidfd_open
        return system_call(424, 424, descriptor, int(signal.SIGCHLD), 0, 0)

    attempt(send, "sent a signal through a descriptor of the keeper")


@case
def trace_keeper() -> None:
    def attach() -> int:
        return system_call(101, 117, 0x4206, os.getppid(), 0, 0)  # PTRACE_SEIZE, which ends with us

    attempt(attach, "attached to the keeper")


@case
def keeper_memory_by_call() -> None:
    def peek() -> int:
        buffer = ctypes.create_string_buffer(16)
        here = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(buffer), 16), 16)
        return system_call(310, 270, os.getppid(), here, 1, here, 1, 0)  # same program, so often the same addresses

    def seen_by_the_kernel() -> int:
        try:
            return peek()
        except OSError as error:
            if error.errno == 14:  # the address is bad, and so the right was there
                return 14
            raise

    attempt(seen_by_the_kernel, "read the keeper's memory")


@case
def keeper_descriptors() -> None:
    def steal() -> int:
        return system_call(438, 438, system_call(434, 434, os.getppid(), 0), 0, 0)  # pidfd_getfd

    attempt(steal, "took a descriptor of the keeper")


@case
def keeper_open_files() -> None:
    attempt(lambda: os.readlink("/proc/%d/fd/0" % os.getppid()), "saw what the keeper has open")


@case
def keeper_maps() -> None:
    def look() -> str:
        with open("/proc/%d/maps" % os.getppid()) as file:
            found = file.read(200)
        if not found:
            raise OSError("empty")
        return found

    attempt(look, "saw the keeper's map of memory")


@case
def keeper_compared() -> None:
    attempt(lambda: system_call(312, 272, os.getpid(), os.getppid(), 1, 0, 0), "compared itself with the keeper")


@case
def keeper_first_to_be_killed() -> None:
    def choose() -> int:
        with open("/proc/%d/oom_score_adj" % os.getppid(), "w") as file:
            return file.write("1000")

    attempt(choose, "made the keeper the first to go when memory is short")


@case
def keeper_file_system() -> None:
    def read() -> bytes:
        with open("/proc/%d/root%s" % (os.getppid(), FACTS["secret"]), "rb") as file:
            return file.read(100)

    attempt(read, "read the secret through the keeper")


@case
def zombies() -> None:
    try:
        for _ in range(200):
            if os.fork() == 0:
                os._exit(0)
    except OSError:
        pass
    time.sleep(1000)


@case
def stderr_held_open() -> None:
    """A daemon that holds the pipe of stderr: whoever reads to its end never ends."""
    play()
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)


@case
def stderr_binary() -> None:
    os.write(2, b"\xff\xfe\x00\x1b[2J\x1b]0;title\x07" * 10)
    play()


@case
def stderr_closed() -> None:
    os.close(2)
    play()


@case
def stopped_children() -> None:
    play()
    for _ in range(3):
        if os.fork() == 0:
            os.kill(os.getpid(), signal.SIGSTOP)


@case
def children_that_ignore() -> None:
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    if os.fork() == 0:
        time.sleep(1000)
    play()


@case
def thread_bomb() -> None:
    threads: List[threading.Thread] = []
    threading.stack_size(64 << 10)
    try:
        while len(threads) < 4000:
            threads.append(threading.Thread(target=time.sleep, args=(1000,), daemon=True))
            threads[-1].start()
    except RuntimeError:
        pass
    time.sleep(0.5)
    if len(threads) > 1000:
        loot("has %d threads" % len(threads))
    play()
    os._exit(0)


@case
def spawn_loop() -> None:
    while True:
        subprocess.call([sys.executable, "-S", "-c", "pass"])


@case
def kills_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@case
def killed_by_its_child() -> None:
    if os.fork() == 0:
        os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1000)


@case
def killed_by_its_childs_end() -> None:
    """Nobody sends this signal: the kernel does, when a child made for it ends."""

    def make() -> int:
        child = system_call(56, 220, int(signal.SIGKILL), None, None, None, None)
        if child == 0:
            os._exit(0)
        time.sleep(1000)
        return child

    attempt(make, "lived with a child whose end would kill it")


@case
def kills_its_child() -> None:
    child = subprocess.Popen(["sleep", "1000"])
    child.kill()
    if child.wait() != -signal.SIGKILL:
        loot("the child ended otherwise: %d" % child.returncode)
    play()


@case
def polite() -> None:
    os.nice(5)
    play()


@case
def huge_environment() -> None:
    if "BALLAST0" in os.environ:
        play()
        return
    environment = dict(os.environ)
    environment.update({"BALLAST%d" % number: "x" * 100000 for number in range(10)})
    os.execve(sys.executable, [sys.executable, "-S", *sys.argv], environment)
