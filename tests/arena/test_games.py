"""Openings: all of them once, up to symmetry, and those of a file. Progress: rate, time left and score of a run."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from littlego.apps.cli import output
from littlego.arena import games as arena_games
from littlego.arena.games import GamesProgress, Opening, duration, openings, read_openings
from littlego.arena.store import GameResult
from littlego.core.errors import FormatError, PlayerFault, UsageError
from littlego.core.points import move_name, parse_move
from littlego.core.position import Position
from littlego.core.rules import Verdict, edition_rules
from littlego.solve.oracle import Oracle
from tests.helpers import series

RULES = edition_rules()
SETTLED = Path(arena_games.__file__).with_name("settled_openings.txt")
REMAKE = "python -m tests.arena.test_games > src/littlego/arena/settled_openings.txt"


def after(moves: Opening) -> Position:
    position = Position.initial(RULES)
    for move in moves:
        position = position.play(move)
    return position


def test_there_is_one_of_each_up_to_symmetry() -> None:
    """Six kinds of points; 25 * 24 ways to put two stones, of which 85 differ when the board is turned and mirrored."""
    assert len(openings(RULES, 1)) == 6
    found = openings(RULES, 2)
    # Burnside: of the ordered pairs of points, each of four mirrors leaves 5 * 4 as they are, and no rotation any.
    assert len(found) == (25 * 24 + 4 * 5 * 4) // 8
    assert len({after(moves).canonical()[0].key() for moves in found}) == len(found)
    assert found == openings(RULES, 2), "in the same order every time"


@pytest.mark.slow
def test_settled_openings_are_those_of_the_solved_game_and_come_last() -> None:
    """All of one and two moves, and every tenth of three: the others are proved by `make soak`."""
    oracle, shipped = Oracle(), shipped_settled()
    for plies in (1, 2, 3):
        found = openings(RULES, plies)
        is_settled = [moves in shipped for moves in found]
        assert is_settled == sorted(is_settled)
        assert any(is_settled)
        some = range(0, len(found), 10 if plies == 3 else 1)
        assert [settles(oracle, found[k]) for k in some] == [is_settled[k] for k in some], REMAKE


@pytest.mark.exhaustive
def test_all_settled_openings() -> None:
    assert SETTLED.read_text() == settled_openings(), REMAKE


def shipped_settled() -> set[Opening]:
    return {tuple(parse_move(word, 5) for word in line.split()) for line in SETTLED.read_text().splitlines()[1:]}


def settles(oracle: Oracle, moves: Opening) -> bool:
    """Whether the player to move after an opening is known to have two winning moves, or to have lost."""
    position = after(moves)
    replies = [oracle.is_known_won(position.play(move)) for move in position.legal_moves()]
    return replies.count(False) >= 2 or oracle.is_known_won(position) is False


def settled_openings() -> str:
    oracle = Oracle(memory=1 << 26)
    lines = ["# The winner is settled: the player to move has at least two winning moves, or none."]
    for plies in (1, 2, 3):
        found = sorted(moves for moves in openings(RULES, plies) if settles(oracle, moves))
        lines += [" ".join(move_name(move, 5) for move in moves) for moves in found]
    return "\n".join(lines) + "\n"


def test_a_number_of_moves_that_cannot_be() -> None:
    for plies in (0, 5):
        with pytest.raises(UsageError, match="expected 1 to 4"):
            openings(RULES, plies)
    with pytest.raises(UsageError, match="on 19x19: too many"):
        openings(edition_rules(size=19), 3)
    with pytest.raises(UsageError, match="on 2x2: there are none"):
        openings(edition_rules(size=2), 3)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# two\n2,2 1,2\n\n0,0 PASS 4,4 # three moves\n")
    assert [len(moves) for moves in read_openings(path, RULES)] == [2, 3]
    for text, words in [
        ("2,2 2,2", "line 1: 2,2"),
        ("2,2\nx", "line 2: x"),
        ("# none", "no opening in it"),
        ("PASS PASS", "the game is over"),
    ]:
        path.write_text(text)
        with pytest.raises(FormatError, match=words):
            read_openings(path, RULES)
    with pytest.raises(UsageError, match="cannot be read"):
        read_openings(tmp_path / "none", RULES)


if __name__ == "__main__":
    print(settled_openings(), end="")


RESULTS = [GameResult(record) for record in series("random", "greedy", games=12, swap=True)]


def wins(name: str, results: list[GameResult]) -> int:
    outcomes = [(result.record, result.record.outcome) for result in results]
    return sum(
        outcome.winner is not None and record.player(outcome.winner) == name for record, outcome in outcomes if outcome
    )


def test_rate_and_time_left_count_this_run_only() -> None:
    now = 100.0
    progress = GamesProgress(12, workers=2, known=RESULTS[:4], about="random", clock=lambda: now)
    assert (progress.done, progress.rate, progress.seconds_left, progress.in_play) == (4, None, None, 2)
    for result in RESULTS[4:10]:
        now += 0.5
        progress.add(result)
    assert (progress.done, progress.rate, progress.seconds_left) == (10, 2, 1)
    won = wins("random", RESULTS[:10])
    assert progress.line().startswith(
        "10 of 12 games: 2.0 a second, about 1 s left, 2 in play, no forfeits, random wins "
    )
    assert f"random wins {10 * won}% (" in progress.line()
    progress.add(RESULTS[10])
    assert progress.in_play == 1
    progress.add(RESULTS[11])
    assert progress.in_play == 0
    assert "left" not in progress.line()


def test_the_interval_is_wilsons() -> None:
    """Its ends are the rates from which the result is 1.96 standard deviations away, found by bisection."""
    progress = GamesProgress(12, known=RESULTS, about="random")
    rate = wins("random", RESULTS) / 12

    def end(inside: float, outside: float) -> float:
        for _ in range(60):
            middle = (inside + outside) / 2
            far = abs(rate - middle) > 1.959964 * math.sqrt(middle * (1 - middle) / 12)
            inside, outside = (inside, middle) if far else (middle, outside)
        return 100 * inside

    assert 0 < rate < 1
    assert f"random wins {100 * rate:.0f}% ({end(rate, 0):.0f}-{end(rate, 1):.0f}%)" in progress.line()


def test_a_tournament_is_about_its_leader() -> None:
    progress = GamesProgress(12, known=RESULTS)
    leader = max(("random", "greedy"), key=lambda name: wins(name, RESULTS))
    assert progress.score is not None
    assert (progress.score[0], progress.score[1].wins) == (leader, wins(leader, RESULTS))


def test_forfeits_are_counted() -> None:
    record = RESULTS[0].record
    fault = PlayerFault(Verdict.CRASH, "it fell")
    forfeited = GameResult(record.forfeited(record.start.to_move, fault, record.start))
    progress = GamesProgress(3, known=[forfeited])
    assert progress.forfeits == 1
    assert "1 forfeit," in progress.line()


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "about 0 s"), (89, "about 89 s"), (600, "about 10 min"), (9000, "about 2.5 h")]
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_pipe_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with output.live(lambda: f"at {now:.0f}\nand more") as step:
        for second in range(150):
            now = float(second)
            step()
    assert capsys.readouterr().err.splitlines() == ["at 10", "at 70", "at 130"]


if __name__ == "__main__":
    print(settled_openings(), end="")
