"""Games as SGF, through sgfmill, in a form that other Go programs open.

What SGF has no property for stands where people read it too: the rules in `RU`, the verdict in
the last node's comment. A game from elsewhere is read by its own size, komi and result.
"""

from __future__ import annotations

import re
from typing import Any, Final

from sgfmill import sgf

from littlego import __version__
from littlego.core.board import Board
from littlego.core.colour import Colour
from littlego.core.errors import FormatError, IllegalMove, UsageError
from littlego.core.game import GameRecord
from littlego.core.points import PASS, Move, Pass, Point, points_of
from littlego.core.position import Position
from littlego.core.rules import EDITIONS, Ending, Ko, Rules, edition_rules
from littlego.core.verdict import Outcome, Verdict
from littlego.formats.course import fewest_moves

_RULES_NAME: Final = "Little-Go"
_TIME_VERDICTS: Final = (Verdict.CPU_TIME, Verdict.WALL_TIME, Verdict.BATCH_BUDGET)


def write_sgf(record: GameRecord) -> str:
    """The SGF text of a game. A ko or a pass just before a game that starts in the middle is lost."""
    start = record.start
    game = sgf.Sgf_game(size=start.size)
    root = game.get_root()
    root.set("AP", ("littlego", __version__))
    root.set("PB", record.black)
    root.set("PW", record.white)
    root.set("KM", start.rules.komi)
    root.set("RU", _rules_text(start.rules))
    if record.outcome:
        root.set("RE", _result_text(record.outcome))
    if start != Position.initial(start.rules):
        for name, colour in (("AB", Colour.BLACK), ("AW", Colour.WHITE)):
            if stones := points_of(start.board.stones(colour)):
                root.set(name, set(map(_to_sgf(start.size), stones)))
        root.set("PL", _letter(start.to_move))
    colour = start.to_move
    for number, move in enumerate(record.moves, start=start.moves_played + 1):
        node = game.extend_main_sequence()
        if number == start.moves_played + 1 > 1:
            node.set("MN", number)
        node.set_move(_letter(colour), None if isinstance(move, Pass) else _to_sgf(start.size)(move))
        colour = colour.opponent
    if record.outcome:
        game.get_last_node().add_comment_text(_verdict_comment(record.outcome))
    text: str = game.serialise().decode()
    return text


def parse_sgf(data: bytes | str, *, source: str = "sgf") -> GameRecord:
    """The main line of the first game in an SGF file, of any size from 2 to 19.

    Raises FormatError, also for a move that the rules forbid; the message names the move. Games
    by other rules are read with simple ko and passing; longer ones stretch the move limit.
    """
    try:
        game = sgf.Sgf_game.from_bytes(data.encode() if isinstance(data, str) else data)
        root = game.get_root()
        moves = _main_line(game, source)
        komi = game.get_komi() if root.has_property("KM") else None
        rules = rules_of(root.get("RU") if root.has_property("RU") else "", game.get_size(), komi, len(moves))
        setup = root.get_setup_stones()
        black, white = (game.get_player_name(letter) or str(colour) for letter, colour in _COLOURS.items())
        number = _first_move_number(game)
    except FormatError:
        raise
    except (ValueError, UsageError) as error:
        raise FormatError(f"{source}: not an SGF game that can be read: {error}") from error
    start = _start(rules, setup, _first_to_move(root, moves), number, source)
    position = start
    for number, (colour, move) in enumerate(moves, start=1):
        if colour is not position.to_move:
            raise FormatError(f"{source}: move {number}: expected {position.to_move} to move, got {colour}")
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise FormatError(f"{source}: move {number}: {colour} {error}") from error
    outcome = _outcome(game, position)
    return GameRecord(black, white, start, tuple(move for _, move in moves), outcome=outcome)


_COLOURS: Final = {"b": Colour.BLACK, "w": Colour.WHITE}


def _letter(colour: Colour) -> str:
    return "b" if colour is Colour.BLACK else "w"


def _to_sgf(size: int) -> Any:
    """Our points to sgfmill's (row, column), whose rows are counted from the bottom."""
    return lambda point: (size - 1 - point // size, point % size)


def _from_sgf(at: tuple[int, int], size: int) -> Point:
    return (size - 1 - at[0]) * size + at[1]


def _rules_text(rules: Rules) -> str:
    if rules.edition in EDITIONS:
        return f"{_RULES_NAME} {rules.edition}"
    return (
        f"{_RULES_NAME} {rules.edition} moves={rules.max_moves} ko={rules.ko.value} "
        f"ending={rules.ending.value} attempts={rules.attempts}"
    )


def rules_of(text: str, size: int, komi: float | None, length: int) -> Rules:
    """The rules that `RU` and `KM` tell of, for a game of `length` moves. Raises UsageError, ValueError."""
    words = dict(re.findall(r"(\w+)=(\w+)", text))
    match = re.match(rf"{_RULES_NAME} (\w+)", text)
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
    # Rules from elsewhere: komi in halves, and no game is too long to be read.
    return rules.but(komi=round((komi or 0.0) * 2) / 2, max_moves=max(rules.max_moves, length))


def _main_line(game: Any, source: str) -> list[tuple[Colour, Move]]:
    moves: list[tuple[Colour, Move]] = []
    for node in game.get_main_sequence():
        letter, at = node.get_move()
        if letter is not None:
            moves.append((_COLOURS[letter], PASS if at is None else _from_sgf(at, game.get_size())))
        elif node.has_setup_stones() and node is not game.get_root():
            raise FormatError(f"{source}: stones are set up after move {len(moves)}: only moves can be replayed")
    return moves


def _first_to_move(root: Any, moves: list[tuple[Colour, Move]]) -> Colour:
    if moves:
        return moves[0][0]
    if root.has_property("PL"):
        return _COLOURS[root.get("PL")]
    return Colour.BLACK


def _first_move_number(game: Any) -> int | None:
    sequence = game.get_main_sequence()
    node = sequence[1] if len(sequence) > 1 else sequence[0]
    return node.get("MN") if node.has_property("MN") else None


def _start(rules: Rules, setup: tuple[Any, Any, Any], to_move: Colour, number: int | None, source: str) -> Position:
    masks = [sum(1 << _from_sgf(at, rules.size) for at in stones) for stones in setup[:2]]
    try:
        board = Board(rules.size, *masks).checked()
    except UsageError as error:
        raise FormatError(f"{source}: the stones set up at the start: {error}") from error
    moves_played = fewest_moves(board, to_move) if number is None else max(0, number - 1)
    return Position(rules, board, to_move, moves_played=moves_played)


def _result_text(outcome: Outcome) -> str:
    if outcome.verdict is Verdict.VOID:
        return "Void"
    if outcome.winner is None:
        return "0"
    letter = _letter(outcome.winner).upper()
    if outcome.verdict is Verdict.SCORE:
        return f"{letter}+{abs(outcome.score.black - outcome.score.white):g}"
    if outcome.verdict is Verdict.RESIGNED:
        return f"{letter}+R"
    return f"{letter}+{'T' if outcome.verdict in _TIME_VERDICTS else 'F'}"


def _verdict_comment(outcome: Outcome) -> str:
    reason = f"\nReason: {outcome.reason}" if outcome.reason else ""
    return f"{outcome}\nVerdict: {outcome.verdict.value}{reason}"


def _outcome(game: Any, final: Position) -> Outcome | None:
    """The outcome that the file gives, or that the board shows; None for a game not finished."""
    result = game.get_root().get("RE") if game.get_root().has_property("RE") else ""
    match = re.match(r"([BW])\+([RTF]?)|(0|Draw)$|(Void)$", result)
    if match is None:
        return final.outcome()
    winner = Colour.BLACK if match[1] == "B" else Colour.WHITE if match[1] == "W" else None
    verdict = {"R": Verdict.RESIGNED, "T": Verdict.WALL_TIME, "F": Verdict.FORFEIT}.get(match[2] or "", Verdict.SCORE)
    if match[4]:
        verdict = Verdict.VOID
    comment = _last_comment(game)
    if (ours := re.search(r"^Verdict: (\w+)$", comment, re.M)) and ours[1] in {v.value for v in Verdict}:
        verdict = Verdict(ours[1])
    if reason := re.search(r"^Reason: (.*)$", comment, re.M):
        return Outcome(winner, verdict, final.score(), reason[1])
    by_our_count = final.score()
    told = f"recorded as {result}" if verdict is Verdict.SCORE and by_our_count.winner is not winner else ""
    return Outcome(winner, verdict, by_our_count, told)


def _last_comment(game: Any) -> str:
    node = game.get_last_node()
    return node.get("C") if node.has_property("C") else ""
