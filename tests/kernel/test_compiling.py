"""Machine code on disk is forgotten when a kernel that it was made from has changed, and only then."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import littlego.kernel.machine_code

PACKAGE = Path(littlego.kernel.machine_code.__file__).parent.parent

LOWER = """
from littlego.kernel.compiling import compiled, use_machine_code

use_machine_code()

@compiled
def step(x):
    return x + {number}
"""
UPPER = """
from littlego.kernel.compiling import compiled, use_machine_code

use_machine_code()
from lower import step

@compiled
def twice(x):
    return step(step(x))
"""
RUN = """
from littlego.kernel.machine_code import is_cached
from upper import twice
print(is_cached(twice), twice(0))
"""


def run(directory: Path, environment: dict[str, str], script: str = RUN) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=directory, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def change(path: Path, text: str, seconds: int) -> None:
    """Write a file as of some seconds from now: two writes of a test may be within one tick of the clock."""
    path.write_text(text)
    later = path.stat().st_mtime + seconds
    os.utime(path, (later, later))


@pytest.mark.process
@pytest.mark.parametrize("elsewhere", [False, True])
def test_an_edited_callee_is_seen_by_its_callers(tmp_path: Path, elsewhere: bool) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    if elsewhere:
        environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    change(tmp_path / "lower.py", LOWER.format(number=1), -60)
    change(tmp_path / "upper.py", UPPER, -60)
    (tmp_path / "notes.py").write_text("")
    assert run(tmp_path, environment) == "False 2"
    change(tmp_path / "notes.py", "not_a_kernel = True\n", 60)
    assert run(tmp_path, environment) == "True 2"
    change(tmp_path / "lower.py", LOWER.format(number=5), 60)
    assert run(tmp_path, environment) == "False 10"


LITERALS = """
from littlego.kernel.compiling import compiled, use_machine_code

use_machine_code()
from lower import step

@compiled
def sum_of_steps(x):
    n = 0
    for _ in range(3):
        n = step(n)
    return n + step(1) + step(2) + step(x)
"""


@pytest.mark.process
def test_a_literal_number_is_no_reason_to_compile_a_function_again(tmp_path: Path) -> None:
    (tmp_path / "lower.py").write_text(LOWER.format(number=1))
    (tmp_path / "upper.py").write_text(LITERALS)
    script = "from upper import step, sum_of_steps; print(sum_of_steps(4), len(step.signatures))"
    assert run(tmp_path, dict(os.environ), script) == "13 1"


MANY = """
from littlego.kernel.compiling import compiled, use_machine_code

use_machine_code()

@compiled
def double(x):
    return x + x
"""
KINDS = ("1", "1.5", "(1,)", "np.ones(1)")


@pytest.mark.process
def test_versions_compiled_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    """Numba alone gives two of them the same file, and then runs the code of one for the other."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    change(tmp_path / "many.py", MANY, -60)
    script = "import sys, numpy as np; from many import double; sys.stdin.read(); double({kind})"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script.format(kind=kind)], cwd=tmp_path, env=environment, stdin=subprocess.PIPE
        )
        for kind in KINDS
    ]
    for process in processes:
        assert process.stdin
        process.stdin.close()  # all begin to compile
    assert [process.wait() for process in processes] == [0] * len(KINDS)
    later = (
        f"import numpy as np; from many import double; print([double(x) for x in ({', '.join(KINDS)})]);"
        "print(len(double.stats.cache_hits), len(double.stats.cache_misses))"
    )
    assert run(tmp_path, environment, later).splitlines() == [
        "[2, 3.0, (1, 1), array([2.])]",
        f"{len(KINDS)} 0",
    ]


@pytest.mark.process
def test_processes_that_need_a_function_at_the_same_time_compile_it_once(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    change(tmp_path / "lower.py", LOWER.format(number=1), -60)
    change(tmp_path / "upper.py", UPPER, -60)
    script = "import sys; from upper import twice; print('here', flush=True); sys.stdin.read(); twice(0)"
    script += "; print(len(twice.stats.cache_misses), end='')"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "here\n"
    for process in processes:
        assert process.stdin
        process.stdin.close()  # all need it now
        process.stdin = None
    assert sorted(process.communicate()[0] for process in processes) == ["0", "0", "1"]
    assert [process.returncode for process in processes] == [0, 0, 0]


# A package of two folders, as `kernel/` and those above it are.
OURS = Path(littlego.kernel.machine_code.__file__)
ACROSS = """
from littlego_copy.compiling import compiled
from littlego_copy.bits import step

@compiled
def twice(x):
    return step(step(x))
"""


@pytest.mark.process
def test_an_edited_kernel_is_seen_by_the_folders_above(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    kernel, above = tmp_path / "littlego_copy", tmp_path / "above"
    kernel.mkdir()
    above.mkdir()
    (kernel / "__init__.py").touch()
    for file in (OURS, OURS.with_name("compiling.py")):
        change(kernel / file.name, file.read_text().replace("littlego.kernel.machine", "littlego_copy.machine"), -60)
    lower = LOWER.replace("littlego.kernel", "littlego_copy")
    change(kernel / "bits.py", lower.format(number=1), -60)
    change(above / "upper.py", ACROSS, -60)
    script = RUN.replace("littlego.kernel", "littlego_copy")
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(above)])
    assert run(above, environment, script) == "False 2"
    assert run(above, environment, script) == "True 2"
    change(kernel / "bits.py", lower.format(number=5), 60)
    assert run(above, environment, script) == "False 10"


def test_every_compiled_function_is_compiled_by_us() -> None:
    """Numba's own decorator would cache code that nothing checks."""
    users = [path.name for path in PACKAGE.rglob("*.py") if re.search(r"\bnjit\b|numba\.jit", path.read_text())]
    assert users == [OURS.name]


@pytest.mark.process
@pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user who may write nowhere: only root can become one")
def test_who_may_write_nowhere_can_compile() -> None:
    """In a lab or a container, where neither home nor installation can be written to."""
    script = "from littlego.kernel.xorshift import draw_unit, seeded_state; print(0 <= draw_unit(seeded_state(7)) < 1)"
    as_user = PACKAGE.parents[1] / "tests" / "sandbox" / "as_user.py"
    done = subprocess.run(
        [sys.executable, str(as_user), sys.executable, "-P", "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.strip() == "True", done.stderr


TOLD = """
from littlego.kernel.first_use import tell_of_compiling
tell_of_compiling(print)
from upper import twice
print(twice(0), twice(1))
"""


@pytest.mark.process
def test_a_person_is_told_before_something_is_compiled_for_the_first_time(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    change(tmp_path / "lower.py", LOWER.format(number=1), -60)
    change(tmp_path / "upper.py", UPPER, -60)
    sentence = "Compiling, once on this machine: usually about 20 seconds."
    assert [run(tmp_path, environment, TOLD) for _ in range(2)] == [f"{sentence}\n2 3", "2 3"]
