"""Tournaments when something is gone, changed or not to be written to: told in words, and nobody's loss."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from littlego.arena.tournament.folder import Pairing, Tournament
from littlego.arena.tournament.pairings import progress_after, round_games
from littlego.arena.tournament.runner import make_job, next_wave
from littlego.course.seats import parse_for_plan
from tests.arena.agents import OCCUPIED, PASSES, python_agent
from tests.arena.entrants.test_toolchain import environment
from tests.arena.gtp_engines import fake_engine
from tests.arena.test_store import read_only
from tests.arena.tournament.test_tournament import standings, tournament
from tests.disks import needs_root

pytestmark = pytest.mark.process


def test_two_students_may_hand_in_the_same_files(tmp_path: Path) -> None:
    """Such as the unchanged kit. Adding an agent again by mistake is refused."""
    python_agent(tmp_path / "agent", PASSES)
    tournament("new", "cup", "a=./agent", "b=./agent", "random", folder=tmp_path)
    assert sorted(path.name for path in (tmp_path / "cup" / "agents").iterdir()) == ["a", "b"]
    again = tournament("add", "cup", "./agent", folder=tmp_path, status=2).stderr
    assert "the same player already takes part, as a" in again


def test_an_agent_whose_python_lacks_a_module_is_refused_by_name(tmp_path: Path) -> None:
    """It would forfeit every game."""
    python_agent(tmp_path / "agent", f"import no_such_package\n{PASSES}")
    refused = tournament("new", "cup", "./agent", "random", "greedy", folder=tmp_path, status=2).stderr
    assert "agent: it imports no_such_package, which Python 3" in refused
    tournament("new", "cup", "random", "greedy", folder=tmp_path)
    assert "agent: it imports no_such_package" in tournament("add", "cup", "./agent", folder=tmp_path, status=2).stderr
    assert not (tmp_path / "cup" / "agents" / "agent").exists()


def test_a_swiss_continues_when_somebody_leaves_in_the_middle_of_a_round(tmp_path: Path) -> None:
    players = ["random", "greedy", "aggressive", "smart"]
    tournament("new", "cup", *players, "--format", "swiss", "--rounds", "2", "--games", "2", folder=tmp_path)
    tournament("run", "cup", "--jobs", "1", folder=tmp_path)
    whole = standings(tmp_path)
    assert {row["games"] for row in whole["standings"]} == {4}

    tournament("new", "other", *players, "--format", "swiss", "--rounds", "2", "--games", "2", folder=tmp_path)
    (tmp_path / "cup").rename(tmp_path / "whole")
    (tmp_path / "other").rename(tmp_path / "cup")
    _pair_the_first_round(tmp_path / "cup")
    tournament("remove", "cup", "smart", folder=tmp_path)
    tournament("run", "cup", "--jobs", "1", folder=tmp_path)
    left = standings(tmp_path)
    assert [row["player"] for row in left["standings"]].count("smart") == 0
    scores = {row["player"]: row["score"] for row in left["standings"]}
    games = {row["player"]: row["games"] for row in left["standings"]}
    # Three who stay: in each of the two rounds one of them has nobody to meet, and gets its two games as points.
    assert sum(games.values()) == 2 * 2 * 2
    assert sum(scores.values()) == 2 * (2 + 2)


def _pair_the_first_round(folder: Path) -> None:
    with Tournament(folder) as cup:
        assert next_wave(cup) is not None


def test_games_that_a_leaver_did_not_play_are_the_others_points() -> None:
    rounds = [[Pairing(0, 1), Pairing(2, 3)]]
    played = set(list(round_games(0, rounds[0], 4))[:2])  # one game of each pairing
    stand = progress_after([0, 1, 2], rounds, {0: 1.0, 3: 1.0}, 4, played)
    assert {player: each.score for player, each in stand.items()} == {0: 1.0, 1: 0.0, 2: 3.0}


@needs_root
def test_a_tournament_that_cannot_be_written_to_is_shown(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", PASSES)
    tournament("new", "cup", "random", "greedy", f"{agent}/", "--games", "2", folder=tmp_path)
    tournament("run", "cup", "--jobs", "1", folder=tmp_path)
    before = standings(tmp_path)
    files = sorted(path.name for path in (tmp_path / "cup").iterdir())
    with read_only(tmp_path / "cup"):
        assert standings(tmp_path) == before
        tournament("report", "cup", "--html", str(tmp_path / "page.html"), folder=tmp_path)
    assert sorted(path.name for path in (tmp_path / "cup").iterdir()) == files


@pytest.mark.parametrize("empty", [True, False])
def test_results_that_are_gone_are_not_played_again_without_a_word(tmp_path: Path, empty: bool) -> None:
    tournament("new", "cup", "random", "greedy", "--games", "2", folder=tmp_path)
    tournament("run", "cup", "--jobs", "1", folder=tmp_path)
    results = tmp_path / "cup" / "results.sqlite"
    os.truncate(results, 0) if empty else results.unlink()
    for command in ("run", "show"):
        done = tournament(command, "cup", folder=tmp_path, status=2)
        assert ("is empty, but used to hold results" if empty else "is missing") in done.stderr
    assert results.exists() == empty


def test_another_interpreter_in_the_middle_is_refused(tmp_path: Path) -> None:
    agent = python_agent(tmp_path / "agent", PASSES)
    python = environment(tmp_path / "env")
    tournament("new", "cup", "random", f"{agent}/", "--games", "2", "--python", str(python), folder=tmp_path)
    tournament("run", "cup", "--jobs", "1", folder=tmp_path)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (site / "torch-2.0.dist-info").mkdir()
    from littlego.arena.building import course_python, find_python, tool_identity
    from tests.arena.test_match import littlego

    for asked in (course_python, find_python, tool_identity):
        asked.cache_clear()  # another process would ask again

    more = tmp_path / "cup" / "tournament.toml"
    more.write_text(more.read_text().replace("games = 2", "games = 4"))
    said = littlego("tournament", "run", "cup", folder=tmp_path, status=2).stderr
    assert "agent: its earlier games were played with another interpreter" in said


def test_what_nothing_confines_needs_no_isolation_and_is_named(tmp_path: Path) -> None:
    engine = tmp_path / "engine.sh"
    engine.write_text("#!/bin/sh\nexit 0\n")
    engine.chmod(0o755)
    players = ("random", f"engine=gtp:{engine}")
    said = tournament("new", "cup", *players, "--level", "root", folder=tmp_path).stderr
    assert "Nothing confines engine, which runs with your rights: --level is for programs." in said
    with Tournament(tmp_path / "cup") as cup, pytest.MonkeyPatch.context() as patch:
        patch.setattr("littlego.arena.tournament.runner.check_level", lambda *_: pytest.fail("nobody to isolate"))
        assert len(make_job(cup, parse_for_plan(cup.plan), tmp_path / "workshop", {}).chairs) == 2


def test_a_replay_is_offered_for_programs_and_not_for_engines(tmp_path: Path) -> None:
    """An engine's capsule is there to be read; nothing confines an engine, and `littlego replay` refuses it."""
    program = python_agent(tmp_path / "program", OCCUPIED)
    engine = f"engine=gtp:{fake_engine(tmp_path, 'occupied')}"
    tournament("new", "cup", engine, "random", str(program), "--games", "2", folder=tmp_path)
    said = tournament("run", "cup", "--jobs", "1", folder=tmp_path).stderr
    languages = [json.loads(path.read_text())["language"] for path in (tmp_path / "cup" / "capsules").iterdir()]
    programs = sum(language != "gtp" for language in languages)
    assert 1 < programs < len(languages)
    assert re.search(rf"To replay a program's forfeit: .* \({programs} files\)", said)


def test_nobody_leaves_who_would_leave_the_last_one_alone(tmp_path: Path) -> None:
    tournament("new", "cup", "random", "greedy", "--games", "2", folder=tmp_path)
    said = tournament("remove", "cup", "greedy", folder=tmp_path, status=2).stderr
    assert "without greedy there would be nobody to play: add another player first" in said
    assert len(standings(tmp_path)["standings"]) == 2


def test_what_a_killed_command_copied_is_no_part_of_who_joins_later(tmp_path: Path) -> None:
    tournament("new", "cup", "random", "greedy", "--games", "2", folder=tmp_path)
    left = tmp_path / "cup" / "agents" / "agent"
    left.mkdir(parents=True)
    (left / "half.py").write_text("")
    tournament("add", "cup", str(python_agent(tmp_path / "agent", PASSES)), folder=tmp_path)
    assert [path.name for path in left.iterdir()] == ["my_player3.py"]
