"""An import that failed: which module is missing, whose fault that is, and what helps."""

from __future__ import annotations

import re
import sys
from typing import Final

_SEEN_IN_THE_COURSE: Final = frozenset({"numpy"})
_NOT_FOUND: Final = re.compile(r"^(?:ModuleNotFound|Import)Error: No module named '?([A-Za-z_]\w*)", re.M)


def missing_module(message: str) -> str:
    """The top-level module that a Python program did not find, by its exception; empty for anything else.

    A module of a newer standard library does not count: no package is missing, the program is too new.
    """
    found = _NOT_FOUND.findall(message)
    return found[-1] if found and found[-1] not in sys.stdlib_module_names else ""


def what_helps(module: str) -> str:
    """Whose fault a missing module is, and what to do: one or two sentences without the last full stop."""
    lacks = f"the Python that ran it lacks {module}"
    if module in _SEEN_IN_THE_COURSE:
        return (
            f"{lacks}, which the course was seen to have. That is this machine's fault, not the agent's: "
            "--python names a Python that has it"
        )
    return f"{lacks}. If the course has it, --python names a Python that does; if it is a file of the agent's, add it"
