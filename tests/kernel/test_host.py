"""The kernel as a file: what hosts read of it, and that it stops rather than answers wrongly."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import build_kernel
from littlego.kernel import host
from littlego.kernel.host import KernelError, KernelMemory, Loaded, described_in
from littlego.kernel.words import pack_value
from littlego.learn import learned, values
from littlego.solve import table
from littlego.solve.layout import layout

FILE = resources.files("littlego.kernel").joinpath(host.FILE).read_bytes()


def test_the_file_is_of_these_sources() -> None:
    described = described_in(FILE)
    assert described["sources"] == build_kernel.digest(), "stale: run python tools/build_kernel.py"
    assert described["layout"] == layout() | values.layout()
    assert len(FILE) < 200_000


@pytest.mark.slow
def test_the_file_is_what_its_sources_make() -> None:
    """With the locked compiler and linker, and the Python that it was made with; others may order code otherwise."""
    made_with = described_in(FILE)["made_with"]
    if build_kernel.made_with() != made_with:
        pytest.skip(f"made with {made_with}, and here is {build_kernel.made_with()}")
    command = [sys.executable, build_kernel.__file__, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{done.stderr}; to make it: python tools/build_kernel.py"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "does not begin like WebAssembly"),
        (b"not a kernel", "does not begin like WebAssembly"),
        (FILE[:-1], "it ends at byte"),
        (FILE[:20_000], "expected"),
        (FILE[:8], "expected a section 'littlego'"),
        (FILE.replace(b'"exports"', b'"exprots"'), "expected a whole file"),
    ],
)
def test_what_is_not_a_whole_kernel_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(KernelError, match=says) as refused:
        Loaded(data)
    assert "python tools/build_kernel.py" in str(refused.value)


def test_damaged_code_is_refused() -> None:
    damaged = bytearray(FILE)
    damaged[len(FILE) // 3 : len(FILE) // 3 + 64] = b"\xff" * 64
    with pytest.raises(KernelError, match=r"kernel\.wasm"):
        Loaded(bytes(damaged))


def test_a_kernel_of_another_version_is_refused() -> None:
    with pytest.raises(KernelError, match="belongs to another version of littlego"):
        host.check_layout({**layout(), "slots": 4})


def test_values_are_not_learned_with_a_kernel_of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "layout", lambda: {**values.layout(), "learned_spares": 4})
    with pytest.raises(KernelError, match="belongs to another version of littlego"):
        learned.Learned()


def test_a_missing_kernel_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "FILE", "nothing.wasm")
    with pytest.raises(KernelError, match=r"nothing\.wasm is missing from the package: install littlego again"):
        host.load.__wrapped__()


def test_memory_that_cannot_be_had_is_reported() -> None:
    memory = KernelMemory()
    with pytest.raises(KernelError, match="8192 MiB are more than this machine gives"):
        memory.reach(1 << 33)
    assert memory.words(10).sum() == 0, "what there is can still be used"


def test_a_limit_on_addresses_is_named() -> None:
    code = "import littlego as lg; lg.Oracle().value(lg.Position.initial(lg.edition_rules(size=3)))"
    command = f"ulimit -v 3000000; exec {sys.executable} -c '{code}'"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    assert "a limit such as that of 'ulimit -v' must be higher" in done.stderr.splitlines()[-1]


def test_reading_beyond_the_memory_stops_the_call() -> None:
    with pytest.raises(KernelError, match="the kernel stopped in table_probe"):
        KernelMemory().instance().call("table_probe", (1 << 32) - 64, 16, 1)


def test_instances_share_one_memory_which_grows_under_its_arrays() -> None:
    memory = KernelMemory()
    kernels = [memory.instance() for _ in range(2)]
    grown = table.Table(1 << 24, memory)
    first = grown.words
    keys = np.arange(1, 3001, dtype=np.int64) << 30
    values = np.full(3000, pack_value(1, 5, 7), dtype=np.int64)
    grown.store_all(keys, values)
    memory.reach(grown.address + (1 << 26))
    assert np.array_equal(first, grown.words)
    found: list[int] = []

    def ask(number: int) -> None:
        probe = kernels[number].call
        found.extend([probe("table_probe", grown.address, grown.bits, key) for key in keys[number::2].tolist()])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3000
    assert {value & (1 << 17) - 1 for value in found} == {pack_value(1, 5, 7)}


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None
from pathlib import Path
from typing import NamedTuple
import littlego as lg
from littlego.apps.env.vector import VectorLittleGo
from littlego.solve.proof.certificate import certify
from littlego.tictactoe.learner import FastQLearner
from littlego.solve.proof.check import read_certificate
from littlego.solve.proof.fast_check import FastChecker
position = lg.Position.initial()
for move in "0,1 4,3 0,0 4,4 2,0 0,4 1,4 3,0".split():
    position = position.play(move)
oracle = lg.Oracle(use_atlas=False)
print(oracle.value(position), oracle.nodes, len(oracle.best_moves(position)))
VectorLittleGo(3).play_random(30)
FastQLearner(seed=1).train(100)
learner = lg.train_learner(games=20, chunks=1, test_games=1)
lg.make_player("champion", seed=1).choose(position)
certify(lg.Position.initial(lg.edition_rules(size=3)), Path(sys.argv[1]), oracle)
"""


@pytest.mark.process
def test_a_system_without_wasmtime_is_told_so() -> None:
    code = "import sys; sys.modules['wasmtime'] = None; import littlego as lg; lg.train_learner(games=1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert "wasmtime, which runs the solver and the learners, cannot be loaded here" in done.stderr.splitlines()[-1]


def test_what_another_version_laid_out_is_refused() -> None:
    class LearnedArrays(NamedTuple):
        game: int

    class Rates(NamedTuple):
        alpha: int

    memory = KernelMemory()
    for one in (LearnedArrays(1), Rates(1)):
        with pytest.raises(KernelError, match="belongs to another version"):
            memory.put(one)


@pytest.mark.process
def test_everything_compiled_runs_without_numba(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_NUMBA, str(tmp_path / "proof.xz")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("White "), done.stderr
