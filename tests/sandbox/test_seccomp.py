"""The assembler and the seccomp policy, run in a small interpreter of the same language."""

import errno
import struct

import pytest

from littlego.sandbox import seccomp, syscalls

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
    return run(assembled(machine), return_data)


def assembled(machine: str, **changes: bool) -> bytes:
    settings = {"own_view": True, "keep_sigchld": True, "shared_memory": False} | changes
    return seccomp.assemble(seccomp.policy(**settings, machine=machine))


def call_without(machine: str, changes: dict[str, bool], name: str, *arguments: int) -> int:
    words = [*arguments, *[0] * (6 - len(arguments))]
    number = syscalls.number(name, machine)
    data = struct.pack("=IIQ6Q", number, seccomp.AUDIT_ARCH[machine], 0, *words)
    return run(assembled(machine, **changes), data)


REFUSED = seccomp.refuse(errno.EPERM)
NOT_THERE = seccomp.refuse(errno.ENOSYS)


@pytest.mark.parametrize("machine", MACHINES)
class TestPolicy:
    def test_every_call_that_is_not_named_is_refused(self, machine: str) -> None:
        allowed = {syscalls.number(name, machine) for name in (*syscalls.AGENTS, *seccomp.IGNORED)}
        for number in set(range(syscalls.LAST_KNOWN + 1)) - allowed:
            assert call(machine, number, 1, 1, 1, 1) == REFUSED, number

    def test_calls_with_a_record_are_not_named(self, machine: str) -> None:
        """By their numbers on both machines: ptrace, socket, sendmsg, mount, bpf, io_uring, keys, memfd, and others."""
        x86_64 = [41, 42, 46, 49, 50, 64, 68, 101, 105, 117, 161, 165, 188, 189, 190, 206, 240, 248, 250, 253, 272, 275]
        x86_64 += [278, 294, 298, 303, 304, 307, 308, 310, 311, 312, 317, 319, 321, 323, 424, 425, 426, 427, 434, 438]
        aarch64 = [0, 5, 6, 7, 26, 40, 51, 75, 76, 97, 117, 146, 147, 180, 186, 190, 194, 198, 200, 201, 203, 211, 217]
        aarch64 += [219, 241, 264, 265, 268, 269, 270, 271, 272, 277, 279, 280, 282, 424, 425, 426, 427, 434, 438]
        both = [428, 429, 430, 431, 432, 433, 440, 442, 443, 444, 445, 446, 447, 448, 451]
        for number in (x86_64 if machine == syscalls.X86_64 else aarch64) + both:
            assert call(machine, number) == REFUSED, number

    def test_ordinary_calls_are_allowed(self, machine: str) -> None:
        ordinary = {syscalls.X86_64: [0, 1, 2, 9, 59, 257], syscalls.AARCH64: [56, 63, 64, 221, 222]}
        for number in ordinary[machine]:
            assert call(machine, number) == seccomp.ALLOW, number

    def test_unknown_calls_do_not_exist(self, machine: str) -> None:
        assert call(machine, syscalls.LAST_KNOWN + 1) == NOT_THERE
        assert call(machine, 0x3FFFFFFF) == NOT_THERE
        assert call(machine, "clone3") == NOT_THERE

    def test_another_architecture_is_killed(self, machine: str) -> None:
        assert call(machine, 0, arch=0x40000003) == seccomp.KILL_PROCESS

    def test_threads_may_be_cloned_and_namespaces_may_not(self, machine: str) -> None:
        thread = 0x3D0F00
        assert call(machine, "clone", thread) == seccomp.ALLOW
        assert call(machine, "clone", 17) == seccomp.ALLOW
        for flag in (syscalls.CLONE_NEWUSER, syscalls.CLONE_NEWPID, syscalls.CLONE_NEWNET, syscalls.CLONE_NEWNS):
            assert call(machine, "clone", flag | 17) == REFUSED

    def test_threads_share_their_descriptors(self, machine: str) -> None:
        assert call(machine, "clone", 0x3D0F00 & ~0x400) == REFUSED
        assert call(machine, "close_range", 3, 100, 2) == REFUSED
        for flags in (0, 4):
            assert call(machine, "close_range", 3, 100, flags) == seccomp.ALLOW

    def test_no_child_whose_end_would_kill_its_parent(self, machine: str) -> None:
        assert call(machine, "clone", 9) == REFUSED
        assert call(machine, "clone", 0) == seccomp.ALLOW

    def test_pairs_of_unix_sockets_alone(self, machine: str) -> None:
        for kind in (1, 5, 1 | 0x80800):
            assert call(machine, "socketpair", 1, kind) == seccomp.ALLOW
        for kind in (2, 3, 2 | 0x80000):
            assert call(machine, "socketpair", 1, kind) == REFUSED
        assert call(machine, "sendto", 3, 0x1000, 1, 0, 0, 0) == seccomp.ALLOW
        for address in (0x1000, 0x1000_0000_0000):
            assert call(machine, "sendto", 3, 0x1000, 1, 0, address, 110) == REFUSED
        assert call(machine, "socketpair", 2) == REFUSED

    def test_the_terminal_and_the_cores_are_kept(self, machine: str) -> None:
        for number in (0x5401, 0x5413, 0x5421):
            assert call(machine, "ioctl", 0, number) == seccomp.ALLOW
        for number in (0x5412, 0x541C, 0x8901, 0x8902, 0x40086602, 0x40049409):
            assert call(machine, "ioctl", 0, number) == REFUSED
        assert call(machine, "prctl", 15) == seccomp.ALLOW
        assert call(machine, "prctl", 62) == REFUSED

    def test_no_filter_of_its_own(self, machine: str) -> None:
        """The kernel's memory for them is counted for nobody, and when it is used up other games find none."""
        assert call(machine, "prctl", 22, 2, 0x1000) == REFUSED

    def test_sockets_tell_of_nothing_that_all_games_share(self, machine: str) -> None:
        """SO_COOKIE counts up for all games together, and only when asked: a clean signal from one to the next."""
        for option in (57, 71, 77):
            assert call(machine, "getsockopt", 3, 1, option) == REFUSED
        for option in (3, 4, 7, 17):
            assert call(machine, "getsockopt", 3, 1, option) == seccomp.ALLOW

    def test_sigchld_may_be_asked_about_and_not_changed(self, machine: str) -> None:
        assert call(machine, "rt_sigaction", 17, 0) == seccomp.ALLOW
        assert call(machine, "rt_sigaction", 2, 0x1000) == seccomp.ALLOW
        assert call(machine, "rt_sigaction", 17, 0x1000) == REFUSED
        assert call(machine, "rt_sigaction", 17, 0x1000_0000_0000) == REFUSED

    def test_modes_and_times_need_a_view_of_its_own(self, machine: str) -> None:
        assert call(machine, "fchmodat") == seccomp.ALLOW
        assert call_without(machine, {"own_view": False}, "fchmodat") == REFUSED

    def test_limits_are_set_for_itself_alone(self, machine: str) -> None:
        stack, files = 3, 7
        for resource in (stack, files):
            assert call(machine, "prlimit64", 0, resource, 0x1000) == seccomp.ALLOW
            for other in (1, 2, 4321, 0xFFFFFFFF):
                assert call(machine, "prlimit64", other, resource, 0x1000) == REFUSED
                assert call(machine, "prlimit64", other, resource, 0) == REFUSED

    def test_no_signal_reaches_the_keeper(self, machine: str) -> None:
        for name in seccomp.SIGNALS:
            for number in (0, 9, 15, 17, 19):
                arguments = [1, number, number] if "tg" not in name else [1, 1, number]
                assert call(machine, name, *arguments) == REFUSED, name
        assert call(machine, "kill", 7, 15) == seccomp.ALLOW

    def test_files_tell_of_no_lock_and_no_lease(self, machine: str) -> None:
        assert call(machine, "fcntl", 3, 2) == seccomp.ALLOW
        for command in (5, 8, 10, 15, 36, 1024, 1026):
            assert call(machine, "fcntl", 3, command) == REFUSED

    def test_the_page_cache_and_the_counter_of_mounts_tell_nothing(self, machine: str) -> None:
        for name in ("preadv2", "pwritev2"):
            assert call(machine, name, 3, 0, 1, 0, 0, 0) == seccomp.ALLOW
            assert call(machine, name, 3, 0, 1, 0, 0, 8) == seccomp.refuse(errno.EOPNOTSUPP)
        basic_and_birth = 0xFFF
        assert call(machine, "statx", 3, 0, 0, basic_and_birth) == seccomp.ALLOW
        assert call(machine, "statx", 3, 0, 0, basic_and_birth | 0x4000) == REFUSED

    def test_scheduling_stays_as_it_is_and_nobody_crashes_for_it(self, machine: str) -> None:
        for name in seccomp.IGNORED:
            assert call(machine, name, 0, 0, 19) == seccomp.refuse(0)

    def test_shared_memory_without_a_name_needs_a_count(self, machine: str) -> None:
        private, shared, validated, anonymous = 2, 1, 3, 0x20
        assert call(machine, "mmap", 0, 4096, 3, private | anonymous) == seccomp.ALLOW
        assert call(machine, "mmap", 0, 4096, 3, shared) == seccomp.ALLOW
        for kind in (shared, validated):
            assert call(machine, "mmap", 0, 4096, 3, kind | anonymous) == REFUSED
            counted = {"shared_memory": True}
            assert call_without(machine, counted, "mmap", 0, 4096, 3, kind | anonymous) == seccomp.ALLOW


def test_x32_calls_are_killed() -> None:
    assert call(syscalls.X86_64, 0x40000000) == seccomp.KILL_PROCESS


def test_instructions_are_eight_bytes() -> None:
    assert seccomp.assemble([seccomp.load(4), seccomp.give(seccomp.ALLOW)]) == bytes.fromhex(
        "2000000004000000060000000000ff7f"
    )


def test_when_and_unless_are_opposites() -> None:
    for word in (6, 7, 8):
        data = struct.pack("=I", word)
        end = [seccomp.give(2)]
        when = seccomp.assemble([seccomp.load(0), *seccomp.when(seccomp.JUMP_EQUAL, 7, [seccomp.give(1)]), *end])
        unless = seccomp.assemble([seccomp.load(0), *seccomp.unless(seccomp.JUMP_EQUAL, 7, [seccomp.give(1)]), *end])
        assert {run(when, data), run(unless, data)} == {1, 2}
        assert (run(when, data) == 1) == (word == 7)


def test_a_jump_is_short() -> None:
    with pytest.raises(struct.error):
        seccomp.assemble(seccomp.when(seccomp.JUMP_EQUAL, 0, [seccomp.give(0)] * 256))
