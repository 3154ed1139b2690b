"""Ways out by the kernel: mounts, devices, networks, other processes, rights."""

import ctypes
import glob
import os
import signal
import socket
import struct
import subprocess
from typing import Any, Callable

from littlego.arena.referee.hostile.agent import FACTS, attempt, case, loot, play, system_call


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        found = file.read(100)
    if not found:
        raise OSError("empty")
    return found


@case
def read_above() -> None:
    attempt(lambda: read("../secret.txt"), "read the secret from above")


@case
def read_through_a_link() -> None:
    if not os.path.islink("shortcut"):
        os.symlink(FACTS["secret"], "shortcut")
    attempt(lambda: read("shortcut"), "read the secret through a link")


@case
def link_to_a_secret() -> None:
    attempt(lambda: os.link(FACTS["secret"], "mine"), "gave the secret a name of its own")


@case
def read_users() -> None:
    attempt(lambda: read("/etc/passwd"), "read the list of users")


@case
def list_homes() -> None:
    attempt(lambda: os.listdir(os.path.dirname(FACTS["outside"])), "listed what lies beside its directory")


@case
def list_the_root() -> None:
    attempt(lambda: os.listdir("/tmp"), "listed the temporary directory")


@case
def write_to_opponent() -> None:
    def write() -> int:
        with open(os.path.join(FACTS["opponent"], "book.txt"), "w") as file:
            return file.write("worse")

    attempt(write, "wrote to the opponent's files")


@case
def add_to_opponent() -> None:
    attempt(lambda: os.mkdir(os.path.join(FACTS["opponent"], "new")), "made a directory at the opponent's")


@case
def rename_opponent() -> None:
    attempt(lambda: os.rename(FACTS["opponent"], FACTS["opponent"] + "-away"), "took the opponent's directory away")


def victim_is_here() -> bool:
    return b"sleep" in read("/proc/%d/cmdline" % FACTS["victim"])


@case
def see_other_processes() -> None:
    def look() -> bool:
        if not victim_is_here():
            raise OSError("another process of that number")
        return True

    attempt(look, "saw what others run")


@case
def host_root() -> None:
    attempt(lambda: read("/proc/%d/root%s" % (FACTS["victim"], FACTS["secret"])), "read through the host's root")


@case
def host_directory() -> None:
    attempt(lambda: os.listdir("/proc/%d/cwd" % FACTS["victim"]), "listed the host's directory")


@case
def host_memory_file() -> None:
    attempt(lambda: os.close(os.open("/proc/%d/mem" % FACTS["victim"], os.O_RDWR)), "opened the host's memory")


@case
def renice_host() -> None:
    attempt_changed(lambda: os.setpriority(os.PRIO_PROCESS, FACTS["victim"], 19), "slowed the host down")


def attempt_changed(act: Callable[[], object], what: str) -> None:
    try:
        act()
        if os.getpriority(os.PRIO_PROCESS, FACTS["victim"]) == 19:
            loot(what)
    except OSError:
        pass
    play()


@case
def signal_host_queued() -> None:
    information = ctypes.create_string_buffer(struct.pack("=iii", signal.SIGTERM, 0, -1), 128)

    def queue() -> int:
        return system_call(129, 138, FACTS["victim"], int(signal.SIGTERM), information)

    attempt(queue, "queued a signal for the host")


@case
def stop_host() -> None:
    def stop() -> None:
        os.kill(FACTS["victim"], signal.SIGSTOP)
        os.kill(FACTS["victim"], signal.SIGCONT)

    attempt(stop, "stopped the host")


# Mounts and devices.


def text(word: str) -> Any:
    return ctypes.create_string_buffer(word.encode())


@case
def mount_memory() -> None:
    os.mkdir("mounted")
    here = os.path.abspath("mounted")

    def mount() -> int:
        done = system_call(165, 40, text("none"), text(here), text("tmpfs"), 0, None)
        system_call(166, 39, text(here), 0)
        return done

    attempt(mount, "mounted a file system")


@case
def mount_by_descriptor() -> None:
    attempt(lambda: system_call(430, 430, text("tmpfs"), 0), "opened a file system")


@case
def mount_copy() -> None:
    attempt(lambda: system_call(428, 428, -100, text("/"), 1), "copied the mounts")


@case
def new_root() -> None:
    os.mkdir("root")

    def change() -> int:
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

    attempt(change, "changed its root")


@case
def file_handles() -> None:
    handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0), 136)
    identity = ctypes.create_string_buffer(8)

    def name() -> int:
        return system_call(303, 264, -100, text("/usr"), handle, identity, 0)

    attempt(name, "named a file by its handle")


@case
def kernel_log() -> None:
    attempt(lambda: system_call(103, 116, 10, None, 0), "asked for the kernel's log")


@case
def kernel_messages() -> None:
    attempt(lambda: os.close(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)), "opened the kernel's messages")


@case
def raw_memory() -> None:
    attempt(lambda: os.close(os.open("/dev/mem", os.O_RDONLY)), "opened the machine's memory")


@case
def terminals() -> None:
    attempt(lambda: os.close(os.open("/dev/ptmx", os.O_RDWR)), "opened a terminal")


@case
def kernel_settings() -> None:
    def write() -> int:
        with open("/proc/sys/kernel/core_pattern") as file:
            same = file.read()
        with open("/proc/sys/kernel/core_pattern", "w") as file:
            return file.write(same)

    attempt(write, "wrote a setting of the kernel")


@case
def other_cgroup() -> None:
    def leave() -> str:
        for path in glob.glob("/sys/fs/cgroup/*/tasks") + glob.glob("/sys/fs/cgroup/cgroup.procs"):
            try:
                with open(path, "w") as file:
                    file.write("0")
                return path
            except OSError:
                continue
        raise OSError("refused")

    attempt(leave, "left its cgroup")


@case
def kernel_programs() -> None:
    attributes = ctypes.create_string_buffer(struct.pack("=IIII", 2, 4, 4, 1), 128)  # an array map
    attempt(lambda: system_call(321, 280, 0, attributes, 128), "made a map for kernel programs")


@case
def kernel_clock() -> None:
    attempt(lambda: system_call(159, 171, ctypes.create_string_buffer(512)), "asked to adjust the clock")


@case
def host_name() -> None:
    def rename() -> int:
        name = os.uname().nodename
        return system_call(170, 161, text(name), len(name))

    attempt(rename, "set the host's name")


@case
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


@case
def set_uid_programs() -> None:
    """Programs of the system that become root when an ordinary user starts them."""
    for name in ("su", "passwd", "mount", "newgrp"):
        path = "/usr/bin/" + name
        if not os.path.exists(path):
            continue
        child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            with open("/proc/%d/status" % child.pid) as file:
                fields = dict(line.split(":", 1) for line in file)
            if str(os.getuid()) != fields["Uid"].split()[1]:
                loot("%s ran as user %s" % (name, fields["Uid"].split()[1]))
        except (OSError, KeyError):
            pass
        child.kill()
        child.communicate()
    play()


@case
def become_root() -> None:
    def change() -> int:
        if os.getuid() == 0:
            os.setgroups([1])
            return 0
        os.setuid(0)
        return os.getuid()

    attempt(change, "changed its user or groups")


# Networks.


@case
def tcp_listener() -> None:
    def listen() -> object:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            return listener.getsockname()

    attempt(listen, "listens on TCP")


@case
def tcp_ipv6() -> None:
    attempt(lambda: socket.socket(socket.AF_INET6).close(), "made an IPv6 socket")


@case
def kernel_socket() -> None:
    attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(), "speaks with the kernel")


@case
def raw_packets() -> None:
    attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close(), "sends packets")


@case
def machine_socket() -> None:
    attempt(lambda: socket.socket(40, socket.SOCK_STREAM).close(), "speaks with the machine below")  # AF_VSOCK


@case
def crypto_socket() -> None:
    attempt(lambda: socket.socket(38, socket.SOCK_SEQPACKET).close(), "uses the kernel's cryptography")  # AF_ALG


@case
def listens_for_opponent() -> None:
    def listen() -> str:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("\0" + FACTS["abstract"] + "-mine")
            return str(listener.getsockname())

    attempt(listen, "listens under an abstract name")
