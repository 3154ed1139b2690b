"""What is wrong in an SGF file, and where: every game and every variation replayed by the rules it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from littlego.core.board import Board
from littlego.core.colour import BLACK, WHITE, Colour
from littlego.core.errors import UsageError
from littlego.core.points import MAX_SIZE, MIN_SIZE, Mask
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.core.vertex import vertex_name
from littlego.formats.sgf.games import RULES_NAME, rules_of, size_of
from littlego.formats.sgf.points import COLOURS, parse_at, parse_mask
from littlego.formats.sgf.tree import SgfNode

_SETUP: Final = {"AB": BLACK, "AW": WHITE, "AE": None}
_MARKS: Final = ("CR", "MA", "SL", "SQ", "TR", "TB", "TW")
_ROOT_ONLY: Final = ("AP", "CA", "FF", "GM", "ST", "SZ")
_RESULT: Final = re.compile(r"[BW]\+(R|Resign|T|Time|F|Forfeit|[0-9]+(\.[0-9]+)?)?|0|Draw|Void|\?")
_KOMI: Final = re.compile(r"[+-]?[0-9]{1,4}(\.[0-9]{1,4})?")


@dataclass(frozen=True, slots=True)
class SgfProblem:
    """Something wrong in the node that begins at this line and column."""

    game: int
    """Counted from 1."""
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: game {self.game}: {self.message}"


def check_collection(games: list[SgfNode]) -> list[SgfProblem]:
    """Every problem of every game, in the order of the file.

    A variation is not followed beyond a move that cannot be made: further problems would only be its consequences.
    """
    return [
        SgfProblem(number, node.line, node.column, message)
        for number, root in enumerate(games, start=1)
        for node, message in _game_problems(root)
    ]


def _game_problems(root: SgfNode) -> Iterator[tuple[SgfNode, str]]:
    for message in _root_problems(root):
        yield root, message
    rules = _rules(root)
    if rules is None:
        return
    *_, end_of_main_line = root.main_line()
    # Every variation from where it branches off, the main line first.
    waiting: list[tuple[SgfNode, Position]] = [(root, Position.initial(rules))]
    while waiting:
        node, position = waiting.pop()
        after, problems = _after(node, position)
        for message in (*_node_problems(node, rules.size, is_root=node is root), *problems):
            yield node, message
        if after is None:
            continue
        waiting.extend((child, after) for child in reversed(node.children))
        if node is end_of_main_line and (problem := _result_problem(root, after)):
            yield root, problem


def _root_problems(root: SgfNode) -> Iterator[str]:
    if (game := root.raw("GM")) is not None and game.strip() != "1":
        yield f"GM[{game}]: expected 1, which is Go"
    if (form := root.raw("FF")) is not None and form.strip() not in ("1", "2", "3", "4"):
        yield f"FF[{form}]: expected 4"
    if (size := _size(root)) is None:
        yield f"SZ[{root.raw('SZ')}]: expected a size from {MIN_SIZE} to {MAX_SIZE}"
    if (komi := root.raw("KM")) is not None and _KOMI.fullmatch(komi.strip()) is None:
        yield f"KM[{komi:.40}]: expected a number"
    if (result := root.text("RE")) is not None and result.strip() and _RESULT.fullmatch(result.strip()) is None:
        yield f"RE[{result:.40}]: expected B+R, W+2.5, 0, Void or the like"
    if size is not None and _rules(root) is None:
        yield f"RU[{root.text('RU') or '':.60}]: impossible rules"


def _size(root: SgfNode) -> int | None:
    try:
        return size_of(root)
    except UsageError:
        return None


def _rules(root: SgfNode) -> Rules | None:
    size = _size(root)
    if size is None:
        return None
    text = (root.raw("KM") or "").strip()
    komi = float(text) if _KOMI.fullmatch(text) else None
    try:
        return rules_of(root.text("RU") or "", size, komi, max(_longest_variation(root), 1))
    except (UsageError, ValueError):
        return None


def _longest_variation(root: SgfNode) -> int:
    deepest = 0
    waiting = [(root, 0)]
    while waiting:
        node, moves = waiting.pop()
        moves += any(name in node.properties for name in COLOURS)
        deepest = max(deepest, moves)
        waiting.extend((child, moves) for child in node.children)
    return deepest


def _node_problems(node: SgfNode, size: int, *, is_root: bool) -> Iterator[str]:
    for name in node.repeated:
        yield f"{name} appears twice in one node"
    if not is_root and (misplaced := [name for name in _ROOT_ONLY if name in node.properties]):
        yield f"{', '.join(misplaced)}: belongs in the first node of a game"
    if any(name in node.properties for name in COLOURS) and any(name in node.properties for name in _SETUP):
        yield "a move and set-up stones in one node"
    if (turn := node.raw("PL")) is not None and turn.strip()[:1].upper() not in ("B", "W"):
        yield f"PL[{turn:.20}]: expected B or W"
    for name in _MARKS:
        for value in node.properties.get(name, ()):
            if not (name in ("TB", "TW") and value == "") and (why := _mask(value, size)[1]):
                yield f"{name}: {why}"
    for value in node.properties.get("LB", ()):
        if why := _mask(value.partition(":")[0], size)[1]:
            yield f"LB: {why}"


def _mask(raw: str, size: int) -> tuple[Mask, str]:
    """The points of a value, and what is wrong with it."""
    try:
        return parse_mask(raw, size), ""
    except UsageError as error:
        return 0, str(error)


def _after(node: SgfNode, position: Position) -> tuple[Position | None, list[str]]:
    """The position after a node, or None if it cannot be worked out; and what is wrong."""
    if any(name in node.properties for name in _SETUP):
        position, problems = _set_up(node, position)
        if problems:
            return None, problems
    if (turn := node.raw("PL")) and turn.strip()[:1].upper() in COLOURS:
        position = position._replace(to_move=COLOURS[turn.strip()[:1].upper()], ko=None)
    colours = [name for name in COLOURS if name in node.properties]
    if len(colours) == 2:
        return None, ["a move of Black and one of White in one node"]
    if not colours:
        return position, []
    return _moved(position, COLOURS[colours[0]], node.raw(colours[0]) or "")


def _moved(position: Position, colour: Colour, raw: str) -> tuple[Position | None, list[str]]:
    name = f"{colour} {raw or 'passes'}"
    try:
        move = parse_at(raw, position.size)
    except UsageError as error:
        return None, [f"{colour}: {error}"]
    if isinstance(move, int):
        name = f"{colour} {vertex_name(move, position.size)}"
    problems = []
    if position.outcome() is not None and position.rules.edition != "custom":
        problems.append(f"{name}: the game is over")
    if position.to_move is not colour and (position.moves_played or position.board.white):
        problems.append(f"{name}: expected {position.to_move} to move")
    if position.to_move is not colour:
        position = position._replace(to_move=colour, ko=None)
    if why := position.why_illegal(move):
        return None, [*problems, f"{name}: {why.value}"]
    return position.play_legal(move), problems


def _set_up(node: SgfNode, position: Position) -> tuple[Position, list[str]]:
    board, seen = position.board, 0
    for name, colour in _SETUP.items():
        for value in node.properties.get(name, ()):
            mask, why = _mask(value, position.size)
            if why:
                return position, [f"{name}: {why}"]
            if mask & seen:
                return position, [f"{name}[{value}]: set up twice in one node"]
            seen |= mask
            black, white = board.black & ~mask, board.white & ~mask
            board = Board(board.size, black | mask * (colour is BLACK), white | mask * (colour is WHITE))
    try:
        board.checked()
    except UsageError as error:
        return position, [f"the set-up stones: {error}"]
    to_move = position.to_move
    if not position.moves_played and position.board == Board(board.size) and board.black and not board.white:
        to_move = WHITE  # a handicap
    return position._replace(board=board, ko=None, passes=0, to_move=to_move), []


def _result_problem(root: SgfNode, final: Position) -> str:
    """What is wrong with the recorded result of a game by our rules; other rules count otherwise."""
    result = (root.text("RE") or "").strip()
    match = re.fullmatch(r"([BW])\+([0-9.]+)", result)
    outcome = final.outcome()
    if match is None or outcome is None or not (root.text("RU") or "").startswith(RULES_NAME):
        return ""
    margin = abs(outcome.score.black - outcome.score.white)
    if outcome.winner is COLOURS[match[1]] and match[2] == f"{margin:g}":
        return ""
    return f"RE[{result}]: the stones on the board say {outcome}"
