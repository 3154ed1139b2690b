"""The assembler and the seccomp policy, run in a small interpreter of the same language."""

import errno
import struct

import pytest

from littlego.arena.sandbox import bpf, seccomp, syscalls

MACHINES = [syscalls.X86_64, syscalls.AARCH64]


def run(program: bytes, data: bytes) -> int:
    """What the kernel would return for `data`: an interpreter with none of the assembler's code."""
    instructions = [struct.unpack_from("=HBBI", program, place) for place in range(0, len(program), 8)]
    place = accumulator = 0
    while True:
        code, if_true, if_false, constant = instructions[place]
        place += 1
        if code == 0x06:
            return int(constant)
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, constant)
        else:
            tests = {
                0x15: accumulator == constant,
                0x25: accumulator > constant,
                0x35: accumulator >= constant,
                0x45: bool(accumulator & constant),
            }
            place += if_true if tests[code] else if_false


def call(machine: str, name: str | int, *arguments: int, arch: int | None = None) -> int:
    number = name if isinstance(name, int) else syscalls.number(name, machine)
    assert number is not None
    words = [*arguments, *[0] * (6 - len(arguments))]
    return_data = struct.pack("=IIQ6Q", number, seccomp.AUDIT_ARCH[machine] if arch is None else arch, 0, *words)
    return run(bpf.assemble(seccomp.policy(own_view=True, keep_sigchld=True, machine=machine)), return_data)


REFUSED = bpf.refuse(errno.EPERM)
NOT_THERE = bpf.refuse(errno.ENOSYS)


@pytest.mark.parametrize("machine", MACHINES)
class TestPolicy:
    def test_every_named_call_is_refused_where_the_machine_has_it(self, machine: str) -> None:
        for name in seccomp.NOT_PERMITTED:
            if syscalls.number(name, machine) is not None:
                assert call(machine, name) == REFUSED, name

    def test_ordinary_calls_are_allowed(self, machine: str) -> None:
        ordinary = {syscalls.X86_64: [0, 1, 2, 9, 59, 257], syscalls.AARCH64: [56, 63, 64, 221, 222]}
        for number in ordinary[machine]:
            assert call(machine, number) == bpf.ALLOW, number

    def test_unknown_calls_do_not_exist(self, machine: str) -> None:
        assert call(machine, syscalls.LAST_KNOWN + 1) == NOT_THERE
        assert call(machine, 0x3FFFFFFF) == NOT_THERE
        assert call(machine, "clone3") == NOT_THERE

    def test_another_architecture_is_killed(self, machine: str) -> None:
        assert call(machine, 0, arch=0x40000003) == bpf.KILL_PROCESS

    def test_threads_may_be_cloned_and_namespaces_may_not(self, machine: str) -> None:
        thread = 0x3D0F00
        assert call(machine, "clone", thread) == bpf.ALLOW
        assert call(machine, "clone", 17) == bpf.ALLOW
        for flag in (syscalls.CLONE_NEWUSER, syscalls.CLONE_NEWPID, syscalls.CLONE_NEWNET, syscalls.CLONE_NEWNS):
            assert call(machine, "clone", flag | 17) == REFUSED

    def test_pairs_of_unix_sockets_alone(self, machine: str) -> None:
        assert call(machine, "socketpair", 1) == bpf.ALLOW
        assert call(machine, "socketpair", 2) == REFUSED
        assert call(machine, "socket", 1) == REFUSED

    def test_the_terminal_and_the_counters_are_kept(self, machine: str) -> None:
        assert call(machine, "ioctl", 0, 0x5401) == bpf.ALLOW
        assert call(machine, "ioctl", 0, 0x5412) == REFUSED
        assert call(machine, "ioctl", 0, 0x541C) == REFUSED
        assert call(machine, "prctl", 15) == bpf.ALLOW
        assert call(machine, "prctl", 31) == REFUSED

    def test_sigchld_may_be_asked_about_and_not_changed(self, machine: str) -> None:
        assert call(machine, "rt_sigaction", 17, 0) == bpf.ALLOW
        assert call(machine, "rt_sigaction", 2, 0x1000) == bpf.ALLOW
        assert call(machine, "rt_sigaction", 17, 0x1000) == REFUSED
        assert call(machine, "rt_sigaction", 17, 0x1000_0000_0000) == REFUSED

    def test_modes_and_times_need_a_view_of_its_own(self, machine: str) -> None:
        bare = bpf.assemble(seccomp.policy(own_view=False, keep_sigchld=False, machine=machine))
        number = syscalls.number("fchmodat", machine)
        assert call(machine, "fchmodat") == bpf.ALLOW
        assert run(bare, struct.pack("=IIQ6Q", number, seccomp.AUDIT_ARCH[machine], 0, *[0] * 6)) == REFUSED


def test_x32_calls_are_killed() -> None:
    assert call(syscalls.X86_64, 0x40000000) == bpf.KILL_PROCESS


def test_instructions_are_eight_bytes() -> None:
    assert bpf.assemble([bpf.load(4), bpf.give(bpf.ALLOW)]) == bytes.fromhex("2000000004000000060000000000ff7f")


def test_when_and_unless_are_opposites() -> None:
    for word in (6, 7, 8):
        data = struct.pack("=I", word)
        end = [bpf.give(2)]
        when = bpf.assemble([bpf.load(0), *bpf.when(bpf.JUMP_EQUAL, 7, [bpf.give(1)]), *end])
        unless = bpf.assemble([bpf.load(0), *bpf.unless(bpf.JUMP_EQUAL, 7, [bpf.give(1)]), *end])
        assert {run(when, data), run(unless, data)} == {1, 2}
        assert (run(when, data) == 1) == (word == 7)


@pytest.mark.parametrize(
    "program",
    [[], [bpf.load(0)], [(bpf.JUMP_EQUAL, 5, 0, 0), bpf.give(0)], [bpf.give(0)] * 4097],
    ids=["empty", "no return", "past the end", "too long"],
)
def test_what_the_kernel_would_refuse_is_refused(program: list[bpf.Instruction]) -> None:
    with pytest.raises(ValueError, match=r"filter|jumps"):
        bpf.assemble(program)


def test_a_jump_is_short() -> None:
    with pytest.raises(ValueError, match="at most 255"):
        bpf.when(bpf.JUMP_EQUAL, 0, [bpf.give(0)] * 256)
