"""The job that workers get: complete in itself, wherever it is opened."""

from __future__ import annotations

import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from littlego.arena.games import Chair
from littlego.arena.participants import CommandAgent
from littlego.arena.tournament.folder import GameKey, Tournament
from littlego.arena.tournament.plan import Format, TournamentPlan
from littlego.arena.tournament.roster import Newcomer, create, fingerprint_of
from littlego.arena.tournament.runner import fixture_of, make_job, running
from littlego.core.errors import UsageError
from littlego.course.seats import parse_entrant
from littlego.sandbox.limits import Level, probe
from tests.arena.agents import GOOD, python_agent

pytestmark = pytest.mark.process


def newcomer(text: str) -> Newcomer:
    entrant = parse_entrant(text)
    return Newcomer(entrant.name, entrant)


def made(tmp_path: Path, *, minimum_level: Level | None = None) -> Path:
    agent = python_agent(tmp_path / "agent", GOOD)
    plan = TournamentPlan(Format.ROUND_ROBIN, 2, minimum_level=minimum_level)
    create(tmp_path / "cup", plan, [newcomer(text) for text in (f"{agent}/", "greedy")])
    return tmp_path / "cup"


def test_a_job_for_elsewhere_needs_no_file_from_here(tmp_path: Path) -> None:
    folder = made(tmp_path)
    with Tournament(folder) as tournament:
        sent = pickle.dumps(make_job(tournament, parse_entrant, tmp_path, {}, elsewhere=True))
        plan = tournament.plan
    shutil.rmtree(folder)
    shutil.rmtree(tmp_path / "agent")
    job = pickle.loads(sent)
    with job.open() as play:
        result = play(fixture_of(GameKey(0, 1, 0), job, plan))
        assert result.record.black == "agent"
        assert result.record.outcome.verdict.value == "score"
        assert result.isolation["black"].startswith(str(probe().default))


def test_a_player_is_built_once_a_run(tmp_path: Path) -> None:
    folder = made(tmp_path)
    with Tournament(folder) as tournament:
        built: dict[int, Chair] = {}
        first = make_job(tournament, parse_entrant, tmp_path, built)
        shutil.rmtree(folder / "agents")
        assert make_job(tournament, parse_entrant, tmp_path, built) == first


def test_the_files_of_a_command_are_found_where_a_backslash_is_part_of_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("littlego.arena.building.sys.platform", "win32")
    named = tmp_path / r"weights\one"
    found = set()
    for content in "first", "second":
        named.write_text(content)
        found.add(fingerprint_of(CommandAgent(r"engine weights\one"), tmp_path / "none"))
    assert len(found) == 2


def test_isolation_below_the_minimum_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(tmp_path, minimum_level=Level.LINUX)
    monkeypatch.setattr("littlego.arena.tournament.runner.Supervisor.level", Level.PORTABLE)
    with Tournament(folder) as tournament:
        with pytest.raises(UsageError, match="isolates programs at portable, and the tournament requires linux"):
            make_job(tournament, parse_entrant, tmp_path / "here", {})
        job = make_job(tournament, parse_entrant, tmp_path / "there", {}, elsewhere=True)
        with job.open() as play, pytest.raises(UsageError, match="requires linux"):
            play(fixture_of(GameKey(0, 1, 0), job, tournament.plan))


def test_one_command_runs_a_tournament(tmp_path: Path) -> None:
    refused = pytest.raises(UsageError, match="another command is running")
    with running(tmp_path), refused, running(tmp_path, patience=0.1):
        pass
    with running(tmp_path):
        pass


def test_a_run_waits_for_one_that_ends(tmp_path: Path) -> None:
    with ThreadPoolExecutor() as threads:
        with running(tmp_path):
            waiting = threads.submit(_run_patiently, tmp_path)
            assert not waiting.done()
        waiting.result(timeout=600)


def _run_patiently(folder: Path) -> None:
    with running(folder, patience=600):
        pass


def test_openings_are_played_twice_with_colours_exchanged(tmp_path: Path) -> None:
    plan = TournamentPlan(Format.ROUND_ROBIN, 6, openings=1)
    create(tmp_path / "cup", plan, [newcomer(name) for name in ("random", "greedy")])
    with Tournament(tmp_path / "cup") as tournament:
        job = make_job(tournament, parse_entrant, tmp_path, {})
        keys = [GameKey(number % 2, 1 - number % 2, number) for number in range(14)]
        begins = [fixture_of(key, job, tournament.plan).opening for key in keys]
        with job.open() as play:
            assert play(fixture_of(keys[3], job, tournament.plan)).record.moves[:1] == begins[3]
    assert begins[0::2] == begins[1::2]
    assert len(set(begins[:12])) == 6
    assert begins[12] == begins[0], "after the last comes the first again"
