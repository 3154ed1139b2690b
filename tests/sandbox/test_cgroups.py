"""Cgroups of either version: made, joined, read and removed. Needs root."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from littlego.sandbox import cgroups

pytestmark = pytest.mark.process


@pytest.mark.parametrize("version", [1, 2])
def test_cpu_time_is_counted_and_the_cgroup_goes(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [each for each in cgroups.hierarchies() if each.version == version and "cpuacct" in each.controllers]
    if os.geteuid() != 0 or not found:
        pytest.skip(f"needs root and cgroups of version {version}")
    monkeypatch.setattr(cgroups, "hierarchies", lambda: found)
    with cgroups.MoveGroup(maker=os.getpid(), memory=1 << 30, tasks=64) as group:
        assert "cpuacct" in group.controllers
        (join,) = group.join
        assert group.cpu_seconds() < 0.05
        spin = f"import os, time\nos.write({join}, b'0')\nwhile time.process_time() < 0.3: pass"
        subprocess.run([sys.executable, "-S", "-c", spin], pass_fds=[join], check=True, timeout=600)
        assert 0.19 < group.cpu_seconds() < 2
        paths = [Path(path) for path in group._paths]
        assert paths
        assert all(path.is_dir() for path in paths)
    assert not any(path.exists() for path in paths)


def test_a_dead_makers_cgroups_are_swept() -> None:
    found = cgroups.hierarchies()
    if os.geteuid() != 0 or not found:
        pytest.skip("needs root and cgroups")
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = Path(found[0].path) / f"littlego-{ended.pid}-0"
    ours = Path(found[0].path) / f"littlego-{os.getpid()}-999"
    left.mkdir()
    ours.mkdir()
    cgroups.sweep()
    assert not left.exists()
    assert ours.exists()
    ours.rmdir()


def test_version_2_is_divided_where_it_already_is(tmp_path: Path) -> None:
    """As systemd lays it out: slices give controllers to what is below them, a session's scope has processes."""
    scope = tmp_path / "user.slice" / "user-0.slice" / "session-1.scope"
    scope.mkdir(parents=True)
    for folder, given in ((scope, ""), (scope.parent, "memory pids"), (scope.parent.parent, "cpu memory pids")):
        (folder / "cgroup.subtree_control").write_text(given + "\n")
    both = {"memory", "pids"}
    assert cgroups.divided(str(scope), str(tmp_path), both) == str(scope.parent)
    (scope.parent / "cgroup.subtree_control").write_text("pids\n")
    assert cgroups.divided(str(scope), str(tmp_path), both) == str(scope.parent.parent)
    (scope.parent.parent / "cgroup.subtree_control").write_text("\n")
    assert cgroups.divided(str(scope), str(tmp_path), both) == str(scope)
    assert cgroups.divided(str(tmp_path), str(tmp_path), both) == str(tmp_path)


def test_swap_is_part_of_the_limit() -> None:
    found = [each for each in cgroups.hierarchies() if "memory" in each.controllers]
    if os.geteuid() != 0 or not found:
        pytest.skip("needs root and a memory controller")
    limit = 64 << 20
    with cgroups.MoveGroup(maker=os.getpid(), memory=limit, tasks=64) as group:
        (path,) = (Path(path) for path in group._paths if list(Path(path).glob("memory.*")))
        if (path / "memory.swap.max").exists():
            assert (path / "memory.swap.max").read_text().strip() == "0"
        elif (path / "memory.memsw.limit_in_bytes").exists():
            assert int((path / "memory.memsw.limit_in_bytes").read_text()) == limit
        else:
            pytest.skip("this kernel does not count swap")
