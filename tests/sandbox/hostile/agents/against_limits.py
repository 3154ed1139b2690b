"""Honest agents, and agents that use more time, memory or processes than they may."""

import ctypes
import hashlib
import mmap
import os
import resource
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import List

from tests.sandbox.hostile.agents.agent import (
    FACTS,
    MEBI,
    PLAYS,
    CaseGroup,
    play,
    spin,
    system_call,
    write,
)

case = CaseGroup("honest", __name__)


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


case = CaseGroup("time", __name__)
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


case = CaseGroup("memory and processes", __name__)


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
