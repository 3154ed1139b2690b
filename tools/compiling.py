"""Numba for what `kernel.marks` marks: for `build_kernel`, and for tests and measurements that call single functions.

To numba a literal number is a type of its own, and it would compile a function again for every 0 and 1 that a caller
passes. Here it compiles one version for all integers: half the time for the solver, and code that is as fast.
References to arguments are not counted, as in `kernel.wasm`: callers keep arrays alive.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic, register_jitable

from littlego.kernel.marks import MARK

F = TypeVar("F", bound=Callable[..., Any])

MODULES: Final = (
    "kernel.any_size",
    "kernel.words",
    "kernel.xorshift",
    "solve.bounds",
    "solve.guess",
    "solve.search",
    "solve.table",
    "solve.proof.fast_check",
    "solve.proof.strategy",
    "learn.games",
    "learn.life",
    "learn.opponents",
    "learn.values",
    "tictactoe.kernel",
    "apps.env.many_games",
)
"""Those of `littlego` that have marked functions."""
_replaced: dict[int, Any] = {}


def use_machine_code() -> None:
    """Replace every marked function, wherever it was imported to, by one that numba compiles when it is called."""
    if _replaced:
        return
    for name in MODULES:
        for function in list(vars(importlib.import_module(f"littlego.{name}")).values()):
            if isinstance(function, FunctionType) and hasattr(function, MARK):
                _replaced.setdefault(id(function), _made(function, getattr(function, MARK)))
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name, value in list(names.items()):
            if isinstance(value, FunctionType) and id(value) in _replaced:
                names[name] = _replaced[id(value)]


def _made(function: Any, how: str) -> Any:
    if how == "instruction":
        return _INSTRUCTIONS[function.__name__]
    if how == "inlined":
        return register_jitable(function)
    return _with_numba(function, forceinline=True) if how == "embedded" else _with_numba(function)


def compiled(function: F) -> F:
    """A function of the tools or tests that numba compiles when it is called; it may call marked functions."""
    use_machine_code()
    return cast(F, _with_numba(function))


def allocating(function: F) -> F:
    """Likewise, and it may create arrays."""
    use_machine_code()
    return cast(F, _with_numba(function, _nrt=True))


def _with_numba(function: Any, **options: Any) -> Any:
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **{"_nrt": False, **options})(function)
    compile_or_load = dispatcher.compile

    def compile_unliteral(signature: Any) -> Any:
        return compile_or_load(tuple(types.unliteral(kind) for kind in signature))

    dispatcher.compile = compile_unliteral
    return dispatcher


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


def _power_of_two(_typing: Any, _k: Any) -> Any:
    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        biased = builder.add(args[0], ir.Constant(i64, 1023))
        return builder.bitcast(builder.shl(biased, ir.Constant(i64, 52)), ir.DoubleType())

    return types.float64(types.int64), codegen


_INSTRUCTIONS: Final = {
    "popcount": intrinsic(_popcount),
    "lowest": intrinsic(_lowest),
    "at": intrinsic(_at),
    "power_of_two": intrinsic(_power_of_two),
    "prefetch": intrinsic(_prefetch),
}
"""Instructions of the processor, by the name of the Python function that does the same."""
