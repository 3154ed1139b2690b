"""What an imitation of another system is made of: modules of `littlego` see modules without what that system lacks.

The standard library and other packages see the real system, as do the processes that are started.
"""

from __future__ import annotations

import builtins
import errno
import os
import shlex
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

real_import = builtins.__import__


class Seen(types.ModuleType):
    """A module as `littlego` sees it: without some names, and with others."""

    def __init__(self, real: types.ModuleType, missing: set[str], instead: Mapping[str, Any]) -> None:
        super().__init__(real.__name__)
        object.__setattr__(self, "_seen", (real, missing, instead))

    def __getattribute__(self, name: str) -> Any:
        real, missing, instead = object.__getattribute__(self, "_seen")
        if name in instead:
            return instead[name]
        if name in missing:
            raise AttributeError(f"module {real.__name__!r} has no attribute {name!r} on that system")
        return getattr(real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        real, _, _ = object.__getattribute__(self, "_seen")
        setattr(real, name, value)


def by_path(function: Any, *, descriptors: bool = False) -> Any:
    """A function of `os` on a system without `/proc` and, unless it has them, without descriptors of directories."""

    def call(path: Any, *arguments: Any, dir_fd: int | None = None, **options: Any) -> Any:
        if not descriptors and (isinstance(path, int) or dir_fd is not None):
            raise NotImplementedError("dir_fd unavailable on this platform")
        if str(path).startswith("/proc"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return function(path, *arguments, **options | ({} if dir_fd is None else {"dir_fd": dir_fd}))

    return call


def let_us_see(seen: Mapping[str, types.ModuleType], missing: set[str]) -> None:
    """From now on modules of `littlego` that are imported get these modules, and none of those that are missing."""
    assert not any(name.startswith("littlego") for name in sys.modules)

    def see(name: str, globals: Mapping[str, object] | None = None, *more: Any, **named: Any) -> types.ModuleType:  # noqa: A002 - Python's own name
        ours = str((globals or {}).get("__name__", "")).startswith("littlego")
        if ours and name in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return seen[name] if ours and name in seen else real_import(name, globals, *more, **named)

    vars(builtins)["__import__"] = see


def carry_out() -> None:
    """Each line of the file that is named, a command of littlego, in this process."""
    from tests.command import in_this_process

    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        words, _, typed = line.partition(" < ")
        done = in_this_process(*shlex.split(words), typed=typed.replace("\\n", "\n"))
        last = (done.stdout or done.stderr).strip().rpartition("\n")[2]
        print(f"{done.returncode} {words}: {last if done.returncode == 0 else done.stderr.strip()}", flush=True)
