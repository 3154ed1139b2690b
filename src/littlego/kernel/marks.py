"""Marks functions of integers and arrays that `tools/build_kernel.py` compiles into `kernel.wasm`.

A marked function remains plain Python, and may be called so. It creates no arrays and raises nothing, and a function
that calls itself passes itself no literal number: its versions for `0` and for any other number would differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

MARK: Final = "__kernel__"
"""The attribute that says how a function is compiled."""


def _mark(function: F, how: str) -> F:
    setattr(function, MARK, how)
    return function


def compiled(function: F) -> F:
    """Compile a function."""
    return _mark(function, "compiled")


def embedded(function: F) -> F:
    """Like `compiled`, and copied into the functions that call it.

    For small functions that take a tuple of many arrays: passing it may cost more than what they do with it.
    """
    return _mark(function, "embedded")


def inlined(function: F) -> F:
    """Let compiled functions call a Python function, which may work on numbers or arrays."""
    return _mark(function, "inlined")


def machine_instruction(function: F) -> F:
    """Replace a Python function by the processor's own instruction: see `tools/compiling.py`."""
    return _mark(function, "instruction")
