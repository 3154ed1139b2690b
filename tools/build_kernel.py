"""Make `src/littlego/kernel/kernel.wasm`: our compiled functions as WebAssembly, for Python and for browsers.

    python tools/build_kernel.py             # write it
    python tools/build_kernel.py --check     # build it again, and compare

Numba translates the Python functions of `kernel_exports`, and all that they call, to LLVM. Here its wrappers for
CPython are dropped, each export gets a plain function around it, LLVM compiles all this for wasm32, and `wasm-ld` (of
the package `ziglang`) links it. The same sources, Python, numba and linker give the same bytes.

The file says in a section of its own, `littlego`, what it exports and how memory is laid out; see `describe`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = ROOT / "src" / "littlego" / "kernel" / "kernel.wasm"
SOURCES: Final = (
    "src/littlego/core/points.py",
    "src/littlego/kernel/marks.py",
    "src/littlego/kernel/any_size.py",
    "src/littlego/kernel/words.py",
    "src/littlego/kernel/xorshift.py",
    "src/littlego/learn/features.py",
    "src/littlego/learn/games.py",
    "src/littlego/learn/life.py",
    "src/littlego/learn/opponents.py",
    "src/littlego/learn/values.py",
    "src/littlego/solve/bounds.py",
    "src/littlego/solve/guess.py",
    "src/littlego/solve/search.py",
    "src/littlego/solve/table.py",
    "src/littlego/solve/proof/fast_check.py",
    "src/littlego/solve/proof/strategy.py",
    "src/littlego/tictactoe/kernel.py",
    "src/littlego/apps/env/many_games.py",
    "tools/compiling.py",
    "tools/kernel_exports.py",
    "tools/build_kernel.py",
)
"""All that decides what the file is, besides the tools that make it."""

_DATA: Final = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
_TRIPLE: Final = "wasm32-unknown-unknown"
_FEATURES: Final = "+bulk-memory,+sign-ext,+mutable-globals,+nontrapping-fptoint"
_STACK: Final = 1 << 16
_TYPES: Final = {"Address": "i32", "int": "i32", "Wide": "i64", "float": "double"}
_LINK: Final = (
    "--no-entry",
    "--import-memory",
    "--export=__heap_base",
    "--export=__stack_pointer",
    "--stack-first",
    f"-zstack-size={_STACK}",
    "--max-memory=4294967296",
    "--strip-all",
    "-O2",
)


def made_with() -> dict[str, str]:
    """The tools that decide the bytes."""
    tools = {name: version(name) for name in ("numba", "llvmlite", "ziglang")}
    return {"python": ".".join(platform.python_version_tuple()[:2]), "machine": platform.machine(), **tools}


def digest() -> str:
    """Of the sources: a kernel of other sources is stale."""
    found = hashlib.sha256()
    for name in SOURCES:
        found.update(name.encode() + b"\0" + (ROOT / name).read_bytes() + b"\0")
    return found.hexdigest()


def describe() -> dict[str, Any]:
    """What hosts read: the exports with their arguments, the layout of memory, and what the file was made from."""
    from littlego.learn import values
    from littlego.solve.layout import layout

    return {
        "layout": layout() | values.layout(),
        "exports": {function.__name__: signature(function) for function in exports()},
        "structures": structures(),
        "stack": _STACK,
        "sources": digest(),
        "made_with": made_with(),
    }


def exports() -> tuple[Any, ...]:
    from kernel_exports import EXPORTS

    return EXPORTS


def structures() -> dict[str, list[str]]:
    """The words of each named tuple that exports take by its address, as names, kinds and dimensions of arrays."""
    from kernel_exports import STRUCTURES
    from littlego.kernel.host import fields

    return {type(example).__name__: list(fields(example)) for example in STRUCTURES}


def signature(function: Any) -> dict[str, str]:
    """The arguments and, as `return`, the result: Address, int, Wide or float."""
    return dict(function.py_func.__annotations__)


def build() -> bytes:
    """The bytes of the file."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    with tempfile.TemporaryDirectory() as folder:
        compiled, linked = Path(folder) / "kernel.o", Path(folder) / "kernel.wasm"
        compiled.write_bytes(_object(llvm))
        names = [f"--export={function.__name__}" for function in exports()]
        command = [sys.executable, "-m", "ziglang", "wasm-ld", *_LINK, *names, "-o", str(linked), str(compiled)]
        subprocess.run(command, check=True)
        return with_section(linked.read_bytes(), "littlego", json.dumps(describe()).encode())


def _object(llvm: Any) -> bytes:
    """The exports with all that they call, as an object file for wasm32."""
    from numba import types

    whole = None
    for function in exports():
        kinds = [kind for name, kind in signature(function).items() if name != "return"]
        function.compile(tuple(types.float64 if kind == "float" else types.int64 for kind in kinds))
        (made,) = function.overloads.values()
        text = retargeted(made.library.get_llvm_str())
        module = llvm.parse_assembly(text + wrapper(function, made.fndesc.mangled_name))
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
    module = llvm.parse_assembly(str(whole).replace("define linkonce_odr ", "define internal "))
    module.verify()
    machine = llvm.Target.from_triple(_TRIPLE).create_target_machine(
        cpu="generic", features=_FEATURES, opt=3, reloc="static"
    )
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def retargeted(text: str) -> str:
    """Numba's LLVM for wasm32, without its wrappers for CPython."""
    lines, in_wrapper = [], False
    for line in text.split("\n"):
        in_wrapper |= line.startswith("define") and ("_ZN7cpython" in line or "@cfunc." in line)
        if not in_wrapper:
            lines.append(line)
        in_wrapper &= line != "}"
    text = "\n".join(lines)
    text = re.sub(r"= common (local_unnamed_addr )?global", "= internal global", text)
    text = re.sub(r"^define (linkonce_odr |weak_odr )?(hidden )?", "define linkonce_odr ", text, flags=re.MULTILINE)
    text = re.sub(r"target datalayout = .*", f'target datalayout = "{_DATA}"', text)
    text = re.sub(r"target triple = .*", f'target triple = "{_TRIPLE}"', text)
    return re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)


def wrapper(function: Any, mangled: str) -> str:
    """A plain function around one in numba's convention, which returns a status and takes where to put the result."""
    kinds = signature(function)
    result = kinds.pop("return")
    taken, passed, body = [], [], []
    for k, kind in enumerate(kinds.values()):
        taken.append(f"{_TYPES[kind]} %a{k}")
        if kind in ("Wide", "float"):
            passed.append(f"{_TYPES[kind]} %a{k}")
        else:
            body.append(f"  %w{k} = {'zext' if kind == 'Address' else 'sext'} i32 %a{k} to i64")
            passed.append(f"i64 %w{k}")
    name = f'@"{mangled}"' if re.search(r"[^\w.$]", mangled) else f"@{mangled}"
    kind = _TYPES[result]
    found = "double" if kind == "double" else "i64"
    lines = [
        f"\ndefine {kind} @{function.__name__}({', '.join(taken)}) {{",
        "entry:",
        f"  %result = alloca {found}",
        "  %raised = alloca ptr",
        f"  store {found} {'0.0' if kind == 'double' else '0'}, ptr %result",
        *body,
        f"  %status = call i32 {name}(ptr %result, ptr %raised{''.join(', ' + one for one in passed)})",
        "  %failed = icmp ne i32 %status, 0",
        "  br i1 %failed, label %stop, label %done",
        "stop:",
        "  call void @llvm.trap()",
        "  unreachable",
        "done:",
        f"  %value = load {found}, ptr %result",
        *(["  %short = trunc i64 %value to i32"] if kind == "i32" else []),
        f"  ret {kind} {'%short' if kind == 'i32' else '%value'}",
        "}",
        "declare void @llvm.trap()",
    ]
    return "\n".join(lines) + "\n"


def with_section(wasm: bytes, name: str, content: bytes) -> bytes:
    """A WebAssembly file with another custom section at its end."""
    body = leb128(len(name)) + name.encode() + content
    return wasm + b"\0" + leb128(len(body)) + body


def leb128(number: int) -> bytes:
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def main() -> None:
    parser = argparse.ArgumentParser(description="Make kernel.wasm.")
    parser.add_argument("--check", action="store_true", help="build, and compare with the file that is there")
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args()
    made = build()
    if options.check:
        sys.exit(0 if options.out.read_bytes() == made else f"{options.out}: is not what the sources make")
    options.out.write_bytes(made)
    print(f"{options.out}: {len(made):,} bytes")


if __name__ == "__main__":
    # Before numba is imported: no vectors, which wasm32 lacks, and no machine code from before, which has no LLVM.
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {
            "NUMBA_CACHE_DIR": cache,
            "NUMBA_LOOP_VECTORIZE": "0",
            "NUMBA_SLP_VECTORIZE": "0",
            "NUMBA_CPU_NAME": "generic",
            "NUMBA_CPU_FEATURES": "",
        }
        main()
