"""The agent's view of the file system: system libraries and interpreter read-only, its directory, `/proc`, devices.

It is made with the mount calls of Linux 5.12, which take descriptors, so that no path is looked up twice.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import glob
import os
import struct

from littlego.arena.referee.sandbox.confinement import syscalls

# Not /dev/zero: mapped and shared, it is memory that is counted for no process.
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
_TOP = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/java*", "/etc/python*")

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT, _MS_REC, _MS_PRIVATE = 1, 2, 4, 8, 32, 16384, 1 << 18
_MNT_DETACH = 2
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE = 1
_MOVE_FROM_EMPTY = 4
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4


@functools.cache
def system_paths() -> tuple[str, ...]:
    """The system's libraries and programs, and the few settings that they need, which every agent may read."""
    return (*filter(os.path.exists, _TOP), *(found for path in _ETC for found in glob.glob(path)))


def outermost(paths: set[str]) -> list[str]:
    """The paths that lie below no other one, whose mount shows them as well: sorted."""
    return sorted(path for path in paths if not any(path.startswith(f"{other}/") for other in paths))


def own_proc() -> None:
    """Give this process, the first of its PID and mount namespaces, a `/proc` that shows only these.

    Raises OSError if the kernel refuses, as in a container that hides parts of `/proc`.
    """
    syscalls.call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    syscalls.call("mount", b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, b"subset=pid")


def enter_view(*, readable: list[str], directory: str, descriptor: int) -> None:
    """Reduce this process's file system to what an agent may see; `descriptor` is the open `directory`."""
    syscalls.call("unshare", syscalls.CLONE_NEWNS)
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
