"""What an agent leaves in its directory to trouble those who read, measure, keep or remove it."""

import fcntl
import os
import resource
import shutil
import stat
import struct
from contextlib import suppress

from tests.sandbox.hostile.agents.agent import FACTS, MEBI, PLAYS, CaseGroup, descend, opened, play, write

IMMUTABLE = 0x10

case = CaseGroup("what it leaves behind", __name__)


@case("chains of directories joined by renaming are found", "memory")
def directories_joined() -> None:
    """Each chain is as deep as allowed; joined end to end they are deeper than any recursion."""
    here = os.getcwd()
    for chain in range(5):
        os.chdir(here)
        os.mkdir("chain%d" % chain)
        os.chdir("chain%d" % chain)
        descend(29)
    os.chdir(here)
    for chain in range(4, 0, -1):
        os.rename("chain%d" % chain, os.path.join("chain%d" % (chain - 1), *["d"] * 29, "next"))
    play()


@case("very deep directories are found", "memory")
def directories_very_deep() -> None:
    play()
    descend(FACTS["files"] * 10)


@case("directories without permissions are measured and removed", "memory", PLAYS)
def mode_zero_inside() -> None:
    os.makedirs("locked/inner")
    write("locked/inner/file", "x" * 1000)
    with suppress(OSError):
        os.chmod("locked/inner", 0)
        os.chmod("locked", 0)
    play()


@case.misdeed("no file can be made immutable")
def immutable_file() -> str:
    with open("forever", "w") as file:
        flags = struct.unpack("l", fcntl.ioctl(file, 0x80086601, struct.pack("l", 0)))[0]
        fcntl.ioctl(file, 0x40086602, struct.pack("l", flags | IMMUTABLE))
        changed = struct.unpack("l", fcntl.ioctl(file, 0x80086601, struct.pack("l", 0)))[0]
        fcntl.ioctl(file, 0x40086602, struct.pack("l", flags))
    if not changed & IMMUTABLE:
        raise OSError("the flag did not stay")
    return "forever"


@case("no set-uid program stays behind")
def set_uid_left() -> None:
    shutil.copyfile("/bin/sh", "shell")
    with suppress(OSError):
        os.chmod("shell", 0o6755)
    play()


case.refused("device_node", "no devices", lambda: os.mknod("memory", stat.S_IFCHR | 0o666, os.makedev(1, 1)))


@case("a FIFO among the kept files blocks nobody", moves=2)
def fifo_as_state() -> None:
    if not os.path.exists("count.txt"):
        os.mkfifo("count.txt")
    play()


@case("names may contain anything", moves=2)
def odd_names() -> None:
    for name in (b"a\nb", b"\xff\xfe", b"-rf", b"x" * 255, b"$(id)", b"'\"", b"\x1b[2J", b"%s%n", b" "):
        with open(name, "w"):
            pass
    play()


@case("holes in files count", "memory")
def sparse_many() -> None:
    for number in range(50):
        with open("sparse%d" % number, "wb") as file:
            file.truncate(4 * MEBI)
    play()


@case("every name counts", "memory")
def many_links() -> None:
    write("one", "x")
    for number in range(2 * FACTS["files"]):
        os.link("one", "link%d" % number)
    play()


@case("space cannot be reserved beyond the size of a file", "crash", PLAYS)
def reserved_space() -> None:
    with open("reserved", "wb") as file:
        with suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, 1 << 34)
    play()


@case("links in circles are not followed", moves=2)
def link_loop() -> None:
    if not os.path.isdir("inner"):
        os.mkdir("inner")
        os.symlink("..", "inner/up")
        os.symlink("/", "root")
        os.symlink("/dev/zero", "endless")
        os.symlink("circle", "circle")
    play()


@case("a crash leaves no core", "crash")
def core_dump() -> None:
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    os.abort()


@case("an output without permissions is read, or refused", "bad_format", PLAYS)
def output_unreadable() -> None:
    play()
    os.chmod("output.txt", 0)


case.add(
    "output_dangling_link", "a link to nothing is refused", lambda: os.symlink("nowhere", "output.txt"), "bad_format"
)
case.add("output_circle", "a link to itself is refused", lambda: os.symlink("output.txt", "output.txt"), "bad_format")
case.add(
    "output_of_the_system",
    "a link to a system file is refused",
    lambda: os.symlink("/usr/bin/env", "output.txt"),
    "bad_format",
)
case.add("output_utf16", "other encodings are refused", lambda: play("2,3\n".encode("utf-16")), "bad_format")
case.add("output_marked", "a byte order mark is refused", lambda: play(b"\xef\xbb\xbf2,3\n"), "bad_format")


@case("a hole after the move is refused", "bad_format")
def output_sparse() -> None:
    play()
    os.truncate("output.txt", 4 * MEBI)


@case("a survivor cannot keep swapping the output", "bad_format", PLAYS)
def output_replaced_late() -> None:
    """A survivor swaps the output for a link again and again."""
    play()
    if os.fork() == 0:
        while True:
            os.symlink(FACTS["secret"], "new")
            os.rename("new", "output.txt")
            write("new", "2,3\n")
            os.rename("new", "output.txt")


@case("a planted FIFO is removed", moves=3)
def input_planted_fifo() -> None:
    if not stat.S_ISFIFO(os.stat("input.txt").st_mode):
        os.unlink("input.txt")
        os.mkfifo("input.txt")
    play()


@case("a planted deep directory is removed", moves=3)
def input_planted_tree() -> None:
    """Deeper than a recursive removal likes."""
    if os.path.isfile("input.txt"):
        os.unlink("input.txt")
        here = os.getcwd()
        os.mkdir("input.txt")
        os.chdir("input.txt")
        descend(30)
        os.chdir(here)
    play()


case.refused("interpreter_opened", "the interpreter cannot be changed", lambda: opened(os.__file__, os.O_WRONLY))
case.refused("times_outside", "the times of files outside cannot be changed", lambda: os.utime(FACTS["victim_file"]))
case.refused(
    "attributes_outside",
    "their attributes cannot be changed",
    lambda: os.setxattr(FACTS["victim_file"], "user.littlego", b"x"),
)
case.refused("truncate_outside", "they cannot be truncated", lambda: os.truncate(FACTS["victim_file"], 0))
