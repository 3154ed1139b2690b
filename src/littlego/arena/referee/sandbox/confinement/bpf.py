"""A small assembler for classic BPF, the language of seccomp filters.

An instruction is eight bytes: code u16, jump-if-true u8, jump-if-false u8, constant u32. Jumps count the instructions
to skip and go forward only. The input is `struct seccomp_data`:

    0 nr u32 | 4 arch u32 | 8 instruction pointer u64 | 16 six arguments u64 each, low half first
"""

from __future__ import annotations

import struct

LOAD_WORD = 0x20
JUMP_EQUAL = 0x15
JUMP_GREATER = 0x25
JUMP_AT_LEAST = 0x35
JUMP_ANY_BIT = 0x45
RETURN = 0x06

NR = 0
ARCH = 4
_ARGUMENTS = 16

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
NOTIFY = 0x7FC00000  # the call waits until the holder of the listener has answered
_ERRNO = 0x00050000

Instruction = tuple[int, int, int, int]


def refuse(error: int) -> int:
    """The return value that makes the call fail with `error`, or with 0 seem to succeed, without running it."""
    return _ERRNO | error


def argument_low(index: int) -> int:
    """The offset of the low 32 bits of argument `index` (both supported machines are little-endian)."""
    return _ARGUMENTS + 8 * index


def argument_high(index: int) -> int:
    return argument_low(index) + 4


def load(offset: int) -> Instruction:
    return LOAD_WORD, 0, 0, offset


def give(value: int) -> Instruction:
    return RETURN, 0, 0, value


def unless(code: int, constant: int, body: list[Instruction]) -> list[Instruction]:
    """`body`, skipped if the loaded word satisfies the test `code` with `constant`."""
    return [(code, _short(len(body)), 0, constant), *body]


def when(code: int, constant: int, body: list[Instruction]) -> list[Instruction]:
    """`body`, run only if the loaded word satisfies the test `code` with `constant`."""
    return [(code, 0, _short(len(body)), constant), *body]


def assemble(program: list[Instruction]) -> bytes:
    """The program in the kernel's format. Raises ValueError for one that the kernel would refuse."""
    if not 0 < len(program) <= 4096:
        raise ValueError(f"a filter has 1 to 4096 instructions, not {len(program)}")
    if program[-1][0] != RETURN:
        raise ValueError("a filter must end with a return")
    for place, (code, if_true, if_false, _) in enumerate(program):
        if code not in (LOAD_WORD, RETURN) and place + 1 + max(if_true, if_false) >= len(program):
            raise ValueError(f"instruction {place} jumps past the end")
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _short(skip: int) -> int:
    if skip > 255:
        raise ValueError(f"a jump skips at most 255 instructions, not {skip}")
    return skip
