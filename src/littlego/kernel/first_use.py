"""Telling a person why nothing seems to happen: code that has not been compiled here before is being compiled.

Knows nothing of numba: importing that would slow every command down.
"""

from __future__ import annotations

from collections.abc import Callable

_tell: Callable[[str], None] | None = None
_compiled = False


def tell_of_compiling(tell: Callable[[str], None] | None) -> None:
    """Before this process first compiles something, call `tell` with a sentence; None: say nothing."""
    global _tell
    _tell = tell


def about_to_compile() -> None:
    """Called before a function is compiled, not when its machine code is on disk."""
    global _compiled
    _compiled = True
    if _tell is not None:
        tell = _tell
        tell_of_compiling(None)
        tell("Compiling, once on this machine: usually about 20 seconds.")


def has_compiled() -> bool:
    """Whether this process has compiled something, so that its times say little about its speed."""
    return _compiled
