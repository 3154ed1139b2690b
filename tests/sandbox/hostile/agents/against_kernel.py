"""Ways out by the kernel: mounts, devices, networks, other processes, rights."""

import ctypes
import glob
import os
import signal
import socket
import struct
import subprocess
from contextlib import suppress
from typing import Any

from tests.sandbox.hostile.agents.agent import (
    FACTS,
    CaseGroup,
    change,
    loot,
    opened,
    play,
    read,
    system_call,
    write,
)

case = CaseGroup("ways out", __name__)
case.refused("read_above", "the directory above cannot be read", lambda: read("../secret.txt"))


@case.misdeed("files outside cannot be read through a link")
def read_through_a_link() -> bytes:
    os.symlink(FACTS["secret"], "shortcut")
    return read("shortcut")


case.refused("link_to_a_secret", "no second names for files outside", lambda: os.link(FACTS["secret"], "mine"))
case.refused("read_users", "no list of users", lambda: read("/etc/passwd"))
case.refused(
    "list_homes", "neighbouring directories cannot be listed", lambda: os.listdir(os.path.dirname(FACTS["outside"]))
)
case.refused("list_the_root", "/tmp cannot be listed", lambda: os.listdir("/tmp"))
case.refused(
    "write_to_opponent",
    "the opponent's files cannot be written",
    lambda: write(os.path.join(FACTS["opponent"], "book.txt")),
)
case.refused(
    "add_to_opponent",
    "the opponent's directory cannot be added to",
    lambda: os.mkdir(os.path.join(FACTS["opponent"], "new")),
)
case.refused(
    "rename_opponent",
    "the opponent's directory cannot be renamed",
    lambda: os.rename(FACTS["opponent"], FACTS["opponent"] + "-away"),
)


@case.misdeed("other processes cannot be seen")
def see_other_processes() -> None:
    if b"sleep" not in read("/proc/%d/cmdline" % FACTS["victim"]):
        raise OSError("another process of that number")


case.refused(
    "host_root",
    "files cannot be read through another process",
    lambda: read("/proc/%d/root%s" % (FACTS["victim"], FACTS["secret"])),
)
case.refused(
    "host_directory",
    "another process's directory cannot be listed",
    lambda: os.listdir("/proc/%d/cwd" % FACTS["victim"]),
)
case.refused(
    "host_memory_file",
    "another process's memory cannot be opened",
    lambda: opened("/proc/%d/mem" % FACTS["victim"], os.O_RDWR),
)


@case("other processes cannot be slowed down", sandboxed=True)
def renice_host() -> None:
    victim = FACTS["victim"]
    change(lambda: os.setpriority(os.PRIO_PROCESS, victim, 19), lambda: os.getpriority(os.PRIO_PROCESS, victim))


@case.misdeed("no queued signals to other processes")
def signal_host_queued() -> int:
    information = ctypes.create_string_buffer(struct.pack("=iii", signal.SIGTERM, 0, -1), 128)
    return system_call(129, 138, FACTS["victim"], int(signal.SIGTERM), information)


@case.misdeed("other processes cannot be stopped")
def stop_host() -> None:
    os.kill(FACTS["victim"], signal.SIGSTOP)
    os.kill(FACTS["victim"], signal.SIGCONT)


def text(word: str) -> Any:
    return ctypes.create_string_buffer(word.encode())


@case.misdeed("no mounts")
def mount_memory() -> int:
    os.mkdir("mounted")
    here = os.path.abspath("mounted")
    done = system_call(165, 40, text("none"), text(here), text("tmpfs"), 0, None)
    system_call(166, 39, text(here), 0)
    return done


case.refused("mount_by_descriptor", "no mounts by descriptor", lambda: system_call(430, 430, text("tmpfs"), 0))
case.refused("mount_copy", "no copies of mounts", lambda: system_call(428, 428, -100, text("/"), 1))


@case.misdeed("no change of root")
def new_root() -> int:
    os.mkdir("root")
    pid = os.fork()
    if pid == 0:
        try:
            os.chroot("root")
        except OSError:
            os._exit(0)
        os._exit(1)
    if os.waitpid(pid, 0)[1]:
        return 1
    raise OSError("refused")


@case.misdeed("no files by handle")
def file_handles() -> int:
    handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0), 136)
    identity = ctypes.create_string_buffer(8)
    return system_call(303, 264, -100, text("/usr"), handle, identity, 0)


case.refused("kernel_log", "no kernel log", lambda: system_call(103, 116, 10, None, 0))
case.refused("kernel_messages", "no kernel messages", lambda: opened("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK))
case.refused("raw_memory", "no raw memory", lambda: opened("/dev/mem", os.O_RDONLY))
case.refused("terminals", "no terminals", lambda: opened("/dev/ptmx", os.O_RDWR))


@case.misdeed("no kernel settings")
def kernel_settings() -> str:
    with open("/proc/sys/kernel/core_pattern") as file:
        same = file.read()
    return write("/proc/sys/kernel/core_pattern", same)


@case.misdeed("no other cgroup")
def other_cgroup() -> str:
    for path in glob.glob("/sys/fs/cgroup/*/tasks") + glob.glob("/sys/fs/cgroup/cgroup.procs"):
        try:
            return write(path, "0")
        except OSError:
            continue
    raise OSError("refused")


@case.misdeed("no kernel programs")
def kernel_programs() -> int:
    attributes = ctypes.create_string_buffer(struct.pack("=IIII", 2, 4, 4, 1), 128)  # an array map
    return system_call(321, 280, 0, attributes, 128)


case.refused(
    "kernel_clock", "the clock cannot be adjusted", lambda: system_call(159, 171, ctypes.create_string_buffer(512))
)


@case.misdeed("the host name cannot be set")
def host_name() -> int:
    name = os.uname().nodename
    return system_call(170, 161, text(name), len(name))


@case("no capabilities, and no way to gain any", sandboxed=True)
def capabilities() -> None:
    try:
        with open("/proc/self/status") as file:
            fields = dict(line.split(":", 1) for line in file)
    except OSError:  # without a /proc of its own it may not ask the kernel this way
        play()
        return
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        if int(fields[name], 16):
            loot("%s is %s" % (name, fields[name].strip()))
    if fields["NoNewPrivs"].strip() != "1":
        loot("may gain privileges by exec")
    play()


@case("set-uid programs give no rights", sandboxed=True)
def set_uid_programs() -> None:
    """Programs of the system that become root when an ordinary user starts them."""
    for name in ("su", "passwd", "mount", "newgrp"):
        path = "/usr/bin/" + name
        if not os.path.exists(path):
            continue
        child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with suppress(OSError, KeyError):
            with open("/proc/%d/status" % child.pid) as file:
                fields = dict(line.split(":", 1) for line in file)
            if str(os.getuid()) != fields["Uid"].split()[1]:
                loot("%s ran as user %s" % (name, fields["Uid"].split()[1]))
        child.kill()
        child.communicate()
    play()


@case.misdeed("no other user or group")
def become_root() -> int:
    if os.getuid() == 0:
        os.setgroups([1])
        return 0
    os.setuid(0)
    return os.getuid()


@case.misdeed("no listening on TCP")
def tcp_listener() -> object:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        return listener.getsockname()


case.refused("tcp_ipv6", "no IPv6", lambda: socket.socket(socket.AF_INET6).close())
case.refused("kernel_socket", "no netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close())
case.refused(
    "raw_packets", "no raw packets", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
)
case.refused(
    "machine_socket",
    "no sockets to the host of a virtual machine",
    lambda: socket.socket(40, socket.SOCK_STREAM).close(),
)  # AF_VSOCK
case.refused(
    "crypto_socket", "no sockets for cryptography", lambda: socket.socket(38, socket.SOCK_SEQPACKET).close()
)  # AF_ALG


@case.misdeed("no abstract name for the opponent to find")
def listens_for_opponent() -> str:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + FACTS["abstract"] + "-mine")
        return str(listener.getsockname())
