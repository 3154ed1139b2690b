"""Memory and other stores of the kernel that no process seems to hold."""

import array
import ctypes
import fcntl
import mmap
import os
import socket
import struct
import threading
import time
from contextlib import suppress
from typing import Any, Callable, Iterator, List

from tests.sandbox.hostile.agents.agent import FACTS, MEBI, PLAYS, CaseGroup, loot, play, system_call

Fill = Iterator[int]
"""Takes memory piece by piece, and gives the size of each."""

ENDS = (PLAYS, "memory", "crash", "no_output")
F_SETPIPE_SZ = 1031
KEPT: List[Any] = []
case = CaseGroup("memory outside the count", __name__)


def hoard(fill: Fill) -> None:
    """Take as much as there is; holding more than the limit for a while, with nobody objecting, is loot."""
    held = 0
    with suppress(OSError, MemoryError):
        for size in fill:
            held += size
    time.sleep(0.5)
    if held > FACTS["memory"]:
        loot("held %d MiB" % (held // MEBI))
    play()


def held(
    what: str, *, sandboxed: bool = True, by: Callable[[Fill], None] = hoard
) -> Callable[[Callable[[], Fill]], None]:
    """Declare a case that hoards: it is noticed, or refused, so that the agent plays on, or has no room for a move."""

    def declare(fill: Callable[[], Fill]) -> None:
        proves = "counted or refused: " + what
        case.add(fill.__name__, proves, lambda: by(fill()), *ENDS, sandboxed=sandboxed)

    return declare


def filled_by_children(make: Callable[[], Any]) -> Fill:
    """Each block is written to by a child that ends; this process never touches it."""
    for _ in range(10):
        block = make()
        KEPT.append(block)
        if os.fork() == 0:
            block.write(b"x" * len(block))
            os._exit(0)
        os.wait()
        yield len(block)


@held("shared memory that dead children filled")
def memory_shared_by_the_dead() -> Fill:
    return filled_by_children(lambda: mmap.mmap(-1, 16 * MEBI))


@held("shared memory of /dev/zero")
def memory_of_dev_zero() -> Fill:
    return filled_by_children(lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 16 * MEBI))


@held("page tables", sandboxed=False)
def memory_page_tables() -> Fill:
    """Of memory that is read and never written to."""
    size, no_reserve = 160 << 30, 0x4000
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
    KEPT.append(mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ))
    yield len(KEPT[0][0 : size : 2 * MEBI]) * 4096


def full(end: socket.socket) -> int:
    """Send until no more goes in; how much did."""
    held = 0
    end.setblocking(False)
    try:
        while True:
            held += end.send(bytes(1 << 15))
    except BlockingIOError:
        return held


@held("the contents of sockets")
def memory_socket_buffers() -> Fill:
    for _ in range(4):
        reads, writes = os.pipe()
        if os.fork() == 0:
            for _ in range(200):
                pair = socket.socketpair()
                KEPT.extend(pair)
                os.write(writes, struct.pack("q", sum(map(full, pair))))
            os.close(writes)
            time.sleep(1000)
        os.close(writes)
        while True:
            data = os.read(reads, 8)
            if not data:
                break
            yield struct.unpack("q", data)[0]


def new_carrier() -> socket.socket:
    """A socket through which others can be sent; nobody reads from its other end."""
    carrier = socket.socketpair()
    carrier[0].setblocking(False)
    KEPT.extend(carrier)
    return carrier[0]


def send_away(carrier: socket.socket, *files: Any) -> None:
    """Send open files through a socket, and close them: then no process has them open."""
    rights = array.array("i", [file.fileno() for file in files])
    carrier.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    for file in files:
        file.close()


@held("sockets sent through another socket")
def memory_in_flight() -> Fill:
    for number in range(1000):
        if number % 100 == 0:
            carrier = new_carrier()
        first, second = socket.socketpair()
        held = full(first) + full(second)
        send_away(carrier, first, second)
        yield held


@held("the contents of pipes")
def memory_pipes() -> Fill:
    for _ in range(200):
        _, writes = os.pipe()
        fcntl.fcntl(writes, F_SETPIPE_SZ, MEBI)
        os.set_blocking(writes, False)
        yield os.write(writes, bytes(MEBI))


def deleted_files(keep: Callable[[Any], None] = KEPT.append) -> Fill:
    for number in range(40):
        file = open("hidden%d" % number, "w+b", buffering=0)
        os.unlink("hidden%d" % number)
        held = file.write(bytes(4 * MEBI))
        keep(file)
        time.sleep(0.02)  # or it is done before anyone could look
        yield held


@held("files without a name")
def memory_deleted_files() -> Fill:
    return deleted_files()


@held("nameless files sent through a socket")
def memory_deleted_in_flight() -> Fill:
    carrier = new_carrier()
    return deleted_files(lambda file: send_away(carrier, file))


@held("nameless files that are only mapped")
def memory_deleted_mapped() -> Fill:
    """Of each file a page is mapped, and the file closed."""

    def keep(file: Any) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap(None, ctypes.c_size_t(4096), 1, mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0))
        file.close()

    return deleted_files(keep)


def in_a_thread(fill: Fill) -> None:
    """Hoard in a thread that has descriptors of its own."""

    def act() -> None:
        try:
            system_call(436, 436, 1000, 1000, 2)  # close_range, CLOSE_RANGE_UNSHARE
        except OSError:
            play()
        else:
            hoard(fill)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


@held("nameless files of one thread", by=in_a_thread)
def memory_deleted_of_a_thread() -> Fill:
    return deleted_files()


def without_a_leader(fill: Fill) -> None:
    """Hoard in a process whose first thread has ended, of which `/proc` then tells less."""

    def act() -> None:
        time.sleep(0.1)
        hoard(fill)
        os._exit(0)

    threading.Thread(target=act).start()
    system_call(60, 93, 0)  # exit, of this thread alone


@held("nameless files of a process without its first thread", by=without_a_leader)
def memory_deleted_without_a_leader() -> Fill:
    return deleted_files()


def files_of_sleepers() -> Fill:
    for child in range(8):
        reads, writes = os.pipe()
        if os.fork() == 0:
            with suppress(OSError):
                for number in range(5):
                    name = "hidden%d-%d" % (child, number)
                    descriptor = os.open(name, os.O_CREAT | os.O_WRONLY)
                    os.set_inheritable(descriptor, True)
                    os.unlink(name)
                    os.write(writes, struct.pack("q", os.write(descriptor, bytes(4 * MEBI))))
            os.execv("./sleeps", ["sleeps", "5"])
        os.close(writes)
        while True:
            data = os.read(reads, 8)
            if not data:
                break
            yield struct.unpack("q", data)[0]
        time.sleep(0.1)


@held("nameless files of a program that cannot be read")
def memory_deleted_of_an_unreadable_program() -> Fill:
    """A program that may be run and not read, into which few may look."""
    with open("/bin/sleep", "rb") as program, open(os.open("sleeps", os.O_CREAT | os.O_WRONLY, 0o111), "wb") as copy:
        copy.write(program.read())
    return files_of_sleepers()


@held("memory of a process without its first thread", sandboxed=False, by=without_a_leader)
def memory_without_a_leader() -> Fill:
    for _ in range(20):
        KEPT.append(b"x" * (16 * MEBI))
        yield 16 * MEBI


@case.misdeed("no pages pinned in a pipe")
def memory_spliced() -> int:
    _, writes = os.pipe()
    page = ctypes.create_string_buffer(4096)
    vector = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(page), 4096), 16)
    return system_call(278, 75, writes, vector, 1, 0)


@case("the number of open files is limited")
def descriptor_flood() -> None:
    found: List[int] = []
    with suppress(OSError):
        while len(found) < 100000:
            found.append(os.open("/dev/null", os.O_RDONLY))
    if len(found) > 2000:
        loot("opened %d files" % len(found))
    for descriptor in found[:10]:
        os.close(descriptor)
    play()


case.refused("watch_files", "no watches that keep files in memory", lambda: system_call(294, 26, 0))
case.refused(
    "asynchronous_io",
    "no I/O rings, of which the machine has few",
    lambda: system_call(206, 0, 60000, ctypes.create_string_buffer(8)),
)


@case.misdeed("no System V semaphores")
def system_v_semaphores() -> int:
    return system_call(66, 191, system_call(64, 190, FACTS["key"], 1, 0o1600), 0, 0, 0)  # made, and removed


@case.misdeed("no System V messages")
def system_v_messages() -> int:
    return system_call(71, 187, system_call(68, 186, FACTS["key"], 0o1600), 0, None)


@case.misdeed("no message queues")
def posix_messages() -> int:
    name = ctypes.create_string_buffer(FACTS["abstract"].encode())
    system_call(240, 180, name, os.O_CREAT | os.O_RDWR, 0o600, None)
    return system_call(241, 181, name)


@case.misdeed("no keys")
def keyring_entry() -> int:
    kind, name, secret = (ctypes.create_string_buffer(word) for word in (b"user", b"littlego-hostile", b"x"))
    return system_call(248, 217, kind, name, secret, 1, -2)  # its own keyring, which ends with it


case.refused("fault_handling", "no handling of its own page faults", lambda: system_call(323, 282, 1))
