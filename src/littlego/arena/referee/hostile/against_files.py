"""What an agent leaves in its directory to trouble those who read, measure, keep or remove it."""

import fcntl
import os
import resource
import shutil
import stat
import struct

from littlego.arena.referee.hostile.agent import FACTS, MEBI, attempt, case, play

IMMUTABLE = 0x10


@case
def directories_joined() -> None:
    """Each chain is as deep as allowed; joined end to end they are deeper than any recursion."""
    here = os.getcwd()
    for chain in range(5):
        os.chdir(here)
        os.mkdir("chain%d" % chain)
        os.chdir("chain%d" % chain)
        for _ in range(29):
            os.mkdir("d")
            os.chdir("d")
    os.chdir(here)
    for chain in range(4, 0, -1):
        os.rename("chain%d" % chain, os.path.join("chain%d" % (chain - 1), *["d"] * 29, "next"))
    play()


@case
def directories_very_deep() -> None:
    play()
    for _ in range(FACTS["files"] * 10):
        os.mkdir("d")
        os.chdir("d")


@case
def mode_zero_inside() -> None:
    os.makedirs("locked/inner")
    with open("locked/inner/file", "w") as file:
        file.write("x" * 1000)
    try:
        os.chmod("locked/inner", 0)
        os.chmod("locked", 0)
    except OSError:
        pass
    play()


@case
def immutable_file() -> None:
    def set_flag() -> str:
        with open("forever", "w") as file:
            flags = struct.unpack("l", fcntl.ioctl(file, 0x80086601, struct.pack("l", 0)))[0]
            fcntl.ioctl(file, 0x40086602, struct.pack("l", flags | IMMUTABLE))
            changed = struct.unpack("l", fcntl.ioctl(file, 0x80086601, struct.pack("l", 0)))[0]
            fcntl.ioctl(file, 0x40086602, struct.pack("l", flags))
        if not changed & IMMUTABLE:
            raise OSError("the flag did not stay")
        return "forever"

    attempt(set_flag, "made a file that not even its owner can remove")


@case
def set_uid_left() -> None:
    shutil.copyfile("/bin/sh", "shell")
    try:
        os.chmod("shell", 0o6755)
    except OSError:
        pass
    play()


@case
def device_node() -> None:
    attempt(lambda: os.mknod("memory", stat.S_IFCHR | 0o666, os.makedev(1, 1)), "made a device")


@case
def fifo_as_state() -> None:
    if not os.path.exists("count.txt"):
        os.mkfifo("count.txt")
    play()


@case
def odd_names() -> None:
    for name in (b"a\nb", b"\xff\xfe", b"-rf", b"x" * 255, b"$(id)", b"'\"", b"\x1b[2J", b"%s%n", b" "):
        with open(name, "w"):
            pass
    play()


@case
def sparse_many() -> None:
    for number in range(50):
        with open("sparse%d" % number, "wb") as file:
            file.truncate(4 * MEBI)
    play()


@case
def many_links() -> None:
    with open("one", "w") as file:
        file.write("x")
    for number in range(2 * FACTS["files"]):
        os.link("one", "link%d" % number)
    play()


@case
def reserved_space() -> None:
    with open("reserved", "wb") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, 1 << 34)
        except OSError:
            pass
    play()


@case
def link_loop() -> None:
    if not os.path.isdir("inner"):
        os.mkdir("inner")
        os.symlink("..", "inner/up")
        os.symlink("/", "root")
        os.symlink("/dev/zero", "endless")
        os.symlink("circle", "circle")
    play()


@case
def core_dump() -> None:
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        pass
    os.abort()


# Outputs and inputs of a kind.


@case
def output_unreadable() -> None:
    play()
    os.chmod("output.txt", 0)


@case
def output_dangling_link() -> None:
    os.symlink("nowhere", "output.txt")


@case
def output_circle() -> None:
    os.symlink("output.txt", "output.txt")


@case
def output_of_the_system() -> None:
    os.symlink("/usr/bin/env", "output.txt")


@case
def output_utf16() -> None:
    with open("output.txt", "wb") as file:
        file.write("2,3\n".encode("utf-16"))


@case
def output_marked() -> None:
    with open("output.txt", "wb") as file:
        file.write(b"\xef\xbb\xbf2,3\n")


@case
def output_sparse() -> None:
    with open("output.txt", "wb") as file:
        file.write(b"2,3\n")
        file.truncate(4 * MEBI)


@case
def output_replaced_late() -> None:
    """A survivor swaps the output for a link again and again."""
    play()
    if os.fork() == 0:
        while True:
            os.symlink(FACTS["secret"], "new")
            os.rename("new", "output.txt")
            play_as("new")
            os.rename("new", "output.txt")


def play_as(name: str) -> None:
    with open(name, "w") as file:
        file.write("2,3\n")


@case
def input_planted_fifo() -> None:
    if not stat.S_ISFIFO(os.stat("input.txt").st_mode):
        os.unlink("input.txt")
        os.mkfifo("input.txt")
    play()


@case
def input_planted_tree() -> None:
    """Deeper than a recursive removal likes."""
    if os.path.isfile("input.txt"):
        os.unlink("input.txt")
        here = os.getcwd()
        os.mkdir("input.txt")
        os.chdir("input.txt")
        for _ in range(30):
            os.mkdir("d")
            os.chdir("d")
        os.chdir(here)
    play()


@case
def interpreter_opened() -> None:
    attempt(lambda: os.close(os.open(os.__file__, os.O_WRONLY)), "opened the interpreter's library for writing")


@case
def times_outside() -> None:
    attempt(lambda: os.utime(FACTS["victim_file"]), "changed the times of a file outside")


@case
def attributes_outside() -> None:
    attempt(lambda: os.setxattr(FACTS["victim_file"], "user.littlego", b"x"), "wrote an attribute of a file outside")


@case
def truncate_outside() -> None:
    attempt(lambda: os.truncate(FACTS["victim_file"], 0), "cut a file outside to nothing")
