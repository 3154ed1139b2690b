"""What people type first, in a notebook or a script."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import littlego as lg
from littlego.core.points import read_move

NODE = shutil.which("node")
PYRIGHT = Path(__file__).parents[1] / "node_modules" / "pyright" / "index.js"
DRAWN = """
. . X .
. X O .
. . X .
. . O .
"""


def test_a_move_is_named_in_either_way() -> None:
    position = lg.Position.initial()
    assert position.play("2,3") == position.play("D3") == position.play(" d3") == position.play(13)
    assert position.play("pass") == position.play("PASS") == position.play(lg.PASS)
    assert position.is_legal("0, 0")
    assert not position.play("A5").is_legal("0,0")


@pytest.mark.parametrize("text", ["5,5", "F1", "I3", "here", "", "2,", "12"])
def test_what_is_not_a_move_is_refused_with_words(text: str) -> None:
    with pytest.raises(lg.FormatError, match=r"expected|not on a 5x5 board"):
        lg.Position.initial().play(text)


def test_both_systems_name_all_points() -> None:
    named = {read_move(f"{row},{column}", 5): read_move("ABCDE"[column] + str(5 - row), 5)
             for row in range(5) for column in range(5)}  # fmt: skip
    assert named == {point: point for point in range(25)}


def test_a_drawn_position_is_read_back() -> None:
    position = lg.Position.from_diagram(DRAWN, to_move=lg.WHITE)
    assert position.board == lg.parse_board(DRAWN)
    assert (position.to_move, position.moves_played, position.plies_left) == (lg.WHITE, 5, 10)
    assert lg.Position.from_diagram(str(position).rpartition("\n")[0], to_move=lg.WHITE) == position
    assert lg.Position.from_diagram(str(position)) == position
    assert lg.Position.from_diagram(str(position), to_move=lg.BLACK).to_move == lg.BLACK
    assert lg.Position.from_diagram(DRAWN, moves_played=10).moves_played == 10
    with pytest.raises(lg.FormatError, match="expected a board of 5 rows"):
        lg.Position.from_diagram(DRAWN, rules=lg.edition_rules())


@pytest.mark.parametrize("seed", range(5))
def test_a_printed_position_is_read_back_with_its_turn_ko_and_passes(seed: int) -> None:
    for position in lg.play_game("random", "random", seed=seed):
        assert lg.Position.from_diagram(str(position)) == position
    after_ko = lg.Position.from_diagram(". X O .\nX O . O\n. X O .\n. . . .").play("1,2")
    assert after_ko.ko is not None
    for position in (after_ko, after_ko.play("pass"), after_ko.play("pass").play("pass")):
        assert lg.Position.from_diagram(f"\n{position}\n") == position


UNTYPED: Any = lg
"""For calls that a type checker would refuse."""


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: UNTYPED.Position.initial().play((1, 2)), TypeError, r"expected a move: .*, got \(1, 2\)"),
        (lambda: UNTYPED.Position.initial().play(None), TypeError, "expected a move: .*, got None"),
        (lambda: UNTYPED.Position.initial().is_legal(2.5), TypeError, "expected a move: .*, got 2.5"),
        (lambda: lg.Position.initial().why_illegal("Z9"), lg.FormatError, "expected a point"),
        (lambda: UNTYPED.Position.initial("2019"), TypeError, "edition_rules.*, got '2019'"),
        (lambda: UNTYPED.edition_rules(size="5"), TypeError, "board size '5'"),
        (lambda: UNTYPED.play_game("greedy", None), TypeError, "White: expected the name of a player.*, got None"),
        (lambda: UNTYPED.play_game("greedy", "random", rules="2019"), TypeError, "edition_rules.*, got '2019'"),
        (lambda: UNTYPED.play_match("greedy", "random", rules="2019"), TypeError, "edition_rules.*, got '2019'"),
        (lambda: UNTYPED.play_tournament("random"), TypeError, "expected a list of players, got 'random'"),
        (lambda: lg.play_tournament(["random", "greedy"], games=0), lg.UsageError, "games: expected 1 to"),
        (lambda: lg.play_tournament(["random", "greedy"], form="swiss", rounds=0), lg.UsageError, "rounds: expected 1"),
        (lambda: UNTYPED.review_game("game.sgf"), TypeError, "GameRecord, got 'game.sgf'; read_games"),
        (lambda: lg.review_game(lg.play_game("random", "random"), seconds=-1), lg.UsageError, "seconds -1: expected"),
        (lambda: lg.make_drills([], "random"), lg.UsageError, "no games"),
        (lambda: lg.Oracle(memory=-1), lg.UsageError, "memory -1: expected"),
        (lambda: lg.draw_svg(lg.Position.initial(), width=-1), lg.UsageError, "width -1: expected"),
        (lambda: lg.draw_svg(lg.Position.initial(), last_move="Z9"), lg.FormatError, "expected a point"),
        (lambda: lg.train_learner(games=0), lg.UsageError, "0 games in 1 chunks"),
        (lambda: lg.train_learner(games=-1), lg.UsageError, "-1 games"),
        (lambda: lg.train_learner(games=10, chunks=0), lg.UsageError, "in 0 chunks"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(call: Callable[[], object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_a_move_is_named_wherever_one_is_asked_for() -> None:
    position = lg.Position.initial().play("C3")
    assert position.why_illegal("2,2") is lg.Why.OCCUPIED
    assert lg.draw_svg(position, last_move="C3") == lg.draw_svg(position, last_move=12)


def test_drills_of_one_game() -> None:
    record = lg.play_game("random", "random", seed=2, rules=lg.edition_rules(size=3))
    assert lg.make_drills(record, "random") == lg.make_drills([record], "random")


def test_a_game_in_one_call() -> None:
    record = lg.play_game("greedy", "random", seed=3)
    assert record.moves == lg.play_game("greedy", "random", seed=3).moves
    assert record.moves != lg.play_game("greedy", "random", seed=4).moves
    assert (record.black, record.white) == ("greedy", "random")
    assert len(record) == len(record.moves)
    assert list(record) == list(record.positions())
    assert repr(record).startswith(f"<GameRecord greedy - random, {len(record)} moves (")
    assert lg.GameRecord("a", "b", lg.Position.initial()), "a game without moves is still a game"


def test_a_game_with_a_player_of_my_own() -> None:
    class First:
        def choose(self, position: lg.Position) -> lg.Move:
            return position.legal_moves()[0]

    record = lg.play_game(First(), "random", rules=lg.edition_rules(size=3))
    assert (record.black, record.moves[0]) == ("First", 0)
    with pytest.raises(lg.UsageError):
        lg.play_game("random", "random", start=lg.Position.initial(), rules=lg.edition_rules(size=3))


def test_a_review_and_drills_in_one_call(tmp_path: Path) -> None:
    """On 3x3, where a game is reviewed at once."""
    games = [lg.play_game("random", "random", seed=seed, rules=lg.edition_rules(size=3)) for seed in range(6)]
    file = tmp_path / "games.sgf"
    file.write_text("".join(map(lg.write_sgf, games)))
    again = lg.read_games(str(file))
    assert [game.moves for game in again] == [game.moves for game in games]
    with lg.Oracle(memory=1 << 24) as oracle:
        review = lg.review_game(games[0], oracle)
        assert review.complete
        assert str(review) == review.to_dict()["summary"]
        deck = lg.make_drills(games, "random", oracle)
        for drill in deck.drills:
            assert drill.accepted
            assert {oracle.value(drill.position.play(move)) for move in drill.accepted} == {drill.position.to_move}
    assert deck.drills


def test_printing_draws_the_board() -> None:
    out = io.StringIO()
    print(lg.Position.initial().play("C3"), file=out)
    assert out.getvalue().splitlines()[3] == " 2 . . X . ."


SCRIPT = """\
from typing import assert_type

import littlego as lg

position = lg.Position.initial().play("2,2")
record = lg.play_game("greedy", "random", seed=1)
assert_type(position, lg.Position)
assert_type(record.outcome, lg.Outcome | None)
assert_type([each.to_move for each in record], list[lg.Colour])
assert_type(lg.read_games("games.sgf"), list[lg.GameRecord])
assert_type(lg.Oracle().value(position), lg.Colour | None)
assert_type(lg.review_game(record), lg.GameReview)
assert_type(lg.grade_agent("greedy").points, float)
assert_type(lg.play_tournament(["greedy", "random"]).records, tuple[lg.GameRecord, ...])
assert_type(lg.play_match("greedy", "random").tally.interval, tuple[float, float])
with lg.Oracle(memory=1 << 24) as oracle:
    assert_type(oracle, lg.Oracle)


class Mine:
    def choose(self, position: lg.Position) -> lg.Move:
        return position.legal_moves()[0]


lg.play_game(Mine(), lg.make_player("random"))
position.play(1.5)
"""
WRONG = SCRIPT.splitlines().index("position.play(1.5)") + 1


def test_a_users_strict_type_checker_sees_our_types(tmp_path: Path) -> None:
    """Outside this project, with its own settings; without `py.typed` every name would be `Any` to it."""
    (tmp_path / "script.py").write_text(SCRIPT)
    checker = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "script.py"]
    done = subprocess.run(checker, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    wrong, found = done.stdout.splitlines()
    assert wrong.startswith(
        f'script.py:{WRONG}: error: Argument 1 to "play" of "Position" has incompatible type "float"'
    )
    assert found == "Found 1 error in 1 file (checked 1 source file)"


@pytest.mark.process
@pytest.mark.skipif(
    NODE is None or not PYRIGHT.exists(),
    reason="no node, or no node_modules (make node_modules, which needs npm)",
)
def test_pyright_sees_them_too(tmp_path: Path) -> None:
    """The checker of many editors, which reads packages in its own way."""
    assert NODE is not None
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    checker = [NODE, str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(checker, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert [(one["range"]["start"]["line"] + 1, one["rule"]) for one in found] == [(WRONG, "reportArgumentType")], found


def test_a_tournament_in_one_call(tmp_path: Path) -> None:
    players = ["random", "greedy", "greedy", "aggressive"]
    cup = lg.play_tournament(players, form="swiss", rounds=2, games=2, size=3, out=tmp_path / "cup")
    assert len(cup.records) == 2 * 2 * 2
    assert {row.player for row in cup.standings} == {"random", "greedy", "greedy-2", "aggressive"}
    wins = sum(record.outcome is not None and record.outcome.winner is not None for record in cup.records)
    assert sum(row.wins for row in cup.standings) == wins
    assert len(str(cup).splitlines()) == 4
    assert len(lg.read_games(tmp_path / "cup")) == 8
    gauntlet = lg.play_tournament(["smart", "random", "greedy"], form="gauntlet", games=2, size=3)
    assert {frozenset((game.black, game.white)) for game in gauntlet.records} == {
        frozenset(("smart", "random")),
        frozenset(("smart", "greedy")),
    }
    with pytest.raises(lg.UsageError, match="expected one of round-robin, gauntlet, swiss"):
        lg.play_tournament(["random", "greedy"], form="cup")
    with pytest.raises(lg.UsageError, match="nobody is left"):
        lg.play_tournament(["random", "greedy"], form="gauntlet", challengers=2)


def test_what_is_shown_in_a_notebook_is_short() -> None:
    match = lg.play_match("greedy", "random", games=2)
    assert (len(match), list(match)) == (2, list(match.records))
    record = lg.play_game("random", "random", rules=lg.edition_rules(size=3))
    for value in (match, record, lg.review_game(record), lg.Oracle(), lg.LearnerPlayer(), lg.Position.initial()):
        assert "object at 0x" not in repr(value)
        assert len(repr(value)) < 200
