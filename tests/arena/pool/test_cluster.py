"""The same games on a Dask cluster, whatever is killed, and words that help when there is none."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from littlego.arena.entrants import travel
from littlego.arena.entrants.kinds import BuiltIn, CommandAgent, CourseAgent, Entrant, SeatedProgram
from littlego.arena.entrants.travel import travelling
from littlego.arena.match.plan import GameResult, MatchPlan
from littlego.arena.match.run import MatchJob, run_match
from littlego.arena.match.store import Store
from littlego.arena.pool import cluster as cluster_module
from littlego.arena.pool.cluster import Cluster, ClusterLost, Facts, code_version
from littlego.arena.pool.local import Failure, TaskFailed, run_tasks
from littlego.arena.pool.local_cluster import LocalCluster, local_cluster
from littlego.arena.referee.client import Supervisor
from littlego.arena.referee.limits import Limits
from littlego.core.errors import UsageError
from littlego.core.rules import edition_rules
from littlego.course.python_class.agent import ClassAgent
from tests.arena.agents import GOOD, PASSES, python_agent

pytestmark = pytest.mark.process

PASSING_CLASS = """
    class MyPlayer():
        def get_input(self, go, piece_type):
            return "PASS"
"""
ROOT = Path(__file__).parent.parent.parent.parent


@pytest.fixture(scope="module")
def two_workers() -> Iterator[LocalCluster]:
    with local_cluster(2) as running:
        yield running


def plan(games: int) -> MatchPlan:
    return MatchPlan("a", "b", edition_rules(), games, 1, Limits())


def match_job(first: Entrant, second: Entrant, games: int, workshop: Path) -> MatchJob:
    with Supervisor() as supervisor:
        prepared = (first.prepare(workshop / "0", supervisor), second.prepare(workshop / "1", supervisor))
    return MatchJob(plan(games), ("a", "b"), (travelling(first, prepared[0]), travelling(second, prepared[1])))


def test_a_worker_is_killed_and_every_game_is_there_once(tmp_path: Path) -> None:
    job = MatchJob(plan(60), ("a", "b"), (BuiltIn("smart"), BuiltIn("aggressive")))
    shown: list[int] = []
    with local_cluster(2) as running, Cluster(running.address) as cluster, Store(tmp_path / "results.sqlite") as store:

        def one_more(result: GameResult) -> None:
            shown.append(result.number)
            if len(shown) == 6:
                running.workers[0].send_signal(signal.SIGKILL)

        run_match(job, store, executor=cluster.run_tasks, on_result=one_more)
        assert sorted(shown) == list(range(60)), "each was told of once"
        assert [result.number for result in store.results()] == list(range(60)), "and kept once"
        assert running.workers[0].wait(timeout=10) == -signal.SIGKILL
        assert cluster.workers == 1


def test_games_are_those_of_the_process_pool(two_workers: LocalCluster) -> None:
    job = MatchJob(plan(6), ("a", "b"), (BuiltIn("smart"), BuiltIn("greedy")))
    with Cluster(two_workers.address) as cluster:
        there = sorted(cluster.run_tasks(job, range(6)), key=lambda result: result.number)
    here = sorted(run_tasks(job, range(6), workers=1), key=lambda result: result.number)
    assert [result.record.moves for result in there] == [result.record.moves for result in here]


def test_what_cannot_be_done_is_told_after_all_else(two_workers: LocalCluster) -> None:
    job = MatchJob(plan(4), ("a", "b"), (BuiltIn("nobody"), BuiltIn("greedy")))
    failures: list[Failure] = []
    with Cluster(two_workers.address) as cluster, pytest.raises(TaskFailed, match="no player is called 'nobody'"):
        list(cluster.run_tasks(job, range(2), tries=2, on_failure=failures.append))
    assert len(failures) == 4


def test_closing_takes_back_what_has_not_begun(two_workers: LocalCluster) -> None:
    job = MatchJob(plan(1000), ("a", "b"), (BuiltIn("greedy"), BuiltIn("greedy")))
    with Cluster(two_workers.address) as cluster:
        games = cluster.run_tasks(job, range(1000))
        next(games)
        games.close()
        assert len(list(cluster.run_tasks(job, range(2)))) == 2, "the workers are free again"


def test_a_match_from_the_command_line(two_workers: LocalCluster, tmp_path: Path) -> None:
    python_agent(tmp_path / "agent", PASSES)
    python_agent(tmp_path / "other", PASSES)
    command = ["match", "./agent", "./other", "--games", "1", "--cluster", two_workers.address, "--json"]
    words = [sys.executable, "-m", "littlego", *command]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    assert "2 workers" in done.stderr
    result = json.loads(done.stdout)
    assert result["games"] == 1
    assert all(row["record"]["outcome"]["verdict"] == "score" for row in result["results"])


def test_a_scheduler_that_goes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_QUIET_SECONDS", 1.0)
    job = MatchJob(plan(1000), ("a", "b"), (BuiltIn("smart"), BuiltIn("aggressive")))
    with local_cluster(1) as running, Cluster(running.address) as cluster:
        games = cluster.run_tasks(job, range(1000))
        next(games)
        running.scheduler.kill()
        with pytest.raises(ClusterLost, match=r"Finished games are kept.*give the same command"):
            list(games)


def test_an_address_without_a_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT_SECONDS", 1.0)
    with pytest.raises(UsageError, match=r"no scheduler answers there.*dask scheduler"):
        Cluster("tcp://127.0.0.1:9")
    with pytest.raises(UsageError, match="no address of a cluster"):
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
    job = match_job(first, second, 2, tmp_path / "here" / "built")
    packed = pickle.dumps(job)
    shutil.rmtree(tmp_path / "here")
    travel.settle(tmp_path / "there")
    arrived: MatchJob = pickle.loads(packed)
    assert arrived.plan.identity(*arrived.prepared) == job.plan.identity(*job.prepared)
    with arrived.open() as play:
        results = [play(number) for number in range(2)]
    assert [result.record.outcome and result.record.outcome.verdict.value for result in results] == ["score"] * 2
    assert len(list((tmp_path / "there").glob("agent-*"))) == 2, "each is built once, for two games"
    assert next((tmp_path / "there").glob("agent-*/files/data/helper.txt")).read_text() == "x"


def test_a_learner_travels_with_its_model(tmp_path: Path) -> None:
    shutil.copy(ROOT / "src" / "littlego" / "learn" / "model.json", tmp_path / "m.json")
    learner = BuiltIn(f"qlearning:{tmp_path / 'm.json'}")
    packed = pickle.dumps(match_job(learner, BuiltIn("random"), 1, tmp_path / "built"))
    told = learner.identity()
    (tmp_path / "m.json").unlink()
    arrived: MatchJob = pickle.loads(packed)
    assert arrived.prepared[0].identity() == told
    with arrived.open() as play:
        assert play(0).record.outcome


def test_files_that_changed_since_are_not_sent(tmp_path: Path) -> None:
    agent = CourseAgent(python_agent(tmp_path / "agent", GOOD))
    with Supervisor() as supervisor:
        prepared = agent.prepare(tmp_path / "built", supervisor)
    (agent.path / "new.txt").write_text("")
    with pytest.raises(UsageError, match="its files have changed"):
        travelling(agent, prepared)


def test_a_command_must_be_there_too(tmp_path: Path) -> None:
    program = tmp_path / "agent.sh"
    program.write_text("#!/bin/sh\necho PASS > output.txt\n")
    program.chmod(0o755)
    job = match_job(CommandAgent(str(program)), BuiltIn("random"), 1, tmp_path / "built")
    assert isinstance(job.prepared[0], SeatedProgram)
    program.unlink()
    with job.open() as play, pytest.raises(UsageError, match=r"agent\.sh: there is no such program on"):
        play(0)


def test_the_local_cluster_stops_with_its_command() -> None:
    command = [sys.executable, "-m", "littlego", "cluster", "local", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "The scheduler is at tcp://127.0.0.1:" in process.stdout.readline()
    children = _children(process.pid)
    assert len(children) == 2
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Stopped" in words
    assert "Traceback" not in words
    end = time.monotonic() + 10
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def _children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in listed]


def test_more_workers_than_cores_are_refused() -> None:
    command = [sys.executable, "-m", "littlego", "cluster", "local", str((os.cpu_count() or 1) + 1)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "more workers make clocks unfair" in done.stderr
