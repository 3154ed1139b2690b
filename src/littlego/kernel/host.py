"""The host of `kernel.wasm` in Python: its memory as NumPy arrays, and calls of what it exports, by wasmtime.

A `KernelMemory` is up to 4 GiB that several `Instance`s of the kernel may share, one for each thread. Addresses are
offsets into it. Nothing in it is ever freed: it goes as a whole. A call releases the interpreter lock.

`tools/build_kernel.py` makes the file, and describes its exports and the layout of memory in a section of it.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import struct
import threading
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from littlego.core.errors import LittleGoError
from littlego.kernel.words import Words

if TYPE_CHECKING:
    import wasmtime

FILE: Final = "kernel.wasm"
SECTION: Final = "littlego"
PAGE: Final = 1 << 16
MOST_PAGES: Final = 1 << 16
_MAGIC: Final = b"\0asm\x01\0\0\0"
_CUSTOM, _IMPORTS = 0, 2
_SHARED: Final = 2
_ADVICE: Final = "install littlego again (in a checkout: python tools/build_kernel.py)"

T = TypeVar("T", bound=np.generic)
S = TypeVar("S", bound=tuple[Any, ...])


class KernelError(LittleGoError):
    """The kernel cannot be loaded, has no memory, or stopped: no result, rather than a wrong one."""


class KernelMemory:
    """Memory in which arrays are made one after the other."""

    most_bytes: Final = PAGE * MOST_PAGES

    def __init__(self) -> None:
        """Raises KernelError."""
        self._kernel = load()
        import wasmtime

        kind = wasmtime.MemoryType(wasmtime.Limits(self._kernel.least_pages, MOST_PAGES), shared=True)
        try:
            self._memory = _shared_memory(self._kernel.engine, kind)
        except wasmtime.WasmtimeError as error:
            why = str(error).split("\n", 1)[0]
            raise KernelError(
                f"no memory for the kernel: it reserves 4 GiB of addresses, and this process gets no more ({why});"
                " a limit such as that of 'ulimit -v' must be higher"
            ) from error
        base = ctypes.cast(self._memory.data_ptr(), ctypes.c_void_p).value
        assert base is not None, "wasmtime gave no address"
        self._base = base
        self._lock = threading.Lock()
        self._top = Instance(self._kernel, self._memory).heap_base

    def instance(self) -> Instance:
        """The kernel for one thread, with a stack of its own."""
        stack = self.allocate(self._kernel.stack) + self._kernel.stack
        return Instance(self._kernel, self._memory, stack)

    def allocate(self, size: int) -> int:
        """The address of so many bytes, all 0. Raises KernelError."""
        with self._lock:
            start = (self._top + 63) & ~63
            self.reach(start + size)
            self._top = start + size
        return start

    def reach(self, end: int) -> None:
        """Grow until addresses below `end` exist. Raises KernelError."""
        import wasmtime

        missing = end - self._memory.data_len()
        if missing <= 0:
            return
        try:
            self._memory.grow(-(-missing // PAGE))
        except wasmtime.WasmtimeError as error:
            raise KernelError(f"no memory for the solver: {end >> 20} MiB are more than this machine gives") from error

    def view(self, address: int, count: int, kind: type[T] | np.dtype[T] = np.int64) -> npt.NDArray[T]:  # type: ignore[assignment]  # the usual kind
        """`count` numbers at an address, as an array that changes with the memory and keeps it alive."""
        kind = np.dtype(kind)
        buffer: Any = (ctypes.c_uint8 * (count * kind.itemsize)).from_address(self._base + address)
        buffer.memory = self._memory
        return np.frombuffer(buffer, dtype=kind)

    def words(self, count: int) -> Words:
        """New words, all 0. Raises KernelError."""
        return self.view(self.allocate(8 * count), count)

    def array(self, values: npt.NDArray[T]) -> npt.NDArray[T]:
        """A copy of an array in this memory. Raises KernelError."""
        found = self.view(self.allocate(values.nbytes), values.size, values.dtype)
        found[:] = values
        return found

    def put(self, values: S) -> tuple[S, int]:
        """A named tuple with its arrays in this memory, and the address of its words. Raises KernelError.

        A number is a word; an array is its address and its shape; a tuple within is its words: see `fields`.
        """
        words: list[int] = []
        described = iter(self._kernel.structures.get(type(values).__name__, ()))
        held = self._place(values, words, described)
        if next(described, None) is not None:
            raise KernelError(f"{FILE} belongs to another version of littlego: {_ADVICE}")
        return held, self.address_of(self.array(np.array(words, dtype=np.int64)))

    def _place(self, value: Any, words: list[int], described: Iterator[str], name: str = "") -> Any:
        if isinstance(value, tuple):
            parts = zip(type(value)._fields, value, strict=True)  # type: ignore[attr-defined]  # it is named
            inner = [self._place(one, words, described, f"{name}.{part}" if name else part) for part, one in parts]
            return type(value)._make(inner)  # type: ignore[attr-defined]
        expected = next(described, "")
        kind = expected.rpartition(" ")[2]
        if isinstance(value, int) and kind == "float":
            value = float(value)
        if expected != next(fields(value, name)):
            raise KernelError(f"{FILE} belongs to another version of littlego: {_ADVICE}")
        if isinstance(value, np.ndarray):
            if not 0 <= self.address_of(value) < self._memory.data_len():
                value = self.array(value.reshape(-1)).reshape(value.shape)
            words += [self.address_of(value), *value.shape]
        else:
            words.append(struct.unpack("<q", struct.pack("<d", value))[0] if kind == "float" else int(value))
        return value

    def address_of(self, array: npt.NDArray[Any]) -> int:
        """Where an array is that `view` gave."""
        return int(array.ctypes.data) - self._base


class Instance:
    """The kernel, for one thread at a time."""

    def __init__(self, kernel: Loaded, memory: Any, stack: int | None = None) -> None:
        import wasmtime

        self._store = wasmtime.Store(kernel.engine)
        try:
            exports = wasmtime.Instance(self._store, kernel.module, [memory]).exports(self._store)
        except wasmtime.WasmtimeError as error:
            raise KernelError(f"{FILE}: cannot be started: {error}; {_ADVICE}") from error
        self._functions: dict[str, tuple[Any, tuple[bool, ...]]] = {
            name: (exports[name], tuple(kind == "Address" for kind in kinds.values()))
            for name, kinds in kernel.exports.items()
        }
        heap: Any = exports["__heap_base"]
        self.heap_base = int(heap.value(self._store))
        if stack is not None:
            pointer: Any = exports["__stack_pointer"]
            pointer.set_value(self._store, wasmtime.Val.i32(_signed(stack)))

    def call(self, name: str, *args: float) -> int:
        """The whole number that an export returns. Raises KernelError if it stops without a result."""
        return int(self._result(name, args))

    def number(self, name: str, *args: float) -> float:
        """The number that an export returns. Raises KernelError if it stops without a result."""
        return float(self._result(name, args))

    def _result(self, name: str, args: tuple[float, ...]) -> Any:
        import wasmtime

        function, is_address = self._functions[name]
        numbers = [
            _signed(int(number)) if unsigned else number for number, unsigned in zip(args, is_address, strict=False)
        ]
        try:
            return function(self._store, *numbers)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            raise KernelError(f"the kernel stopped in {name}: {error}") from error


class Loaded:
    """The kernel's code, ready to be started."""

    def __init__(self, data: bytes) -> None:
        """Raises KernelError."""
        import wasmtime

        described = described_in(data)
        self.exports: dict[str, dict[str, str]] = described["exports"]
        self.layout: dict[str, int] = described["layout"]
        self.structures: dict[str, list[str]] = described["structures"]
        self.stack = int(described["stack"])
        config = wasmtime.Config()
        config.wasm_threads = True
        config.shared_memory = True
        self.engine = wasmtime.Engine(config)
        shared, self.least_pages = with_shared_memory(data)
        try:
            self.module = wasmtime.Module(self.engine, shared)
        except wasmtime.WasmtimeError as error:
            raise KernelError(f"{FILE}: expected WebAssembly: {error}; {_ADVICE}") from error


@cache
def load() -> Loaded:
    """The kernel that ships with the package. Raises KernelError."""
    try:
        import wasmtime  # noqa: F401 - whether it is there
    except (ImportError, OSError) as error:
        raise KernelError(
            f"wasmtime, which runs the solver and the learners, cannot be loaded here: {error};"
            " it is made for Linux, macOS and Windows on x86-64 and ARM64, with CPython"
        ) from error
    file = resources.files("littlego.kernel").joinpath(FILE)
    if not file.is_file():
        raise KernelError(f"{FILE} is missing from the package: {_ADVICE}")
    atexit.register(_leave_to_the_system)
    return Loaded(file.read_bytes())


def _leave_to_the_system() -> None:
    """Free nothing as the process ends: wasmtime's finalizers would find their own module gone, and complain."""
    from wasmtime._managed import Managed

    Managed.__del__ = lambda _: None  # type: ignore[method-assign]  # the process ends


def described_in(data: bytes) -> dict[str, Any]:
    """What a kernel says about itself. Raises KernelError for a file that is none, or not whole."""
    try:
        for kind, start, end in sections(data):
            size, at = _leb128(data, start)
            if kind == _CUSTOM and data[at : at + size] == SECTION.encode():
                found: dict[str, Any] = json.loads(data[at + size : end])
                return {
                    name: found[name] for name in ("exports", "structures", "layout", "stack", "sources", "made_with")
                }
    except (IndexError, KeyError, ValueError) as error:
        raise KernelError(f"{FILE}: expected a whole file: {error}; {_ADVICE}") from error
    raise KernelError(f"{FILE}: expected a section {SECTION!r} at its end: {_ADVICE}")


def fields(value: Any, name: str = "") -> Iterator[str]:
    """The words of a named tuple in order, as `name kind`; an array has its address and a word for each `[]`."""
    if isinstance(value, tuple):
        for part, one in zip(type(value)._fields, value, strict=True):  # type: ignore[attr-defined]  # it is named
            yield from fields(one, f"{name}.{part}" if name else part)
    elif isinstance(value, np.ndarray):
        yield f"{name} {value.dtype}{'[]' * value.ndim}"
    else:
        yield f"{name} {type(value).__name__}"


def check_layout(expected: dict[str, int]) -> None:
    """Raises KernelError if the kernel was made with other numbers than these."""
    if not expected.items() <= load().layout.items():
        raise KernelError(f"{FILE} belongs to another version of littlego: {_ADVICE}")


def with_shared_memory(data: bytes) -> tuple[bytes, int]:
    """The same code for memory that threads share, which browsers seldom have; and the pages that it begins with.

    The file imports one thing, its memory: a module and a name, each with its length, the kind 2, then the limits with
    a byte of flags before them, of which bit 1 says that the memory is shared.
    """
    for kind, start, _ in sections(data):
        if kind == _IMPORTS:
            count, at = _leb128(data, start)
            for _ in range(2):
                size, at = _leb128(data, at)
                at += size
            if count != 1 or data[at] != 2:
                break
            pages, _ = _leb128(data, at + 2)
            return data[: at + 1] + bytes([data[at + 1] | _SHARED]) + data[at + 2 :], pages
    raise KernelError(f"{FILE}: expected to import a memory and nothing else: {_ADVICE}")


def sections(data: bytes) -> list[tuple[int, int, int]]:
    """The kind of each section of a WebAssembly file, and where its content begins and ends. Raises ValueError."""
    if data[:8] != _MAGIC:
        raise ValueError("it does not begin like WebAssembly")
    found, at = [], 8
    while at < len(data):
        kind = data[at]
        size, start = _leb128(data, at + 1)
        at = start + size
        if at > len(data):
            raise ValueError(f"it ends at byte {len(data)}, within a section")
        found.append((kind, start, at))
    return found


def _leb128(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def _signed(number: int) -> int:
    """An address as wasmtime takes it: 32 bits with a sign."""
    return number - (1 << 32) if number >= 1 << 31 else number


def _shared_memory(engine: wasmtime.Engine, kind: wasmtime.MemoryType) -> Any:
    import wasmtime
    from wasmtime import _ffi

    class SharedMemory(wasmtime.SharedMemory):
        """Wasmtime's own hands instances a pointer to its pointer."""

        def _as_extern(self) -> Any:
            union = _ffi.wasmtime_extern_union(sharedmemory=self.ptr())
            return _ffi.wasmtime_extern_t(_ffi.WASMTIME_EXTERN_SHAREDMEMORY, union)

    return SharedMemory(engine, kind)
