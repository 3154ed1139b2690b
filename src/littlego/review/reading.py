"""Games to review, from SGF, JSON, a capsule or a folder of results; positions to solve, from files of four kinds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from littlego.core.board import Colour
from littlego.core.errors import FormatError, UsageError
from littlego.core.game import GameRecord
from littlego.core.position import Position, shortest_game_to
from littlego.formats.sgf import SgfNode, decoded, is_sgf, parse_collection, parse_sgf, parse_sgf_games
from littlego.formats.text import parse_drawn
from littlego.storage.files import read_bytes

_EXPECTED: Final = "an SGF file, a JSON record, a capsule, or the folder of a match"


def read_games(path: Path | str) -> list[GameRecord]:
    """Every game in a file or a folder, in order, at least one. Raises UsageError.

    A file may contain SGF games, a JSON record, a capsule, or the output of `play --json` or `match --json`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "game.sgf"
    ...     _ = path.write_text(lg.write_sgf(lg.play_game("greedy", "random", seed=1)), encoding="utf-8")
    ...     lg.read_games(path)
    [<GameRecord greedy - random, 24 moves (0,3 0,4 1,4 ... 0,4 3,3), Black wins by 4.5 (12-7.5)>]
    """
    return list(read_numbered_games(path).values())


def stores_in(path: Path) -> list[Path]:
    """The store of results that a path names, or those in a folder; each numbers its own games."""
    if path.suffix == ".sqlite":
        return [path]
    if not path.is_dir():
        return []
    from littlego.arena.store import RESULTS

    return sorted(path.rglob(RESULTS))


def read_numbered_games(path: Path | str) -> dict[int, GameRecord]:
    """As `read_games`, each game with its number: the one that a match or a grading gave it, else its place.

    Several stores in one folder have no common numbers, so that places count there. Raises UsageError.
    """
    path = Path(path)
    stores = stores_in(path)
    if stores or path.is_dir():
        from littlego.arena.store import read_stored_games

        found = [read_stored_games(store) for store in stores]
        games = found[0] if len(found) == 1 else dict(enumerate((g for one in found for g in one.values()), start=1))
    elif not path.exists():
        raise UsageError(f"{path}: there is no such file or folder: expected {_EXPECTED}")
    else:
        games = dict(enumerate(parse_games(read_bytes(path), source=str(path)), start=1))
    if not games:
        finished = "finished " if stores or path.is_dir() else ""
        raise UsageError(f"{path}: no {finished}game: expected {_EXPECTED}")
    return games


def read_tree(path: Path, number: int) -> SgfNode | None:
    """The game of this number with all its variations and comments, if the file is SGF. Raises UsageError."""
    if stores_in(path) or not is_sgf(data := read_bytes(path)):
        return None
    return parse_collection(decoded(data, source=str(path)), source=str(path))[number - 1]


def parse_games(data: bytes | str, *, source: str) -> list[GameRecord]:
    """Every game in a text of SGF, in any encoding, or JSON. Raises FormatError."""
    if is_sgf(data):
        return parse_sgf_games(data, source=source)
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{source}: neither SGF nor JSON ({error}): expected {_EXPECTED}") from error
    return _games_of_json(fields, source)


def _games_of_json(data: object, source: str) -> list[GameRecord]:
    from littlego.formats.records import record_from_dict

    if not isinstance(data, dict):
        data = {}
    if data.get("kind") == "littlego capsule":
        return [record_from_dict(data.get("record"), source=f"{source}: record")]
    for key in ("results", "records"):
        listed = data.get(key)
        if isinstance(listed, list):
            items = (item.get("record", item) if isinstance(item, dict) else item for item in listed)
            return [record_from_dict(item, source=f"{source}: {key}[{k}]") for k, item in enumerate(items)]
    if "moves" not in data:
        raise FormatError(f"{source}: expected {_EXPECTED}, got JSON of another kind")
    return [record_from_dict(data, source=source)]


_TURN: Final = re.compile(r"\b(Black|White) \([XO]\) to move")
_LEFT: Final = re.compile(r"\b(\d+) moves? left|\bmove (\d+) of (\d+)", re.IGNORECASE)
"""What we print beside a board."""


def read_position(
    path: Path,
    *,
    after: int | None = None,
    moves: int | None = None,
    komi: float | None = None,
    to_move: str | None = None,
) -> Position:
    """The position in a file: an `input.txt`, a diagram, or a game's last one, or the one `after` N moves.

    What we print with a diagram, `Black (X) to move, 8 moves left`, counts.
    `moves` are those left, `komi` and `to_move` replace the position's own. Raises UsageError.
    """
    try:
        data = read_bytes(path)
        text = "" if is_sgf(data) else data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected a text file with a position: {error}") from None
    if not text and data:
        game = parse_sgf(data, source=str(path))
        if after is not None and after > len(game.moves):
            raise UsageError(f"--after {after}: the game in {path} has {len(game.moves)} moves")
        position = game.final() if after is None else list(game.positions())[after]
    elif text[:1] in ("1", "2") and text[1:2] in ("\n", "\r"):
        from littlego.formats.course import parse_input

        position = parse_input(text, source=str(path)).position()
    else:
        board, ko = parse_drawn(text, source=str(path))
        if turn := _TURN.search(text):
            to_move = to_move or turn[1]
        if moves is None and (left := _LEFT.search(text)):
            moves = int(left[1]) if left[1] else int(left[3]) - int(left[2]) + 1
        position = shortest_game_to(board, _side(to_move) or Colour.BLACK)._replace(ko=ko)
    rules = position.rules.but(komi=komi)
    if moves is not None:
        rules = rules.but(max_moves=position.moves_played + moves)
    return position._replace(rules=rules, to_move=_side(to_move) or position.to_move)


def _side(text: str | None) -> Colour | None:
    if text is not None and text.upper() not in Colour.__members__:
        raise UsageError(f"--to-move {text!r}: expected black or white")
    return None if text is None else Colour[text.upper()]
