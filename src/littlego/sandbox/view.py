"""What an agent sees of the file system: mounts of its own, and Landlock as a second wall.

The view holds system libraries and the interpreter read-only, its own directory, `/proc` and devices. It is made with
the mount calls of Linux 5.12, which take descriptors, so that no path is looked up twice. With Landlock an unprivileged
process gives up access to files; its rules apply to files, not paths, so they hold in a view of the same files.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import glob
import os
import struct
from collections.abc import Iterable, Iterator

from littlego.sandbox import syscalls

# Not /dev/zero: mapped and shared, it is memory that is counted for no process.
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
_TOP = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/java*", "/etc/python*")

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT, _MS_REC, _MS_PRIVATE = 1, 2, 4, 8, 32, 16384, 1 << 18
_MNT_DETACH = 2
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE = 1
_HOST = b"littlego"
_MOVE_FROM_EMPTY = 4
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4


@functools.cache
def system_paths() -> tuple[str, ...]:
    """The system's libraries and programs, and the few settings that they need, which every agent may read."""
    return (*filter(os.path.exists, _TOP), *(found for path in _ETC for found in glob.glob(path)))


def outermost(paths: set[str]) -> list[str]:
    """The paths that lie below no other one, whose mount shows them as well: sorted."""
    return sorted(path for path in paths if not any(path.startswith(f"{other}/") for other in paths))


def own_proc(options: bytes = b"subset=pid") -> None:
    """Give this process a `/proc` that shows only its PID namespace, in a mount namespace of its own.

    Raises OSError if the kernel refuses, as in a container that hides parts of `/proc`.
    """
    syscalls.call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    syscalls.call("mount", b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, options)


def enter(*, readable: list[str], directory: str, descriptor: int) -> None:
    """Reduce this process's file system to what an agent may see; `descriptor` is the open `directory`."""
    new = syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS | syscalls.CLONE_NEWCGROUP
    syscalls.call("unshare", new)
    syscalls.call("sethostname", _HOST, len(_HOST))
    own_proc(b"subset=pid,hidepid=4")  # of this move's processes, and of these only those that are the agent's
    trees = _trees(readable, directory, descriptor)
    syscalls.call("mount", b"littlego", b"/tmp", b"tmpfs", _MS_NOSUID | _MS_NODEV, b"mode=0755,size=64k")
    os.chdir("/tmp")
    for path, tree in trees:
        attach(path, tree)
    syscalls.call("pivot_root", b".", b".")
    syscalls.call("umount2", b".", _MNT_DETACH)
    os.chdir("/")
    flags = _MS_REMOUNT | _MS_RDONLY | _MS_NOSUID | _MS_NODEV
    syscalls.call("mount", b"littlego", b"/", None, flags, None)


@contextlib.contextmanager
def fixed_size(directory: str, *, files: int, size: int, owner: int | None) -> Iterator[int]:
    """Cover a directory, in our mount namespace alone, with an empty one in memory; the value is its descriptor.

    The kernel holds its files, with or without a name, to one more than the limits, so that a look afterwards can tell.
    """
    whose = "" if owner is None else f",uid={owner},gid={owner}"
    options = f"size={size + 4096},nr_inodes={files + 2},mode=0700{whose}"
    syscalls.call("mount", b"littlego", os.fsencode(directory), b"tmpfs", _MS_NOSUID | _MS_NODEV, options.encode())
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        with contextlib.suppress(OSError):  # whoever removes a covered directory has uncovered it
            syscalls.call("umount2", b"/proc/self/fd/%d" % descriptor, _MNT_DETACH)
        os.close(descriptor)


def _trees(readable: list[str], directory: str, descriptor: int) -> list[tuple[str, int | str]]:
    """Paths, outer ones first, each with a detached copy of the mounts below it, or with a link's target."""
    found: list[tuple[str, int | str]] = []
    for path in outermost({*system_paths(), *readable}):
        if os.path.islink(path) and path in _TOP:
            found.append((path, os.readlink(path)))
        elif os.path.exists(path):
            found.append((path, detached(path, _ATTR_RDONLY | _ATTR_NODEV)))
    found += [(path, detached(path, 0)) for path in DEVICES]
    found.append(("/proc", detached("/proc", 0)))
    found.append((directory, _own_tree(directory, descriptor)))
    return found


def _own_tree(directory: str, descriptor: int) -> int:
    """The work directory, found by its path: a descriptor from another namespace can be compared, but not mounted."""
    tree = detached(directory, _ATTR_NODEV)
    if not os.path.samestat(os.fstat(tree), os.fstat(descriptor)):
        raise OSError(f"{directory} is not the directory it was")
    return tree


def attach(path: str, tree: int | str) -> None:
    """Mount a detached tree, or make a link with this target, at `path` below the current directory."""
    inner = path.lstrip("/")
    os.makedirs(os.path.dirname(inner) or ".", mode=0o755, exist_ok=True)
    if isinstance(tree, str):
        os.symlink(tree, inner)
        return
    if os.fstat(tree).st_mode & 0o170000 == 0o040000:
        os.makedirs(inner, mode=0o755, exist_ok=True)
    else:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(inner, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444))
    syscalls.call("move_mount", tree, b"", _AT_FDCWD, os.fsencode(inner), _MOVE_FROM_EMPTY)
    os.close(tree)


def detached(path: str, attributes: int) -> int:
    """A copy of the mounts at and below a path, not attached yet, without set-uid programs."""
    tree = syscalls.call("open_tree", _AT_FDCWD, os.fsencode(path), _OPEN_TREE_CLONE | os.O_CLOEXEC | _AT_RECURSIVE)
    # struct mount_attr: attributes to set u64, to clear u64, propagation u64, user namespace u64
    wanted = ctypes.create_string_buffer(struct.pack("=QQQQ", attributes | _ATTR_NOSUID, 0, 0, 0), 32)
    syscalls.call("mount_setattr", tree, b"", _AT_EMPTY_PATH | _AT_RECURSIVE, wanted, 32)
    return tree


# Access rights to files, bit by bit, with the ABI version that brought them.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = (1 << bit for bit in range(6, 13))
REFER = 1 << 13  # 2
TRUNCATE = 1 << 14  # 3
IOCTL_DEV = 1 << 15  # 5

READ = EXECUTE | READ_FILE | READ_DIR
DEVICE = READ_FILE | WRITE_FILE
OWN = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_FIFO | MAKE_SYM | REFER | TRUNCATE
_OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

_TCP = 0b11  # bind, connect: 4
_SCOPES = 0b11  # abstract sockets, signals: 6
_PATH_BENEATH = 1
_VERSION = 1


def landlock_version() -> int:
    """The Landlock version of this kernel; 0 if there is none, or it is switched off."""
    if not syscalls.SUPPORTED:
        return 0
    try:
        return syscalls.call("landlock_create_ruleset", None, 0, _VERSION)
    except OSError:
        return 0


def restrict(version: int, rules: Iterable[tuple[str | int, int]]) -> None:
    """Deny this process and its descendants every access to files without a rule, for ever. Needs no-new-privileges.

    A rule is a path or a descriptor, and the rights at and beneath it; a path that does not exist needs none. `version`
    is that of Landlock to use. Leaves descriptors open that close on exec.
    """
    rights = (1 << 13) - 1 | (REFER if version >= 2 else 0)
    rights |= (TRUNCATE if version >= 3 else 0) | (IOCTL_DEV if version >= 5 else 0)
    attributes = struct.pack("=Q", rights)
    attributes += struct.pack("=Q", _TCP) if version >= 4 else b""
    attributes += struct.pack("=Q", _SCOPES) if version >= 6 else b""
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    ruleset = syscalls.call("landlock_create_ruleset", buffer, len(attributes), 0)
    for place, granted in rules:
        try:
            descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC) if isinstance(place, str) else place
        except OSError:
            continue
        is_directory = os.fstat(descriptor).st_mode & 0o170000 == 0o040000
        granted &= rights & (~0 if is_directory else _OF_A_FILE)
        rule = ctypes.create_string_buffer(struct.pack("=Qi", granted, descriptor), 12)
        syscalls.call("landlock_add_rule", ruleset, _PATH_BENEATH, rule, 0)
    syscalls.call("landlock_restrict_self", ruleset, 0)
