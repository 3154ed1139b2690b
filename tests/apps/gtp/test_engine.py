"""The GTP engine: sessions as people and GoGui have them, bad input, and whole games against GNU Go."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlego.apps.gtp.analysis import GtpAnalyst
from littlego.apps.gtp.engine import GtpEngine, GtpGame
from littlego.core.board import Colour
from littlego.core.errors import FormatError, PlayerFault
from littlego.core.game import Player
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import Verdict
from littlego.course.edition import shipped_edition
from littlego.formats.gtp import GtpAnswer, parse_answer, parse_command, write_answer
from littlego.players.catalogue import make_player
from littlego.solve.oracle import Oracle
from tests.arena.gtp_engines import GNUGO, needs_gnugo

PLAIN = """\
# A session as a person would type it.
1 protocol_version
2 name
3 known_command genmove
4 known_command kgs-genmove_cleanup
  \t boardsize\t5
clear_board
komi 2.5
7 play b C3
play B c3
play b I3
play white F6
play green A1
play w
genmove w
play b D3\x01\x02
reg_genmove w
showboard
undo
undo
undo
undo
9

10 castle
time_settings 300 30 5
time_left b 100 0
time_settings soon
final_score
final_status_list alive
final_status_list dead
final_status_list sleeping
clear_board
showboard
boardsize 20
boardsize 7
showboard
komi 0.5
boardsize 3
showboard
komi much
komi 0.3
komi nan
99 quit
genmove b
"""

GOGUI = """\
list_commands
gogui-analyze_commands
boardsize 2
gogui-rules_game_id
gogui-rules_board_size
gogui-rules_side_to_move
gogui-rules_legal_moves
play b A1
gogui-rules_board
littlego-value
littlego-moves
littlego-winning_moves
lz-analyze w 50
kata-analyze w interval 50 minmoves 1
analyze
analyze often
lz-genmove_analyze w 50
play b pass
gogui-rules_final_result
gogui-rules_legal_moves
showboard
play w B2
play w pass
genmove w
final_score
boardsize 7
littlego-value
analyze b 10
quit
"""


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    oracle = Oracle(memory=1 << 26)
    yield oracle
    oracle.close()


@contextmanager
def engine_of(
    seat: Callable[[Colour], Player],
    oracle: Oracle | None = None,
    *,
    komi: float | None = None,
    max_moves: int | None = None,
) -> Iterator[GtpEngine]:
    @contextmanager
    def opened() -> Iterator[Oracle]:
        assert oracle is not None
        yield oracle

    with ExitStack() as stack:
        rules_on = shipped_edition("2025").rules
        game = GtpGame(lambda colour: nullcontext(seat(colour)), rules_on=rules_on, komi=komi, max_moves=max_moves)
        stack.callback(game.close)
        analyst = GtpAnalyst(opened)
        stack.callback(analyst.close)
        yield GtpEngine("Little-Go greedy", game, analyst)


def greedy(colour: Colour) -> Player:
    return make_player("greedy", seed=colour.value)


def session(text: str, seat: Callable[[Colour], Player] = greedy, oracle: Oracle | None = None) -> str:
    """What is typed and what is answered, as a terminal would show them."""
    shown: list[str] = []
    with engine_of(seat, oracle) as engine:
        for line in text.split("\n"):
            shown.append(f"{line}\n".encode("unicode_escape").decode().replace("\\n", "\n").replace("\\t", "\t"))
            if not engine.handle(line, shown.append, lambda: False):
                break
    return "".join(shown)


def answers(*lines: str, seat: Callable[[Colour], Player] = greedy) -> list[GtpAnswer]:
    answered: list[str] = []
    with engine_of(seat) as engine:
        for line in lines:
            engine.handle(line, answered.append, lambda: False)
    return [parse_answer(text.removesuffix("\n\n")) for text in answered]


def test_a_longer_game_continues_for_every_player() -> None:
    """Tournament tools play on after 24 moves; players still see a game as long as usual."""
    seen: list[int] = []

    class First:
        def choose(self, position: Position) -> Move:
            seen.append(position.plies_left)
            return position.legal_moves()[0]

    with engine_of(lambda _colour: First(), komi=0.5, max_moves=40) as engine:
        out: list[str] = []
        for line in ("boardsize 5", "clear_board", *["genmove b", "genmove w"] * 20, "genmove b", "showboard"):
            engine.handle(line, out.append, lambda: False)
        assert engine.game.position.moves_played == 40
    assert out[-2] == "= pass\n\n"
    assert "komi 0.5" in out[-1]
    assert (max(seen), seen[-1]) == (24, 1)


def test_a_plain_session(golden: Callable[[str, str], None]) -> None:
    golden("gtp/plain.txt", session(PLAIN))


def test_a_session_of_gogui(golden: Callable[[str, str], None], oracle: Oracle) -> None:
    golden("gtp/gogui.txt", session(GOGUI, oracle=oracle))


def test_the_end_of_the_game() -> None:
    moves = [f"genmove {'bw'[k % 2]}" for k in range(24)]
    *_, over, result, refused, passed, undone = answers(
        *moves, "genmove b", "gogui-rules_final_result", "play w A1", "play w pass", "undo"
    )
    assert over.text == "pass"
    assert "wins by" in result.text
    assert not refused.ok
    assert "the game is over after 24 moves" in refused.text
    assert passed.ok
    assert undone.ok


class Faulty:
    """Plays what it must not, or gives up."""

    def __init__(self, fault: Exception | Move) -> None:
        self.fault = fault

    def choose(self, position: Position) -> Move:  # noqa: ARG002 - a Player
        if isinstance(self.fault, Exception):
            raise self.fault
        return self.fault


@pytest.mark.parametrize(
    ("fault", "answered"),
    [
        (PlayerFault(Verdict.CRASH, "it crashed"), "Little-Go greedy forfeits: it crashed"),
        (0, "Little-Go greedy forfeits: 0,0: the point is occupied"),
        (ValueError("a fault of ours"), "internal error: a fault of ours"),
    ],
)
def test_faults_of_the_player_are_answers(
    fault: Exception | Move, answered: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, answer, after = answers("play b A5", "genmove w", "name", seat=lambda _: Faulty(fault))
    assert answer == GtpAnswer(False, answered)
    assert after.ok
    assert not capsys.readouterr().out


def test_loadsgf(tmp_path: Path) -> None:
    file = tmp_path / "a game.sgf"
    file.write_text("(;SZ[7]KM[3.5];B[dd];W[cc];B[])")
    loaded, legal, size, before, bad, missing = answers(
        f"loadsgf {file}",
        "gogui-rules_side_to_move",
        "gogui-rules_board_size",
        f"loadsgf {file} 2",
        "loadsgf",
        "loadsgf x",
    )
    assert (loaded.text, legal.text, size.text, before.text) == ("white", "white", "7", "white")
    assert (bad.ok, missing.text) == (False, "cannot load file: No such file or directory")


WORDS = st.sampled_from(
    [
        *("play", "genmove", "reg_genmove", "undo", "boardsize", "clear_board", "komi", "loadsgf", "time_left", "12"),
        *("final_status_list", "showboard", "known_command", "list_commands", "b", "w", "C3"),
        *("A1", "E5", "pass", "PASS", "5", "2", "19", "7", "-1", "1e9", "nan", "0.5", "999999999999", "é", "\x00"),
        *("#", "\t", "gogui-rules_board", "gogui-rules_legal_moves"),
    ]
)
LINES = st.lists(st.one_of(st.lists(WORDS, max_size=5).map(" ".join), st.text(max_size=30)), max_size=12)


@settings(max_examples=60)
@given(LINES)
def test_no_line_breaks_the_engine(lines: list[str]) -> None:
    """Every line that says something gets one well-formed answer, and the engine goes on."""
    with engine_of(lambda _: make_player("random", seed=1)) as engine:
        for line in lines:
            line = line.replace("\n", " ")
            command = parse_command(line)
            if (command and command.name in ("quit", "littlego-value", "littlego-moves")) or "analyze" in line:
                continue
            answered: list[str] = []
            assert engine.handle(line, answered.append, lambda: True)
            if command is None:
                assert answered == []
                continue
            (text,) = answered
            assert text.startswith(("=" + command.id, "?" + command.id))
            assert text.endswith("\n\n")
            assert "\n\n" not in text[:-2]
            assert "internal error" not in text


@given(st.text(max_size=60), st.booleans())
def test_answers_are_read_as_written(text: str, ok: bool) -> None:
    written = write_answer(GtpAnswer(ok, text), "7")
    assert written.count("\n\n") == 1
    assert parse_answer(written.removesuffix("\n\n")).ok is ok


def test_what_is_not_an_answer_is_refused() -> None:
    with pytest.raises(FormatError, match="begins with = or"):
        parse_answer("hello")


def command(player: str) -> list[str]:
    return [sys.executable, "-m", "littlego", "gtp", player, "--seed", "1"]


@pytest.mark.process
def test_the_command_prints_answers_alone_and_ends_with_its_input() -> None:
    typed = "\xff\xfe\n1 boardsize 5\n2 genmove b\n" + "x" * 200_000 + "\n3 name"
    done = subprocess.run(
        command("greedy"), input=typed.encode("latin-1"), capture_output=True, timeout=600, check=False
    )
    assert done.returncode == 0
    first, *answered = done.stdout.decode().removesuffix("\n\n").split("\n\n")
    assert first == "? unknown command"
    assert [text.split()[0] for text in answered] == ["=1", "=2", "?", "=3"]
    assert b"greedy speaks GTP, seed 1." in done.stderr


@pytest.mark.process
def test_a_person_is_not_an_engine() -> None:
    done = subprocess.run(command("manual"), input=b"", capture_output=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


class Peer:
    """A controller of an engine that shares no code with ours."""

    def __init__(self, argv: list[str]) -> None:
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        lines: list[str] = []
        while (text := self.process.stdout.readline().rstrip()) or not lines:
            lines.append(text)
        assert lines[0].startswith("="), lines
        return "\n".join(lines)[1:].strip()


def test_undo_takes_back_the_last_move() -> None:
    with engine_of(greedy) as engine:
        answers: list[str] = []
        for line in ("play b A1", "play w B1", "undo", "gogui-rules_board"):
            engine.handle(line, answers.append, lambda: False)
    assert answers[-1].split() == ["=", *"." * 20, "X", *"." * 4]


def test_a_move_out_of_turn_lifts_the_ko() -> None:
    with engine_of(greedy) as engine:
        answers: list[str] = []
        for line in ("b B5", "w C5", "b A4", "w D4", "b B3", "w C3", "b C4", "w B4", "b C4", "w C4"):
            engine.handle(f"play {line}", answers.append, lambda: False)
    assert answers[-2].startswith("? illegal move: C4: the move would retake the ko")
    assert answers[-1].startswith("=")


@needs_gnugo
@pytest.mark.process
@pytest.mark.parametrize("ours", ["black", "white"])
def test_a_whole_game_against_gnu_go(ours: str) -> None:
    """Both keep their own board: they must agree on every move and on the stones at the end."""
    assert GNUGO is not None
    engine, gnugo = (
        Peer(command("champion" if ours == "white" else "strongest")),
        Peer([GNUGO, "--mode", "gtp", "--level", "1", "--seed", "1"]),
    )
    try:
        for line in ("boardsize 5", "clear_board", "komi 2.5"):
            engine.ask(line)
            gnugo.ask(line)
        passes = moves = 0
        while passes < 2 and moves < 24:
            colour = ("black", "white")[moves % 2]
            mover, other = (engine, gnugo) if colour == ours else (gnugo, engine)
            move = mover.ask(f"genmove {colour}").lower()
            if move == "resign":
                break
            other.ask(f"play {colour} {move}")
            passes = passes + 1 if move == "pass" else 0
            moves += 1
        assert moves > 4
        board = engine.ask("gogui-rules_board").split()
        for colour, symbol in (("black", "X"), ("white", "O")):
            stones = {f"{'ABCDE'[k % 5]}{5 - k // 5}" for k, cell in enumerate(board) if cell == symbol}
            assert stones == set(gnugo.ask(f"list_stones {colour}").split())
        engine.ask("quit")
        gnugo.ask("quit")
        assert engine.process.wait(600) == 0
    finally:
        for peer in (engine, gnugo):
            peer.process.kill()
            peer.process.communicate()
