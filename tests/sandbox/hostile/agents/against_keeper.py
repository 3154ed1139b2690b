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
from contextlib import suppress
from typing import List

from tests.sandbox.hostile.agents.agent import (
    FACTS,
    KEEPER,
    PLAYS,
    SEIZE,
    CaseGroup,
    change,
    loot,
    play,
    read,
    read_memory,
    system_call,
    write,
)

NICEST = 19
SCHED_IDLE = 5
IO_PROCESS, IO_IDLE = 1, 3 << 13


def limit(process: int, which: int, most: int) -> object:
    return resource.prlimit(process, which, (most, most))


case = CaseGroup("the keeper", __name__)


@case.misdeed("the keeper's memory, and so the opponent's, cannot be limited")
def limit_keeper_memory() -> object:
    return limit(KEEPER, resource.RLIMIT_AS, 90 << 20)  # the opponent needs more


case.refused(
    "limit_keeper_descriptors",
    "its open files cannot be limited",
    lambda: limit(KEEPER, resource.RLIMIT_NOFILE, 3),
)
case.refused(
    "limit_keeper_processes", "its processes cannot be limited", lambda: limit(KEEPER, resource.RLIMIT_NPROC, 0)
)
case.refused("limit_keeper_time", "its time cannot be limited", lambda: limit(KEEPER, resource.RLIMIT_CPU, 1))
case.refused("limit_keeper_files", "its file sizes cannot be limited", lambda: limit(KEEPER, resource.RLIMIT_FSIZE, 0))
case.refused("limit_host", "no other process can be limited", lambda: limit(FACTS["victim"], resource.RLIMIT_NOFILE, 3))


@case("the keeper cannot be slowed down", sandboxed=True)
def renice_keeper() -> None:
    keeper = KEEPER
    change(lambda: os.setpriority(os.PRIO_PROCESS, keeper, NICEST), lambda: os.getpriority(os.PRIO_PROCESS, keeper))


@case("it cannot be made to run last", sandboxed=True)
def reschedule_keeper() -> None:
    keeper = KEEPER
    change(lambda: os.sched_setscheduler(keeper, SCHED_IDLE, os.sched_param(0)), lambda: os.sched_getscheduler(keeper))


@case("it cannot lose processors", sandboxed=True)
def pin_keeper() -> None:
    keeper = KEEPER
    change(
        lambda: os.sched_setaffinity(keeper, {min(os.sched_getaffinity(keeper))}), lambda: os.sched_getaffinity(keeper)
    )


@case("its reads and writes cannot be delayed", sandboxed=True)
def keeper_io_priority() -> None:
    keeper = KEEPER
    change(lambda: system_call(251, 30, IO_PROCESS, keeper, IO_IDLE), lambda: system_call(252, 31, IO_PROCESS, keeper))


@case("an agent cannot slow itself down to pass for starved", sandboxed=True)
def starves_itself() -> None:
    """On a busy machine this would make it wait for a core, and a lost game void."""

    def be_last() -> None:
        os.setpriority(os.PRIO_PROCESS, 0, NICEST)
        os.sched_setscheduler(0, SCHED_IDLE, os.sched_param(0))

    change(be_last, lambda: (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)))


@case.misdeed("no flood of signals reaches the keeper")
def signal_flood() -> int:
    for _ in range(20000):
        os.kill(KEEPER, signal.SIGCHLD)
    return 20000


@case.misdeed("no queued signal reaches it")
def signal_keeper_queued() -> int:
    information = ctypes.create_string_buffer(struct.pack("=iii", signal.SIGCHLD, 0, -1), 128)
    return system_call(129, 138, KEEPER, int(signal.SIGCHLD), information)


case.refused(
    "signal_keeper_thread",
    "no signal reaches its thread",
    lambda: system_call(234, 131, KEEPER, KEEPER, int(signal.SIGCHLD)),
)


@case.misdeed("no signal reaches it through a descriptor")
def signal_keeper_by_descriptor() -> int:
    descriptor = system_call(434, 434, KEEPER, 0)  # pidfd_open
    return system_call(424, 424, descriptor, int(signal.SIGCHLD), 0, 0)


@case.misdeed("the keeper cannot be traced")
def trace_keeper() -> int:
    return system_call(101, 117, SEIZE, KEEPER, 0, 0)


@case.misdeed("its memory cannot be read")
def keeper_memory_by_call() -> int:
    try:
        return read_memory(KEEPER)
    except OSError as error:
        if error.errno == 14:  # the address is bad, and so the right was there
            return 14
        raise


@case.misdeed("its descriptors cannot be taken")
def keeper_descriptors() -> int:
    return system_call(438, 438, system_call(434, 434, KEEPER, 0), 0, 0)  # pidfd_getfd


case.refused("keeper_open_files", "its open files cannot be seen", lambda: os.readlink("/proc/%d/fd/0" % KEEPER))
case.refused("keeper_maps", "its memory map cannot be seen", lambda: read("/proc/%d/maps" % KEEPER))
case.refused(
    "keeper_compared",
    "it cannot be compared with another process",
    lambda: system_call(312, 272, os.getpid(), KEEPER, 1, 0, 0),
)
case.refused(
    "keeper_first_to_be_killed",
    "it cannot be made the first to be killed",
    lambda: write("/proc/%d/oom_score_adj" % KEEPER, "1000"),
)
case.refused(
    "keeper_file_system",
    "its view of the files cannot be used",
    lambda: read("/proc/%d/root%s" % (KEEPER, FACTS["secret"])),
)


@case("ended children that nobody waits for are limited", "memory")
def zombies() -> None:
    with suppress(OSError):
        for _ in range(200):
            if os.fork() == 0:
                os._exit(0)
    time.sleep(1000)


@case("the number of threads is limited", "memory", PLAYS)
def thread_bomb() -> None:
    threads: List[threading.Thread] = []
    threading.stack_size(64 << 10)
    with suppress(RuntimeError):
        while len(threads) < 4000:
            threads.append(threading.Thread(target=time.sleep, args=(1000,), daemon=True))
            threads[-1].start()
    time.sleep(0.5)
    if len(threads) > 1000:
        loot("has %d threads" % len(threads))
    play()
    os._exit(0)


@case("starting programs without end uses up the time", "cpu_time")
def spawn_loop() -> None:
    while True:
        subprocess.call([sys.executable, "-S", "-c", "pass"])


@case("a survivor that holds stderr open delays nobody")
def stderr_held_open() -> None:
    """A daemon that holds the pipe of stderr: whoever reads to its end never ends."""
    play()
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)


@case("stderr may contain anything")
def stderr_binary() -> None:
    os.write(2, b"\xff\xfe\x00\x1b[2J\x1b]0;title\x07" * 10)
    play()


@case("stderr may be closed")
def stderr_closed() -> None:
    os.close(2)
    play()


@case("stopped children end with the move")
def stopped_children() -> None:
    play()
    for _ in range(3):
        if os.fork() == 0:
            os.kill(os.getpid(), signal.SIGSTOP)


@case("children that ignore every signal end with the move")
def children_that_ignore() -> None:
    for number in range(1, 32):
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(1000)
    play()


case.add(
    "kills_itself",
    "an agent that kills itself has crashed",
    lambda: os.kill(os.getpid(), signal.SIGKILL),
    "crash",
    sandboxed=True,
)


@case("so has one that its child kills", "crash", sandboxed=True)
def killed_by_its_child() -> None:
    if os.fork() == 0:
        os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1000)


@case.misdeed("a child's end cannot kill its parent")
def killed_by_its_childs_end() -> int:
    """Nobody sends this signal: the kernel does, when a child made for it ends."""
    child = system_call(56, 220, int(signal.SIGKILL), None, None, None, None)
    if child == 0:
        os._exit(0)
    time.sleep(1000)
    return child


@case("an agent may kill its own children")
def kills_its_child() -> None:
    child = subprocess.Popen(["sleep", "1000"])
    child.kill()
    if child.wait() != -signal.SIGKILL:
        loot("the child ended otherwise: %d" % child.returncode)
    play()


@case("asking for less of the processor is not a crash")
def polite() -> None:
    os.nice(5)
    play()


@case("a program may start itself with a huge environment")
def huge_environment() -> None:
    if "BALLAST0" in os.environ:
        play()
        return
    environment = dict(os.environ)
    environment.update({"BALLAST%d" % number: "x" * 100000 for number in range(10)})
    os.execve(sys.executable, [sys.executable, "-S", *sys.argv], environment)
