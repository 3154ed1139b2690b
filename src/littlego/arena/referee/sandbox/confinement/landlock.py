"""Landlock, with which an unprivileged process gives up access to files."""

from __future__ import annotations

import ctypes
import os
import struct

from littlego.arena.referee.sandbox.confinement import syscalls

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


def abi() -> int:
    """The Landlock version of this kernel; 0 if there is none, or it is switched off."""
    if not syscalls.SUPPORTED:
        return 0
    try:
        return syscalls.call("landlock_create_ruleset", None, 0, _VERSION)
    except OSError:
        return 0


def handled(version: int) -> int:
    """All file rights of a Landlock version, which are denied unless a rule grants them."""
    rights = (1 << 13) - 1
    if version >= 2:
        rights |= REFER
    if version >= 3:
        rights |= TRUNCATE
    if version >= 5:
        rights |= IOCTL_DEV
    return rights


class Ruleset:
    """A set of rules. Nothing is denied before `restrict`."""

    def __init__(self, version: int) -> None:
        self._files = handled(version)
        attributes = struct.pack("=Q", self._files)
        if version >= 4:
            attributes += struct.pack("=Q", _TCP)
        if version >= 6:
            attributes += struct.pack("=Q", _SCOPES)
        buffer = ctypes.create_string_buffer(attributes, len(attributes))
        self._descriptor = syscalls.call("landlock_create_ruleset", buffer, len(attributes), 0)

    def allow(self, path: str, rights: int) -> None:
        """Grant `rights` at and beneath `path`; a path that does not exist needs no rule."""
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            self.allow_beneath(descriptor, rights)
        finally:
            os.close(descriptor)

    def allow_beneath(self, descriptor: int, rights: int) -> None:
        """Grant `rights` to a file, or to a directory and everything beneath it."""
        is_directory = os.fstat(descriptor).st_mode & 0o170000 == 0o040000
        granted = rights & self._files & (~0 if is_directory else _OF_A_FILE)
        rule = ctypes.create_string_buffer(struct.pack("=Qi", granted, descriptor), 12)
        syscalls.call("landlock_add_rule", self._descriptor, _PATH_BENEATH, rule, 0)

    def restrict(self) -> None:
        """Apply the rules to this process and its descendants for ever. Needs no-new-privileges."""
        syscalls.call("landlock_restrict_self", self._descriptor, 0)

    def close(self) -> None:
        """Forget the rules; processes already restricted stay so."""
        os.close(self._descriptor)
