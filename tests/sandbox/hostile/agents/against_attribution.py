"""Agents that try to look like a failure of ours, to hold what is not counted, and to speak to other games."""

import array
import ctypes
import fcntl
import glob
import mmap
import os
import resource
import socket
import struct
import time

from tests.sandbox.hostile.agents.agent import FACTS, MEBI, PLAYS, CaseGroup, loot, play, system_call

SET_NAME = 15


def call_itself(name: bytes) -> None:
    ctypes.CDLL(None).prctl(SET_NAME, name, 0, 0, 0)


case = CaseGroup("whose fault it is", __name__)


@case("a program's name is not read as its memory", "wall_time")
def named_like_a_number() -> None:
    call_itself(b"\rVmRSS:x")
    time.sleep(1000)


@case("nor as a line without a number", "wall_time")
def named_like_a_line() -> None:
    call_itself(b"\rVmRSS:")
    time.sleep(1000)


@case("nor do odd separators make lines", "wall_time")
def named_with_separators() -> None:
    call_itself(b"\x1cVmRSS:\x1d\f1")
    time.sleep(1000)


@case("a mapped file's path is not read as numbers", PLAYS, "memory")
def path_like_a_map() -> None:
    folder = "a\f1 2 3 4 X " + os.getcwd()
    os.makedirs(folder)
    path = os.path.join(folder, "file")
    with open(path, "w+b") as file:
        file.write(bytes(4096))
        file.flush()
        kept = mmap.mmap(file.fileno(), 4096)
        os.unlink(path)
    time.sleep(0.6)
    del kept
    play()


@case("names do not hide mapped files", PLAYS, "memory", "crash", sandboxed=True)
def mapped_files_with_odd_names() -> None:
    """Each is closed and deleted, and called so that the line of its map seems to end early."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    held = 0
    try:
        for number in range(40):
            name = "a\fb%d" % number
            with open(name, "w+b", buffering=0) as file:
                os.unlink(name)
                held += file.write(bytes(4 * MEBI))
                libc.mmap(None, ctypes.c_size_t(4096), 1, mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0))
            time.sleep(0.02)
    except OSError:
        pass
    time.sleep(0.5)
    if held > FACTS["memory"]:
        loot("held %d MiB" % (held // MEBI))
    play()


@case("nor does the name of a process without its first thread hide memory", "memory", "crash")
def nameless_memory() -> None:
    import threading

    def hold() -> None:
        kept = []
        for _ in range(12):
            kept.append(b"x" * (16 * MEBI))
            time.sleep(0.05)
        time.sleep(1)
        loot("held %d MiB" % (16 * len(kept)))
        play()
        os._exit(0)

    threading.Thread(target=hold).start()
    call_itself(b"\rVmRSS:0")
    system_call(60, 93, 0)  # exit, of this thread alone


case.refused(
    "own_landlock_rules",
    "no rules of its own, which hold deleted files",
    lambda: system_call(444, 444, ctypes.create_string_buffer(struct.pack("=Q", 4), 8), 8, 0),
)


@case.misdeed("no attributes of files, which are memory of the kernel")
def file_attributes() -> None:
    with open("attributed", "w"):
        pass
    os.setxattr("attributed", "user.littlego", b"x" * 1000)


@case.misdeed("no pair of sockets that can send elsewhere")
def datagram_pair() -> object:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)


@case.misdeed("no address to send to")
def send_to_an_address() -> int:
    pair = socket.socketpair()
    address = ctypes.create_string_buffer(struct.pack("=H108s", 1, FACTS["socket"].encode()[:107]), 110)
    return system_call(44, 206, pair[0].fileno(), ctypes.create_string_buffer(1), 1, 0, address, 110)


@case.misdeed("no name for a socket")
def socket_with_a_name() -> None:
    socket.socketpair()[0].bind("\0" + FACTS["abstract"] + "-pair")


@case("pairs of sockets work otherwise")
def stream_pair() -> None:
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        first, second = socket.socketpair(socket.AF_UNIX, kind)
        first.send(b"x")
        if second.recv(1) != b"x":
            loot("nothing came")
    play()


@case("a lock tells nobody anything", sandboxed=True)
def lock_as_a_signal() -> None:
    """A lock of one process must not be seen by another: they might be in two games."""
    reads, writes = os.pipe()
    if os.fork() == 0:
        fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX)
        os.write(writes, b"x")
        time.sleep(1000)
    os.read(reads, 1)
    try:
        fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        loot("a lock was seen")
    play()


@case.misdeed("nor can it ask for locks")
def lock_asked_for() -> bytes:
    with open(os.__file__, "rb") as file:
        asked = array.array("b", struct.pack("=hhxxxxqqixxxx", fcntl.F_WRLCK, 0, 0, 0, 0))
        return fcntl.fcntl(file, fcntl.F_GETLK, asked.tobytes())


@case.misdeed("no look at which pages of a file somebody has read")
def page_cache_asked() -> int:
    with open(os.__file__, "rb") as file:
        file.read()
        return os.preadv(file.fileno(), [bytearray(4096)], 0, os.RWF_NOWAIT)


@case("nor a way to make others read them again", sandboxed=True)
def page_cache_emptied() -> None:
    """What nobody else reads meanwhile: a program of the system that no test needs."""
    path = next(path for path in sorted(glob.glob("/usr/bin/*"), key=os.path.getsize) if os.access(path, os.R_OK))
    with open(path, "rb") as file:
        file.read()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(0)
        file.read()
        if resource.getrusage(resource.RUSAGE_SELF).ru_inblock != before:
            loot("a page was read again")
    play()


@case.misdeed("no count of all mounts, and so of moves, since the system started")
def mounts_counted() -> int:
    return system_call(332, 291, -100, b".", 0, 0x4000, ctypes.create_string_buffer(256))
