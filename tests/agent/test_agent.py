"""The submission: legal everywhere, exact where it searches, and at home in any directory."""

from __future__ import annotations

import ast
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from imperfect import ImperfectAgent
from littlego.agent import my_player3 as agent
from littlego.arena.participants import BuiltIn, Entrant
from littlego.arena.pool import InProcess
from littlego.core.board import BLACK, WHITE, Board, Colour
from littlego.core.errors import UsageError
from littlego.core.points import PASS, Pass, points_of, symmetries
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.course.inspection import Inspection, Status
from littlego.course.starter import CORRIDOR, export_agent, write_kit
from littlego.formats.course import CourseInput, parse_output, write_input
from littlego.kernel.words import FRAME
from littlego.players.exact import AgentPlayer, framed, shared_oracle, spot_of
from littlego.players.learned import learned_values
from littlego.sandbox.client import Supervisor
from littlego.solve import search
from own_agent.book import Decision, first_level, next_level
from own_agent.decide import core_move
from own_agent.gauntlet import run_gauntlet
from own_agent.static_function import write_book
from own_agent.verify import moves_of
from tests.course.starter_kits import run as run_in_kit
from tests.helpers import random_game

SOURCE = Path(agent.__file__)


def positions(left: int, number: int) -> list[Position]:
    """Positions of random games with so many plies left, none of them after a pass."""
    found: list[Position] = []
    seed = 0
    while len(found) < number:
        seed += 1
        found += [p for p, _ in random_game(edition_rules(), seed) if p.plies_left == left and not p.passes]
    return found[:number]


def test_it_is_python_3_7_and_needs_nothing() -> None:
    tree = ast.parse(SOURCE.read_text(), feature_version=(3, 7))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= set(sys.stdlib_module_names)


def test_its_rules_are_ours() -> None:
    for seed in range(60):
        for position, _ in random_game(edition_rules(), seed):
            moves = {move[0]: move[1:] for move in agent.legal_moves(*spot_of(position))}
            assert set(moves) == {framed(1 << point) for point in points_of(position.legal_points())}
            for point in points_of(position.legal_points()):
                assert moves[framed(1 << point)] == spot_of(position.play(point))


def test_it_judges_a_board_as_the_solver_does() -> None:
    """Random boards, many with larger groups than games have."""
    work = np.zeros(search.WORK_WORDS, dtype=np.int64)
    rng = random.Random(6)
    for _ in range(300):
        points = rng.sample(range(25), 12)
        own = rng.randrange(3, 12)
        mine, theirs = (sum(1 << point for point in part) for part in (points[:own], points[own:]))
        board = Board(5, mine, theirs)
        if not all(board.liberties(group) for colour in Colour for group in board.groups(colour)):
            continue
        solver = search.standing_after(mine, theirs, FRAME, work)
        assert solver == -agent.standing(framed(theirs), framed(mine)), (mine, theirs)


@pytest.mark.parametrize(("left", "number"), [(1, 60), (2, 60), (3, 60), (4, 40), (5, 20)])
def test_its_search_agrees_with_plain_minimax(left: int, number: int) -> None:
    for position in positions(left, number):
        search = agent.Search(agent.Clock(1 << 30, float("inf")))
        target = agent.TARGETS[position.to_move.value]
        won = search.wins(*spot_of(position), left, target)
        assert won == (minimax(position) is position.to_move), position
        move = search.winning_move(*spot_of(position), left, target)
        assert (move is not None) == won


def minimax(position: Position) -> Colour | None:
    """Who wins, by trying everything."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.winner
    values = {minimax(position.play_legal(move)) for move in position.legal_moves()}
    return position.to_move if position.to_move in values else position.to_move.opponent


@pytest.mark.slow
def test_in_a_lost_position_it_leaves_the_least_weight_of_winning_answers() -> None:
    from littlego.solve.oracle import Oracle

    oracle = Oracle(memory=1 << 28, use_atlas=False)

    def winning_share(position: Position) -> float:
        """By the oracle; only the order in which answers look good is the agent's."""
        moves = agent.Search(agent.Clock(1 << 30, float("inf"))).moves(
            *spot_of(position), position.plies_left, agent.TARGETS[position.to_move.value], every=True
        )
        weights = [1 / (1 + place) for place in range(len(moves))]
        after = [position.play(PASS if bit == agent.PASS else point_of(bit)) for bit, *_ in moves]
        won = (oracle.value(answer) is position.to_move for answer in after)
        return sum(weight for weight, wins in zip(weights, won, strict=True) if wins) / sum(weights)

    lost = 0
    for left in (4, 9):
        for position in positions(left, 12):
            search = agent.Search(agent.Clock(1 << 30, float("inf")))
            target = agent.TARGETS[position.to_move.value]
            if search.winning_move(*spot_of(position), left, target) is None:
                lost += 1
                chosen = search.trickiest_move(*spot_of(position), left, target)
                moves = [bit for bit, *_ in agent.legal_moves(*spot_of(position))]
                shares = {bit: winning_share(position.play(point_of(bit))) for bit in moves}
                assert shares[chosen] == pytest.approx(min(shares.values())), position
    assert lost > 5


def point_of(bit: int) -> int:
    return agent.POINTS.index(bit.bit_length() - 1)


@pytest.mark.slow
def test_its_search_agrees_with_the_oracle() -> None:
    from littlego.solve.oracle import Oracle

    oracle = Oracle(memory=1 << 28, use_atlas=False)
    for left, number in ((6, 200), (8, 60), (10, 15), (11, 4), (12, 2), (14, 2)):
        for position in positions(left, number):
            search = agent.Search(agent.Clock(1 << 30, float("inf")))
            won = search.wins(*spot_of(position), left, agent.TARGETS[position.to_move.value])
            assert won == (oracle.value(position) is position.to_move), position


def test_the_book_gives_back_what_was_put_in() -> None:
    rng = random.Random(1)
    put: dict[int, tuple[int, tuple[int, int, int, int]]] = {}
    for seed in range(200):
        for position, move in random_game(edition_rules(), seed):
            key, image = agent.book_key(*spot_of(position), position.plies_left)
            point = 25 if isinstance(move, Pass) else image[move]
            put.setdefault(key, (point, (*spot_of(position), position.plies_left)))
    text = write_book({key: point for key, (point, _) in put.items()}, least=1)
    assert text.isascii()
    assert len(text) < 4 * len(put)
    agent_book, agent.BOOK = agent.BOOK, str(Path(__file__).with_name("no such book"))
    try:
        assert agent.book_move(0, 0, 0, 24) is None, "without a book it does without"
    finally:
        agent.BOOK = agent_book
    check_book(text, put, rng)


def check_book(text: str, put: dict[int, tuple[int, tuple[int, int, int, int]]], rng: random.Random) -> None:
    import tempfile

    agent_book = agent.BOOK
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        agent.BOOK = file.name
        try:
            for key, (point, at) in put.items():
                found_key, image = agent.book_key(*at)
                assert found_key == key
                expected = agent.PASS if point == 25 else 1 << agent.POINTS[image.index(point)]
                assert agent.book_move(*at) == expected
            strangers = 0
            for _ in range(1000):
                black = rng.getrandbits(25)
                white = rng.getrandbits(25) & ~black
                strangers += agent.book_move(framed(black), framed(white), 0, 20) is not None
            assert strangers < 10, "the check refuses nearly all positions that were never put in"
            black, white = framed(0b11000 << 10), framed(0b00011 << 10)
            centre = framed(1 << 2)
            assert not agent.has_witnesses(black, white, 0, 20, centre), "and so their replies are not in the book"
        finally:
            agent.BOOK = agent_book


def corridor_lines() -> list[tuple[Position, list[int]]]:
    """The positions of the shipped corridor.txt, White to move, and its moves."""
    found = []
    for line in CORRIDOR.read_text().splitlines():
        key = int(line.split()[0], 16)
        board = Board(5, key >> 25 & 0x1FFFFFF, key & 0x1FFFFFF)
        ko = (key >> 50 & 31) - 1
        left = key >> 55
        position = Position(edition_rules(), board, WHITE, None if ko < 0 else ko, 0, 24 - left)
        found.append((position, [ord(letter) - ord("a") for letter in line.split()[1]]))
    return found


def test_the_moves_of_lost_positions_are_found_and_drawn() -> None:
    lines = corridor_lines()
    assert any(len(points) > 1 for _, points in lines)
    for position, points in lines:
        assert {framed(1 << point) for point in points} == set(
            agent.corridor_moves(*spot_of(position), position.plies_left)
        )
        assert all(position.is_legal(point) for point in points)
    position, points = next((position, points) for position, points in lines if len(points) > 1)
    drawn = {AgentPlayer(seed).choose(position) for seed in range(40)}
    assert drawn == set(points)
    turned = position.transformed(symmetries(5)[3])
    assert {AgentPlayer(seed).choose(turned) for seed in range(40)} == {symmetries(5)[3].point(p) for p in points}


def test_positions_of_the_corridor_are_lost_or_their_move_wins() -> None:
    oracle = shared_oracle()
    near = [line for line in corridor_lines() if line[0].plies_left <= 13]
    for position, points in random.Random(1).sample(near, 25):
        lost = oracle.value(position) is BLACK
        assert lost or all(oracle.value(position.play(point)) is WHITE for point in points), position


@pytest.mark.exhaustive
def test_no_reply_to_the_corridor_leaves_the_agent_without_a_winning_move() -> None:
    """Every position after a move of corridor.txt and any reply; `tools/own_agent verify` goes on from there."""
    oracle = shared_oracle()
    seen = set()
    for position, points in corridor_lines():
        for point in points:
            after = position.play(point)
            for reply in after.legal_moves():
                at = after.play(reply)
                key = at.canonical()[0]
                if at.plies_left < agent.book_least() or at.passes or key in seen:
                    continue
                seen.add(key)
                if oracle.value(at) is WHITE:
                    moves = moves_of(spot_of(at), at.plies_left)
                    assert moves, at
                    assert all(oracle.value(at.play(core_move(move))) is WHITE for move in moves), at


def test_it_looks_ahead_by_learned_values_and_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    learned = agent.read_patterns()
    known = learned_values(edition_rules())
    for position in positions(16, 5):
        own, other = position.to_move.opponent, position.to_move
        stones = position.board.stones(own), position.board.stones(other)
        value = learned.value(*map(framed, stones), own.value - 1, position.moves_played)
        assert value == pytest.approx(known.value_after(*stones, own.value - 1, position.moves_played, 0))
    for path in (agent.MODEL, "no such file"):
        monkeypatch.setattr(agent, "MODEL", path)
        look = agent.Lookahead(agent.Clock(2000, float("inf")), agent.read_patterns())
        early = positions(20, 1)[0]
        assert early.is_legal(point_of(look.choose(*spot_of(early), 20, agent.TARGETS[early.to_move.value])))


def test_moves_are_counted_by_file_and_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    empty = (0, 0)
    centre = framed(1 << 12)
    assert agent.moves_played(1, empty, empty) == (0, True)
    assert agent.moves_played(2, empty, (centre, 0)) == (1, True)
    assert agent.moves_played(2, empty, empty) == (1, True), "Black passed"
    now = (centre, framed(1 << 6))
    assert agent.moves_played(1, (centre, 0), now) == (2, False), "no file: the fewest moves that fit"
    for by_book in (True, False):
        agent.note_moves(9, 1, centre, 0, by_book)
        assert agent.moves_played(1, (centre, 0), now) == (10, by_book), "the file fits the board before"
        assert agent.moves_played(1, (framed(1 << 3), 0), now) == (2, False), "a file of another game does not"
        assert agent.moves_played(2, (centre, 0), now) == (3, False), "nor one of the other colour"
    Path("moves.txt").write_text("junk")
    assert agent.moves_played(1, (centre, 0), now) == (2, False)


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "input.txt").write_text(text)
    return subprocess.run(
        [sys.executable, SOURCE.name], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.process
@pytest.mark.parametrize("text", ["", "3\n" + "00000\n" * 10, "1\n" + "00000\n" * 9, "1\n" + "0000x\n" * 10, "\x00"])
def test_unreadable_input_gets_a_line_and_a_status(text: str, tmp_path: Path) -> None:
    shutil.copy(SOURCE, tmp_path)
    done = run(tmp_path, text)
    assert done.returncode != 0
    assert done.stderr.startswith("my_player3: input.txt: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.process
@pytest.mark.slow
def test_program_and_player_choose_the_same_moves(tmp_path: Path) -> None:
    """A game against random moves, with the program's own files kept from move to move."""
    export_agent(tmp_path, force=True)
    rng = random.Random(3)
    player = AgentPlayer()
    position = Position.initial()
    before = position.board
    while position.outcome() is None:
        if position.to_move is BLACK:
            done = run(tmp_path, write_input(CourseInput(BLACK, before, position.board)))
            assert done.returncode == 0, done.stderr
            move = parse_output((tmp_path / "output.txt").read_text(), size=5).move
            assert move == player.choose(position)
            position = position.play(move)
            before = position.board
        else:
            position = position.play(rng.choice(position.legal_moves()[:-1] or (PASS,)))
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner is BLACK


def test_the_book_opens_where_black_wins_and_knows_the_answers() -> None:
    """The shipped book, on a walk of its own: every won position above the search has a legal move."""
    for colour in Colour:
        left, level = first_level(colour.value)
        for _ in range(3):
            known = {key: agent.book_move(*at, left) for key, at in level.items()}
            assert all(move is not None for move in known.values())
            decisions = {key: Decision(move, won=True) for key, move in known.items() if move is not None}
            level = next_level(level, decisions, left, agent.TARGETS[colour.value])
            left -= 2
        assert len(level) > 500


@pytest.mark.slow
def test_the_book_never_gives_a_win_away_on_a_sample() -> None:
    """`tools/own_agent verify` does this for all of it; here 100 walks at random, each position by the oracle."""
    from littlego.solve.oracle import Oracle

    oracle = Oracle(memory=1 << 28)
    rng = random.Random(5)
    won = 0
    for walk in range(100):
        position = Position.initial()
        if walk % 2:
            position = position.play(rng.choice(position.legal_moves()[:-1]))
        while position.plies_left >= agent.book_least():
            move = agent.book_move(*spot_of(position), position.plies_left)
            if position.plies_left <= 14:
                was_won = oracle.value(position) is position.to_move
                won += was_won
                if was_won:
                    assert move is not None, position
                    after = position.play(PASS if move == agent.PASS else agent.POINTS.index(move.bit_length() - 1))
                    assert oracle.value(after) is position.to_move, position
            if move is None:
                break
            position = position.play(PASS if move == agent.PASS else agent.POINTS.index(move.bit_length() - 1))
            position = position.play(rng.choice(position.legal_moves()[:-1]))
    assert won > 66


@pytest.mark.process
def test_the_exported_files_are_fit_to_be_handed_in(tmp_path: Path) -> None:
    files = export_agent(tmp_path / "submission")
    assert [path.name for path in files] == ["my_player3.py", "book.txt", "corridor.txt", "model.json"]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    assert files[1].read_text().isascii()
    with pytest.raises(UsageError, match="--force"):
        export_agent(tmp_path / "submission")
    export_agent(tmp_path / "submission", force=True)


@pytest.mark.process
@pytest.mark.slow
def test_it_plays_under_the_kits_build_script(tmp_path: Path) -> None:
    write_kit(tmp_path / "kit")
    export_agent(tmp_path / "kit", force=True)
    done = run_in_kit(tmp_path / "kit", "bash", "build.sh", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(
        "=====Summary=====\nYou play as Black Player | Win: 1 | Lose: 0\nYou play as White Player | Win: 1 | Lose: 0\n"
    )


@pytest.mark.process
@pytest.mark.slow
def test_check_has_nothing_to_remark(tmp_path: Path) -> None:
    """About the agent, that is: on a busy machine it says which moves others held up."""
    export_agent(tmp_path / "submission")
    with Supervisor() as supervisor:
        inspection = Inspection(tmp_path / "submission", supervisor)
        checks = list(inspection.checks())
        inspection.close()
    remarks = [check for check in checks if check.status is not Status.PASSED]
    assert [check for check in remarks if "others took" not in check.detail] == []


@pytest.mark.process
@pytest.mark.slow
def test_a_short_gauntlet_as_the_winning_colour(tmp_path: Path) -> None:
    opponents: list[Entrant] = [BuiltIn("random"), ImperfectAgent("playouts 100")]
    rows = run_gauntlet(tmp_path, InProcess(), games=1, opponents=opponents)
    assert [(row.tally.wins, row.tally.games) for row in rows] == [(1, 1)] * 4
    assert {row.opponent for row in rows} == {"random", "playouts 100"}
