"""Verify a certificate: that one side wins a game whatever the other does. Uses `core` and nothing else.

A certificate is a file compressed with LZMA. Its first line is JSON: the rules, the first position,
the winner, and the settings below. Then come `entries` keys of eight bytes in ascending order and,
after all of them, `entries` moves of one byte (a point, or 255 for a pass). A key is

    0-24 winner's stones | 25-49 loser's | 50-54 ko point + 1 (0: none) | 55-59 plies left

for a position with the winner to move; with at least `fold` plies left it is the smallest key of
its eight images. The verifier checks each entry by itself: after the winner's move, every legal reply,
including a pass, must lead to another entry, or to a position that needs none, because the game is over
and won, or because a bound that the verifier works out itself shows that the winner can no longer be
stopped. With at most `search` plies left it finds the winner's move by itself. A file may contain only
the first part of a strategy: `frontier` is then the plies left at which it ends, and the proof depends
on the positions beyond being won.

This is a second program on purpose: it has its own packing of keys and its own bound, on `core`'s rules, and
shares no code with the solver, so that a bug in one is not a bug in the other. The *idea* of the bound, argued
in `_most_lost`, is the solver's: a flaw in the argument itself would be in both. Tests compare the two on random
positions, and the bound with plain minimax.
"""

from __future__ import annotations

import json
import lzma
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from littlego.core.board import BLACK, Board, Colour, grid
from littlego.core.errors import FormatError, LittleGoError
from littlego.core.points import MIN_SIZE, PASS, Mask, Move, symmetries
from littlego.core.position import Position
from littlego.core.rules import Rules

KIND: Final = "littlego certificate"
PASS_BYTE: Final = 255
MOST_SIZE: Final = 5
MOST_LEFT: Final = 31
"""The largest board, and the most plies left, that fit into a key."""


class CheckFailed(LittleGoError):
    """A certificate that does not prove what it claims; the message names the position where it fails."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A strategy: the winner's moves by key."""

    start: Position
    winner: Colour
    fold: int
    search: int
    keys: array[int]
    moves: bytes
    frontier: int = 0
    """Positions with fewer plies left are not in the file; 0 for a whole strategy."""

    def move(self, key: int) -> Move | None:
        at = bisect_left(self.keys, key)
        if at == len(self.keys) or self.keys[at] != key:
            return None
        return PASS if self.moves[at] == PASS_BYTE else self.moves[at]


def read_certificate(path: Path | str) -> Certificate:
    """Read a certificate. Raises FormatError, which says what is wrong."""
    try:
        with lzma.open(path, format=lzma.FORMAT_XZ) as file:  # one without an end is refused at its beginning
            head, _, body = file.read().partition(b"\n")
        return _certificate(json.loads(head), body)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
    except (lzma.LZMAError, EOFError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: not a {KIND}: {error}") from None


def _certificate(header: dict[str, Any], body: bytes) -> Certificate:
    if header["kind"] != KIND or header["version"] != 1:
        raise ValueError(f"kind {header['kind']!r}, version {header['version']!r}")
    for name in ("size", "moves", "passes", "moves_played", "fold", "search", "frontier", "entries"):
        if type(header[name]) is not int or header[name] < 0:
            raise ValueError(f"{name}: expected a whole number, got {header[name]!r}")
    count = header["entries"]
    if len(body) != 9 * count:
        raise ValueError(f"{count} entries need {9 * count} bytes, found {len(body)}")
    if not MIN_SIZE <= header["size"] <= MOST_SIZE:
        raise ValueError(f"size {header['size']}: expected {MIN_SIZE} to {MOST_SIZE}")
    rules = Rules(size=header["size"], komi=header["komi"], max_moves=header["moves"])
    start = Position(
        rules,
        Board(rules.size, header["black"], header["white"]).checked(),
        Colour(header["to_move"]),
        header["ko"],
        header["passes"],
        header["moves_played"],
    )
    if start.ko is not None and not 0 <= start.ko < rules.size**2:
        raise ValueError(f"ko: expected a point of the board or null, got {start.ko!r}")
    if start.outcome() is not None:
        raise ValueError("its first position is the end of a game, where there is nothing to prove")
    if start.plies_left > MOST_LEFT:
        raise ValueError(f"{start.plies_left} plies left: expected at most {MOST_LEFT}")
    if header["frontier"] > start.plies_left:
        raise ValueError(f"it ends at {header['frontier']} plies left, but its first position has {start.plies_left}")
    keys = array("Q", body[: 8 * count])
    if sys.byteorder == "little":
        keys.byteswap()
    return Certificate(
        start,
        Colour(header["winner"]),
        header["fold"],
        header["search"],
        keys,
        body[8 * count :],
        header["frontier"],
    )


def verify_entries(certificate: Certificate, numbers: Iterable[int]) -> int:
    """Check entries one by one; returns how many. Raises CheckFailed.

    Because plies left only decrease, a certificate is proven if all its entries pass and its first position
    does (`verify_start`). Entries may be checked anywhere, in any order, or in a sample.
    """
    checker = _Checker(certificate)
    checked = 0
    for number in numbers:
        checker.check_entry(number)
        checked += 1
    return checked


def verify_start(certificate: Certificate) -> None:
    """Check that the entries cover the first position. Raises CheckFailed."""
    checker = _Checker(certificate)
    if certificate.start.to_move is certificate.winner:
        checker.check_met(certificate.start)
    else:
        checker.check_replies(certificate.start)


def key_of(position: Position) -> int:
    """The key of a position as it stands, from the side to move."""
    board = position.board
    ko = 0 if position.ko is None else position.ko + 1
    mine, theirs = board.stones(position.to_move), board.stones(position.to_move.opponent)
    return mine | theirs << 25 | ko << 50 | position.plies_left << 55


def _folded(position: Position) -> Position:
    """The image of a position that has the smallest key."""
    return min((position.transformed(symmetry) for symmetry in symmetries(position.size)), key=key_of)


class _Checker:
    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.winner = certificate.winner
        self.won: set[tuple[int, int]] = set()
        """Keys and passes of positions that are known to be won."""

    def check(self, position: Position) -> None:
        """Raise CheckFailed unless the winner wins."""
        if not self.wins(position):
            raise CheckFailed(
                f"{self.winner} is not shown to win, {position.plies_left} plies left, {position.to_move} to move,"
                f" on the board {_drawn(position)}"
            )

    def wins(self, position: Position) -> bool:
        outcome = position.outcome()
        if outcome is not None:
            return outcome.winner is self.winner
        if self.decided(position):
            return True
        if position.to_move is not self.winner:
            return all(self.wins(position.play_legal(move)) for move in position.legal_moves())
        if position.passes:
            ended = position.play_legal(PASS).outcome()
            if ended is not None and ended.winner is self.winner:
                return True
        if position.plies_left >= self.certificate.fold:
            position = _folded(position)
            # Links are made in the order of the points, so an image may be decided where the original was not.
            if self.decided(position):
                return True
        # Passes in a row are not part of a key, but they decide when the game ends.
        known = (key_of(position), position.passes)
        if known in self.won or self.by_move(position):
            self.won.add(known)
            return True
        return False

    def by_move(self, position: Position) -> bool:
        """Whether the certificate's move wins or, near the end, any move does."""
        move = self.certificate.move(key_of(position))
        if move is not None:
            self.require_legal(position, move)
            after = position.play_legal(move)
            if position.plies_left > self.certificate.search:
                self.check(after)
                return True
            return self.wins(after)
        if position.plies_left > self.certificate.search:
            raise CheckFailed(
                f"no move for {self.winner} with {position.plies_left} plies left on the board {_drawn(position)}"
            )
        return any(self.wins(position.play_legal(move)) for move in position.legal_moves())

    def check_entry(self, number: int) -> None:
        """Raise CheckFailed unless the entry's move is legal and every reply to it is answered."""
        position = self.position(self.certificate.keys[number])
        move = self.certificate.move(self.certificate.keys[number])
        assert move is not None
        self.require_legal(position, move)
        after = position.play_legal(move)
        # The position may arise after a pass of the loser, when passing ends the game at once.
        if move is PASS and after.score().winner is not self.winner:
            raise CheckFailed(f"{self.winner} passes while behind on the board {_drawn(position)}")
        self.check_replies(after)

    def check_replies(self, position: Position) -> None:
        """Raise CheckFailed unless every move of the loser is answered."""
        outcome = position.outcome()
        if outcome is not None:
            if outcome.winner is not self.winner:
                raise CheckFailed(f"{self.winner} does not win at the end on the board {_drawn(position)}")
            return
        if not self.decided(position):
            for move in position.legal_moves():
                self.check_met(position.play_legal(move))

    def check_met(self, position: Position) -> None:
        """Raise CheckFailed unless the winner, to move, has an entry or needs none, or is beyond the frontier."""
        if position.plies_left < self.certificate.frontier:
            return
        if position.outcome() is None and not self.decided(position):
            image = _folded(position) if position.plies_left >= self.certificate.fold else position
            if self.certificate.move(key_of(image)) is not None:
                return
        self.check(position)

    def position(self, key: int) -> Position:
        """The position of a key, with the winner to move."""
        points = (1 << 25) - 1
        mine, theirs, ko, left = key & points, key >> 25 & points, key >> 50 & 31, key >> 55
        rules = self.certificate.start.rules
        black, white = (mine, theirs) if self.winner is BLACK else (theirs, mine)
        board = Board(rules.size, black, white)
        return Position(rules, board, self.winner, ko - 1 if ko else None, 0, rules.max_moves - left)

    def require_legal(self, position: Position, move: Move) -> None:
        if why := position.why_illegal(move):
            raise CheckFailed(f"{position.move_name(move)} on the board {_drawn(position)}: {why.value}")

    def decided(self, position: Position) -> bool:
        """Whether the winner wins from here with the strategy of `_most_lost`."""
        board = position.board
        left = position.plies_left
        first = position.to_move is self.winner
        own_turns = (left + 1) // 2 if first else left // 2
        other_turns = left - own_turns
        # Even exchange: each side adds a stone with each of its moves.
        black, white = board.black.bit_count(), board.white.bit_count()
        lead = black - white - position.rules.komi if self.winner is BLACK else white + position.rules.komi - black
        spare = lead + own_turns - other_turns
        if spare <= 0:
            return False
        groups = [(group, board.liberties(group)) for group in board.groups(self.winner)]
        return _most_lost(groups, other_turns, own_turns, first, board) < spare


_Groups = list[tuple[Mask, Mask]]
"""Stones and liberties."""


def _most_lost(groups: _Groups, attacks: int, turns: int, first: bool, board: Board) -> int:
    """The most that the winner loses against an even exchange of a stone a move.

    The winner's strategy: fill a liberty of a group that keeps more liberties than the loser has moves left; else pass.

    - A group falls only after all its liberties are filled; a set of groups with more liberties
      than `attacks`, the loser's moves left, does not fall. A group with two one-point eyes inside
      it never falls, because a stone in either eye would have no liberty.
    - Take a group with at least `attacks` + 1 liberties; what exceeds that is its slack. A move of
      the loser on its liberties leaves the slack (a liberty and a move fewer), any other move adds
      one, a fill takes one. So the winner misses a turn only with no slack, which takes a move on
      those liberties each time beyond the first slack, or being first to move.
    - With two such groups that have 2 `attacks` + 2 liberties between them, one of them gains slack with every
      move. Shared liberties do no harm: a fill of one joins the groups. See `bounds` for the whole argument.
    """
    grid_ = grid(board.size)
    large = sorted((free for _, free in groups if free.bit_count() > attacks), key=Mask.bit_count, reverse=True)
    small = []
    for group, liberties in groups:
        if liberties.bit_count() <= attacks:
            eyes = liberties & ~grid_.next_to(grid_.full & ~group)
            if eyes.bit_count() < 2:
                small.append((group.bit_count(), liberties))
    filled: Mask | None = None
    missed = turns
    if large:
        slack = large[0].bit_count() - attacks - 1
        if len(large) > 1 and (large[0] | large[1]).bit_count() >= 2 * attacks + 2:
            missed = int(first) - slack
        else:
            missed = attacks + int(first) - slack
            filled = large[0]
    most = _within(missed, turns)
    if len(small) > 6:
        return most + sum(stones for stones, _ in small)
    for number in range(1, len(small) + 1):
        for chosen in combinations(small, number):
            union = 0
            stones = 0
            for count, liberties in chosen:
                union |= liberties
                stones += count
            if union.bit_count() <= attacks:
                elsewhere = 0 if filled is None else (union & ~filled).bit_count()
                most = max(most, stones + _within(missed - elsewhere, turns))
    return most


def _within(missed: int, turns: int) -> int:
    return min(max(missed, 0), turns)


def _drawn(position: Position) -> str:
    return "/".join(position.board.rows())
