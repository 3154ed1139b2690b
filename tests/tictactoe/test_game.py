"""The paper's game with a person: from Python, and at the terminal."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from littlego.tictactoe.board import EMPTY, O, X
from littlego.tictactoe.codes import cells_of
from littlego.tictactoe.paper import Console, Game, Pair, TemporalLearner, board_code

EVERY_CELL = [(row, column) for row in (1, 2, 3) for column in (1, 2, 3)]


def trained(games: int = 3000, epsilon: float = 0.02) -> Pair:
    pair = Pair.new(epsilon=epsilon)
    pair.train(games, random.Random(1))
    return pair


def against(pair: Pair, side: int, shown: list[str], *, counted_from: int = 0) -> Game:
    facing, partner = (pair.o, pair.x) if side == X else (pair.x, pair.o)
    return Game(facing, partner, games=pair.games, seed=1, show=shown.append, counted_from=counted_from)


def talk(typed: str, pair: Pair | None = None, *, side: int = X) -> str:
    lines = iter(typed.splitlines())
    shown: list[str] = []

    def ask(prompt: str) -> str:
        shown.append(prompt)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    Console(against(pair or Pair.new(), side, shown), ask=ask, show=shown.append).run()
    return "\n".join(shown)


def test_the_papers_game_is_played_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown: list[str] = []
    p1, p2 = TemporalLearner(1, alpha=0.2, epsilon=0.02), TemporalLearner(2, alpha=0.8, epsilon=0.0)
    g = Game(learner=p2, other=p1, seed=1, show=shown.append)
    g.selfplay(50)
    assert p1.values and p2.values and g.pair.games == 50
    g(1, 1)
    assert g.history[-1][0] == 4
    assert len(g.history[-1]) == 2
    g(1, 1)
    g(0, 3)
    assert shown[-2:] == ["1,1 is taken.", "Rows and columns go from 0 to 2."]
    g.save()
    again = Game(show=shown.append)
    again.load()
    assert again.learner.values == p2.values
    assert (again.learner.alpha, again.pair.games) == (0.8, 50)


def test_two_learners_of_one_side_are_refused() -> None:
    with pytest.raises(ValueError, match=r"plays X \(side 1\) and one that plays O"):
        Game(TemporalLearner(X), TemporalLearner(X))


def test_a_game_comes_to_its_end_and_is_learned_from() -> None:
    for side in (X, O):
        pair, shown = trained(), list[str]()
        game = against(pair, side, shown, counted_from=1)
        before = dict(game.learner.values)
        while game.pair.games == 3000:
            game(*EVERY_CELL[cells_of(game.code).index(EMPTY)])
        assert any(end in shown for end in ("A draw.", "It wins.", "You win."))
        assert game.learner.values != before
        assert 5 <= len(game.history[0]) <= 9
        assert len(game.history[1]) == (0 if side == X else 1)


def test_it_explores_against_a_person_as_much_as_in_training() -> None:
    def answers(epsilon: float) -> set[int]:
        pair = trained()
        pair.o.epsilon, pair.o.alpha = epsilon, 0.0
        pair.o.values[board_code("X...O....")] = 0.9
        game = against(pair, X, [])
        for _ in range(40):
            game(0, 0)
            game.reset()
        return {cells[1] for cells in game.history[:-1]}

    assert answers(0.0) == {4}
    assert len(answers(0.5)) > 4


def test_values_are_what_the_persons_moves_lead_to() -> None:
    pair = Pair.new()
    game = against(pair, X, [])
    game.code = board_code("XX.OO....")
    pair.o.values = {board_code("XX.OOO.X."): 1.0, board_code("XXOOO..X."): -0.5}
    values = game.values()
    assert values[2] == -1, "the person would win"
    assert values[7] == 1, "the best answer to it counts"
    assert values[5] is None, "no answer to it was ever looked at"
    assert values[0] is None


@pytest.mark.parametrize("side", [X, O])
def test_values_are_numbers_after_training(side: int) -> None:
    said = talk("values\nquit\n", trained(), side=side).split("A new game")[1]
    numbers = [word for word in said.split() if word[0] in "+-" and word[1:2].isdigit()]
    assert len(numbers) == (9 if side == X else 8)


def test_a_person_plays_trains_saves_and_loads(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    said = talk(f"1,1\n1,1\n9,9\ncastle\ntrain 50\ntrain none\nvalues\nsave {path}\nload {path}\nload nowhere\nquit\n")
    for words in (
        "1,1 is taken",
        "'9,9': unknown command",
        "50 games: X won",
        "train 'none': expected a number of games",
        f"Saved to {path}",
        f"Loaded {path}: 50 games",
        "nowhere: cannot be read",
    ):
        assert words in said
    assert Pair.from_json(path.read_text()).games == 50


def test_bare_commands_take_the_papers_file_and_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = talk("train\nsave\nload\n")
    assert "10000 games: X won" in said
    assert "Loaded learn.dat: 10000 games." in said


def test_the_moves_of_every_game_are_listed() -> None:
    said = talk("1,1\nnew\n0,2\nhistory\n", side=X)
    first, second = said.splitlines()[-3:-1]
    assert first.startswith("  1. 1,1 ") and second.startswith("  2. 0,2 ")


def test_swap_gives_the_other_mark() -> None:
    said = talk("swap\nhelp\n")
    assert "A new game: you are O." in said


def test_something_else_than_a_learner_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    (tmp_path / "bytes").write_bytes(b"\xff")
    assert "not a saved learner" in talk(f"load {tmp_path / 'bad.json'}\n")
    assert "not a saved learner" in talk(f"load {tmp_path / 'bytes'}\n")
    assert "cannot be written" in talk("save /nowhere/at/all.json\n")
