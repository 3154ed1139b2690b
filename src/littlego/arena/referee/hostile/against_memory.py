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
from typing import Any, Callable, Iterator, List

from littlego.arena.referee.hostile.agent import FACTS, MEBI, attempt, case, loot, play, system_call

F_SETPIPE_SZ = 1031


KEPT: List[Any] = []


def hoard(fill: Iterator[int], what: str) -> None:
    """Fill, as far as it goes; if more than the limit is held for a while and nobody minds, that is loot."""
    held = 0
    try:
        for size in fill:
            held += size
    except (OSError, MemoryError):
        pass
    time.sleep(0.5)
    if held > FACTS["memory"]:
        loot("%s: %d MiB" % (what, held // MEBI))
    play()


def filled_by_children(make: Callable[[], Any]) -> Iterator[int]:
    """Each block is written to by a child that ends; this process never touches it."""
    for _ in range(10):
        block = make()
        KEPT.append(block)
        if os.fork() == 0:
            block.write(b"x" * len(block))
            os._exit(0)
        os.wait()
        yield len(block)


@case
def memory_shared_by_the_dead() -> None:
    hoard(filled_by_children(lambda: mmap.mmap(-1, 16 * MEBI)), "held shared memory that dead children had filled")


@case
def memory_of_dev_zero() -> None:
    def make() -> Any:
        return mmap.mmap(os.open("/dev/zero", os.O_RDWR), 16 * MEBI)

    hoard(filled_by_children(make), "held shared memory of /dev/zero")


@case
def memory_page_tables() -> None:
    def fill() -> Iterator[int]:
        size, no_reserve = 160 << 30, 0x4000
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
        KEPT.append(mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ))
        yield len(KEPT[0][0 : size : 2 * MEBI]) * 4096

    hoard(fill(), "held page tables of memory never written to")


def full(end: socket.socket) -> int:
    """Send until no more goes in; how much did."""
    held = 0
    end.setblocking(False)
    try:
        while True:
            held += end.send(bytes(1 << 15))
    except BlockingIOError:
        return held


@case
def memory_socket_buffers() -> None:
    def fill() -> Iterator[int]:
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

    hoard(fill(), "held the buffers of sockets")


@case
def memory_in_flight() -> None:
    """Sockets that are full, and were sent through another one and closed: no process has them open."""

    def fill() -> Iterator[int]:
        for number in range(1000):
            if number % 100 == 0:
                carrier = socket.socketpair()
                carrier[0].setblocking(False)
                KEPT.extend(carrier)
            first, second = socket.socketpair()
            held = full(first) + full(second)
            rights = array.array("i", [first.fileno(), second.fileno()])
            carrier[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            first.close()
            second.close()
            yield held

    hoard(fill(), "held sockets in flight")


@case
def memory_pipes() -> None:
    def fill() -> Iterator[int]:
        for _ in range(200):
            _, writes = os.pipe()
            fcntl.fcntl(writes, F_SETPIPE_SZ, MEBI)
            os.set_blocking(writes, False)
            yield os.write(writes, bytes(MEBI))

    hoard(fill(), "held the buffers of pipes")


@case
def memory_spliced() -> None:
    def pin() -> int:
        _, writes = os.pipe()
        page = ctypes.create_string_buffer(4096)
        vector = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(page), 4096), 16)
        return system_call(278, 75, writes, vector, 1, 0)

    attempt(pin, "pinned its pages in a pipe")


def deleted_files(keep: Callable[[Any], None]) -> Iterator[int]:
    for number in range(40):
        file = open("hidden%d" % number, "w+b", buffering=0)
        os.unlink("hidden%d" % number)
        held = file.write(bytes(4 * MEBI))
        keep(file)
        time.sleep(0.02)  # or it is done before anyone could look
        yield held


@case
def memory_deleted_files() -> None:
    hoard(deleted_files(KEPT.append), "held files without a name")


@case
def memory_deleted_in_flight() -> None:
    """Files that were sent through a socket and closed: no process has them open."""
    carrier = socket.socketpair()
    carrier[0].setblocking(False)
    KEPT.extend(carrier)

    def keep(file: Any) -> None:
        rights = array.array("i", [file.fileno()])
        carrier[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        file.close()

    hoard(deleted_files(keep), "held files in flight")


@case
def memory_deleted_mapped() -> None:
    """Of each file a page is mapped, and the file closed."""

    def keep(file: Any) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap(None, ctypes.c_size_t(4096), 1, mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0))
        file.close()

    hoard(deleted_files(keep), "held files that are only mapped")


@case
def memory_deleted_of_a_thread() -> None:
    """Files that are open in one thread only, which has descriptors of its own."""

    def act() -> None:
        try:
            system_call(436, 436, 1000, 1000, 2)  # close_range, CLOSE_RANGE_UNSHARE
        except OSError:
            play()
        else:
            hoard(deleted_files(KEPT.append), "held files of a thread")

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def without_a_leader(fill: Iterator[int], what: str) -> None:
    """Hoard in a process whose first thread has ended, of which `/proc` then tells less."""

    def act() -> None:
        time.sleep(0.1)
        hoard(fill, what)
        os._exit(0)

    threading.Thread(target=act).start()
    system_call(60, 93, 0)  # exit, of this thread alone


@case
def memory_deleted_without_a_leader() -> None:
    without_a_leader(deleted_files(KEPT.append), "held files of a process without its first thread")


@case
def memory_without_a_leader() -> None:
    def fill() -> Iterator[int]:
        for _ in range(20):
            KEPT.append(b"x" * (16 * MEBI))
            yield 16 * MEBI

    without_a_leader(fill(), "held memory of a process without its first thread")


@case
def memory_deleted_of_an_unreadable_program() -> None:
    """Files of a program that may be run and not read, into which few may look."""
    with open("/bin/sleep", "rb") as program, open(os.open("sleeps", os.O_CREAT | os.O_WRONLY, 0o111), "wb") as copy:
        copy.write(program.read())

    def fill() -> Iterator[int]:
        for child in range(8):
            if os.fork() == 0:
                for number in range(5):
                    name = "hidden%d-%d" % (child, number)
                    descriptor = os.open(name, os.O_CREAT | os.O_WRONLY)
                    os.set_inheritable(descriptor, True)
                    os.unlink(name)
                    os.write(descriptor, bytes(4 * MEBI))
                os.execv("./sleeps", ["sleeps", "5"])
            time.sleep(0.1)
            yield 20 * MEBI

    hoard(fill(), "held files of a program that cannot be looked into")


@case
def descriptor_flood() -> None:
    found: List[int] = []
    try:
        while len(found) < 100000:
            found.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    if len(found) > 2000:
        loot("opened %d files" % len(found))
    for descriptor in found[:10]:
        os.close(descriptor)
    play()


@case
def watch_files() -> None:
    attempt(lambda: system_call(294, 26, 0), "watches files, which keeps them in the kernel's memory")


@case
def asynchronous_io() -> None:
    attempt(lambda: system_call(206, 0, 60000, ctypes.create_string_buffer(8)), "took rings of the whole machine")


@case
def system_v_semaphores() -> None:
    def make() -> int:
        return system_call(66, 191, system_call(64, 190, FACTS["key"], 1, 0o1600), 0, 0, 0)  # made, and removed

    attempt(make, "made System V semaphores")


@case
def system_v_messages() -> None:
    def make() -> int:
        return system_call(71, 187, system_call(68, 186, FACTS["key"], 0o1600), 0, None)

    attempt(make, "made a System V message queue")


@case
def posix_messages() -> None:
    name = ctypes.create_string_buffer(FACTS["abstract"].encode())

    def make() -> int:
        system_call(240, 180, name, os.O_CREAT | os.O_RDWR, 0o600, None)
        return system_call(241, 181, name)

    attempt(make, "made a message queue")


@case
def keyring_entry() -> None:
    def add() -> int:
        kind, name, secret = (ctypes.create_string_buffer(word) for word in (b"user", b"littlego-hostile", b"x"))
        return system_call(248, 217, kind, name, secret, 1, -2)  # its own keyring, which ends with it

    attempt(add, "has a key")


@case
def fault_handling() -> None:
    attempt(lambda: system_call(323, 282, 1), "handles its own page faults")
