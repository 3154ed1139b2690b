"""Certificates are complete, and false ones are caught."""

from __future__ import annotations

import dataclasses
import math
import random
from array import array
from pathlib import Path

import numpy as np
import pytest

import littlego.solve.proof
from littlego.core.board import BLACK, WHITE
from littlego.core.errors import FormatError, UsageError
from littlego.core.position import Position
from littlego.core.rules import Rules, edition_rules
from littlego.solve.engine import Engine
from littlego.solve.layout import CHECKER_WORDS
from littlego.solve.oracle import Oracle
from littlego.solve.proof.certificate import certify
from littlego.solve.proof.check import (
    PASS_BYTE,
    Certificate,
    CheckFailed,
    _Checker,
    read_certificate,
    verify_entries,
    verify_start,
)
from littlego.solve.proof.fast_check import FastChecker, Tables, Words, is_decided, put
from tests.solve.twins import difference, spot, typical_position

SMALL = 1 << 24
SHIPPED = Path(littlego.solve.proof.__file__).with_name("first_plies.xz")


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle(memory=SMALL, use_atlas=False)


def verify(certificate: Certificate) -> int:
    """By both checkers, which must agree."""
    verify_start(certificate)
    numbers = range(len(certificate.keys))
    try:
        assert FastChecker(certificate).check(numbers) == len(numbers)
    except CheckFailed:
        with pytest.raises(CheckFailed):
            verify_entries(certificate, numbers)
        raise
    return verify_entries(certificate, numbers)


def start(size: int, moves: int, komi: float | None = None) -> Position:
    return Position.initial(Rules(size=size, komi=size / 2 if komi is None else komi, max_moves=moves))


@pytest.mark.parametrize(
    "position",
    [start(2, 4), start(3, 8), start(3, 12), start(4, 12), start(4, 10, 0.5), start(5, 12), start(5, 11, 0.5)],
    ids=str,
)
def test_a_complete_certificate_verifies(oracle: Oracle, tmp_path: Path, position: Position) -> None:
    summary = certify(position, tmp_path / "c.xz", oracle)
    certificate = read_certificate(tmp_path / "c.xz")
    assert certificate.winner is summary.winner is oracle.value(position)
    assert verify(certificate) == summary.entries


def test_from_the_middle_of_a_game(oracle: Oracle, tmp_path: Path) -> None:
    for seed in range(8):
        position = typical_position(9, seed)
        certify(position, tmp_path / "c.xz", oracle)
        certificate = read_certificate(tmp_path / "c.xz")
        assert certificate.winner is oracle.value(position)
        verify(certificate)


def test_the_wrong_winner_is_caught(oracle: Oracle, tmp_path: Path) -> None:
    certify(start(5, 10), tmp_path / "c.xz", oracle)
    certificate = read_certificate(tmp_path / "c.xz")
    with pytest.raises(CheckFailed):
        verify(dataclasses.replace(certificate, winner=BLACK))


def test_a_missing_entry_is_caught(oracle: Oracle, tmp_path: Path) -> None:
    certify(start(5, 10), tmp_path / "c.xz", oracle)
    certificate = read_certificate(tmp_path / "c.xz")
    for missing in (0, len(certificate.keys) // 2, len(certificate.keys) - 1):
        keys = certificate.keys[:missing] + certificate.keys[missing + 1 :]
        moves = certificate.moves[:missing] + certificate.moves[missing + 1 :]
        with pytest.raises(CheckFailed, match="no move for White"):
            verify(dataclasses.replace(certificate, keys=keys, moves=moves))


def test_bad_moves_are_caught(oracle: Oracle, tmp_path: Path) -> None:
    certify(start(4, 9, -1.5), tmp_path / "c.xz", oracle)
    certificate = read_certificate(tmp_path / "c.xz")
    caught = 0
    for code in (*range(16), 255, 77):
        try:
            verify(dataclasses.replace(certificate, moves=bytes([code]) * len(certificate.keys)))
        except CheckFailed:
            caught += 1
    assert caught >= 17, "one and the same move cannot win everywhere"


def test_the_verifiers_bound_is_sound() -> None:
    engine = Engine(5, memory=SMALL)
    decided = 0
    for seed in range(200):
        position = typical_position(4 + seed % 3, seed)
        sign = 1 if position.to_move is BLACK else -1
        komi = sign * difference(position) + seed % 9 - 4.5
        position = position._replace(rules=position.rules.but(komi=komi))
        target = math.floor(sign * komi) + 1
        mover_wins = engine.reaches(spot(position), target, prune=False)
        for winner in (BLACK, WHITE):
            checker = _Checker(Certificate(position, winner, 99, 0, array("Q"), b""))
            if checker.decided(position):
                decided += 1
                assert mover_wins is (winner is position.to_move), seed
    assert decided > 20


def padded(mask: int) -> int:
    """Points of 5x5 in the compiled checker's rows of eight bits, worked out point by point."""
    return sum(1 << 8 * (point // 5) + point % 5 + 1 for point in range(25) if mask >> point & 1)


def test_the_compiled_checker_has_the_rules_of_core() -> None:
    board = padded((1 << 25) - 1)
    for seed in range(60):
        position = typical_position(2 + seed % 16, seed)
        mine, theirs = (position.board.stones(side) for side in (position.to_move, position.to_move.opponent))
        ko = 0 if position.ko is None else padded(1 << position.ko)
        for point in range(25):
            legal, own, other, forbidden = put(padded(1 << point), padded(mine), padded(theirs), ko, board)
            assert legal is (position.why_illegal(point) is None)
            if legal:
                after = position.play(point)
                stones = [after.board.stones(side) for side in (position.to_move, after.to_move)]
                assert [own, other] == [padded(mask) for mask in stones]
                assert forbidden == (0 if after.ko is None else padded(1 << after.ko))


def test_the_two_checkers_have_the_same_bound() -> None:
    decided = 0
    scratch: Words = np.zeros(CHECKER_WORDS, dtype=np.int64)
    for seed in range(300):
        position = typical_position(2 + seed % 10, seed)
        for winner in (BLACK, WHITE):
            certificate = Certificate(position, winner, 99, 0, array("Q"), b"")
            mine, theirs = (padded(position.board.stones(side)) for side in (winner, winner.opponent))
            komi = 5 if winner is BLACK else -5
            tables = Tables(scratch, 5, padded((1 << 25) - 1), komi, 99, 0, 0, scratch)
            found = is_decided(tables, mine, theirs, position.plies_left, position.to_move is winner)
            assert found is _Checker(certificate).decided(position), seed
            decided += found
    assert decided > 40


def test_what_cannot_be_certified_is_refused(oracle: Oracle, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tie"):
        certify(start(2, 3), tmp_path / "c.xz", oracle)
    with pytest.raises(UsageError, match="more than 16"):
        certify(start(5, 12), tmp_path / "c.xz", oracle, most_entries=16)
    with pytest.raises(UsageError, match="too large"):
        certify(Position.initial(edition_rules(size=7)), tmp_path / "c.xz", oracle)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xfd7zXZ\x00nonsense"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c.xz").write_bytes(content)
    with pytest.raises(FormatError, match="not a littlego certificate"):
        read_certificate(tmp_path / "c.xz")


def test_the_shipped_part_of_the_whole_game_is_right() -> None:
    certificate = read_certificate(SHIPPED)
    assert (certificate.winner, certificate.start) == (BLACK, Position.initial(Rules(size=5, komi=2.5, max_moves=24)))
    verify_start(certificate)
    assert FastChecker(certificate).check(range(len(certificate.keys))) == 37_869
    numbers = random.Random(1).sample(range(len(certificate.keys)), 300)
    assert verify_entries(certificate, numbers) == 300
    with pytest.raises(CheckFailed):
        verify_start(dataclasses.replace(certificate, frontier=0, keys=array("Q"), moves=b""))


def test_a_pass_of_the_winner_while_behind_is_refused_where_the_file_ends() -> None:
    """Further up the position after two passes, lost, shows it; beyond the frontier no position is looked at."""
    behind = Certificate(start(3, 8), BLACK, 9, 0, array("Q", [8 << 55]), bytes([PASS_BYTE]), frontier=8)
    with pytest.raises(CheckFailed):
        verify_entries(behind, [0])
    with pytest.raises(CheckFailed):
        FastChecker(behind).check([0])


@pytest.mark.slow
def test_what_the_shipped_part_leaves_open_can_be_proven(oracle: Oracle, tmp_path: Path) -> None:
    certificate = read_certificate(SHIPPED)
    checker = _Checker(certificate)
    rng = random.Random(2)
    last = [key for key in certificate.keys if key >> 55 == certificate.frontier]
    for key in rng.sample(last, 3):
        position = checker.position(key)
        move = certificate.move(key)
        assert move is not None
        after = position.play(move)
        beyond = after.play(rng.choice(after.legal_moves()))
        if beyond.outcome() is None:
            certify(beyond, tmp_path / "c.xz", oracle)
            proven = read_certificate(tmp_path / "c.xz")
            assert proven.winner is BLACK
            verify(proven)
