"""The 2019 kit: its players against ours, go_play.py, and a class playing through files."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from littlego.arena.participants import PreparedProgram
from littlego.core.points import Pass, move_name, points_of
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.classes import DRIVER, ClassAgent
from littlego.course.failures import blamed
from littlego.course.starter import KIT, KIT_2019, write_kit
from littlego.players import course as simple
from littlego.sandbox.client import Supervisor
from littlego.sandbox.limits import Limits
from tests.course.starter_kits import cells, importing, run
from tests.helpers import random_game


@pytest.fixture(name="kit")
def fixture_kit(tmp_path: Path) -> Path:
    write_kit(tmp_path, edition="2019")
    return tmp_path


PLAYERS = {
    "random_player": ("RandomPlayer", simple.RandomPlayer),
    "greedy_player": ("GreedyPlayer", simple.GreedyPlayer),
    "aggressive_player": ("AggressivePlayer", simple.AggressivePlayer),
    "smart_player": ("SmartPlayer", simple.SmartPlayer),
}


@pytest.mark.parametrize("size", [5, 7])
@pytest.mark.parametrize("module", PLAYERS)
def test_players_choose_as_ours_do(module: str, size: int) -> None:
    name, ours = PLAYERS[module]
    with importing(KIT_2019) as load:
        theirs = getattr(load(module), name)()
        for seed in range(4 if size == 5 else 1):
            go = load("go").GO(size)
            for position, move in random_game(edition_rules("2019", size), seed):
                points = points_of(position.legal_points())
                pairs = [divmod(point, size) for point in points]
                chosen = theirs.choices(go, position.to_move.value, pairs)
                expected = ours(0).choices(position, points)
                assert {i * size + j: weight for (i, j), weight in chosen.items()} == expected, f"seed {seed}"
                assert theirs.get_input(go, position.to_move.value) in chosen
                assert not isinstance(move, Pass)
                go.place_chess(*divmod(move, size), position.to_move.value)
                go.remove_died_pieces(3 - position.to_move.value)


LINES = r"""Black player \(X\) \| Wins:(\d+\.\d)% Loses:(\d+\.\d)%
White player \(O\) \| Wins:(\d+\.\d)% Loses:(\d+\.\d)%
"""


@pytest.mark.parametrize(
    ("arguments", "games"),
    [("-p1=greedy -t=20", 20), ("-n=7 -p1=my -p2=smart -t=2", 2), ("--player2 aggressive --times 3 --size 3", 3)],
)
def test_go_play_prints_its_two_lines(arguments: str, games: int, kit: Path) -> None:
    done = run(kit, "go_play.py", *arguments.split())
    assert (done.returncode, done.stderr) == (0, "")
    found = re.fullmatch(LINES, done.stdout)
    assert found is not None, done.stdout
    black_wins, black_loses, white_wins, white_loses = map(float, found.groups())
    assert (black_wins, black_loses) == (white_loses, white_wins)
    assert black_wins + white_wins == pytest.approx(100, abs=0.1)
    assert black_wins * games / 100 == pytest.approx(round(black_wins * games / 100), abs=0.1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("-p1=greedyy", "there is no player 'greedyy', and no greedyy.py here"),
        ("-p1=go", "go.py has no class MyPlayer"),
        ("-n=1", "expected a number from 2 to 19, got '1'"),
        ("-t=0", "expected a number from 1 to 1000000, got '0'"),
    ],
)
def test_go_play_explains_wrong_use(arguments: str, says: str, kit: Path) -> None:
    done = run(kit, "go_play.py", *arguments.split())
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_what_get_input_returns_is_blamed_on_the_students_file(kit: Path) -> None:
    (kit / "my_player.py").write_text("class MyPlayer:\n    def get_input(self, go, piece_type):\n        pass\n")
    (kit / "class_driver.py").write_bytes(DRIVER.read_bytes())
    (kit / "input.txt").write_text(json.dumps(START))
    done = run(kit, "class_driver.py")
    assert done.returncode == 1
    place, message = blamed(done.stderr)
    assert place == "my_player.py, line 2"
    assert message == "TypeError: get_input returned None: expected (row, column) or 'PASS'"


@pytest.mark.process
def test_a_class_is_charged_for_its_own_thinking(kit: Path, tmp_path: Path) -> None:
    """Ten games against random cost 0.37 s in go_play.py, and were charged with 6.9 s: a Python for every move."""
    with Supervisor() as supervisor:
        prepared = ClassAgent(kit / "my_player.py").prepare(tmp_path / "built", supervisor)
        assert isinstance(prepared, PreparedProgram)
        start = prepared.program.start_seconds
        assert start > 0
        with prepared.seated(0, supervisor, Limits()) as player:
            player.choose(Position.initial(edition_rules("2019")))
            assert player.last is not None
            all_of_it = player.last.result.cpu_seconds
            assert player.cpu_seconds == [pytest.approx(max(0.0, all_of_it - start), abs=1e-3)]


def test_two_students_meet(kit: Path) -> None:
    for name in ("student1_player", "student2_player"):
        shutil.copy(kit / "my_player.py", kit / f"{name}.py")
    done = run(kit, "go_play.py", "-p1=student1_player", "-p2=student2_player")
    assert re.fullmatch(LINES, done.stdout)


def test_two_students_meet_as_the_document_imports_them(kit: Path) -> None:
    for name in ("student1_player", "student2_player"):
        shutil.copy(kit / "my_player.py", kit / f"{name}.py")
    host = kit / "go_play.py"
    lines = "from student1_player import MyPlayer as s1\nfrom student2_player import MyPlayer as s2\n"
    host.write_text(host.read_text().replace("from go import GO\n", "from go import GO\n" + lines))
    assert re.fullmatch(LINES, run(kit, "go_play.py", "-n=5", "-p1=s1", "-p2=s2", "-t=2").stdout)


def test_a_manual_player_makes_the_game_verbose(kit: Path) -> None:
    done = run(kit, "go_play.py", "-n=2", "-p1=manual", "-p2=manual", typed="0,0\n0,0\nx\n1,1\n1,0\n")
    assert done.returncode == 0, done.stderr
    assert "Invalid placement: 0,0 is occupied" in done.stdout
    assert "Type two numbers such as 2,3" in done.stdout
    assert "----\nX  \n  O\n----" in done.stdout
    assert "Game over." in done.stdout
    assert re.search(LINES, done.stdout)
    stopped = run(kit, "go_play.py", "-p1=manual", typed="")
    assert (stopped.returncode, stopped.stderr) == (1, "\nStopped.\n")


SEES = """
import json
class MyPlayer:
    def get_input(self, go, piece_type):
        seen = {"board": go.board, "died": go.died_pieces, "n_move": go.n_move, "X_move": go.X_move,
                "komi": go.komi, "max_move": go.max_move, "piece_type": piece_type,
                "valid": [(i, j) for i in range(go.size) for j in range(go.size)
                          if go.valid_place_check(i, j, piece_type, test_check=True)]}
        json.dump(seen, open("seen.json", "w"))
        return (1, 2)
class Other:
    asked = 0
    def get_input(self, go, piece_type):
        Other.asked += 1
        return [None, (9, 9), (0, 0)][Other.asked - 1] if Other.asked < 4 else "PASS"
class Fails:
    def get_input(self, go, piece_type):
        raise RuntimeError("lost")
"""


def asked(directory: Path, position: dict[str, Any], *arguments: str) -> Any:
    (directory / "output.txt").unlink(missing_ok=True)
    (directory / "input.txt").write_text(json.dumps(position))
    return run(directory, str(DRIVER), *arguments)


@pytest.mark.parametrize(("edition", "size"), [("2019", 5), ("2019", 7), ("2025", 5)])
def test_a_class_sees_the_game_as_it_stands(edition: str, size: int, tmp_path: Path) -> None:
    for path in [KIT_2019 / "go.py", *(KIT / name for name in ("host.py", "read.py", "write.py"))]:
        shutil.copy(path, tmp_path)
    (tmp_path / "my_player.py").write_text(SEES)
    rules = edition_rules(edition, size)
    for seed in range(2):
        game = list(random_game(rules, seed))
        cut = random.Random(seed).randrange(1, len(game))
        position: Position = game[cut][0]
        done = asked(
            tmp_path,
            {
                "size": size,
                "komi": rules.komi,
                "max_moves": rules.max_moves,
                "moves": [move_name(move, size) for _, move in game[:cut]],
                "piece_type": position.to_move.value,
            },
            *([] if edition == "2019" else ["--go", "host"]),
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "output.txt").read_text() == "1,2"
        seen = json.loads((tmp_path / "seen.json").read_text())
        assert seen["board"] == cells(position)
        before, last = game[cut - 1]
        captured = 0 if isinstance(last, Pass) else before.board.captured_by(before.to_move, last)
        assert [i * size + j for i, j in seen["died"]] == list(points_of(captured))
        assert [i * size + j for i, j in seen["valid"]] == list(points_of(position.legal_points()))
        assert (seen["n_move"], seen["X_move"]) == (cut, position.to_move.value == 1)
        assert (seen["komi"], seen["max_move"]) == (rules.komi, rules.max_moves)


START = {"size": 5, "komi": 2.5, "max_moves": 24, "moves": ["0,0"], "piece_type": 2}


@pytest.mark.parametrize(
    ("position", "arguments", "status", "output", "says"),
    [
        (START, ["my_player"], 0, "1,2", ""),
        ({**START, "attempts": 4}, ["my_player:Other"], 0, "PASS", ""),
        ({**START, "attempts": 3}, ["my_player:Other"], 0, "0,0", ""),
        ({**START, "attempts": 2}, ["my_player:Other"], 0, "9,9", ""),
        (START, ["my_player:Other"], 1, None, "get_input returned None: expected (row, column) or 'PASS'"),
        (START, ["my_player:Fails"], 1, None, "RuntimeError: lost"),
        (START, ["nobody"], 1, None, "No module named 'nobody'"),
    ],
)
def test_what_the_driver_makes_of_an_answer(
    position: dict[str, Any], arguments: list[str], status: int, output: str | None, says: str, tmp_path: Path
) -> None:
    shutil.copy(KIT_2019 / "go.py", tmp_path)
    (tmp_path / "my_player.py").write_text(SEES)
    done = asked(tmp_path, position, *arguments)
    assert done.returncode == status, done.stderr
    assert says in done.stderr
    written = tmp_path / "output.txt"
    assert (written.read_text() if written.exists() else None) == output


REMEMBERS = """
class MyPlayer:
    def __init__(self):
        self.turns = 0
        print("made")
    def get_input(self, go, piece_type):
        self.turns += 1
        return (self.turns, self.turns)
class Odd(MyPlayer):
    def __init__(self):
        super().__init__()
        self.key = lambda move: move
class Slots:
    __slots__ = ("key",)
    def __init__(self):
        self.key = lambda move: move
    def get_input(self, go, piece_type):
        return (1, 1)
class Lost(MyPlayer):
    def __setstate__(self, state):
        raise RuntimeError("no way back")
class Large(MyPlayer):
    def __init__(self):
        super().__init__()
        self.table = bytes(100000)
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
"""


@pytest.mark.parametrize(("name", "made", "says"), [("MyPlayer", 1, ""), ("Odd", 3, "self.key is not kept")])
def test_what_a_class_keeps_in_itself_lives_through_the_game(name: str, made: int, says: str, tmp_path: Path) -> None:
    shutil.copy(KIT_2019 / "go.py", tmp_path)
    (tmp_path / "my_player.py").write_text(REMEMBERS)
    printed = ""
    for turn in (1, 2, 3):
        done = asked(tmp_path, START, f"my_player:{name}")
        assert (done.returncode, says in done.stderr) == (0, True)
        assert (tmp_path / "output.txt").read_text() == f"{turn},{turn}"
        printed += done.stdout
    assert printed.count("made") == made


@pytest.mark.parametrize(
    ("name", "says"),
    [("Slots", ""), ("Lost", "is lost: RuntimeError('no way back')"), ("Large", "nothing of self is kept")],
)
def test_a_class_that_cannot_be_kept_plays_on(name: str, says: str, tmp_path: Path) -> None:
    shutil.copy(KIT_2019 / "go.py", tmp_path)
    (tmp_path / "my_player.py").write_text(REMEMBERS)
    asked(tmp_path, START, f"my_player:{name}")
    done = asked(tmp_path, START, f"my_player:{name}")
    assert (done.returncode, says in done.stderr) == (0, True), done.stderr
    assert (tmp_path / "output.txt").read_text() == "1,1"
    assert not list(tmp_path.glob("*.part"))
