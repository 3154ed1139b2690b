"""Agents that reach for the files, the network and the processes of the host, by their output or at once."""

import ctypes
import os
import signal
import socket
import stat
import struct
import time
from contextlib import suppress

from tests.sandbox.hostile.agents.agent import (
    FACTS,
    KEEPER,
    MEBI,
    SEIZE,
    CaseGroup,
    descend,
    loot,
    opened,
    play,
    read,
    read_memory,
    system_call,
    write,
)

case = CaseGroup("files", __name__)


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


case = CaseGroup("output and input", __name__)
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


case = CaseGroup("outside", __name__)


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


case = CaseGroup("network", __name__)
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


case = CaseGroup("processes and kernel", __name__)
case.refused("signal_host", "no signals to the host", lambda: os.kill(FACTS["victim"], signal.SIGTERM))


@case("no signals to the keeper", sandboxed=True)
def signal_keeper() -> None:
    parent = KEEPER
    for number in (signal.SIGINT, signal.SIGCHLD, signal.SIGTERM, signal.SIGUSR1, signal.SIGSTOP, signal.SIGKILL):
        with suppress(OSError):
            os.kill(parent, number)
    time.sleep(0.1)
    play()


case.refused("keeper_memory", "the keeper's memory is out of reach", lambda: opened("/proc/%d/mem" % KEEPER, os.O_RDWR))


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
