"""Distinguishes a SIGKILL that the agent caused itself from one that came from outside.

The kernel does not say who sent a signal. So every call with which an agent can kill itself waits, through a seccomp
filter, until the keeper has noted it and lets it continue. A program that SIGKILL ended without such a call was killed
from outside: by the out-of-memory killer, or by a person.

A compiler's children are not the keeper's children, so it cannot learn how they ended. If it has to watch them, each
waits in the same way before it exits; one that was killed does not.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct

from littlego.arena.referee.sandbox.confinement import seccomp, syscalls

# struct seccomp_notif: 0 id u64 | 8 pid u32 | 12 flags u32 | 16 seccomp_data (16 nr u32, 32 six arguments u64)
_NOTICE = 80
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1


class Listener:
    """The keeper's end of one agent's filter; `main` is the agent's first process."""

    def __init__(self, descriptor: int, main: int) -> None:
        self.descriptor = descriptor
        self._main = main
        self.could_be_its_own = False
        """Whether the agent has made a call that can kill its first process."""
        self.child_failed = False
        """Whether a process other than the first has exited with a status other than 0."""

    def answer(self) -> None:
        """Note the waiting call, and let it continue. One that no longer waits is ignored."""
        notice = bytearray(_NOTICE)
        with contextlib.suppress(OSError):
            fcntl.ioctl(self.descriptor, _RECEIVE, notice)
            caller, _, number = struct.unpack_from("=IIi", notice, 8)
            arguments = struct.unpack_from("=6Q", notice, 32)
            if number == syscalls.number("exit_group"):
                self.child_failed |= arguments[0] & 0xFF != 0 and not self._is_main(caller)
            else:
                self.could_be_its_own |= not self._spares_main(number, arguments)
            reply = struct.pack("=QqiI", struct.unpack_from("=Q", notice)[0], 0, 0, _CONTINUE)
            fcntl.ioctl(self.descriptor, _SEND, reply)

    def _spares_main(self, number: int, arguments: tuple[int, ...]) -> bool:
        """Whether the call is a SIGKILL for another process."""
        for name, (process, _) in seccomp.SIGNALS.items():
            if number == syscalls.number(name):
                (target,) = struct.unpack("=i", struct.pack("=I", arguments[process] & 0xFFFFFFFF))
                return target > 0 and not self._is_main(target)
        return False

    def _is_main(self, number: int) -> bool:
        """Whether this number is the first process, or one of its threads."""
        return os.path.exists(f"/proc/{self._main}/task/{number}")
