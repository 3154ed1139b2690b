"""What Go programs are shown by GTP, and the terminal's hint, against plain minimax."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from littlego.apps.gtp.analysis import GtpAnalyst
from littlego.core.board import BLACK
from littlego.core.points import parse_vertex
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.players.exact import StrongestPlayer
from littlego.players.manual import ManualPlayer
from littlego.solve.oracle import Oracle
from tests.solve.twins import minimax, random_position
from tests.truth.reference import good_moves, rank, value, values_of_moves

POSITIONS = [
    *(random_position(3, 5, seed) for seed in range(6)),
    *(random_position(4, 4, seed) for seed in range(6)),
    *(random_position(2, 3, seed) for seed in range(4)),
    Position.initial(Rules(size=2, komi=1.0, max_moves=3)),
]
RATES = {0: 0.0, 1: 0.5, 2: 1.0}
IDS = [f"{position.size}x{position.size}-{k}" for k, position in enumerate(POSITIONS)]


@pytest.fixture(scope="module")
def analyst() -> Iterator[GtpAnalyst]:
    @contextmanager
    def opened() -> Iterator[Oracle]:
        yield Oracle(memory=1 << 24)

    found = GtpAnalyst(opened)
    yield found
    found.close()


def named(position: Position, vertex: str) -> str:
    return position.move_name(parse_vertex(vertex, position.size))


@pytest.mark.parametrize("position", POSITIONS, ids=IDS)
@pytest.mark.parametrize("kata", [False, True], ids=["lz", "kata"])
def test_lines_of_analysis(position: Position, kata: bool, analyst: GtpAnalyst) -> None:
    (*_, line) = analyst.watch(position, 60.0, lambda: False, kata=kata)
    infos = re.findall(r"info move (\S+) visits (\d+) .*?winrate (\S+) (.*?)order (\d+) pv ([^i]*)", line + " ")
    expected = values_of_moves(position)
    assert {named(position, info[0]) for info in infos} == set(expected)
    ranks = []
    leads = []
    for vertex, visits, rate, rest, order, pv in infos:
        after = expected[named(position, vertex)]
        shown = float(rate) if kata else float(rate) / 10_000
        assert shown == RATES[rank(position, after)]
        assert int(visits) >= 10, "Sabaki shows a win rate from ten visits on"
        assert not kata or "." in rate, "without a point, Sabaki takes a win rate for one of 10,000"
        assert pv.split()[0] == vertex
        ranks.append((int(order), rank(position, after)))
        if kata:
            lead, older = (re.search(rf"{word} (\S+)", rest) for word in ("scoreLead", "scoreMean"))
            assert lead is not None
            assert older is not None
            assert older[1] == lead[1], "Lizzie reads the older name"
            move = parse_vertex(vertex, position.size)
            mine = -minimax(position.play(move))
            komi = position.rules.komi if position.to_move is BLACK else -position.rules.komi
            assert float(lead[1]) == mine - komi
            leads.append(mine - komi)
        end = position
        for text in pv.split():
            end = end.play(parse_vertex(text, position.size))
        assert value(end) == after, "a line of best play keeps the value"
    assert [order for order, _ in ranks] == list(range(len(ranks)))
    assert [r for _, r in ranks] == sorted((r for _, r in ranks), reverse=True)
    assert leads == sorted(leads, reverse=True), "the largest win first, the smallest loss before larger ones"
    seen = [int(info[1]) for info in infos]
    mean = sum(visits * RATES[r] for visits, (_, r) in zip(seen, ranks, strict=True)) / sum(seen)
    assert f"{mean:.3f}" == f"{RATES[rank(position, value(position))]:.3f}", "Lizzie shows the mean by visits"


@pytest.mark.parametrize("position", POSITIONS, ids=IDS)
def test_what_gogui_draws(position: Position, analyst: GtpAnalyst) -> None:
    expected = values_of_moves(position)
    colours = {2: "#00a000", 1: "#d0b000", 0: "#d03030"}
    cells = [row.split() for row in analyst.colours(position).split("\n")]
    size = position.size
    for point in range(size * size):
        name = f"{point // size},{point % size}"
        want = colours[rank(position, expected[name])] if name in expected else '""'
        assert cells[point // size][point % size] == want
    winning = {named(position, vertex) for vertex in analyst.winning_moves(position)}
    assert winning == {name for name, after in expected.items() if rank(position, after) == 2}
    words = {"black": "Black wins", "white": "White wins", "tie": "a tie"}
    assert analyst.value(position) == words[value(position)]


class _Asked:
    """A terminal at which somebody asks for a hint, then resigns."""

    colour = False

    def __init__(self) -> None:
        self.typed = iter(["hint", "resign"])
        self.shown: list[str] = []

    def ask(self, prompt: str) -> str:
        assert "to move" in prompt
        return next(self.typed)

    def show(self, text: str) -> None:
        self.shown.append(text)


@pytest.mark.parametrize("position", POSITIONS, ids=IDS)
def test_a_hint_keeps_the_best_result(position: Position) -> None:
    terminal = _Asked()
    player = ManualPlayer(terminal, adviser=StrongestPlayer(1))
    with pytest.raises(Exception, match="resigned"):
        player.choose(position)
    (hint,) = re.findall(r"^Try (\S+)\.$", "\n".join(terminal.shown), re.M)
    assert hint in values_of_moves(position)
    assert not good_moves(position) or hint in good_moves(position)
