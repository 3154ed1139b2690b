"""Marks functions of integers and arrays that are compiled: by `tools/build_kernel.py` into `kernel.wasm`, or by numba.

A marked function is plain Python, and may be called so, until `use_machine_code`: then numba compiles every one of them
when it is first called. Learning needs that, the solver does not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


class _Marked:
    """A marked function, before numba is used."""

    def __init__(self, function: Callable[..., Any], compile_it: Callable[[Any], Any]) -> None:
        self.function = function
        self.compile_it = compile_it
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


_marked: list[_Marked] = []
_uses_machine_code = False


def _mark(function: F, compile_it: Callable[[Any], Any]) -> F:
    if _uses_machine_code:
        return cast(F, compile_it(function))
    _marked.append(_Marked(function, compile_it))
    return cast(F, _marked[-1])


def compiled(function: F) -> F:
    """Compile a function."""
    return _mark(function, _with_numba)


def borrowing(function: F) -> F:
    """Compile a function that neither creates nor returns arrays, without counting references to its arguments.

    The caller keeps them alive. Counting took a tenth of the solver's time, and made threads that share a table
    wait for each other.
    """
    return _mark(function, partial(_with_numba, _nrt=False))


def embedded(function: F) -> F:
    """Like `borrowing`, and copied into the functions that call it.

    For small functions that take a tuple of many arrays: passing it may cost more than what they do with it.
    """
    return _mark(function, partial(_with_numba, _nrt=False, forceinline=True))


def inlined(function: F) -> F:
    """Let compiled functions call a Python function, which may work on numbers or arrays."""
    return _mark(function, _inlined)


def machine_instruction(function: F) -> F:
    """Replace a Python function by the processor's own instruction."""
    return _mark(function, _instruction)


def use_machine_code() -> None:
    """Have numba compile all marked functions, those of modules already imported and those to come."""
    global _uses_machine_code
    if _uses_machine_code:
        return
    _uses_machine_code = True
    made = {id(marked): marked.compile_it(marked.function) for marked in _marked}
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name, value in list(names.items()):
            if type(value) is _Marked:
                names[name] = made[id(value)]


def _with_numba(function: F, **options: Any) -> F:
    from littlego.kernel.machine_code import compile_function

    return compile_function(function, **options)


def _inlined(function: F) -> F:
    from littlego.kernel.machine_code import inline_function

    return inline_function(function)


def _instruction(function: F) -> F:
    from littlego.kernel.machine_code import INTRINSICS

    return cast(F, INTRINSICS[function.__name__])
