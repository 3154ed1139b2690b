"""Compiling with numba while a program runs, and its machine code on disk: where it is, and when it is stale.

Learning, the vector environment and the writing of certificates still need it; all else runs `kernel.wasm`.

Numba compares the file of a function with its cache, but not the files of the functions that it calls: a caller
would keep using the old callee, and crash if that takes other arguments. So the first function compiled in a
folder drops whatever was cached there before any kernel that it may call last changed. A kernel may call those
of its own folder, of the folder around it, and of this one.

Numba caches beside the source or in the user's cache. Where it may write to neither, it would refuse to compile; then
`user_cache` finds a place, and without any every process compiles the code again.

Processes that need the same function at the same time, such as the workers of a pool, do not all compile it: one
does, and the others wait and load what it made.

To numba a literal number is a type of its own, and it would compile a function again for every 0 and 1 that a caller
passes. Here it compiles one version for all integers: half the time for the solver, and code that is as fast. A
function that calls itself must not pass itself a literal, though: write `int(3)`, or its cached code crashes when it
is loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import cgutils, event, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic, register_jitable

from littlego.kernel.first_use import about_to_compile
from littlego.storage.locks import locked, take
from littlego.storage.scratch import user_cache

F = TypeVar("F", bound=Callable[..., Any])

_HERE: Final = Path(__file__).parent
_COMPILED: Final = re.compile(r"^@(compiled|borrowing|embedded|inlined)\b", re.MULTILINE)
_checked: set[Path] = set()
"""Folders whose cached code has been checked by this process."""
_LOCKS: Final = user_cache()
"""Not beside the machine code: an agent that may read that folder could hold a lock in it."""
_PATIENCE: Final = 120.0
"""Seconds to wait for another process that compiles the same function: it may have been suspended."""
_compiling: set[str] = set()
"""The function that this process compiles, not those that it calls. Guarded by numba's compiler lock."""


class _Waiting(event.Listener):
    """Hears of every function that numba compiles because its machine code is not on disk."""

    def on_start(self, event: Any) -> None:  # noqa: ARG002 - which one does not matter
        about_to_compile()

    def on_end(self, event: Any) -> None: ...


event.register("numba:compile", _Waiting())


def compile_function(function: F, **more: Any) -> F:
    """A function compiled when it is first called: no interpreter lock, and the machine code cached on disk."""
    dispatcher = _cached(numba.njit(nogil=True, error_model="numpy", **more)(function))
    _ignore_literals(dispatcher)
    if dispatcher.stats.cache_path is None:
        return cast(F, dispatcher)
    _share_cache(dispatcher)
    _share_work(dispatcher)
    folder = Path(function.__code__.co_filename).parent
    if folder not in _checked:
        _checked.add(folder)
        _forget_stale_code(dispatcher, folder)
    return cast(F, dispatcher)


def _ignore_literals(dispatcher: Any) -> None:
    """Compile one version for all literal numbers of a type."""
    compile_or_load = dispatcher.compile

    def compile_unliteral(signature: Any) -> Any:
        if isinstance(signature, tuple):  # else a signature that somebody wrote
            signature = tuple(numba.types.unliteral(kind) for kind in signature)
        return compile_or_load(signature)

    dispatcher.compile = compile_unliteral


def _cached(dispatcher: Any) -> Any:
    """With a cache on disk if there is a place for one."""
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # no place that numba knows
        if (folder := user_cache()) is not None:
            numba.config.CACHE_DIR = str(folder / "code")  # type: ignore[attr-defined]
            dispatcher.enable_caching()
    return dispatcher


def _share_cache(dispatcher: Any) -> None:
    """Let one process at a time read or write the cache of a function.

    Numba writes its index and its machine code one after the other. Processes that compile different versions of a
    function at the same time could otherwise give both the same file, and load the code of one for the other.
    """
    cache = dispatcher._cache._cache_file
    name = hashlib.sha256(dispatcher.stats.cache_path.encode()).hexdigest()[:16]
    cache.load, cache.save = _one_at_a_time(cache.load, name), _one_at_a_time(cache.save, name)


def _one_at_a_time(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        with contextlib.ExitStack() as stack:
            if _LOCKS is not None:
                with contextlib.suppress(OSError):  # we may only read there
                    stack.enter_context(locked(_LOCKS / f"compiling-{name}.lock"))
            return function(*args)

    return call


def _share_work(dispatcher: Any) -> None:
    """Let one process at a time compile a function, so that those that come later find it in the cache."""
    compile_or_load, place = dispatcher.compile, dispatcher._cache._cache_file._index_path
    name = f"compiling-{hashlib.sha256(place.encode()).hexdigest()[:16]}.lock"

    def compile_once(signature: Any) -> Any:
        with global_compiler_lock, _alone(name):
            return compile_or_load(signature)

    dispatcher.compile = compile_once


@contextlib.contextmanager
def _alone(name: str) -> Iterator[None]:
    """Wait while another process compiles the function of this name."""
    if _LOCKS is None or _compiling:  # a function that is called by what we compile
        yield
        return
    _compiling.add(name)
    try:
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):  # we may only read there
                _wait_for(stack.enter_context((_LOCKS / name).open("wb")).fileno())
            yield
    finally:
        _compiling.clear()


def _wait_for(lock: int) -> None:
    ends = time.monotonic() + _PATIENCE
    while time.monotonic() < ends:
        try:
            take(lock, wait=False)
            return
        except BlockingIOError:
            about_to_compile()
            time.sleep(0.05)


def is_cached(function: Any) -> bool:
    """Whether the machine code of a compiled function is on disk, from this run or an earlier one."""
    name = f"{Path(function.__code__.co_filename).stem}.{function.__name__}-"
    return any(path.name.startswith(name) for path in _index_files(function))


def _index_files(function: Any) -> list[Path]:
    """Numba's index files in the cache of a compiled function."""
    place: str | None = function.stats.cache_path
    return sorted(Path(place).glob("*.nbi")) if place else []


def _forget_stale_code(function: Any, folder: Path) -> None:
    parts = {folder, folder.parent, _HERE}
    changed = max(path.stat().st_mtime for part in parts for path in part.glob("*.py") if _is_kernel(path))
    for index in _index_files(function):
        try:
            if index.stat().st_mtime < changed:
                index.unlink()
        except OSError:
            continue  # another process was first, or we may not write to the folder


def _is_kernel(path: Path) -> bool:
    """Whether a module has compiled functions: editing others must not cause a compilation."""
    return bool(_COMPILED.search(path.read_text(encoding="utf-8")))


def _popcount(_typing: Any, _x: Any) -> Any:
    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


def _lowest(_typing: Any, _x: Any) -> Any:
    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), codegen


def _at(_typing: Any, _index: Any) -> Any:
    def codegen(_context: Any, _builder: Any, _signature: Any, args: Any) -> Any:
        return args[0]

    return types.uint64(types.int64), codegen


def _prefetch(_typing: Any, words: Any, _index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        address = builder.bitcast(builder.gep(array.data, [args[1]]), cgutils.voidptr_t)
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, i32(0), i32(3), i32(1)])
        return impl_ret_untracked(context, builder, types.none, context.get_dummy_value())

    return types.none(words, types.int64), codegen


INTRINSICS: Final = {
    "popcount": intrinsic(_popcount),
    "lowest": intrinsic(_lowest),
    "at": intrinsic(_at),
    "prefetch": intrinsic(_prefetch),
}
"""Instructions of the processor, by the name of the Python function that does the same."""


def inline_function(function: F) -> F:
    """A Python function that compiled functions may call, on numbers or arrays."""
    return register_jitable(function)
