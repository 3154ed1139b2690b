"""Reports as HTML: small, complete in themselves, and deaf to what strangers write."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from littlego.core.board import WHITE
from littlego.core.game import GameRecord
from littlego.core.points import PASS, points_of
from littlego.core.position import Position
from littlego.core.rules import Outcome, Verdict, edition_rules
from littlego.core.svg import draw_svg
from littlego.formats.html.page import Cell, Page, Replay
from littlego.formats.text import escaped, printable
from tests.helpers import at, random_game

HOSTILE = "</script></title></pre><script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;\x00\x1b[2J\u202e\udc80"


class Elements(HTMLParser):
    """What a browser would see: the elements, their attributes, and the texts of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "script":
            self.scripts.append(data)
        self.text += data


def a_game(seed: int, size: int = 5) -> GameRecord:
    rules = edition_rules(size=size)
    moves = tuple(move for _, move in random_game(rules, seed))
    record = GameRecord("my_player3", "greedy", Position.initial(rules), moves, tuple(0.01 for _ in moves))
    return replace(record, outcome=record.final().outcome())


def a_page(text: str, record: GameRecord) -> Page:
    page = Page(text, text, footer=text)
    page.facts([(text, text)]).section(text, text).text(text, tone="bad")
    page.table([text, "Points"], [[text, Cell(text, href="#g")], [None, 2.5]])
    page.figure(draw_svg(record.final()), text).pre(text)
    notes = {1: text}
    return page.games([Replay(record, title=text, tag=text, remark=text, notes=notes, id=text)])


def test_strangers_write_no_element_and_no_character_that_acts() -> None:
    record = a_game(1)
    assert record.outcome
    evil = replace(
        record, black=HOSTILE, white=HOSTILE, outcome=Outcome(WHITE, Verdict.CRASH, record.final().score(), HOSTILE)
    )
    friendly, hostile = Elements(a_page("name", record).html()), Elements(a_page(HOSTILE, evil).html())
    assert friendly.tags == hostile.tags
    assert [name for name, _ in friendly.attributes] == [name for name, _ in hostile.attributes]
    text = a_page(HOSTILE, evil).html()
    assert printable(text) == text
    text.encode("utf-8")


def test_nothing_is_fetched_and_one_script_may_run() -> None:
    page = a_page("name", a_game(2)).html()
    links = re.findall(r'(?:src|href|action)="([^"]*)"', page)
    assert all(link.startswith("#") for link in links)
    assert "url(" not in page.replace("url(#littlego-", "").replace("`url(#", "")
    assert "@import" not in page
    digest = base64.b64encode(hashlib.sha256(Elements(page).scripts[-1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize(("seed", "size"), [(1, 5), (2, 5), (3, 7), (4, 2), (5, 19)])
def test_the_changes_of_a_game_lead_through_its_boards(seed: int, size: int) -> None:
    record = a_game(seed, size)
    data = json.loads(Elements(Page("").games([Replay(record)]).html()).scripts[0])
    cells, side = [0] * size * size, data["first"]
    boards = [list(cells)]
    for change in data["changes"].split():
        points = [
            None if change[k] == "-" else (ord(change[k]) - 97) * size + ord(change[k + 1]) - 97
            for k in range(0, len(change), 2)
        ]
        for k, point in enumerate(points):
            if point is not None:
                cells[point] = 0 if k else side
        boards.append(list(cells))
        side = 3 - side
    assert boards == [_cells(position) for position in record.positions()]


def _cells(position: Position) -> list[int]:
    cells = [0] * position.size**2
    for colour, stones in ((1, position.board.black), (2, position.board.white)):
        for point in points_of(stones):
            cells[point] = colour
    return cells


def test_a_game_may_start_anywhere_and_tells_its_end() -> None:
    start = at(". X .\n. . .\n. . O", WHITE, moves_played=3)
    record = GameRecord("a", "b", start, (4, PASS))
    data = json.loads(
        Elements(Page("").games([Replay(record, shown_first=1, points={1: {"good": [0, 7]}})]).html()).scripts[0]
    )
    assert (data["start"], data["first"], data["before"], data["shown"]) == ("010000002", 2, 3, 1)
    assert data["points"] == {"1": {"good": "aacb"}}, "rows and columns as letters"
    assert data["changes"] == "bb --"
    assert data["verdict"] == "Not finished."


def test_hundreds_of_games_stay_small() -> None:
    record = a_game(6)
    one, many = (len(Page("").games([Replay(record)] * count).html()) for count in (1, 401))
    assert (many - one) / 400 < 1000


def test_numbers_stand_to_the_right_and_sort_by_value() -> None:
    table = (
        Page("").table(["Name", "Won", "Rubric"], [["3", 12.3456, "1 x"], ["b", Cell("9 of 20", sort=9), "x"]]).html()
    )
    assert '<th scope="row">3</th><td class="number" data-sort="12.3456">12.35</td><td>1 x</td>' in table
    assert '<td class="number" data-sort="9">9 of 20</td>' in table


def test_long_pages_list_their_sections_and_long_texts_are_cut() -> None:
    page = Page("")
    for name in ("One", "Two", "Three"):
        page.section(name)
    assert "<nav" not in page.html()
    assert '<a href="#s4-four">Four</a>' in page.section("Four").html()
    assert escaped("x" * 3000, limit=10) == "x" * 10 + "… (2,990 more characters)"


@pytest.mark.parametrize("href", ["javascript:alert(1)", "https://example.org", "//example.org", "/etc", "a b", "a\nb"])
def test_links_stay_here(href: str) -> None:
    with pytest.raises(ValueError, match="expected '#id' or a quoted relative path"):
        Page("").table(["a"], [[Cell("a", href=href)]])
