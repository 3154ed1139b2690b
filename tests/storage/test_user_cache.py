"""The user's cache is found wherever something can be written, and is never anybody else's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from littlego.storage import scratch as module
from littlego.storage.scratch import user_cache


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose home is a file; the folder for temporary files."""
    (tmp_path / "home").write_text("")
    (tmp_path / "shared").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(module, "_SHARED", tmp_path / "shared")
    return tmp_path / "shared"


def test_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path / "littlego"


def test_without_a_home(homeless: Path) -> None:
    found = user_cache()
    assert found is not None
    assert found.parent == homeless
    assert found.stat().st_mode & 0o777 == 0o700
    assert user_cache() == found, "the next command finds it again"


def _open_to_all(place: Path) -> None:
    place.mkdir()
    place.chmod(0o777)


def _link(place: Path) -> None:
    (place.parent / "elsewhere").mkdir(mode=0o700)
    place.symlink_to(place.parent / "elsewhere")


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize("planted", [_open_to_all, _link, Path.touch])
def test_what_others_could_have_planted_is_not_used(planted: Callable[[Path], None]) -> None:
    ours = user_cache()
    assert ours is not None
    ours.rmdir()
    planted(ours)
    assert user_cache() is None
