"""`littlego solve`, `certify` and `verify` as a user meets them: what they print, refuse, and say when stopped."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
import typer

from littlego.apps.cli.exact import solve as commands
from littlego.arena.pool import cluster as cluster_module
from littlego.arena.pool.local_cluster import local_cluster
from littlego.core.colour import BLACK, WHITE
from littlego.core.errors import UsageError
from littlego.core.game import play
from littlego.formats.sgf.games import write_sgf
from littlego.players.catalogue import make_player
from littlego.solve.proof import certificate, check_jobs
from littlego.solve.proof.check import CheckFailed, read_certificate

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "littlego" / "solved.sqlite"


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A complete certificate of a short game."""
    path = tmp_path / "game.xz"
    commands.certify(path, moves=6, memory=0.02, threads=1)
    return path


def test_a_size_too_large_is_refused_before_anything_else(capsys: Output) -> None:
    with pytest.raises(UsageError, match="6x6 board is too large"):
        commands.solve(size=6)
    assert capsys.readouterr().err == ""


def test_a_game_may_be_looked_at_after_any_move(tmp_path: Path, capsys: Output) -> None:
    game = play({BLACK: make_player("greedy", seed=1), WHITE: make_player("random", seed=1)})
    path = tmp_path / "game.sgf"
    path.write_text(write_sgf(game))
    commands.solve(path, after=18, memory=0.02, threads=1, json=True)
    assert json.loads(capsys.readouterr().out)["plies_left"] == 6
    commands.solve(path, memory=0.02, threads=1)
    assert capsys.readouterr().out.endswith("wins: the game is over\n")
    with pytest.raises(UsageError, match="has 24 moves"):
        commands.solve(path, after=25)
    with pytest.raises(UsageError, match="needs an SGF game"):
        commands.solve(after=3)


def test_answers_are_kept_in_the_users_cache_and_not_used_for_a_start_from_nothing(cache: Path, capsys: Output) -> None:
    def nodes(**options: Any) -> int:
        commands.solve(moves=10, threads=1, json=True, **options)
        return int(json.loads(capsys.readouterr().out)["nodes"])

    from_nothing = nodes(no_atlas=True)
    assert not cache.exists()
    assert nodes() == from_nothing > 100
    assert nodes() < 10
    assert nodes(no_atlas=True) == from_nothing
    assert nodes(no_atlas=True, store=cache) < 10, "a store that is asked for is used"


def test_a_winning_move_is_shown(capsys: Output) -> None:
    commands.solve(memory=0.1, threads=1)
    assert "A winning move: 2,2" in capsys.readouterr().out


def test_a_check_can_be_continued(short: Path, capsys: Output) -> None:
    capsys.readouterr()
    commands.verify(short, skip=1)
    assert "with the first 1 positions, checked before, proven: White wins" in capsys.readouterr().out
    commands.verify(short, skip=1, json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["proven"] is False
    assert found["checked"] + found["skipped"] == found["positions"]
    with pytest.raises(UsageError, match="expected fewer"):
        commands.verify(short, skip=10**9)


def test_a_check_can_be_shared_out_to_machines(short: Path, capsys: Output) -> None:
    capsys.readouterr()
    checked = []
    for number in (1, 2, 3):
        commands.verify(short, part=f"{number}/3", json=True)
        found = json.loads(capsys.readouterr().out)
        assert found["proven"] is False
        checked.append(found["checked"])
    assert min(checked) > 0
    assert sum(checked) == found["positions"]
    commands.verify(short, part="2/3")
    assert f"no error in part 2 of 3, {checked[1]:,} positions: White wins" in capsys.readouterr().out
    for wrong in ("0/3", "4/3", "3", "a/b"):
        with pytest.raises(UsageError, match="expected K/N"):
            commands.verify(short, part=wrong)


@pytest.mark.process
@pytest.mark.xdist_group("cluster")
def test_a_check_on_a_cluster(short: Path, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_jobs, "PART_SENT", 7)
    monkeypatch.setattr(cluster_module, "_WORKERS_SECONDS", 300.0)  # its worker has to import Dask first
    wrong = tmp_path / "wrong.xz"
    entries = len(read_certificate(short).keys)
    with local_cluster(1) as cluster:
        commands.verify(short, cluster=cluster.address)
        assert "proven: White wins" in capsys.readouterr().out
        head, _, body = lzma.decompress(short.read_bytes()).partition(b"\n")
        moves = bytes(entries)  # the first point, everywhere
        wrong.write_bytes(lzma.compress(head + b"\n" + body[:-entries] + moves))
        with pytest.raises(typer.Exit):
            commands.verify(wrong, cluster=cluster.address)
        assert "not proven" in capsys.readouterr().out
    with pytest.raises(UsageError, match="none of --sample"):
        commands.verify(short, cluster="tcp://127.0.0.1:1", sample=3)


def test_a_check_that_is_stopped_says_how_to_go_on(
    short: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: Any, progress: Any, **__: Any) -> int:
        progress()
        raise KeyboardInterrupt

    monkeypatch.setattr(check_jobs, "verify_in_parts", stopped)
    with pytest.raises(KeyboardInterrupt):
        commands.verify(short, jobs=2)
    assert f"continue with: littlego verify {short} --skip 2000 --jobs 2" in capsys.readouterr().err


def test_a_failed_check_is_json_too(short: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> int:
        raise CheckFailed("no move for a position")

    capsys.readouterr()
    monkeypatch.setattr(check_jobs, "verify_in_parts", fails)
    with pytest.raises(typer.Exit) as exit_:
        commands.verify(short, json=True)
    assert exit_.value.exit_code == 1
    assert json.loads(capsys.readouterr().out)["failure"] == "no move for a position"


def test_a_certificate_that_is_stopped_says_how_to_go_on(
    tmp_path: Path, cache: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(certificate, "certify", stopped)
    with pytest.raises(KeyboardInterrupt):
        commands.certify(tmp_path / "game.xz", moves=6, memory=0.02)
    assert f"was not written; proven values are in {cache}" in capsys.readouterr().err
