"""Training: it learns, a kill costs nothing, and models read back as they were."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from littlego.core.board import BLACK, WHITE, Board, Colour
from littlego.core.errors import FormatError, UsageError
from littlego.core.points import PASS, Move
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.kernel.xorshift import seeded_state
from littlego.learn import trainer
from littlego.learn.curve import draw_training
from littlego.learn.features import Features, View
from littlego.learn.games import Rates
from littlego.learn.labels import Label, accuracy, random_regret, read_labels, shipped_labels
from littlego.learn.learned import Learned, Record
from littlego.learn.model import FILE_NAME, Model, pack, parse_model, read_model, unpack
from littlego.learn.trainer import Training, TrainingSettings
from make_labels import write_labels
from tests.helpers import random_game

RATES = Rates(1.0, 1.0, 0.7, 0.1, 1.0, 18, 6, np.array([-1, 0, 1, 2]), np.array([-1]))
SMALL = TrainingSettings(games=600, chunks=4, test_games=10)


@pytest.mark.parametrize(("boards", "replay"), [(1, 0.0), (3, 0.5)])
def test_stopped_and_resumed_is_the_same_as_never_stopped(tmp_path: Path, boards: int, replay: float) -> None:
    settings = TrainingSettings(
        games=600,
        chunks=4,
        test_games=5,
        opponents=("self", "greedy"),
        boards=boards,
        replay=replay,
        seed=3,
    )
    whole = trainer.train(settings, tmp_path / "whole")

    class Killed(Exception):
        pass

    def kill(training: Training, seconds: float) -> None:
        if seconds and training.chunks_done == 2:
            raise Killed

    with pytest.raises(Killed):
        trainer.train(settings, tmp_path / "parts", progress=kill)
    parts = trainer.train(settings, tmp_path / "parts")
    assert np.array_equal(whole.values.weights, parts.values.weights)
    assert whole.curve == parts.curve
    assert [measure.games for measure in parts.curve] == [37, 150, 337, 600]
    assert (tmp_path / "whole" / FILE_NAME).read_bytes() == (tmp_path / "parts" / FILE_NAME).read_bytes()


def test_two_boards_learn_as_one_after_the_other_would() -> None:
    """Whichever thread is faster: games of a stretch are played with the same values, then learned from in order."""
    settings = TrainingSettings(games=700, chunks=1, test_games=1, boards=2)
    together, plain = Training.new(settings), Training.new(settings)
    together.advance()
    stretches: list[list[Record]] = []
    done = 0
    while done < settings.games:
        rates = RATES._replace(alpha=1 - done / 700)
        again = RATES._replace(alpha=0.5 * (1 - done / 700))
        each = min(settings.stretch(done), (settings.games - done + 1) // 2)
        stretches.append([])
        for board, count in enumerate((each, min(each, settings.games - done - each))):
            record, state = plain.values.new_record(count + 1), plain.state[board : board + 1]
            plain.values.play(record, count, done + board * each, rates, state)
            stretches[-1].append(record)
        done += sum(record.count for record in stretches[-1])
        for record in stretches[-1]:
            plain.values.learn(record, rates)
        for record in stretches[-17] if len(stretches) > 16 else ():
            plain.values.learn(record, again)
    for stretch in stretches[-16:]:
        for record in stretch:
            plain.values.learn(record, again)
    assert stretches[-1][0].count > 5, "several games a stretch"
    assert done == settings.games
    assert np.array_equal(together.values.weights, plain.values.weights)
    assert np.array_equal(together.state, plain.state)


def test_one_board_without_replay_learns_from_each_game_before_the_next() -> None:
    """As all trainings did before there were several boards."""
    training = Training.new(TrainingSettings(games=100, chunks=1, test_games=1, boards=1, replay=0))
    other, state = Learned(), seeded_state(1)
    record = other.new_record(1)
    for game in range(100):
        other.play(record, 1, game, RATES, state)
        other.learn(record, RATES)
    training.advance()
    assert np.array_equal(training.values.weights, other.weights)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    """An agent's own model was overwritten, and figures were put beside it."""
    (tmp_path / FILE_NAME).write_text("an agent's")
    with pytest.raises(UsageError, match=f"holds {FILE_NAME} and no training: choose a new directory"):
        trainer.train(SMALL, tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["an agent's"]
    (tmp_path / FILE_NAME).rename(tmp_path / f"{trainer.CHECKPOINT}.part")
    assert trainer.load(tmp_path, SMALL) is None, "a training that was killed at its first checkpoint"


def test_another_training_in_the_directory_is_refused(tmp_path: Path) -> None:
    trainer.train(TrainingSettings(games=4, chunks=2, test_games=1), tmp_path)
    with pytest.raises(UsageError, match=r"alpha 1\.0, not 0\.5"):
        trainer.train(TrainingSettings(games=4, chunks=2, test_games=1, alpha=0.5), tmp_path)
    (tmp_path / trainer.CHECKPOINT).write_bytes(b"not a checkpoint")
    with pytest.raises(FormatError, match="expected a checkpoint"):
        trainer.train(TrainingSettings(games=4, chunks=2, test_games=1), tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"opponents": ("castle",)},
        {"opponents": ()},
        {"rules": edition_rules().but(max_moves=1001)},
        {"rules": edition_rules(size=9)},
        {"features": ("ladders",)},
        {"boards": 0},
    ],
)
def test_wrong_settings_are_reported(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="expected"):
        TrainingSettings(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_a_training_is_tested_as_often_as_its_length_is_worth() -> None:
    assert [TrainingSettings.for_games(games).chunks for games in (1, 400, 2000, 800_000)] == [1, 5, 11, 40]
    assert TrainingSettings.for_games(400, chunks=2).chunks == 2


def test_a_game_of_ones_own_is_learned_and_its_model_is_for_that_game(tmp_path: Path) -> None:
    rules = edition_rules(size=3).but(komi=0.5, max_moves=12)
    training = trainer.train(TrainingSettings(games=200, chunks=1, test_games=10, rules=rules), tmp_path)
    assert sum(training.curve[-1].wins["random"]) > 10
    model = read_model(tmp_path)
    assert model.plays(rules)
    assert not model.plays(edition_rules(size=3))
    assert not model.plays(rules.but(komi=1.5))
    with pytest.raises(UsageError, match=r"for 3x3, komi 0\.5, 12 moves has no values for 3x3, komi 1\.5, 8 moves"):
        Learned.of(model, edition_rules(size=3))


def test_it_learns() -> None:
    training = Training.new(TrainingSettings(games=3000, chunks=8, test_games=100))
    before = after = training.measure()
    while not training.is_done:
        after = training.advance()
    for name in ("random", "greedy"):
        assert sum(after.wins[name]) > 180 > sum(before.wins[name])
    assert after.coverage > before.coverage == 0


def test_a_model_has_the_values_that_were_learned(tmp_path: Path) -> None:
    training = trainer.train(TrainingSettings(games=300, chunks=1, test_games=1), tmp_path)
    model = read_model(tmp_path)
    assert model.games == 300
    assert model.settings["alpha"] == 1.0
    known = Learned.of(model, edition_rules())
    for position, _ in random_game(edition_rules(), 1):
        if not 0 < position.moves_played < 24:
            continue
        mover = position.to_move.opponent
        own, other = position.board.stones(mover), position.board.stones(mover.opponent)
        colour, played = mover.value - 1, position.moves_played
        learned = training.values.value_after(own, other, colour, played, 0)
        assert known.value_after(own, other, colour, played, 0) == pytest.approx(learned, abs=0.03)
    assert parse_model((tmp_path / FILE_NAME).read_text()) == model


def test_numbers_are_unpacked_as_packed() -> None:
    assert unpack("h", pack("h", [0, -1, 100])).tolist() == [0, -1, 100]


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"weights": "AAAA"},
        {"weights": pack("h", [1, 2])},
        {"games": "many"},
        {"komi": None},
        {"length": 23},
    ],
)
def test_what_is_not_a_model_is_reported(tmp_path: Path, change: dict[str, object]) -> None:
    good = Model([0] * Features(5, View(), 24).weights, 0.1).to_dict()
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**good, **change}))
    with pytest.raises(FormatError, match=r"model\.json: expected a model"):
        read_model(path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_model(tmp_path / "nowhere")


NOWHERE = 25
"""A point that nobody can play."""


def late(black: int, ko: int | None = None) -> Position:
    """With one move left, Black's."""
    return Position(edition_rules(), Board(5, black, 0b111 << 20), BLACK, ko, 0, 23)


LABELS = (
    Label(late(0b1111111), frozenset(late(0b1111111).legal_moves())),
    Label(late(0b11, ko=3), frozenset()),
)


def test_labels_are_read_as_written_and_judged(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    write_labels(path, LABELS)
    assert read_labels(path) == LABELS
    exact = accuracy(LABELS, Learned())
    assert (exact.error, exact.regret, exact.by_stage[-1]) == (0.0, 0.0, (0, 1)), "the last move needs no learning"
    empty = Position.initial()
    blank = Label(empty, frozenset({12}))
    assert random_regret((blank, LABELS[1])) == 1 - 1 / 26
    # Before any game all moves look alike; of 26, whichever is drawn is winning in one label and not in the other.
    everything = Label(empty, frozenset({PASS, *range(25)}))
    nothing = Label(empty._replace(moves_played=8), frozenset({NOWHERE}))
    for labels, regret in (((everything,), 0.0), ((nothing,), 1.0), ((everything, nothing), 0.5)):
        found = accuracy(labels, Learned())
        assert (found.error, found.regret, found.tried) == (0.5, regret, len(labels))
        assert found.given_away == found.by_stage[0][0] == int(nothing in labels)


def test_the_shipped_labels_are_possible_and_not_trivial() -> None:
    labels = shipped_labels()
    assert len(labels) == 2505
    assert 0.5 < sum(label.wins for label in labels) / len(labels) < 0.8
    for label in labels:
        position = label.position
        position.board.checked()
        assert position.to_move is (WHITE if position.moves_played % 2 else BLACK)
        assert label.winning < set(position.legal_moves())
        if position.moves_played == 22:
            assert label.winning == winning_by_trying(position)


def winning_by_trying(position: Position) -> set[Move]:
    """The winning moves of a position near the end, by playing out everything."""
    return {move for move in position.legal_moves() if winner(position.play(move)) is position.to_move}


def winner(position: Position) -> Colour | None:
    if (outcome := position.outcome()) is not None:
        return outcome.winner
    mover = position.to_move
    return mover if winning_by_trying(position) else mover.opponent


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "at least one labelled position"),
        ("0\t1", "line 1: expected 6 columns"),
        ("0" * 24 + "\t1\t0\t-\t1\t2,2", "25 of 0, 1 and 2"),
        ("0" * 25 + "\t3\t0\t-\t1\t2,2", "to_move 1 or 2"),
        ("0" * 25 + "\t1\t0\t-\t0\t2,2", "expected winning moves where"),
        ("0" * 25 + "\t1\t0\t-\t1\t7,7", "7,7 is not on a 5x5 board"),
    ],
)
def test_wrong_labels_are_reported(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text(line)
    with pytest.raises(FormatError, match=says):
        read_labels(path)


@pytest.mark.slow
def test_figures_of_a_training(tmp_path: Path) -> None:
    training = trainer.train(SMALL, tmp_path, labels=LABELS)
    names = {path.name for path in draw_training(training.curve, SMALL, tmp_path, labels=LABELS)}
    figures = {f"{name}.svg" for name in ("win-rates", "coverage", "truth", "stages")}
    assert names == {"curve.csv", *figures}
    assert len((tmp_path / "curve.csv").read_text().splitlines()) == 5
    assert draw_training([], SMALL, tmp_path) == []
