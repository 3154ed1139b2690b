"""Games as SGF, in a form that other Go programs open.

What SGF has no property for goes where people read it too: the rules into `RU`, the verdict into
the last node's comment. A game from elsewhere is read with its own size, komi and result.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import or_
from typing import Final

from littlego import __version__
from littlego.core.board import Board
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import MAX_SIZE, MIN_SIZE, Mask, Move, Pass, points_of
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, Ending, Ko, Rules, edition_rules
from littlego.core.verdict import Outcome, Verdict
from littlego.formats.course import fewest_moves
from littlego.formats.sgf.points import COLOURS, colour_letter, parse_at, parse_mask, points_value
from littlego.formats.sgf.tree import SgfNode, decoded, escaped, parse_collection, properties_text

RULES_NAME: Final = "Little-Go"
_TIME_VERDICTS: Final = (Verdict.CPU_TIME, Verdict.WALL_TIME, Verdict.BATCH_BUDGET)
_SETUP: Final = ("AB", "AW", "AE")
_PASS: Final = "tt"
"""A pass on boards up to 19x19, in the form that the oldest programs read as well."""
_LINE: Final = 79


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
    return f"({_wrapped(nodes)})\n"


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


def _wrapped(nodes: list[str]) -> str:
    lines = [""]
    for node in nodes:
        if lines[-1] and len(lines[-1]) + len(node) > _LINE:
            lines.append("")
        lines[-1] += node
    return "\n".join(lines)


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
