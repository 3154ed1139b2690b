"""SGF: whole files, with every game, variation and property kept as it was read, and game records of their main lines.

`parse_collection` and `write_collection` undo each other, and so do `write_sgf` and `parse_sgf`. What SGF has no
property for goes where people read it too: the rules into `RU`, the verdict into the last node's comment. A game from
elsewhere is read with its own size, komi and result.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Final

from littlego import __version__
from littlego.core.board import BLACK, WHITE, Board, Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import MAX_SIZE, MIN_SIZE, PASS, Mask, Move, Pass, Point, points_of
from littlego.core.position import Position, fewest_moves
from littlego.core.rules import EDITIONS, Ending, Ko, Outcome, Rules, Verdict, edition_rules

COLOURS: Final = {"B": BLACK, "W": WHITE}


def colour_letter(colour: Colour) -> str:
    return "B" if colour is BLACK else "W"


def parse_at(raw: str, size: int) -> Move:
    """The point of an SGF value such as `cc`, or a pass. Raises UsageError."""
    if raw == "" or (raw == "tt" and size <= MAX_SIZE):
        return PASS
    if re.fullmatch("[a-z]{2}", raw) is None:
        raise UsageError(f"expected two letters such as cc, got {raw!r:.40}")
    column, row = (ord(letter) - ord("a") for letter in raw)
    if column >= size or row >= size:
        raise UsageError(f"{raw} is not on a {size}x{size} board")
    return row * size + column


def parse_mask(raw: str, size: int) -> Mask:
    """The points of `cc`, or of a rectangle `aa:cc`. Raises UsageError."""
    corners = [parse_at(part, size) for part in raw.split(":")]
    points = [corner for corner in corners if isinstance(corner, int)]
    if len(points) != len(corners) or len(points) > 2:
        raise UsageError(f"expected a point, got {raw!r:.40}")
    rows, columns = sorted(p // size for p in points), sorted(p % size for p in points)
    return sum(
        1 << row * size + column
        for row in range(rows[0], rows[-1] + 1)
        for column in range(columns[0], columns[-1] + 1)
    )


def points_value(points: list[Point], size: int) -> list[str]:
    return [chr(ord("a") + point % size) + chr(ord("a") + point // size) for point in points]


_CHARSET: Final = re.compile(rb"\bCA\s*\[\s*([\w.:-]{1,30})\s*\]")
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
"""Byte order marks, which decide the encoding whatever the file names."""
_NOT_FOR_FILES: Final = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
"""Python codecs that are not encodings of text files."""
_NAME: Final = re.compile(r"[A-Za-z]{1,64}")
_SPACE: Final = re.compile(r"\s*")
# It never takes back what it has read, or each character of a long comment would cost a hundred bytes.
_VALUE: Final = re.compile(r"\[((?:[^\]\\]++|\\.)*+)\]", re.S)
_DEEPEST: Final = 10_000


@dataclass(slots=True, eq=False)
class SgfNode:
    """A node: its properties as in the file, and the nodes that may follow, the main line first."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    """Values are raw: brackets and backslashes are still escaped. `text` and `set_text` convert them."""
    children: list[SgfNode] = field(default_factory=list)

    def raw(self, name: str) -> str | None:
        """The first value of a property, as in the file."""
        values = self.properties.get(name)
        return values[0] if values else None

    def text(self, name: str) -> str | None:
        """The first value of a property as text, or None."""
        raw = self.raw(name)
        return None if raw is None else unescaped(raw)

    def line_of(self, name: str) -> str:
        """The first value of a property as one line of text; empty if there is none."""
        return re.sub(r"\s+", " ", self.text(name) or "").strip()

    def set_text(self, name: str, text: str) -> None:
        """Replace the values of a property by one text."""
        self.properties[name] = [escaped(text)]

    def main_line(self) -> Iterator[SgfNode]:
        """This node and its followers, without variations."""
        node = self
        while True:
            yield node
            if not node.children:
                return
            node = node.children[0]

    def nodes(self) -> Iterator[SgfNode]:
        """This node and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


def unescaped(raw: str) -> str:
    """The text of a raw value: a backslash at a line's end joins lines, elsewhere it escapes the next character."""
    return re.sub(r"\\(\r\n|\n\r|[\r\n]|.)", lambda match: "" if match[1][0] in "\r\n" else match[1], raw, flags=re.S)


def escaped(text: str) -> str:
    return re.sub(r"([\\\]])", r"\\\1", text)


def properties_text(properties: dict[str, list[str]]) -> str:
    return "".join(name + "".join(f"[{value}]" for value in values) for name, values in properties.items())


def is_sgf(data: bytes | str) -> bool:
    """Whether the content of a file begins as SGF does, after any byte order mark and white space."""
    if isinstance(data, str):
        return data.lstrip("\ufeff \t\r\n").startswith("(")
    for mark, _ in _MARKS:
        data = data.removeprefix(mark)
    return data.lstrip(b"\0 \t\r\n").startswith(b"(")


def decoded(data: bytes, *, source: str = "sgf") -> str:
    """The text of a file in the encoding it names, else in UTF-8, else in Latin-1. Raises FormatError."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _in(encoding, data, source)
    if match := _CHARSET.search(data[:4096]):
        return _in(match[1].decode(), data, source)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _in(encoding: str, data: bytes, source: str) -> str:
    try:
        if codecs.lookup(encoding).name in _NOT_FOR_FILES:
            raise LookupError
        return data.decode(encoding)
    except LookupError:
        raise FormatError(f"{source}: unknown encoding {encoding!r}") from None
    except UnicodeError as error:
        raise FormatError(f"{source}: not in the encoding it names, {encoding}: {error}") from error


def parse_collection(text: str, *, source: str = "sgf") -> list[SgfNode]:
    """The first node of every game in a file, at least one. Raises FormatError with line and column.

    Text before the first `(;` and between games is skipped: games were once sent by mail, with headers.
    """
    reader = _Reader(text, source)
    games = []
    while reader.find_game():
        games.append(reader.game())
    if not games:
        raise FormatError(f"{source}: no game found: expected SGF, which begins with '(;'")
    return games


def write_collection(games: list[SgfNode]) -> str:
    """The text of a file, with one line per node."""
    return "".join(_written(game) for game in games)


def _written(root: SgfNode) -> str:
    parts: list[str] = []
    # Still to write: a node that opens a variation or continues one, or None for the end of a variation.
    waiting: list[tuple[SgfNode, bool] | None] = [(root, True)]
    while waiting:
        item = waiting.pop()
        if item is None:
            parts.append(")\n")
            continue
        node, opens = item
        if opens:
            waiting.append(None)
        parts.append(f"{'(' if opens else ''};{properties_text(node.properties)}\n")
        branches = len(node.children) > 1
        waiting.extend((child, branches) for child in reversed(node.children))
    return "".join(parts)


class _Reader:
    """Reads a text in one pass, without recursion: untrusted files may nest variations deeply."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._at = 0
        self._line, self._line_start = 1, 0
        self._counted = 0

    def find_game(self) -> bool:
        """Go to the next `(;`; False if there is none."""
        match = re.compile(r"\(\s*;").search(self._text, self._at)
        if match is None:
            return False
        self._at = match.start()
        return True

    def game(self) -> SgfNode:
        first_line, _ = self._place(self._at)
        root: SgfNode | None = None
        last: SgfNode | None = None
        open_variations: list[SgfNode | None] = []
        while True:
            self._skip()
            char = self._text[self._at : self._at + 1]
            if char == "(":
                open_variations.append(last)
                if len(open_variations) > _DEEPEST:
                    raise self._error(f"variations are nested more than {_DEEPEST} deep")
                self._at += 1
                self._skip()
                if self._text[self._at : self._at + 1] != ";":
                    raise self._error("expected ';' after '('")
            elif char == ";":
                node = self._node()
                if last is not None:
                    last.children.append(node)
                root, last = root or node, node
            elif char == ")":
                self._at += 1
                last = open_variations.pop()
                if not open_variations:
                    assert root is not None
                    return root
            elif not char:
                raise self._error(f"the game that begins on line {first_line} does not end: expected ')'")
            else:
                raise self._error(f"expected ';', '(' or ')', got {char!r}")

    def _node(self) -> SgfNode:
        self._at += 1
        node = SgfNode()
        while True:
            self._skip()
            match = _NAME.match(self._text, self._at)
            if match is None:
                return node
            # Older files write names in full, such as Black: only the capitals count.
            name = re.sub("[a-z]", "", match[0]) or match[0].upper()
            self._at = match.end()
            node.properties.setdefault(name, []).extend(self._values(name))

    def _values(self, name: str) -> list[str]:
        values = []
        while True:
            self._skip()
            match = _VALUE.match(self._text, self._at)
            if match is None:
                break
            values.append(match[1])
            self._at = match.end()
        if self._text[self._at : self._at + 1] == "[":
            raise self._error(f"a value of {name} does not end: expected ']'")
        if not values:
            raise self._error(f"expected '[' and a value after {name}")
        return values

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _place(self, at: int) -> tuple[int, int]:
        """Line and column, from 1. Must be called with rising places, so that each line is counted once."""
        newlines = self._text.count("\n", self._counted, at)
        if newlines:
            self._line += newlines
            self._line_start = self._text.rfind("\n", 0, at) + 1
        self._counted = at
        return self._line, at - self._line_start + 1

    def _error(self, message: str) -> FormatError:
        line, column = self._place(self._at)
        return FormatError(f"{self._source}: line {line}, column {column}: {message}")


RULES_NAME: Final = "Little-Go"
_TIME_VERDICTS: Final = (Verdict.CPU_TIME, Verdict.WALL_TIME)
_SETUP: Final = ("AB", "AW", "AE")
_PASS: Final = "tt"
"""A pass on boards up to 19x19, in the form that the oldest programs read as well."""


def write_sgf(record: GameRecord) -> str:
    """The SGF text of a game. A ko or a pass just before a game that starts in the middle is lost.

    >>> lg.write_sgf(lg.play_game("greedy", "random", seed=1))[:20]
    '(;FF[4]GM[1]CA[UTF-8'
    """
    start = record.start
    nodes = [_root_text(record)]
    colour = start.to_move
    for number, move in enumerate(record.moves, start=start.moves_played + 1):
        at = _PASS if isinstance(move, Pass) else points_value([move], start.size)[0]
        numbered = f"MN[{number}]" if number == start.moves_played + 1 > 1 else ""
        nodes.append(f";{numbered}{colour_letter(colour)}[{at}]")
        colour = colour.opponent
    if record.outcome:
        nodes[-1] += f"C[{escaped(_verdict_comment(record.outcome))}]"
    return f"({''.join(nodes)})\n"


def _root_text(record: GameRecord) -> str:
    start = record.start
    properties = {
        "FF": ["4"],
        "GM": ["1"],
        "CA": ["UTF-8"],
        "SZ": [str(start.size)],
        "AP": [f"littlego:{escaped(__version__)}"],
        "PB": [escaped(record.black)],
        "PW": [escaped(record.white)],
        "KM": [f"{start.rules.komi:g}"],
        "RU": [escaped(_rules_text(start.rules))],
    }
    if record.outcome:
        properties["RE"] = [_result_text(record.outcome)]
    if start != Position.initial(start.rules):
        for name, colour in (("AB", BLACK), ("AW", WHITE)):
            if stones := points_of(start.board.stones(colour)):
                properties[name] = points_value(list(stones), start.size)
        properties["PL"] = [colour_letter(start.to_move)]
    return ";" + properties_text(properties)


def parse_sgf(data: bytes | str, *, source: str = "sgf") -> GameRecord:
    """The main line of the first game in an SGF file, of any size from 2 to 19.

    Bytes are read in the encoding that they name. Raises FormatError, including for an illegal move, which the message
    names. Games by other rules are read with simple ko and passing; longer ones raise the move limit.

    >>> lg.parse_sgf("(;SZ[5];B[cc];W[bb])")
    <GameRecord Black - White, 2 moves (2,2 1,1), not finished>
    """
    return record_of(_collection(data, source)[0], source=source)


def parse_sgf_games(data: bytes | str, *, source: str = "sgf") -> list[GameRecord]:
    """The main line of every game in an SGF file. Raises FormatError."""
    roots = _collection(data, source)
    if len(roots) == 1:
        return [record_of(roots[0], source=source)]
    return [record_of(root, source=f"{source}: game {k}") for k, root in enumerate(roots, start=1)]


def _collection(data: bytes | str, source: str) -> list[SgfNode]:
    text = decoded(data, source=source) if isinstance(data, bytes) else data
    try:
        return parse_collection(text, source=source)
    except FormatError as error:
        message = str(error).removeprefix(f"{source}: ")
        raise FormatError(f"{source}: not an SGF game that can be read: {message}") from error


def record_of(root: SgfNode, *, source: str = "sgf") -> GameRecord:
    """The main line of a parsed game. Raises FormatError, as `parse_sgf` does."""
    line = list(root.main_line())
    try:
        size = size_of(root)
        moves = _moves(line, size, source)
        rules = rules_of(root.line_of("RU"), size, _komi(root), len(moves))
        board = _board(root, size)
        number = _first_move_number(line)
    except FormatError:
        raise
    except (ValueError, UsageError) as error:
        raise FormatError(f"{source}: not an SGF game that can be read: {error}") from error
    position = start = _start(rules, board, _first_to_move(root, moves), number, source)
    for number, (colour, move) in enumerate(moves, start=1):
        if colour is not position.to_move:
            raise FormatError(f"{source}: move {number}: expected {position.to_move} to move, got {colour}")
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise FormatError(f"{source}: move {number}: {colour} {error}") from error
    black, white = (root.line_of(name) or str(colour) for name, colour in (("PB", BLACK), ("PW", WHITE)))
    outcome = _outcome(root, line[-1], position)
    return GameRecord(black, white, start, tuple(move for _, move in moves), outcome=outcome)


def _rules_text(rules: Rules) -> str:
    if rules.edition in EDITIONS:
        return f"{RULES_NAME} {rules.edition}"
    return (
        f"{RULES_NAME} {rules.edition} moves={rules.max_moves} ko={rules.ko.value} "
        f"ending={rules.ending.value} attempts={rules.attempts}"
    )


def rules_of(text: str, size: int, komi: float | None, length: int) -> Rules:
    """The rules that `RU` and `KM` give, for a game of `length` moves. Raises UsageError, ValueError."""
    words = dict(re.findall(r"(\w+)=(\w+)", text))
    match = re.match(rf"{RULES_NAME} (\w+)", text)
    edition = match[1] if match and match[1] in EDITIONS else None
    rules = edition_rules(edition or "2025", size)
    if words:
        return Rules(
            size,
            komi or 0.0,
            int(words.get("moves", rules.max_moves)),
            Ko(words.get("ko", rules.ko.value)),
            Ending(words.get("ending", rules.ending.value)),
            int(words.get("attempts", 1)),
        )
    if edition:
        return rules.but(komi=komi)
    # Rules from elsewhere: komi is rounded to halves, and no game is too long to read.
    return rules.but(komi=round((komi or 0.0) * 2) / 2, max_moves=max(rules.max_moves, length))


def size_of(root: SgfNode) -> int:
    """The size of a game's board; 19 if it names none. Raises UsageError."""
    text = (root.raw("SZ") or str(MAX_SIZE)).strip()
    match = re.fullmatch(r"([0-9]{1,2})(?::([0-9]{1,2}))?", text)
    if match is None or (match[2] or match[1]) != match[1] or not MIN_SIZE <= int(match[1]) <= MAX_SIZE:
        raise UsageError(f"SZ[{text:.20}]: expected {MIN_SIZE} to {MAX_SIZE}")
    return int(match[1])


def _komi(root: SgfNode) -> float | None:
    if "KM" not in root.properties or not (text := root.line_of("KM")):
        return None
    try:
        if abs(komi := float(text)) < 10_000:
            return komi
    except ValueError:
        pass
    raise UsageError(f"KM[{text:.20}]: expected a number")


def _moves(line: list[SgfNode], size: int, source: str) -> list[tuple[Colour, Move]]:
    moves: list[tuple[Colour, Move]] = []
    for k, node in enumerate(line):
        names = [name for name in COLOURS if name in node.properties]
        moves.extend((COLOURS[name], parse_at((node.raw(name) or "").strip(), size)) for name in names)
        if not names and k and any(name in node.properties for name in _SETUP):
            raise FormatError(f"{source}: stones are set up after move {len(moves)}: only moves can be replayed")
    return moves


def _board(root: SgfNode, size: int) -> Board:
    def stones(name: str) -> Mask:
        values = (value.strip() for value in root.properties.get(name, ()))
        return reduce(or_, (parse_mask(value, size) for value in values if value), 0)

    return Board(size, stones("AB"), stones("AW"))


def _first_to_move(root: SgfNode, moves: list[tuple[Colour, Move]]) -> Colour:
    if moves:
        return moves[0][0]
    return COLOURS.get(root.line_of("PL")[:1].upper(), BLACK)


def _first_move_number(line: list[SgfNode]) -> int | None:
    text = line[min(1, len(line) - 1)].line_of("MN")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise UsageError(f"MN[{text:.20}]: expected the number of a move")
    return int(text)


def _start(rules: Rules, board: Board, to_move: Colour, number: int | None, source: str) -> Position:
    try:
        board.checked()
    except UsageError as error:
        raise FormatError(f"{source}: the stones set up at the start: {error}") from error
    moves_played = fewest_moves(board, to_move) if number is None else max(0, number - 1)
    return Position(rules, board, to_move, moves_played=moves_played)


def _result_text(outcome: Outcome) -> str:
    if outcome.verdict is Verdict.VOID:
        return "Void"
    if outcome.winner is None:
        return "0"
    letter = colour_letter(outcome.winner)
    if outcome.verdict is Verdict.SCORE:
        return f"{letter}+{abs(outcome.score.black - outcome.score.white):g}"
    if outcome.verdict is Verdict.RESIGNED:
        return f"{letter}+R"
    return f"{letter}+{'T' if outcome.verdict in _TIME_VERDICTS else 'F'}"


def _verdict_comment(outcome: Outcome) -> str:
    reason = f"\nReason: {outcome.reason}" if outcome.reason else ""
    return f"{outcome}\nVerdict: {outcome.verdict.value}{reason}"


def _outcome(root: SgfNode, last: SgfNode, final: Position) -> Outcome | None:
    """The outcome that the file gives or the board shows; None for an unfinished game."""
    result = root.line_of("RE")
    match = re.match(r"([BW])\+([RTF]?)|(0|Draw)$|(Void)$", result)
    if match is None:
        return final.outcome()
    winner = COLOURS.get(match[1])
    verdict = {"R": Verdict.RESIGNED, "T": Verdict.WALL_TIME, "F": Verdict.FORFEIT}.get(match[2] or "", Verdict.SCORE)
    if match[4]:
        verdict = Verdict.VOID
    comment = last.text("C") or ""
    if (ours := re.search(r"^Verdict: (\w+)$", comment, re.M)) and ours[1] in {v.value for v in Verdict}:
        verdict = Verdict(ours[1])
    score, reason = final.score(), ""
    if given := re.search(r"^Reason: (.*)$", comment, re.M):
        reason = given[1]
    elif verdict is Verdict.SCORE and score.winner is not winner:
        reason = f"recorded as {result}"
    return Outcome(winner, verdict, score, reason)
