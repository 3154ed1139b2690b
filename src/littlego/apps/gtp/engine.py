"""A complete GTP 2 engine around any player: a line in, an answer out, whatever the line contains."""

from __future__ import annotations

import math
import os
import select
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

from littlego import __version__
from littlego.apps.gtp.analysis import GtpAnalyst, parse_request
from littlego.apps.gtp.game import GtpGame, handicap_points
from littlego.core.board import Colour, draw_board
from littlego.core.errors import FormatError, IllegalMove, LittleGoError, PlayerFault, Resigned, UsageError
from littlego.core.points import MAX_SIZE, MIN_SIZE, parse_vertex, points_of, vertex_name
from littlego.core.position import Position
from littlego.formats.gtp import GtpAnswer, GtpCommand, parse_colour, parse_command, write_answer
from littlego.formats.text import shortened
from littlego.sandbox import SandboxError

_LONGEST_LINE: Final = 65536
_STREAMS: Final = {
    "analyze": False,
    "lz-analyze": False,
    "kata-analyze": True,
    "genmove_analyze": False,
    "lz-genmove_analyze": False,
    "kata-genmove_analyze": True,
}
"""Commands that answer in several pieces, and whether in KataGo's format."""
_ANALYZE_COMMANDS: Final = """\
cboard/Won and lost moves/littlego-moves %c
plist/Winning moves/littlego-winning_moves %c
string/Who wins/littlego-value %c
string/Score now/final_score"""

Write = Callable[[str], None]


class GtpEngine:
    """Answers one line after the other. No line but `quit` ends it."""

    def __init__(self, name: str, game: GtpGame, analyst: GtpAnalyst) -> None:
        self.name = name
        self.game = game
        self.analyst = analyst
        self._commands: dict[str, Callable[[tuple[str, ...]], str | None]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: self.name,
            "version": lambda _: __version__,
            "known_command": lambda words: "true" if words and words[0] in self.commands else "false",
            "list_commands": lambda _: "\n".join(self.commands),
            "quit": lambda _: "",
            "boardsize": self._boardsize,
            "clear_board": lambda _: self.game.clear(),
            "komi": self._komi,
            "play": self._play,
            "genmove": lambda words: self._genmove(words, make=True),
            "reg_genmove": lambda words: self._genmove(words, make=False),
            "undo": lambda _: self.game.undo(),
            "set_free_handicap": self._set_free_handicap,
            "loadsgf": self._loadsgf,
            "showboard": lambda _: _shown(self.game.position),
            "final_score": lambda _: _score(self.game.position),
            "final_status_list": self._final_status_list,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "gogui-analyze_commands": lambda _: _ANALYZE_COMMANDS,
            "gogui-rules_game_id": lambda _: "Little-Go",
            "gogui-rules_board": lambda _: draw_board(self.game.position.board, coordinates=False),
            "gogui-rules_board_size": lambda _: str(self.game.position.size),
            "gogui-rules_legal_moves": self._legal_moves,
            "gogui-rules_side_to_move": lambda _: self.game.position.to_move.word,
            "gogui-rules_final_result": lambda _: str(self.game.position.outcome() or "the game is not over"),
            "littlego-moves": lambda words: self.analyst.colours(self._turn(words)),
            "littlego-winning_moves": lambda words: " ".join(self.analyst.winning_moves(self._turn(words))),
            "littlego-value": lambda words: self.analyst.value(self._turn(words)),
        }

    @property
    def commands(self) -> list[str]:
        return sorted([*self._commands, *_STREAMS])

    def handle(self, line: str, write: Write, stopped: Callable[[], bool]) -> bool:
        """Answer a line through `write`; False after `quit`. `stopped` ends a long analysis."""
        command = parse_command(line)
        if command is None:
            return True
        try:
            if command.name in _STREAMS:
                self._stream(command, write, stopped)
            else:
                write(write_answer(GtpAnswer(True, self._answer(command)), command.id))
        except (LittleGoError, SandboxError) as error:
            write(write_answer(GtpAnswer(False, " ".join(str(error).split())), command.id))
        except OSError:  # the other side has gone
            raise
        except Exception as error:  # our bug must not cost a user the whole game
            traceback.print_exc(file=sys.stderr)
            write(write_answer(GtpAnswer(False, f"internal error: {error}"), command.id))
        return command.name != "quit"

    def _answer(self, command: GtpCommand) -> str:
        if command.name not in self._commands:
            raise UsageError("unknown command")
        return self._commands[command.name](command.arguments) or ""

    def _stream(self, command: GtpCommand, write: Write, stopped: Callable[[], bool]) -> None:
        kata, request = _STREAMS[command.name], parse_request(command.arguments)
        position = self.game.position if request.colour is None else self.game.turn(request.colour)
        if "genmove" in command.name:
            info = self.analyst.line(position, request.interval, kata=kata)
            move = self._genmove((position.to_move.word,), make=True)
            text = "\n".join(["", *filter(None, [info]), f"play {move}"])
            write(write_answer(GtpAnswer(True, text), command.id))
            return
        begun = False
        for line in self.analyst.watch(position, request.interval, stopped, kata=kata):
            write(line + "\n" if begun else f"={command.id}\n{line}\n")
            begun = True
        write("\n" if begun else f"={command.id}\n\n")

    def _turn(self, words: tuple[str, ...]) -> Position:
        return self.game.turn(parse_colour(words[0])) if words else self.game.position

    def _boardsize(self, words: tuple[str, ...]) -> None:
        (text,) = _some(words, 1, "SIZE")
        size = _whole(text)
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise UsageError("unacceptable size")
        self.game.resize(size)

    def _komi(self, words: tuple[str, ...]) -> None:
        (text,) = _some(words, 1, "KOMI")
        try:
            komi = float(text)
        except ValueError:
            komi = math.nan
        if not abs(komi) <= 1000:
            raise FormatError(f"syntax error: expected a komi, got {shortened(text)!r}")
        self.game.set_komi(komi)

    def _play(self, words: tuple[str, ...]) -> None:
        colour, vertex = _some(words, 2, "COLOUR VERTEX")
        side, size = parse_colour(colour), self.game.position.size
        move = parse_vertex(vertex, size)
        try:
            self.game.play(side, move)
        except IllegalMove as error:
            raise UsageError(f"illegal move: {vertex_name(move, size)}: {error.why.value}") from error

    def _genmove(self, words: tuple[str, ...], *, make: bool) -> str:
        (colour,) = _some(words, 1, "COLOUR")
        side = parse_colour(colour)
        try:
            move = self.game.generate(side)
        except Resigned:
            return "resign"
        except (PlayerFault, IllegalMove) as fault:
            raise UsageError(f"{self.name} forfeits: {fault}") from fault
        if make:
            self.game.play(side, move)
        return vertex_name(move, self.game.position.size)

    def _set_free_handicap(self, words: tuple[str, ...]) -> None:
        size = self.game.position.size
        self.game.place(handicap_points([parse_vertex(word, size) for word in words]))

    def _loadsgf(self, words: tuple[str, ...]) -> str:
        from littlego.formats.sgf import parse_sgf

        if not words:
            raise FormatError("syntax error: expected FILE [MOVE_NUMBER]")
        number = _whole(words[-1]) if len(words) > 1 and words[-1].isdigit() else None
        path = Path(" ".join(words if number is None else words[:-1]))
        try:
            record = parse_sgf(path.read_bytes(), source=str(path))
        except (OSError, FormatError, ValueError) as error:
            raise UsageError(f"cannot load file: {getattr(error, 'strerror', None) or error}") from error
        # The number is that of the first move that is not made.
        self.game.load(record, len(record.moves) if number is None else max(0, number - 1))
        return self.game.position.to_move.word

    def _final_status_list(self, words: tuple[str, ...]) -> str:
        (status,) = _some(words, 1, "STATUS")
        if status not in ("alive", "dead", "seki"):
            raise FormatError(f"syntax error: expected alive, dead or seki, got {shortened(status)!r}")
        # What stands on the board counts: nothing is dead before it is captured.
        board = self.game.position.board
        groups = board.groups() if status == "alive" else ()
        return "\n".join(" ".join(vertex_name(p, board.size) for p in points_of(group)) for group in groups)

    def _time_settings(self, words: tuple[str, ...]) -> None:
        for word in _some(words, 3, "MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES"):
            _whole(word)

    def _time_left(self, words: tuple[str, ...]) -> None:
        colour, seconds, stones = _some(words, 3, "COLOUR TIME STONES")
        parse_colour(colour)
        _whole(seconds)
        _whole(stones)

    def _legal_moves(self, _words: tuple[str, ...]) -> str:
        position = self.game.position
        moves = () if position.outcome() else position.legal_moves()
        return " ".join(vertex_name(move, position.size) for move in moves)


def _some(words: tuple[str, ...], count: int, expected: str) -> tuple[str, ...]:
    """The first `count` arguments. Extra ones are ignored, as in many engines."""
    if len(words) < count:
        raise FormatError(f"syntax error: expected {expected}")
    return words[:count]


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise FormatError(f"syntax error: expected a number, got {shortened(text)!r}")
    return int(text)


def _score(position: Position) -> str:
    score = position.score()
    if score.winner is None:
        return "0"
    return f"{'B' if score.winner is Colour.BLACK else 'W'}+{abs(score.black - score.white):g}"


def _shown(position: Position) -> str:
    """The board with GTP coordinates, and the state of the game."""
    board, size = position.board, position.size
    letters = "   " + " ".join(vertex_name(column, size)[0] for column in range(size))
    rows = [f"{size - row:2} {' '.join(cells)} {size - row}" for row, cells in enumerate(board.rows())]
    rules = position.rules
    end = position.outcome()
    now = f"{end}" if end else f"move {position.moves_played + 1} of {rules.max_moves}, {position.to_move} to move"
    return "\n".join(["", letters, *rows, letters, f"{now}; komi {rules.komi:g}"])


class Lines:
    """Lines of a descriptor, with a way to check whether another is already there."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False

    def next(self) -> str | None:
        """Wait for the next line; None at the end. Lines are cut at 64 KiB."""
        while b"\n" not in self._buffer and not self._ended:
            self._read()
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line[:_LONGEST_LINE].decode("utf-8", errors="replace")

    def waiting(self) -> bool:
        """Whether a line, or the end, can be read without waiting."""
        while b"\n" not in self._buffer and not self._ended:
            if not select.select([self._descriptor], [], [], 0)[0]:
                return False
            self._read()
        return True

    def _read(self) -> None:
        chunk = os.read(self._descriptor, _LONGEST_LINE)
        if not chunk:
            self._ended = True
        elif len(self._buffer) <= _LONGEST_LINE or b"\n" in chunk:
            self._buffer += chunk


def serve(engine: GtpEngine, lines: Lines, out: int) -> None:
    """Answer lines to the descriptor `out` until `quit`, the end of the lines, or until `out` is closed."""

    def write(text: str) -> None:
        data = text.encode(errors="replace")
        while data:
            data = data[os.write(out, data) :]

    try:
        while (line := lines.next()) is not None and engine.handle(line, write, lines.waiting):
            pass
    except BrokenPipeError:
        pass
