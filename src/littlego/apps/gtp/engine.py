"""A complete GTP 2 engine around any player: a line in, an answer out, whatever the line contains; and its game."""

from __future__ import annotations

import math
import os
import select
import sys
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlego import __version__
from littlego.apps.gtp.analysis import GtpAnalyst, parse_request
from littlego.core.board import Colour, draw_board
from littlego.core.errors import FormatError, IllegalMove, LittleGoError, PlayerFault, Resigned, UsageError
from littlego.core.game import GameRecord, Player
from littlego.core.points import MAX_SIZE, MIN_SIZE, PASS, Move, Pass, parse_vertex, points_of, vertex_name
from littlego.core.position import Position
from littlego.core.rules import Rules
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
            "loadsgf": self._loadsgf,
            "showboard": lambda _: _shown(self.game.position),
            "final_score": lambda _: _score(self.game.position),
            "final_status_list": self._final_status_list,
            "time_settings": lambda _: "",
            "time_left": lambda _: "",
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


@dataclass(frozen=True, slots=True)
class _Step:
    before: Position
    """With the side that moved to move, in turn or not."""
    move: Move
    after: Position


class GtpGame:
    """A game by the rules of an edition, with one player, which may move for both colours.

    GTP lets a side move twice in a row; a move out of turn counts as one move and lifts the ko.
    """

    def __init__(
        self,
        seated: Callable[[Colour], AbstractContextManager[Player]],
        *,
        rules_on: Callable[[int | None], Rules],
        size: int | None = None,
        komi: float | None = None,
        max_moves: int | None = None,
    ) -> None:
        """`seated` gives a player for a colour; it is called again whenever earlier moves have changed.

        `rules_on` gives the rules on a board of a size, or on the usual one; `komi` and `max_moves` replace theirs.
        Raises UsageError.
        """
        self._seated = seated
        self._seats = ExitStack()
        self._rules_on = rules_on
        self._komi = komi
        self._max_moves = max_moves
        self._players: dict[Colour, Player] = {}
        self._steps: list[_Step] = []
        self.start = Position.initial(self._rules(size))

    def _rules(self, size: int | None) -> Rules:
        return self._rules_on(size).but(komi=self._komi, max_moves=self._max_moves)

    @property
    def position(self) -> Position:
        return self._steps[-1].after if self._steps else self.start

    def turn(self, colour: Colour) -> Position:
        """The position with `colour` to move, in turn or not."""
        now = self.position
        return now if now.to_move is colour else now._replace(to_move=colour, ko=None)

    def resize(self, size: int) -> None:
        """Start with an empty board of this size, and its number of moves. A komi that was set stays."""
        self._begin(Position.initial(self._rules(size)))

    def clear(self) -> None:
        """Start again on the same size."""
        self.resize(self.start.size)

    def set_komi(self, komi: float) -> None:
        """Works during a game too. Raises UsageError."""
        rules = self.start.rules.but(komi=komi)
        self._komi = komi
        self.start = self.start._replace(rules=rules)
        self._steps = [
            _Step(step.before._replace(rules=rules), step.move, step.after._replace(rules=rules))
            for step in self._steps
        ]
        self.close()

    def play(self, colour: Colour, move: Move) -> None:
        """Make a move. Raises IllegalMove, and UsageError for a stone after the end of the game."""
        before = self.turn(colour)
        if before.plies_left == 0 or (before.outcome() is not None and not before.rules.passing):
            if not isinstance(move, Pass):
                raise UsageError(f"illegal move: the game is over after {before.moves_played} moves")
            # Some controllers pass twice to end a game that is already over.
            self._steps.append(_Step(before, move, before._replace(to_move=colour.opponent)))
            return
        step = _Step(before, move, before.play(move))
        self._steps.append(step)
        for player in self._players.values():
            _observe(player, step)

    def undo(self) -> None:
        """Raises UsageError if there is no move."""
        if not self._steps:
            raise UsageError("cannot undo: no move has been played")
        self._steps.pop()
        self.close()

    def load(self, record: GameRecord, moves: int) -> None:
        """Load the first moves of a game, by its own rules."""
        self._komi = record.start.rules.komi
        self._begin(record.start)
        for move in record.moves[:moves]:
            before = self.position
            self._steps.append(_Step(before, move, before.play(move)))

    def generate(self, colour: Colour) -> Move:
        """The player's move, not made yet; a pass once the game is over.

        Raises what the player raises, and IllegalMove for an illegal move.
        """
        position = self.turn(colour)
        if position.outcome() is not None:
            return PASS
        move = self._player(colour).choose(self._as_usual(position))
        if why := position.why_illegal(move):
            raise IllegalMove(position.move_name(move), why)
        return move

    def _as_usual(self, position: Position) -> Position:
        """A longer game as players know games: with no more moves left than the usual one has at its start."""
        usual = self._rules_on(position.size).max_moves
        if position.plies_left <= usual:
            return position
        return position._replace(rules=position.rules.but(max_moves=position.moves_played + usual))

    def _begin(self, start: Position) -> None:
        self.start = start
        self._steps = []
        self.close()

    def close(self) -> None:
        """Dismiss the players, which also happens when earlier moves change: their memory is out of date."""
        self._seats.close()
        self._players = {}

    def _player(self, colour: Colour) -> Player:
        if colour not in self._players:
            player = self._seats.enter_context(self._seated(colour))
            for step in self._steps:
                _observe(player, step)
            own = [step.after.board for step in self._steps if step.before.to_move is colour]
            if hasattr(player, "resume"):
                player.resume(own[-1] if own else None)
            self._players[colour] = player
        return self._players[colour]


def _observe(player: Player, step: _Step) -> None:
    if hasattr(player, "observe"):
        player.observe(step.before, step.move, step.after)
