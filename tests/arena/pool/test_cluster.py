"""The same games on a Dask cluster, whatever is killed, and words that help when there is none."""

from __future__ import annotations

import json
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from littlego.arena import cluster as cluster_module
from littlego.arena import participants
from littlego.arena.cluster import Cluster, ClusterLost, Facts, code_version
from littlego.arena.games import Fixture, GamesJob, play_missing
from littlego.arena.match import MatchPlan
from littlego.arena.participants import (
    BuiltIn,
    CommandAgent,
    CourseAgent,
    Entrant,
    PreparedProgram,
    Traveller,
    travelling,
)
from littlego.arena.pool import Failure, LocalPool, TaskFailed
from littlego.arena.store import GameResult, Store
from littlego.core.errors import UsageError
from littlego.core.rules import edition_rules
from littlego.course.classes import ClassAgent
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from littlego_bench.local_cluster import LocalCluster, local_cluster
from tests.arena.agents import GOOD, PASSES, python_agent
from tests.sandbox.test_client import eventually

pytestmark = [pytest.mark.process, pytest.mark.xdist_group("cluster")]

PASSING_CLASS = """
    class MyPlayer():
        def get_input(self, go, piece_type):
            return "PASS"
"""
ROOT = Path(__file__).parent.parent.parent.parent


@pytest.fixture(scope="module", autouse=True)
def _patience() -> Iterator[None]:
    """A worker has to import Dask first, which on a busy machine takes longer than a command waits for it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_CONNECT_SECONDS", "_WORKERS_SECONDS"):
            patch.setattr(cluster_module, name, 300.0)
        yield


@pytest.fixture(scope="module")
def two_workers(_patience: None) -> Iterator[LocalCluster]:
    with local_cluster(2) as running, both_joined(running):
        yield running


def plan(games: int) -> MatchPlan:
    return MatchPlan("a", "b", edition_rules(), games, 1)


def built_in(first: str, second: str) -> GamesJob:
    return plan(0).job(("a", "b"), (BuiltIn(first), BuiltIn(second)))


def travelling_job(first: Entrant, second: Entrant, workshop: Path) -> GamesJob:
    with Supervisor() as supervisor:
        prepared = (first.prepare(workshop / "0", supervisor), second.prepare(workshop / "1", supervisor))
    return plan(0).job(("a", "b"), (travelling(first, prepared[0]), travelling(second, prepared[1])))


@contextmanager
def both_joined(running: LocalCluster) -> Iterator[None]:
    """On a busy machine one may come later than the first connection."""
    with Cluster(running.address) as cluster:
        assert eventually(lambda: cluster.workers == 2)
    yield


@pytest.mark.siege
def test_a_worker_is_killed_and_every_game_is_there_once(tmp_path: Path) -> None:
    job = built_in("smart", "aggressive")
    shown: list[int] = []
    told: list[str] = []
    with (
        local_cluster(2) as running,
        both_joined(running),
        Cluster(running.address, tell=told.append) as cluster,
        Store[int](tmp_path / "r") as store,
    ):

        def one_more(fixture: Fixture[int], _result: GameResult) -> None:
            shown.append(fixture.key)
            if len(shown) == 6:
                running.workers[0].send_signal(signal.SIGKILL)

        play_missing(job, plan(60).fixtures(), store, cluster, on_result=one_more)
        assert sorted(shown) == list(range(60)), "each was told of once"
        assert [game.key for game in store.games()] == list(range(60)), "and kept once"
        assert running.workers[0].wait(timeout=600) == -signal.SIGKILL
        assert cluster.workers == 1
        assert told == [f"1 worker at {running.address} died or left. Workers now: 1."]


def test_games_are_those_of_the_process_pool(two_workers: LocalCluster) -> None:
    job, fixtures = built_in("smart", "greedy"), plan(6).fixtures()
    with Cluster(two_workers.address) as cluster, LocalPool(1) as pool:
        there, here = ({fixture.key: result for fixture, result in ex.run(job, fixtures)} for ex in (cluster, pool))
    assert there.keys() == set(range(6))
    assert {key: result.record.moves for key, result in there.items()} == {
        key: result.record.moves for key, result in here.items()
    }


def test_what_cannot_be_done_is_reported_after_all_else(two_workers: LocalCluster) -> None:
    job = built_in("nobody", "greedy")
    failures: list[Failure] = []
    with (
        Cluster(two_workers.address, tries=2) as cluster,
        pytest.raises(TaskFailed, match="no player is called 'nobody'"),
    ):
        list(cluster.run(job, plan(2).fixtures(), on_failure=failures.append))
    assert len(failures) == 4


def test_closing_takes_back_what_has_not_begun(two_workers: LocalCluster) -> None:
    job = built_in("greedy", "greedy")
    with Cluster(two_workers.address) as cluster:
        games = cluster.run(job, plan(1000).fixtures())
        next(games)
        games.close()
        assert len(list(cluster.run(job, plan(2).fixtures()))) == 2, "the workers are free again"


def test_a_match_from_the_command_line(two_workers: LocalCluster, tmp_path: Path) -> None:
    python_agent(tmp_path / "agent", PASSES)
    python_agent(tmp_path / "other", PASSES)
    command = ["match", "./agent", "./other", "--games", "1", "--cluster", two_workers.address, "--json"]
    words = [sys.executable, "-m", "littlego", *command]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=True)
    assert "2 workers" in done.stderr
    result = json.loads(done.stdout)
    assert result["games"] == 1
    assert all(row["record"]["outcome"]["verdict"] == "score" for row in result["results"])


def test_a_scheduler_that_goes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_QUIET_SECONDS", 1.0)
    job = built_in("smart", "aggressive")
    with local_cluster(1) as running, Cluster(running.address) as cluster:
        games = cluster.run(job, plan(1000).fixtures())
        next(games)
        running.scheduler.kill()
        with pytest.raises(ClusterLost, match=r"Finished games are kept.*run the same command"):
            list(games)


def test_an_address_without_a_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT_SECONDS", 1.0)
    with pytest.raises(UsageError, match=r"no scheduler answers there.*dask scheduler"):
        Cluster("tcp://127.0.0.1:9")
    with pytest.raises(UsageError, match="not the address of a cluster"):
        Cluster("nonsense://x")


def test_a_cluster_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_WORKERS_SECONDS", 0.5)
    with local_cluster(0) as running, pytest.raises(UsageError, match="no workers: start some with: dask worker"):
        Cluster(running.address)


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"not installed: pip install 'littlego\[cluster\]'"):
        Cluster("tcp://127.0.0.1:8786")


def test_workers_of_another_version_or_too_many_are_refused() -> None:
    with pytest.raises(UsageError, match="install one version everywhere"):
        cluster_module._check_facts("there", [Facts("one", 2, "0.0 (code 0)")])
    with pytest.raises(UsageError, match="one has 2 cores and 3 workers"):
        cluster_module._check_facts("there", [Facts("one", 2, code_version())] * 3)
    cluster_module._check_facts("there", [Facts(host, 2, code_version()) for host in ("one", "two") for _ in range(2)])
    assert cluster_module.perform(b"", "key", "0.0", 1)[0] == "failed"


def test_agents_travel_with_their_files(tmp_path: Path) -> None:
    """Everything that was here is gone before the job is opened, as it is on another machine."""
    agent = python_agent(tmp_path / "here" / "agent", PASSES)
    player = python_agent(tmp_path / "here" / "class", PASSING_CLASS, "my_player.py") / "my_player.py"
    (agent / "data").mkdir()
    (agent / "data" / "helper.txt").write_text("x")
    first, second = CourseAgent(agent / "my_player3.py"), ClassAgent(player, edition="2025")
    job = travelling_job(first, second, tmp_path / "here" / "built")
    packed = pickle.dumps(job)
    shutil.rmtree(tmp_path / "here")
    participants.build_in(tmp_path / "there")
    arrived: GamesJob = pickle.loads(packed)
    assert [arrived.chairs[k].prepared.identity() for k in range(2)] == [
        job.chairs[k].prepared.identity() for k in range(2)
    ]
    with arrived.open() as play:
        results = [play(fixture) for fixture in plan(2).fixtures()]
    assert [result.record.outcome and result.record.outcome.verdict.value for result in results] == ["score"] * 2
    assert len(list((tmp_path / "there").glob("agent-*"))) == 2, "each is built once, for two games"
    assert next((tmp_path / "there").glob("agent-*/files/data/helper.txt")).read_text() == "x"


def test_a_learner_travels_with_its_model(tmp_path: Path) -> None:
    shutil.copy(ROOT / "src" / "littlego" / "learn" / "model.json", tmp_path / "m.json")
    learner = BuiltIn(f"learner:{tmp_path / 'm.json'}")
    packed = pickle.dumps(travelling_job(learner, BuiltIn("random"), tmp_path / "built"))
    told = learner.identity()
    (tmp_path / "m.json").unlink()
    arrived: GamesJob = pickle.loads(packed)
    assert arrived.chairs[0].prepared.identity() == told
    with arrived.open() as play:
        assert play(plan(1).fixtures()[0]).record.outcome


def test_files_that_changed_since_are_not_sent(tmp_path: Path) -> None:
    agent = CourseAgent(python_agent(tmp_path / "agent", GOOD))
    with Supervisor() as supervisor:
        prepared = agent.prepare(tmp_path / "built", supervisor)
    (agent.path / "new.txt").write_text("")
    with pytest.raises(UsageError, match="its files have changed"):
        travelling(agent, prepared)


def test_a_module_that_only_a_worker_lacks_is_no_fault_of_the_agent(tmp_path: Path) -> None:
    agent = CourseAgent(python_agent(tmp_path / "agent", "import nowhere_at_all"))
    job = travelling_job(agent, BuiltIn("random"), tmp_path / "built")
    traveller = job.chairs[0].prepared
    assert isinstance(traveller, Traveller)
    with Supervisor() as supervisor:
        with traveller.seated(1, supervisor, Limits()):
            pass  # it lacks the module at home, too: then its crash counts
        from_elsewhere = replace(traveller, lacking=(), files={**traveller.files, "x.txt": (0o644, b"")})
        with pytest.raises(UsageError, match=r"agent: it needs nowhere_at_all, which Python .* does not have"):
            from_elsewhere.seated(1, supervisor, Limits())


def test_a_worker_that_was_replaced_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        workers: ClassVar[dict[str, int]] = {"tcp://a": 1, "tcp://b": 1}

        def nthreads(self) -> dict[str, int]:
            return self.workers

        def close(self, timeout: float) -> None:
            pass

    told: list[str] = []
    client = Client()
    monkeypatch.setattr(cluster_module, "_connected", lambda _address: client)
    monkeypatch.setattr(Cluster, "_check_workers", lambda _self: None)
    with Cluster("tcp://here:1", tell=told.append) as running:
        monkeypatch.setattr(client, "workers", {"tcp://b": 1, "tcp://c": 1})
        assert running._alive_workers() == 2
        assert told == ["1 worker at tcp://here:1 died or left. Workers now: 2."]
        assert running._alive_workers() == 2
    assert len(told) == 1


def test_a_command_must_be_there_too(tmp_path: Path) -> None:
    program = tmp_path / "agent.sh"
    program.write_text("#!/bin/sh\necho PASS > output.txt\n")
    program.chmod(0o755)
    job = travelling_job(CommandAgent(str(program)), BuiltIn("random"), tmp_path / "built")
    assert isinstance(job.chairs[0].prepared, PreparedProgram)
    program.unlink()
    with job.open() as play, pytest.raises(UsageError, match=r"agent\.sh: there is no such program on"):
        play(plan(1).fixtures()[0])
