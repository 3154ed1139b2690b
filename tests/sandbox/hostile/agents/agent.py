"""What all modules of hostile cases share; `act` runs one case in the sandbox.

A misdeed that succeeds is written to `loot.txt` for the suite to see; after one that is refused the agent plays a good
move. So each case ends with a verdict, and with or without loot.
"""

import ctypes
import os
import struct
import time
from contextlib import suppress
from typing import Any, Callable, Dict, NamedTuple, Tuple, Union

Act = Callable[[], object]
FACTS: Dict[str, Any] = {}
MEBI = 1 << 20
KEEPER = os.getppid() or 1
"""In a PID namespace of its own an agent has no parent, but a first process, which is ours."""
SEIZE = 0x4206  # PTRACE_SEIZE, which ends with us
PLAYS = "plays on"
"""Stands for no verdict: the agent played, and whatever else it tried was refused."""


class Declared(NamedTuple):
    """A case as its module declares it; `case.Case` explains the fields."""

    act: Act
    proves: str
    verdicts: Tuple[str, ...]
    group: str
    module: str
    sandboxed: bool = False
    """Whether the portable level does not promise to contain it."""
    moves: int = 1
    output: str = "2,3\n"


CASES: Dict[str, Declared] = {}


class CaseGroup:
    """Cases of one kind, all in the same module."""

    def __init__(self, name: str, module: str) -> None:
        self._name = name
        self._module = module.rpartition(".")[2]

    def add(self, name: str, proves: str, act: Act, *verdicts: str, **options: Any) -> None:
        """Declare a case that may end in any of the verdicts; the options are the last fields of `Declared`."""
        CASES[name] = Declared(act, proves, verdicts or (PLAYS,), self._name, self._module, **options)

    def __call__(self, proves: str, *verdicts: str, **options: Any) -> Callable[[Act], Act]:
        """A decorator that declares a case under the function's name."""

        def declare(act: Act) -> Act:
            self.add(act.__name__, proves, act, *verdicts, **options)
            return act

        return declare

    def refused(self, name: str, proves: str, misdeed: Act) -> None:
        """Declare a misdeed that every sandboxed level refuses, after which the agent plays on."""
        self.add(name, proves, lambda: attempt(misdeed), sandboxed=True)

    def misdeed(self, proves: str) -> Callable[[Act], None]:
        """`refused` as a decorator."""
        return lambda act: self.refused(act.__name__, proves, act)


def play(output: Union[str, bytes] = "2,3\n") -> None:
    write("output.txt", output)


def loot(text: str) -> None:
    with open("loot.txt", "a") as file:
        file.write(text + "\n")


def attempt(misdeed: Act) -> None:
    """Try a misdeed; then play as if nothing had happened."""
    try:
        result = misdeed()
    except OSError:
        pass
    else:
        loot("it was not refused: %r" % (result,))
    play()


def change(act: Act, look: Act) -> None:
    """Try what the kernel may only pretend to do: a look before and after tells."""
    with suppress(OSError):
        before = look()
        act()
        if look() != before:
            loot("it took effect: %r, then %r" % (before, look()))
    play()


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        found = file.read(100)
    if not found:
        raise OSError("empty")
    return found


def write(path: str, content: Union[str, bytes] = "mine") -> str:
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def descend(depth: int) -> None:
    """Make a chain of directories here, and go to its end."""
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")


def opened(path: str, flags: int) -> str:
    os.close(os.open(path, flags))
    return path


def spin(seconds: float = 1e9) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def system_call(number_x86_64: int, number_aarch64: int, *arguments: Any) -> int:
    """A raw system call; raises OSError when it is refused."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = number_x86_64 if os.uname().machine == "x86_64" else number_aarch64
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return int(result)


def read_memory(process: int, address: int = 0) -> int:
    """Read a few bytes of another process: at our own buffer's address, unless another is given."""
    buffer = ctypes.create_string_buffer(16)
    ours = ctypes.addressof(buffer)
    here, there = (ctypes.create_string_buffer(struct.pack("QQ", at, 16), 16) for at in (ours, address or ours))
    return system_call(310, 270, process, here, 1, there, 1, 0)
