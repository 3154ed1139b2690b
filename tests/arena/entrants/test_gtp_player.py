"""GTP engines as players: whole games, every way to go wrong, and what is kept of it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from littlego.arena.games import read_capsule
from littlego.arena.gtp import GtpAgent, GtpPlayer, GtpProcess, engine_command, setting_up
from littlego.arena.match import MatchPlan, played
from littlego.arena.participants import BuiltIn
from littlego.arena.store import GameResult
from littlego.core.board import BLACK, WHITE, Board, Colour, parse_board
from littlego.core.errors import PlayerFault, UsageError
from littlego.core.game import Player, play, tell_players
from littlego.core.points import PASS
from littlego.core.position import Position
from littlego.core.rules import Verdict, edition_rules
from littlego.course.replay import replay_capsule
from littlego.course.seats import parse_entrant
from littlego.players.catalogue import make_player
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from tests.arena.gtp_engines import fake_engine, needs_gnugo
from tests.sandbox.test_client import eventually

pytestmark = pytest.mark.process
IMPATIENT = Limits(wall_seconds=4)
"""Long enough for an engine to start on a busy machine."""


def one_game(command: str, limits: Limits, number: int = 0) -> GameResult:
    agent = GtpAgent(command)
    plan = MatchPlan(agent.spelling, "random", edition_rules(), 2, 1, limits)
    with Supervisor() as supervisor:
        prepared = (agent.prepare(Path(), supervisor), BuiltIn("random"))
        with plan.job((agent.name, "random"), prepared).open() as play:
            return play(plan.fixtures()[number])


@needs_gnugo
def test_gnu_go_plays_both_colours() -> None:
    engine = parse_entrant("gtp:gnugo --mode gtp --level 1 --seed 1")
    with Supervisor() as supervisor:
        prepared = (engine.prepare(Path(), supervisor), BuiltIn("greedy"))
    plan = MatchPlan("gnugo", "greedy", edition_rules(), 4, 1)
    records = list(played(plan, ("gnugo", "greedy"), prepared))
    assert [record.black for record in records] == ["gnugo", "greedy", "gnugo", "greedy"]
    for record in records:
        assert record.outcome is not None
        assert record.outcome.verdict in (Verdict.SCORE, Verdict.RESIGNED), record.outcome
        assert record.final().moves_played > 4


@pytest.mark.parametrize("number", [0, 1])
def test_an_engine_plays_a_whole_game(tmp_path: Path, number: int) -> None:
    """One that knows nothing of liberties: it may forfeit, but never for what the referee did."""
    result = one_game(fake_engine(tmp_path, "passes"), Limits(), number)
    assert result.record.outcome is not None
    assert result.record.outcome.verdict is Verdict.SCORE
    colour = "black" if number == 0 else "white"
    assert result.isolation == {colour: "trusted"}
    assert result.capsule is None
    assert result.wall_seconds.keys() == {colour}


def test_an_engine_is_found_on_any_systems_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "pathsep", ";")
    assert engine_command("engine --gtp") == (str(engine), "--gtp")


FAULTS = {
    "crash": (Verdict.CRASH, "ended with status 1"),
    "hang": (Verdict.WALL_TIME, "no answer to 'genmove black'"),
    "off_board": (Verdict.ILLEGAL_OFF_BOARD, "T19 is not on a 5x5 board"),
    "nonsense": (Verdict.BAD_FORMAT, "'my move'"),
    "empty": (Verdict.BAD_FORMAT, "expected a point"),
    "refuse": (Verdict.BAD_FORMAT, "I would rather not"),
    "one_size": (Verdict.BAD_FORMAT, "unacceptable size"),
    "endless": (Verdict.BAD_FORMAT, "more than"),
}


@pytest.mark.parametrize("how", FAULTS)
def test_faults_are_forfeits_with_a_transcript(tmp_path: Path, how: str) -> None:
    result = one_game(fake_engine(tmp_path, how), IMPATIENT if how == "hang" else Limits())
    outcome = result.record.outcome
    verdict, words = FAULTS[how]
    assert outcome is not None
    assert outcome.verdict is verdict
    assert words in outcome.reason
    assert outcome.winner is WHITE
    assert result.capsule is not None
    assert "> boardsize 5" in result.capsule["input"]
    if how == "crash":
        assert "out of" in result.capsule["stderr"]
        assert "\x1b" not in outcome.reason


def test_an_occupied_point_is_a_forfeit_that_is_not_replayed(tmp_path: Path) -> None:
    result = one_game(fake_engine(tmp_path, "occupied"), Limits())
    assert result.record.outcome is not None
    assert result.record.outcome.verdict is Verdict.ILLEGAL_OCCUPIED
    assert result.record.outcome.reason == "2,2 (C3): the point is occupied"
    assert result.capsule is not None
    assert result.capsule["input"].endswith("> genmove black\n< = C3")
    file = tmp_path / "capsule.json"
    file.write_text(json.dumps(result.capsule))
    with Supervisor() as supervisor, pytest.raises(UsageError, match="only programs that are confined can be replayed"):
        replay_capsule(read_capsule(file), supervisor)


def test_resigning_is_not_a_fault(tmp_path: Path) -> None:
    outcome = one_game(fake_engine(tmp_path, "resign"), Limits()).record.outcome
    assert outcome is not None
    assert (outcome.verdict, outcome.winner) == (Verdict.RESIGNED, WHITE)


def test_a_hanging_engine_is_ended_with_its_children(tmp_path: Path) -> None:
    player = GtpPlayer(engine_command(fake_engine(tmp_path, "hang")), IMPATIENT)
    with pytest.raises(Exception, match="no answer"):
        player.choose(Position.initial())
    assert player._process is not None
    group = player._process._process.pid
    player.close()
    # Killed, they end when the kernel gets to them.
    assert eventually(lambda: not [pid for pid in _processes() if _group(pid) == group])


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _group(pid: int) -> int | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[2])


@pytest.mark.parametrize("how", ["chatty", "loud"])
def test_noise_is_let_pass(tmp_path: Path, how: str) -> None:
    player = GtpPlayer(engine_command(fake_engine(tmp_path, how)), Limits())
    try:
        assert player.choose(Position.initial()) == 20
    finally:
        player.close()
    assert len(player.stderr) <= Limits().stderr_bytes
    assert ("Welcome to the engine! (no part of an answer)" in player.transcript) is (how == "chatty")


def test_moves_taken_back_are_taken_back_in_the_engine(tmp_path: Path) -> None:
    log = tmp_path / "log"
    player = GtpPlayer(engine_command(fake_engine(tmp_path, "first_empty", log)), Limits())
    start = Position.initial()
    first = start.play(12)
    player.observe(start, 12, first)
    move = player.choose(first)
    second = first.play(move)
    player.observe(first, move, second)
    third = second.play(13)
    player.observe(second, 13, third)
    third.play(player.choose(third))
    # Black takes back two moves and plays elsewhere.
    again = second.play(7)
    player.observe(second, 7, again)
    player.choose(again)
    player.close()
    told = [line for line in log.read_text().splitlines() if not line.startswith(("known", "time", "quit"))]
    assert told == [
        "boardsize 5", "clear_board", "komi 2.5", "play black C3", "genmove white", "play black D3", "genmove white",
        "clear_board", "play black C3", "play white A1", "play black C4", "genmove white",
    ]  # fmt: skip


def test_a_position_without_a_past_is_set_up_with_its_ko() -> None:
    board = parse_board(". X O . .\nX . X O .\n. X O . .\n. . . . .\n. . . . .")
    before = Position(edition_rules(), board, WHITE, moves_played=8)
    start = before.play(6)
    assert start.ko == 7
    told = setting_up(start)
    rebuilt = Board(5)
    for colour, move in told:
        assert isinstance(move, int)
        assert rebuilt.at(move) is None
        rebuilt, _ = rebuilt.after(colour, move)
    assert rebuilt == start.board
    assert told[-1] == (WHITE, 6)


@needs_gnugo
def test_gnu_go_is_set_up_in_the_middle_of_a_game() -> None:
    position = Position(edition_rules(), parse_board(". . . . .\n. X X O .\n. . X O .\n. X X O .\n. . . . ."), BLACK)
    players: dict[Colour, Player] = {WHITE: make_player("greedy", seed=1)}
    engine = GtpPlayer(engine_command("gnugo --mode gtp --level 1 --seed 1"), Limits())
    players[BLACK] = engine
    try:
        record = play(players, start=position, observer=tell_players(players))
    finally:
        engine.close()
    assert record.outcome is not None
    assert not record.outcome.verdict.is_forfeit, record.outcome
    assert PASS in record.moves or len(record.moves) == 24


@pytest.mark.parametrize(
    ("text", "words"),
    [("gtp:", "needs a command"), ("gtp:no-such-engine", "no such program"), ("gtp:'x", "No closing quotation")],
)
def test_what_cannot_be_an_engine_is_reported_at_once(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_entrant(text)


def test_an_answer_counts_also_if_the_engine_ended_right_after_it() -> None:
    """The answer and the end may arrive together: the end must not take the answer along."""
    process = GtpProcess(("sh", "-c", "read line; printf '= here\\n\\n'"), stderr_bytes=100)
    try:
        send = process._process.stdin
        assert send is not None
        send.write(b"name\n")
        process._process.wait()
        assert process._answer("name", time.monotonic() + 600) == "= here"
        with pytest.raises(PlayerFault, match="ended with status 0"):
            process._answer("name", time.monotonic() + 600)
    finally:
        process.close()
