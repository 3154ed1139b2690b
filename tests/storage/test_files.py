from __future__ import annotations

from pathlib import Path

import pytest

from littlego.storage.files import write_whole


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    (taken / "by a folder").mkdir(parents=True)
    with pytest.raises(OSError):
        write_whole(taken, "text")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
